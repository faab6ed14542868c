//! A box for what is nearly always absent.

/// An optional box. Dropping a full one is a call, so that code which finds it empty is short enough to be inlined. In a
/// host without link-time optimisation, a result without hooks is made, read and dropped in 3 ns instead of 11 ns; where
/// all crates are optimised together it makes no difference (`docs/performance.md`).
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rare<T>(Option<Box<T>>);

impl<T> Rare<T> {
    /// Nothing.
    pub(crate) const NONE: Self = Self(None);

    /// This.
    pub(crate) fn some(content: T) -> Self {
        Self(Some(Box::new(content)))
    }

    /// The content, if there is any.
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_deref()
    }

    /// Takes the content out.
    pub(crate) fn take(mut self) -> Option<T> {
        self.0.take().map(|content| *content)
    }
}

impl<T> Drop for Rare<T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(content) = self.0.take() {
            drop_content(content);
        }
    }
}

#[cold]
#[inline(never)]
fn drop_content<T>(content: Box<T>) {
    drop(content);
}
