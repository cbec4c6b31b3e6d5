//! What is done to a world, and how it is stepped.

use crate::common::*;
use crate::rules::Rules;
use drystone::math::{Pose, Real, Vector3};
use drystone::{BodyHandle, BodySpec, World, WorldConfig};
use proptest::prelude::*;

/// Boxes of a world at most.
const MOST_BOXES: usize = 10;
/// Columns in which boxes are set on each other, m apart.
const COLUMN: f64 = 0.16;
/// Half of the edge of a box, m.
const HALF: f64 = 0.05;
/// Where the lift and the shelf are at first: their tops in m, and their columns.
const LIFT: [f64; 2] = [0.1, 2.0];
const SHELF: [f64; 2] = [0.2, 3.0];

/// Something that is done between two steps.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    /// A box is set on whatever is in a column, so high above it (mm), or straddles this column and the next.
    Set { column: u8, above: u8, straddles: bool },
    /// A box is removed.
    Remove(u8),
    /// A box gets an impulse that gives it this velocity, in 0.1 m/s.
    Push(u8, [i8; 2]),
    /// The lift moves from now on, in 0.05 m/s.
    Lift([i8; 2]),
    /// The shelf is somewhere else at once: so many cm off.
    Shelf([i8; 2]),
    /// Gravity: down, off, leaning, or weaker.
    Gravity(u8),
    /// A box is woken.
    Wake(u8),
    /// A box meets nothing any more, or all again.
    Meet(u8, bool),
    /// A box is taken out of the simulation, or put back.
    Act(u8, bool),
    /// Time passes: so many hundredths of a second.
    Wait(u8),
}

/// Sequences of operations: a stack or two at first, then anything.
pub(crate) fn operations() -> impl Strategy<Value = Vec<Operation>> {
    use Operation::*;
    let set = (0..4_u8, 0..40_u8, any::<bool>()).prop_map(|(column, above, straddles)| Set {
        column,
        above: if above < 20 { 0 } else { above * 5 },
        straddles: straddles && above % 3 == 0,
    });
    let any_operation = prop_oneof![
        4 => set.clone(),
        3 => any::<u8>().prop_map(Remove),
        2 => (any::<u8>(), [-20..20_i8, -10..10_i8]).prop_map(|(i, v)| Push(i, v)),
        2 => [-4..5_i8, -4..5_i8].prop_map(Lift),
        1 => [-10..11_i8, -5..6_i8].prop_map(Shelf),
        1 => (0..4_u8).prop_map(Gravity),
        1 => any::<u8>().prop_map(Wake),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(i, on)| Meet(i, on)),
        1 => (any::<u8>(), any::<bool>()).prop_map(|(i, on)| Act(i, on)),
        8 => (1..80_u8).prop_map(Wait),
    ];
    let stack = proptest::collection::vec(set, 1..7);
    (stack, 40..120_u8, proptest::collection::vec(any_operation, 1..14)).prop_map(|(mut list, wait, rest)| {
        list.push(Wait(wait));
        list.extend(rest);
        list
    })
}

/// A world, and who plays with it.
pub(crate) struct Player {
    world: World,
    hz: Real,
    boxes: Vec<BodyHandle>,
    lift: BodyHandle,
    shelf: BodyHandle,
    rules: Rules,
}

impl Player {
    /// A ground, a shelf and a lift.
    pub(crate) fn new(config: &WorldConfig, hz: Real) -> Self {
        let plate = |top: f64, column: f64, spec: BodySpec| {
            spec.pose(Pose::at(COLUMN * column, top - 0.02, 0.0)).collider(block(0.07, 0.02, 0.2))
        };
        let scene = Scene::on_ground().with(plate(LIFT[0], LIFT[1], BodySpec::kinematic())).with(plate(
            SHELF[0],
            SHELF[1],
            BodySpec::fixed(),
        ));
        let run = scene.start(config, 1);
        let [lift, shelf] = [run.bodies[1], run.bodies[2]];
        Self { world: run.world, hz, boxes: Vec::new(), lift, shelf, rules: Rules::new(1.0 / hz) }
    }

    fn chosen(&self, index: u8) -> Option<BodyHandle> {
        (!self.boxes.is_empty()).then(|| self.boxes[usize::from(index) % self.boxes.len()])
    }

