//! Names that were probably meant, for a path that leads to nothing.

use std::path::Path;

use super::open::names_in;
use super::{Workspace, shown};

/// No more names than this are looked at for a suggestion.
const NAMES_TO_COMPARE: usize = 5000;

impl Workspace {
    /// Up to three names in the same folder that differ by a few letters or in case only, the nearest first. It looks
    /// at one folder: a model that has the wrong folder is better served by `glob`.
    pub(super) fn near_names(&self, relative: &Path) -> Vec<String> {
        let (Some(parent), Some(wanted)) = (relative.parent(), relative.file_name()) else {
            return Vec::new();
        };
        let Ok(names) = self.open_folder(parent, false).and_then(|dir| names_in(&dir, NAMES_TO_COMPARE))
        else {
            return Vec::new();
        };
        let wanted = wanted.to_string_lossy().to_lowercase();
        let mut near: Vec<(usize, String)> = names
            .iter()
            .filter_map(|name| {
                let distance = distance(&wanted, &name.to_string_lossy().to_lowercase());
                let allowed = 1 + wanted.chars().count() / 4;
                (distance <= allowed).then(|| (distance, format!("`{}`", shown(&parent.join(name)))))
            })
            .collect();
        near.sort();
        near.into_iter().map(|(_, name)| name).take(3).collect()
    }
}

/// How many characters must change to make one word of the other; very long names are far from anything.
fn distance(a: &str, b: &str) -> usize {
    if a.len().max(b.len()) > 256 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut left = i + 1;
        let mut diagonal = i;
        for (above, y) in row.iter_mut().skip(1).zip(b.chars()) {
            let cost = (diagonal + usize::from(x != y)).min(left + 1).min(*above + 1);
            diagonal = std::mem::replace(above, cost);
            left = cost;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}
