//! A hint to the processor that something is about to be read.
#![expect(unsafe_code, reason = "the instruction is not safe to call, though it touches nothing")]

/// Asks for the cache lines of a value, which is about to be read; does nothing but cost a little where the machine has no such
/// instruction or the value is near already.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(value).cast::<i8>();
        let mut offset = 0;
        while offset < size_of::<T>() {
            // SAFETY: a prefetch is a hint, reads nothing into the program and never faults; SSE, which it needs, is part of x86-64.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(offset)) };
            offset += 64;
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
