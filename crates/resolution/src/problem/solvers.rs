//! Every solver of discrete problems that this crate has.

use super::ProblemSolver;
use crate::{InteriorPoint, LcpConfig, LcpSolver, Nsgs, NsgsConfig, ProximalNewton};

/// Every solver with its default settings, for whoever compares them. Names are unique.
pub fn all_solvers() -> Vec<Box<dyn ProblemSolver>> {
    vec![
        Box::new(Nsgs::new(NsgsConfig::default())),
        Box::new(InteriorPoint::new()),
        Box::new(LcpSolver::new(LcpConfig::default())),
        Box::new(ProximalNewton::new()),
    ]
}
