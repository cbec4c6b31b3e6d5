//! The cases. Ids are those of the collection of reference cases: A free motion, B one body in contact, C
//! statics, D few bodies, S scenes. Formulas stand beside the code that uses them.

mod catapult;
mod free;
mod friction;
mod impacts;
mod scenes;
mod weight;

use super::lab::Setup;
use super::row::Row;
use crate::shell::Outcome;

/// A case: what it is called, what it shows, and how it is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    pub(crate) run: fn(&Setup) -> Outcome<Vec<Row>>,
}

/// Every case, in the order of the table.
pub(crate) const ALL: [Case; 14] = [
    Case { id: "A1", title: "free flight", run: free::flight },
    Case { id: "A2", title: "tumbling about the middle axis", run: free::tumbling },
    Case { id: "A3", title: "free symmetric top", run: free::top },
    Case { id: "A5", title: "momentum of 200 colliding bodies", run: impacts::momentum },
    Case { id: "B1", title: "ball from sliding to rolling", run: friction::rolling },
    Case { id: "B4", title: "block on a slope: stick, slide, creep, tip", run: friction::slope },
    Case { id: "B5", title: "friction is the same in all directions", run: friction::isotropy },
    Case { id: "B8", title: "bounce heights", run: impacts::bounce },
    Case { id: "B9", title: "oblique impact of a ball", run: impacts::oblique },
    Case { id: "C1", title: "tower weight through its interfaces", run: weight::tower },
    Case { id: "C2", title: "mass ratio; what stands sleeps", run: weight::mass_ratio },
    Case { id: "C7", title: "tower and pyramid stand without sleep", run: weight::standing },
    Case { id: "D1", title: "cradle, n of 5", run: impacts::cradle },
    Case { id: "D5", title: "catapult", run: catapult::catapult },
];

/// The named scenes, which take longest.
pub(crate) const SCENES: Case = Case { id: "S", title: "named scenes", run: scenes::scenes };