    /// Does it, or lets time pass.
    pub(crate) fn play(&mut self, operation: &Operation) -> Result<(), TestCaseError> {
        let fine = "the operation is in range";
        let chosen = |index: u8| self.chosen(index);
        match *operation {
            Operation::Set { column, above, straddles } => self.set(column, above, straddles),
            Operation::Remove(i) => {
                if let Some(body) = chosen(i) {
                    self.boxes.retain(|&other| other != body);
                    self.world.remove_body(body).expect(fine);
                    self.rules.removed();
                }
            }
            Operation::Push(i, [x, z]) => {
                // What was taken out of the simulation cannot be pushed.
                let is_active = |body: &BodyHandle| self.world.body(*body).expect(fine).is_active;
                if let Some(body) = chosen(i).filter(is_active) {
                    let mass = self.world.body(body).expect(fine).mass;
                    let way = Vector3::new(Real::from(x), 0.0, Real::from(z)) * (0.1 * mass);
                    self.world.add_impulse(body, way, Vector3::zeros()).expect(fine);
                    self.rules.touched();
                }
            }
            Operation::Lift([x, y]) => {
                let velocity = Vector3::new(Real::from(x), Real::from(y), 0.0) * 0.05;
                self.world.set_velocity(self.lift, velocity, Vector3::zeros()).expect(fine);
                self.rules.touched();
            }
            Operation::Shelf([x, y]) => {
                let place = Pose::at(
                    COLUMN * SHELF[1] + 0.01 * f64::from(x),
                    SHELF[0] + 0.01 * f64::from(y) - 0.02,
                    0.0,
                );
                self.world.set_pose(self.shelf, place).expect(fine);
                self.rules.touched();
            }
            Operation::Gravity(kind) => {
                let gravity = [[0.0, -9.81, 0.0], [0.0; 3], [1.0, -9.7, 0.0], [0.0, -3.0, 0.0]];
                self.world.set_gravity(Vector3::from(gravity[usize::from(kind)])).expect(fine);
                self.rules.touched();
            }
            Operation::Wake(i) => {
                if let Some(body) = chosen(i) {
                    self.world.wake(body).expect(fine);
                    self.rules.touched();
                }
            }
            Operation::Meet(i, meets) => {
                if let Some(body) = chosen(i) {
                    let collider = self.world.colliders_of(body).expect(fine).next().expect("it has one");
                    let islands = if meets { (1, u32::MAX) } else { (0, 0) };
                    self.world.set_filter(collider, islands.0, islands.1).expect(fine);
                    self.rules.touched();
                }
            }
            Operation::Act(i, is_active) => {
                if let Some(body) = chosen(i) {
                    self.world.set_active(body, is_active).expect(fine);
                    // Who is taken out leaves its neighbours as one that is removed.
                    self.rules.removed();
                }
            }
            Operation::Wait(hundredths) => {
                let steps = (Real::from(hundredths) * 0.01 * self.hz).ceil() as u32;
                for _ in 0..steps {
                    self.step()?;
                }
                self.rules.check_loads(&mut self.world)?;
            }
        }
        Ok(())
    }

    /// Lets the world come to rest, as far as it does.
    pub(crate) fn rest(&mut self) -> Result<(), TestCaseError> {
        self.play(&Operation::Wait(100))
    }

    fn step(&mut self) -> Result<(), TestCaseError> {
        self.rules.before(&self.world);
        self.world.step(1.0 / self.hz).expect("the step is in range");
        self.rules.after(&self.world)
    }

    fn set(&mut self, column: u8, above: u8, straddles: bool) {
        if self.boxes.len() == MOST_BOXES {
            return;
        }
        let x = COLUMN * (f64::from(column) + if straddles { 0.5 } else { 0.0 });
        let half = if straddles { 0.12 } else { HALF };
        // On top of what is there, as a box of its own width sees it.
        let top = |body: &BodyHandle| {
            let place = self.world.pose(*body).expect("it is alive").translation;
            ((place.x - x).abs() < half + 0.07).then_some(place.y + HALF + 0.03)
        };
        let plates = [(LIFT, self.lift), (SHELF, self.shelf)].into_iter().filter_map(|(_, plate)| {
            let place = self.world.pose(plate).expect("it is alive").translation;
            ((place.x - x).abs() < half + 0.08).then_some(place.y + 0.02)
        });
        let highest = self.boxes.iter().filter_map(top).chain(plates).fold(0.0, f64::max);
        let place = Pose::at(x, highest + HALF + 0.001 * f64::from(above), 0.0);
        let spec = BodySpec::dynamic().pose(place).collider(block(half as Real, HALF as Real, HALF as Real));
        self.boxes.push(self.world.add_body(spec).expect("the box is valid"));
        self.rules.touched();
    }
}
