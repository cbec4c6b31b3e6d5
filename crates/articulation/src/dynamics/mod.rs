//! Forces to motion and back.
//!
//! | file | gives | source (Featherstone 2008) | cost |
//! |---|---|---|---|
//! | `factor` | articulated inertias: the mass matrix, factored | section 7.3 | O(n) |
//! | `forward` | accelerations from forces | algorithm 7.3 (ABA) | O(n) |
//! | `inverse` | forces from accelerations | algorithm 5.1 (RNEA) | O(n) |
//! | `mass_matrix` | the mass matrix | algorithm 6.2 (CRBA) | O(n d) |
//! | `response` | velocity changes from impulses | section 7.3, without bias | O(n) |
//! | `rows` | the same for several impulses on a link at once, with their Jacobian | | O(n) |
//! | `operational` | the response of a link to impulses on it, 6 x 6 | chapter 8; Kreutz-Delgado 1992 | O(n) for all links |
//! | `jacobian` | how a point of a link moves by the joints | section 4.1 | O(d) |
//! | `energy` | energies and momenta | | O(n) |
//!
//! n: degrees of freedom, d: depth of the tree.

mod energy;
mod factor;
mod forward;
mod inverse;
mod jacobian;
mod mass_matrix;
mod operational;
mod response;
mod rows;

pub use energy::{Momentum, kinetic_energy, momentum, potential_energy, spring_energy};
pub use factor::{Factor, LEAST_INERTIA};
pub use forward::{ForwardDynamics, Loads};
pub use inverse::InverseDynamics;
pub use jacobian::{add_jacobian, jacobian};
pub use mass_matrix::mass_matrix;
pub use operational::OperationalInertia;
pub use response::Response;
pub use rows::RowResponse;
