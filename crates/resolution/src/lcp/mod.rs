//! Complementarity: the contacts of an island solved jointly, as linear complementarity problems.
//!
//! In: a [`Problem`](crate::problem::Problem), symmetric or not. Out: impulses under one of three laws ([`FrictionLaw`]), with a status that is what
//! [`Measure`](crate::problem::Measure) says of Coulomb's law. Knows nothing of steps and bodies. Start reading at [`LcpSolver`]; [`Lemke`] can be used alone.
//!
//! | law | source | what it is |
//! |---|---|---|
//! | [`FrictionLaw::Frictionless`] | S5-11 | `0 ≤ r_N ⊥ u_N ≥ 0` for all contacts at once; with doubled closing speeds in `q`, a reflection without loss |
//! | [`FrictionLaw::Pyramid`] | S3, Stewart and Trinkle 1996, S2-08 | friction within an inscribed pyramid, against the slip as well as its corners allow |
//! | [`FrictionLaw::Cone`] | beyond the papers | pyramids turned to each contact's slip until friction is opposite to it: Coulomb's cone |
//!
//! S5 sets the right-hand side of contacts that separate to zero; here it is their velocity, so that they may part slower.
//!
//! Method: an island of up to [`LcpConfig::lemke_limit`] unknowns is assembled densely (`pyramid`) and solved by Lemke's algorithm (`lemke`). For the
//! cone that is done again with the pyramids turned: a contact whose friction lies on a corner that points against its slip obeys Coulomb, one that sticks
//! within the pyramid sticks within the cone. The turn is a secant per contact with a narrow fan of corners around it; it takes 3 to 12 turns, and later turns mostly need no
//! pivots, because the last basis is tried first. Larger islands, and what Lemke's algorithm does not answer, are swept (`sweep`), exact contact by
//! contact, with nonlinear conjugate gradients; or refused ([`LcpConfig::falls_back`]). [`LcpReport`] says which way was taken.
//! A solve begins with the impulses it is given (S3-22): they are tried as they are, then as a basis, and sweeps begin with
//! them. Iterations (turns, double sweeps) are limited by the caller (S3-23), pivots by [`LemkeOptions`].
//!
//! What "solved" means: [`Status::Solved`](crate::problem::Status::Solved) is Coulomb's cone within the tolerance, whatever the law. A fixed pyramid does not get there where anything slides between its corners
//! (errors of 1e-3 to 0.6 in the collection); when its own law holds, the status is `Failed` and says so, and
//! [`LcpReport::law_residual`] is its criterion. Who wants 1e-8 of Coulomb asks for the cone.
//!
//! Guarantees: total, every loop is bounded; the answer left is the best one found; equal input gives equal bits; no allocation when sizes have been seen (but for the text of a refusal).
//! Not guaranteed: that turning converges (397 of 400 random hyperstatic problems do), nor sweeps.
//!
//! Cost: pivots take the square of the unknowns each, one to three per unknown, where most contacts stick far fewer; ten unknowns per contact with eight facets.
//! Measured on the FCLib collection: tower of ten with mass ratio 1000 (400 unknowns) 31 pivots, 3 ms, error 1e-12, where 1e5 accelerated double sweeps end at 4e-8; arch of 15
//! stones (640) 25 ms, 3e-13; stack of 100 boxes (4000) 301 pivots, 4.2 s, 3e-13, sweeps 5e-8 after 3.9 s; 256 balls that must find their places
//! (2560) or a pyramid of 91 (3960): sweeps, Lemke takes minutes. So the default limit is 200 unknowns; raise it for few bodies with large mass ratios.
//! Of the 39 problems, 10 s each, with a limit of 1000 unknowns: 37 to 1e-4, 35 to 1e-6, 34 to 1e-8; sweeps alone, 2 s each, 37, 34, 32.
//!
//! Choose it for small islands that must be exact at once (towers, heavy on light, mechanisms), for the frictionless and the pyramid's law as references,
//! and for problems on which Gauss-Seidel crawls.

mod config;
mod dense;
mod lemke;
mod polygon;
mod pyramid;
mod solver;
mod sweep;

pub use config::{FrictionLaw, LcpConfig};
pub use dense::DenseLcp;
pub use lemke::{Lemke, LemkeOptions, LemkeStatus};
pub use polygon::MAX_FACETS;
pub use solver::{LcpReport, LcpSolver};
