//! Which instruction sets this machine has, and how a kernel is run with one of them.

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
use super::Neon;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::{Avx2, Sse2};
use super::{Lanes, Reference};

/// Work on lanes that is compiled once for every instruction set.
///
/// Implementors mark `run`, and every function and closure between it and the lanes, `#[inline(always)]`:
/// what is not inlined lacks the feature, and each of its operations becomes a call.
pub trait Kernel {
    /// What the work returns.
    type Output;

    /// Does the work with the given instruction set; must be `#[inline(always)]`.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// An instruction set this machine has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Isa {
    /// Plain Rust, compiled for the target's smallest machine.
    Reference(Reference),
    /// Two registers of four lanes, every x86-64 machine.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Sse2(Sse2),
    /// One register of eight lanes, x86-64 machines that report it.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
    /// Two registers of four lanes, every 64-bit ARM machine.
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    Neon(Neon),
}

impl Isa {
    /// All instruction sets of this machine, the best one last. Tests run with each.
    pub fn all() -> impl Iterator<Item = Self> {
        [
            Some(Self::Reference(Reference)),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Some(Self::Sse2(Sse2)),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Avx2::detect().map(Self::Avx2),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Some(Self::Neon(Neon)),
        ]
        .into_iter()
        .flatten()
    }

    /// The fastest instruction set of this machine. Asking again is cheap.
    pub fn best() -> Self {
        Self::all().last().unwrap_or(Self::Reference(Reference))
    }

    /// Its name in reports, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reference(_) => "reference",
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Sse2(_) => "sse2",
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(_) => "avx2",
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Self::Neon(_) => "neon",
        }
    }

    /// Runs the kernel with this instruction set, once per slice of work, not per block: with AVX2 this is a
    /// call that cannot be inlined into its caller.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Self::Reference(lanes) => kernel.run(lanes),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Sse2(lanes) => kernel.run(lanes),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(lanes) => lanes.run(kernel),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Self::Neon(lanes) => kernel.run(lanes),
        }
    }
}
