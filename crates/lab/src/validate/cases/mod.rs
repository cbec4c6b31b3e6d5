//! The cases. Ids are those of the collection of reference cases: A free motion, B one body in contact, C
//! statics, D few and many bodies, E grains, F measurements, J joints, S scenes. Formulas stand beside the code that uses them.

mod arch;
mod asleep;
mod blows;
mod catapult;
mod discs;
mod dominoes;
mod ellipse;
mod free;
mod friction;
mod galton;
mod gas;
mod grains;
mod heaps;
mod heavy_top;
mod impacts;
mod overhang;
mod pendulums;
mod piled_balls;
mod pour;
mod rattleback;
mod rocking;
mod rolling;
mod scenes;
mod silo;
mod tippe_top;
mod tosses;
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
    /// Whether a quick run of everything leaves it out.
    pub(crate) is_long: bool,
    /// The measurements that it needs, by their folder's name.
    pub(crate) data: Option<&'static str>,
}

const fn case(id: &'static str, title: &'static str, run: fn(&Setup) -> Outcome<Vec<Row>>) -> Case {
    Case { id, title, run, is_long: false, data: None }
}

impl Case {
    /// The same, for full runs only.
    const fn long(self) -> Self {
        Self { is_long: true, ..self }
    }

    /// The same, which needs these measurements.
    const fn measured(self, folder: &'static str) -> Self {
        Self { data: Some(folder), ..self }
    }
}

/// Every case, in the order of the table.
pub(crate) const ALL: &[Case] = &[
    case("A1", "free flight", free::flight),
    case("A2", "tumbling about the middle axis", free::tumbling),
    case("A3", "free symmetric top", free::top),
    case("A4", "heavy top", heavy_top::heavy_top),
    case("A5", "momentum of 200 colliding bodies", impacts::momentum),
    case("B1", "ball from sliding to rolling", friction::rolling),
    case("B2", "cue ball with side spin", rolling::side_spin),
    case("B3", "rolling down a slope", rolling::down_slope),
    case("B4", "block on a slope: stick, slide, creep, tip", friction::slope),
    case("B5", "friction is the same in all directions", friction::isotropy),
    case("B6", "disc that slides and spins", discs::sliding_disc),
    case("B7", "25 balls on a pushed box", rolling::pushed_box),
    case("B8", "bounce heights", impacts::bounce),
    case("B9", "oblique impact of a ball", impacts::oblique),
    case("B10", "cube that comes down on an edge, on a corner", blows::off_centre),
    case("B11", "rocking block", rocking::housner),
    case("B12", "rod that slides with its end ahead", rocking::painleve),
    case("B13", "ladder", rocking::ladder),
    case("B14", "disc that rolls on its rim", discs::euler),
    case("B15", "top that turns over", tippe_top::tippe_top),
    case("B16", "stone that turns one way only", rattleback::rattleback),
    case("B17", "small ball on a large one", blows::superball),
    case("C1", "tower weight through its interfaces", weight::tower),
    case("C2", "mass ratio; what stands sleeps", weight::mass_ratio),
    case("C3", "blocks that hang over", overhang::overhang),
    case("C4", "arch of loose stones", arch::arch).long(),
    case("C5", "pyramids of balls; a wall", piled_balls::piled),
    case("C6", "sleep changes nothing", asleep::asleep),
    case("C7", "tower and pyramid stand without sleep", weight::standing),
    case("D1", "cradle, n of 5", impacts::cradle),
    case("D2", "gas of elastic balls, and one that cools", gas::gas).long(),
    case("D3", "216 balls poured", pour::pour).long(),
    case("D4", "dominoes", dominoes::dominoes).long(),
    case("D5", "catapult", catapult::catapult),
    case("D6", "board of pegs", galton::galton).long(),
    case("E1", "silo 10 grains wide: load of its bottom (900 to 4,500 grains)", silo::janssen).long(),
    case("E2", "silo 12 grains wide: rate through holes (2,800 grains)", silo::beverloo).long(),
    case("E3", "columns of radius 8 grains that collapse (900 to 7,400 grains)", heaps::collapses).long(),
    case("E4", "heap of 5,000 grains", heaps::repose).long(),
    case("J1", "pendulums on joints", pendulums::pendulums),
    case("J2", "heavy top on a joint", heavy_top::on_a_joint),
    case("F1", "real cube tosses", tosses::tosses).measured(tosses::FOLDER),
    case("F2", "real impacts of an ellipse", ellipse::impacts).measured(ellipse::FOLDER),
];

/// The named scenes, which take longest.
pub(crate) const SCENES: Case = case("S", "named scenes", scenes::scenes);
