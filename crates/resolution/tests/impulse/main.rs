//! The impulse method, driven by hand-made contacts through the public interface.
//!
//! | module | shows |
//! |---|---|
//! | `contact_law` | one contact: S1-46..56, S1-65 |
//! | `order` | which contact is next: S1-57, S1-58, S1-64, S1-67..70, S1-87 |
//! | `phases` | many contacts: S1-57, S1-59, S1-60, S1-61..63 |
//! | `response` | bodies: S1-28, S1-39, S1-66, kinematic bodies, locks, extreme masses, promise 6 |
//! | `sticking` | friction that holds, slip and its return |
//! | `energy` | S2-31, S2-32 |
//! | `accumulate` | totals that begin with last step's, beyond S1 |
//! | `batches` | S1-71, S1-72, promise 3 |

#[path = "../common/mod.rs"]
mod common;

mod accumulate;
mod batches;
mod contact_law;
mod energy;
mod order;
mod phases;
mod regressions;
mod response;
mod sticking;
