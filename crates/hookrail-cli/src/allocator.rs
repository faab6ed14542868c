//! The memory of the static program, for Rust and for the C library: `realpath` and others use `malloc`. musl's own takes a
//! page from the system for every few objects and gives it back with the last of them. The only unsafe code of the program.
#![allow(unsafe_code, reason = "an allocator cannot be written without it")]

use std::alloc::{GlobalAlloc, Layout};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, PoisonError};

use dlmalloc::Dlmalloc;

/// What C aligns to. Everything in the heap is.
const C_ALIGNMENT: usize = 2 * size_of::<usize>();

static HEAP: Mutex<Dlmalloc> = Mutex::new(Dlmalloc::new());

fn heap() -> MutexGuard<'static, Dlmalloc> {
    HEAP.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Heap;

#[cfg_attr(target_env = "musl", global_allocator)]
static ALLOCATOR: Heap = Heap;

// SAFETY: each method hands its arguments to the same one of `Dlmalloc`, whose contracts are those of this trait.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        unsafe { heap().malloc(layout.size(), layout.align()) }
    }

    // As C does it: with the layout, `Dlmalloc` would only compare the size with its own note, two per cent of a call.
    unsafe fn dealloc(&self, pointer: *mut u8, _: Layout) {
        unsafe { heap().c_free(pointer) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        unsafe { heap().calloc(layout.size(), layout.align()) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= C_ALIGNMENT {
            return unsafe { heap().c_realloc(pointer, size) };
        }
        unsafe { heap().realloc(pointer, layout.size(), layout.align(), size) }
    }
}

// SAFETY of what follows: C's contract for a pointer is that of `Dlmalloc`'s functions for C: null, or from this heap.

#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
extern "C" fn malloc(size: usize) -> *mut u8 {
    unsafe { heap().c_malloc(size) }
}

#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
extern "C" fn calloc(count: usize, size: usize) -> *mut u8 {
    count.checked_mul(size).map_or_else(null_mut, |size| unsafe { heap().calloc(size, C_ALIGNMENT) })
}

#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
unsafe extern "C" fn realloc(pointer: *mut u8, size: usize) -> *mut u8 {
    unsafe { heap().c_realloc(pointer, size) }
}

#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
unsafe extern "C" fn free(pointer: *mut u8) {
    unsafe { heap().c_free(pointer) }
}

#[cfg_attr(target_env = "musl", unsafe(no_mangle))]
extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut u8 {
    if alignment.is_power_of_two() { unsafe { heap().c_memalign(alignment, size) } } else { null_mut() }
}

#[cfg(test)]
mod tests {
    use std::slice;

    use super::*;

    /// Fills so many bytes and says whether they stay as they are while others come and go.
    fn is_kept(pointer: *mut u8, size: usize, others: impl FnOnce()) -> bool {
        let bytes = unsafe { slice::from_raw_parts_mut(pointer, size) };
        bytes.fill(7);
        others();
        bytes.iter().all(|byte| *byte == 7)
    }

    #[test]
    fn memory_of_rust_and_c_is_of_one_heap() {
        for size in [1, 15, 16, 100, 4_096, 70_000, 1 << 20] {
            for alignment in [1, 8, 16, 64, 4_096] {
                let layout = Layout::from_size_align(size, alignment).unwrap();
                let ours = unsafe { ALLOCATOR.alloc(layout) };
                assert_eq!(ours.addr() % alignment, 0, "{layout:?}");
                let kept = is_kept(ours, size, || unsafe {
                    let c = malloc(size);
                    assert!(
                        c.addr().is_multiple_of(C_ALIGNMENT) && is_kept(c, size, || free(calloc(size, 2)))
                    );
                    let c = realloc(c, 2 * size);
                    assert!(slice::from_raw_parts(c, size).iter().all(|byte| *byte == 7));
                    free(c);
                    let aligned = aligned_alloc(alignment, size);
                    assert!(
                        aligned.addr().is_multiple_of(alignment)
                            && is_kept(aligned, size, || free(null_mut()))
                    );
                    free(aligned);
                });
                assert!(kept, "{layout:?}");
                let grown = unsafe { ALLOCATOR.realloc(ours, layout, size + 1) };
                assert!(grown.addr().is_multiple_of(alignment) && unsafe { *grown } == 7, "{layout:?}");
                unsafe { ALLOCATOR.dealloc(grown, Layout::from_size_align(size + 1, alignment).unwrap()) };
            }
        }
    }

    #[test]
    fn what_is_asked_for_cleared_is_clear_and_what_cannot_be_is_null() {
        for size in [1, 100, 5_000, 1 << 20] {
            unsafe {
                let dirty = malloc(size);
                assert!(is_kept(dirty, size, || ()));
                free(dirty);
                let clear = calloc(size, 1);
                assert!(slice::from_raw_parts(clear, size).iter().all(|byte| *byte == 0), "{size}");
                free(clear);
            }
        }
        assert!(calloc(usize::MAX, 2).is_null());
        assert!(malloc(usize::MAX / 2).is_null());
        assert!(aligned_alloc(3, 8).is_null());
    }

    #[test]
    fn threads_share_it() {
        std::thread::scope(|scope| {
            for number in 1..=8_usize {
                scope.spawn(move || {
                    for size in 1..500 {
                        let pointer = malloc(size * number);
                        assert!(is_kept(pointer, size * number, std::thread::yield_now));
                        unsafe { free(pointer) };
                    }
                });
            }
        });
    }
}
