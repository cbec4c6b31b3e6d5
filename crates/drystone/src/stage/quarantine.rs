//! Bodies whose state turned non-finite are taken out, named, and the rest goes on.

use crate::StepReport;
use drystone_contact::{Bodies, BodyIndex};

/// Finds bodies with a non-finite state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quarantine {
    found: Vec<BodyIndex>,
}

impl Quarantine {
    /// Looks at all awake bodies; those with a velocity or pose that is not finite lose velocity and mass,
    /// stay where they last were, and are named in the report.
    pub(crate) fn check(&mut self, bodies: &mut Bodies, report: &mut StepReport) {
        self.found.clear();
        let view = bodies.view();
        // A sum is finite only if all its terms are; where it is not, each is asked, as large ones may overflow it.
        let is_suspect = |i: &BodyIndex| {
            let (hot, pose) = (&view.hot[i.get()], &view.pose[i.get()]);
            let single = hot.linear.sum() + hot.angular.sum() + pose.rotation.coords.sum();
            !(pose.translation.coords.sum() + f64::from(single)).is_finite()
        };
        let is_broken = |i: &BodyIndex| !view.hot[i.get()].is_finite() || !view.pose[i.get()].is_finite();
        self.found.extend(view.awake.iter().map(BodyIndex).filter(is_suspect).filter(is_broken));
        for &index in &self.found {
            // Velocities are looked at before they move anything, so the pose is finite unless a method of
            // the user's wrote it.
            let pose = *bodies.center_pose(index);
            bodies.quarantine(index, if pose.is_finite() { pose } else { drystone_math::Pose::IDENTITY });
            report.quarantined.extend(bodies.handle(index));
        }
    }
}
