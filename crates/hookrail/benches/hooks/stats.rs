//! Medians, and how sure they are.

use std::time::{Duration, Instant};

use fastrand::Rng;

use crate::sys::cpu_time;

/// How often the bootstrap draws.
const DRAWS: usize = 1_000;

/// What one contender took, event by event, in seconds.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    pub(crate) wall: Vec<f64>,
    /// Of this process and its children.
    pub(crate) cpu: Vec<f64>,
}

/// The measurements of two contenders that took turns.
#[derive(Debug, Default)]
pub(crate) struct Duel {
    pub(crate) base: Samples,
    pub(crate) ours: Samples,
}

/// A ratio of medians with the interval that contains it in 95 of 100 cases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    pub(crate) middle: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// When to stop measuring.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// No longer than this, …
    pub(crate) time: Duration,
    /// … and no more pairs than this, …
    pub(crate) most: usize,
    /// … but at least this many.
    pub(crate) least: usize,
}

impl Samples {
    pub(crate) fn take(&mut self, run: &mut dyn FnMut()) {
        let cpu = cpu_time();
        let begin = Instant::now();
        run();
        self.wall.push(begin.elapsed().as_secs_f64());
        self.cpu.push(cpu_time().saturating_sub(cpu).as_secs_f64());
    }
}

/// Lets two contenders take turns, event by event; who goes first changes with each pair.
pub(crate) fn duel(budget: Budget, mut base: impl FnMut(), mut ours: impl FnMut()) -> Duel {
    // What is done once (loading a shared library, filling a cache) belongs to nobody.
    for _ in 0..3 {
        base();
        ours();
    }
    let mut duel = Duel::default();
    let begin = Instant::now();
    for pair in 0..budget.most {
        if pair >= budget.least && begin.elapsed() >= budget.time {
            break;
        }
        if pair % 2 == 0 {
            duel.base.take(&mut base);
            duel.ours.take(&mut ours);
        } else {
            duel.ours.take(&mut ours);
            duel.base.take(&mut base);
        }
    }
    duel
}

impl Duel {
    pub(crate) fn wall(&self) -> Ratio {
        Ratio::of(&self.ours.wall, &self.base.wall)
    }

    pub(crate) fn cpu(&self) -> Ratio {
        Ratio::of(&self.ours.cpu, &self.base.cpu)
    }

    /// How much longer ours takes than the one beside it, in microseconds.
    pub(crate) fn over(&self) -> Ratio {
        let over = |(ours, base): (&f64, &f64)| (ours - base) * 1e6;
        let over: Vec<f64> = self.ours.wall.iter().zip(&self.base.wall).map(over).collect();
        Ratio::of(&over, &[1.0])
    }
}

impl Ratio {
    /// The ratio of the medians of two lists of samples, with its bootstrap interval.
    pub(crate) fn of(ours: &[f64], base: &[f64]) -> Self {
        // A fixed start: the same samples give the same interval.
        let mut random = Rng::with_seed(0x5eed);
        let mut draws: Vec<f64> = (0..DRAWS)
            .map(|_| resampled_median(&mut random, ours) / resampled_median(&mut random, base))
            .collect();
        draws.sort_by(f64::total_cmp);
        Self {
            middle: median(ours) / median(base),
            low: draws[DRAWS * 25 / 1_000],
            high: draws[DRAWS * 975 / 1_000 - 1],
        }
    }

    /// The same ratio of things that come so many at once.
    pub(crate) fn scaled(self, factor: f64) -> Self {
        Self { middle: self.middle * factor, low: self.low * factor, high: self.high * factor }
    }

    /// The same comparison seen from the other side.
    pub(crate) fn inverse(self) -> Self {
        Self { middle: 1.0 / self.middle, low: 1.0 / self.high, high: 1.0 / self.low }
    }
}

/// The middle of a list.
pub(crate) fn median(samples: &[f64]) -> f64 {
    median_of(&mut samples.to_vec())
}

fn median_of(samples: &mut [f64]) -> f64 {
    let middle = samples.len() / 2;
    let even = samples.len().is_multiple_of(2);
    let (below, upper, _) = samples.select_nth_unstable_by(middle, f64::total_cmp);
    if even {
        let lower = below.iter().copied().max_by(f64::total_cmp).unwrap_or(*upper);
        return f64::midpoint(lower, *upper);
    }
    *upper
}

/// The median of as many samples, drawn with replacement.
fn resampled_median(random: &mut Rng, samples: &[f64]) -> f64 {
    let mut drawn: Vec<f64> = samples.iter().map(|_| samples[random.usize(..samples.len())]).collect();
    median_of(&mut drawn)
}
