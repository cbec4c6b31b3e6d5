//! What an articulation holds.

use super::Articulation;
use drystone_math::Carried;

impl Articulation {
    /// Memory that it holds beyond itself, bytes: what all its lists have room for.
    pub fn heap_bytes(&self) -> usize {
        let model = self.model.heap_bytes() + self.state.heap_bytes() + self.kinematics.heap_bytes();
        let dynamics = self.factor.heap_bytes()
            + self.forward.heap_bytes()
            + self.response.heap_bytes()
            + self.row_response.heap_bytes()
            + self.operational.heap_bytes();
        let step = self.loops.heap_bytes()
            + self.drives.heap_bytes()
            + self.rows.heap_bytes()
            + self.flow.heap_bytes()
            + self.balance.heap_bytes()
            + self.before.heap_bytes()
            + self.split_start.heap_bytes();
        let lists = [
            &self.joint_forces,
            &self.predicted,
            &self.base,
            &self.held,
            &self.passive,
            &self.forces,
            &self.diagonal,
        ];
        model
            + dynamics
            + step
            + self.wrenches.heap_bytes()
            + lists.map(Vec::heap_bytes).iter().sum::<usize>()
    }
}
