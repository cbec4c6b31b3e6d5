//! Methods of advancing with someone who looks on: keeps states, counts, resolves a step once more.

use drystone::{Batches, Bodies, ContactGraph, Exec, Solver, SolverReport, StepParams};

/// A step before its velocities are resolved.
pub(crate) struct Scene<'a> {
    pub(crate) bodies: &'a mut Bodies,
    pub(crate) graph: &'a mut ContactGraph,
    pub(crate) batches: &'a Batches,
    pub(crate) step: &'a StepParams,
    exec: &'a Exec,
}

impl Scene<'_> {
    /// Resolves it.
    pub(crate) fn resolve(self, method: &mut impl Solver) -> SolverReport {
        method.solve(self.bodies, self.graph, self.batches, self.step, self.exec)
    }

    /// Resolves a copy of it.
    pub(crate) fn resolve_copy(&self, method: &mut impl Solver) -> SolverReport {
        let (mut bodies, mut graph) = (self.bodies.clone(), self.graph.clone());
        method.solve(&mut bodies, &mut graph, self.batches, self.step, self.exec)
    }
}

/// See [`attended`].
struct Attended<A, F> {
    method: A,
    attend: F,
}

impl<A: Solver, F: FnMut(&mut A, Scene<'_>) -> SolverReport + Send + Sync> Solver for Attended<A, F> {
    fn begin(&mut self, bodies: &mut Bodies, graph: &ContactGraph, step: &StepParams, exec: &Exec) {
        self.method.begin(bodies, graph, step, exec);
    }

    fn solve(
        &mut self,
        bodies: &mut Bodies,
        graph: &mut ContactGraph,
        batches: &Batches,
        step: &StepParams,
        exec: &Exec,
    ) -> SolverReport {
        (self.attend)(&mut self.method, Scene { bodies, graph, batches, step, exec })
    }
}

/// A method, and what is done with each of its steps: to resolve it by the method, and what else.
pub(crate) fn attended<A, F>(method: A, attend: F) -> Box<dyn Solver>
where
    A: Solver + 'static,
    F: FnMut(&mut A, Scene<'_>) -> SolverReport + Send + Sync + 'static,
{
    Box::new(Attended { method, attend })
}
