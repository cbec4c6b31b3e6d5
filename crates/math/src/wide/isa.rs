//! Which instruction sets this machine has, and how a kernel is run with one of them.

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
use super::Avx2;
#[cfg(feature = "reference-lanes")]
use super::Reference;
use super::{Baseline, Lanes};
use std::sync::atomic::{AtomicU8, Ordering};

/// Place in [`Isa::all`] of the instruction set of [`Isa::make_best`], counted from 1; 0 while nobody chose one.
static CHOSEN: AtomicU8 = AtomicU8::new(0);

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
    /// Plain Rust, compiled for the target's smallest machine: for tests that compare lanes with scalars. Release builds, which would never choose it, are a third
    /// smaller without it.
    #[cfg(feature = "reference-lanes")]
    Reference(Reference),
    /// What every machine of the target has: two registers of four lanes on x86-64 (SSE2) and 64-bit ARM (NEON), plain Rust elsewhere.
    Baseline(Baseline),
    /// One register of eight lanes, x86-64 machines that report it.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Avx2(Avx2),
}

impl Isa {
    /// All instruction sets of this machine, the best one last. Tests run with each; with the feature `reference-lanes` plain Rust comes first.
    pub fn all() -> impl Iterator<Item = Self> {
        [
            #[cfg(feature = "reference-lanes")]
            Some(Self::Reference(Reference)),
            Some(Self::Baseline(Baseline::default())),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Avx2::detect().map(Self::Avx2),
        ]
        .into_iter()
        .flatten()
    }

    /// The fastest instruction set of this machine, or what [`Isa::make_best`] chose. Asking again is cheap.
    pub fn best() -> Self {
        let chosen = match CHOSEN.load(Ordering::Relaxed) {
            0 => Self::all().last(),
            place => Self::all().nth(usize::from(place - 1)),
        };
        chosen.unwrap_or(Self::Baseline(Baseline::default()))
    }

    /// Makes this one what [`Isa::best`] returns from now on, in the whole process. Motion is the same with each, to the bit; programs that check it, or
    /// measure what lanes gain, choose one.
    ///
    /// ```
    /// use drystone_math::wide::Isa;
    /// let best = Isa::best();
    /// for isa in Isa::all() {
    ///     isa.make_best();
    ///     assert_eq!(Isa::best(), isa);
    /// }
    /// best.make_best();
    /// ```
    pub fn make_best(self) {
        let place = Self::all().position(|isa| isa == self).unwrap_or_default();
        CHOSEN.store(place as u8 + 1, Ordering::Relaxed);
    }

    /// Its name in reports, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "reference-lanes")]
            Self::Reference(_) => Reference::NAME,
            Self::Baseline(_) => Baseline::NAME,
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(_) => Avx2::NAME,
        }
    }

    /// Runs the kernel with this instruction set, once per slice of work, not per block: with AVX2 this is a
    /// call that cannot be inlined into its caller.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            #[cfg(feature = "reference-lanes")]
            Self::Reference(lanes) => kernel.run(lanes),
            Self::Baseline(lanes) => kernel.run(lanes),
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Self::Avx2(lanes) => lanes.run(kernel),
        }
    }
}
