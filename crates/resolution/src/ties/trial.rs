//! Eight ties in the middle of a step, for tests of the ways to go on from there.
#![expect(unsafe_code, reason = "takes the plain way")]

use super::Cut;
use super::block::{ROWS, TieBlock};
use super::layout::EMPTY;
use crate::vector::F8;
use drystone_contact::{
    Bodies, BodyDesc, BodyIndex, ContactGraph, EdgeIndex, JointConstraint, SharedBodyStates,
};
use drystone_math::inertia::MassProperties;
use drystone_math::wide::Isa;
use drystone_math::{Pose, Real, Vector3, rotation_from_vector};

/// What a way gets.
pub(super) struct Trial<'a, 'c> {
    pub(super) block: &'a mut TieBlock,
    pub(super) hot: &'a SharedBodyStates<'c>,
    pub(super) h: Real,
}

/// A number from -1 to 1.
fn noise(k: u32) -> Real {
    (k.wrapping_mul(0x9E37_79B9) >> 8) as Real / 8_388_608.0 - 1.0
}

fn vector(k: u32) -> Vector3 {
    Vector3::new(noise(3 * k), noise(3 * k + 1), noise(3 * k + 2))
}

/// Eight ties between sixteen bodies, the last of them to what is fixed; in the middle of a step.
fn pile(dress: impl Fn(u32, &mut JointConstraint)) -> (Bodies, ContactGraph, [u32; 8]) {
    let (mut bodies, mut graph, mut slots) = (Bodies::default(), ContactGraph::default(), [EMPTY; 8]);
    let add = |bodies: &mut Bodies, graph: &mut ContactGraph, k: u32| {
        let mass = MassProperties::aligned(1.0 + 0.5 * noise(k), Vector3::new(0.02, 0.05, 0.03));
        let desc = if k == 15 { BodyDesc::fixed() } else { BodyDesc::dynamic(mass, 1.0) };
        let pose = Pose::at(f64::from(k), f64::from(noise(k + 40)), 0.0);
        let handle = bodies.add(&desc.at(pose)).expect("room");
        let index = bodies.index(handle).expect("just added");
        graph.add_body(bodies, index);
        index
    };
    let ends: Vec<BodyIndex> = (0..16).map(|k| add(&mut bodies, &mut graph, k)).collect();
    for (lane, pair) in ends.chunks(2).enumerate() {
        let k = lane as u32;
        let way = Vector3::new(1.0, noise(2 * k + 41) - noise(2 * k + 40), 0.0);
        let arm = way * 0.5 + vector(k + 70) * 0.3;
        let axes = rotation_from_vector(&vector(k + 80));
        let mut tie = JointConstraint::new([pair[0], pair[1]], [arm, arm - way], [axes; 2]);
        dress(k, &mut tie);
        tie.memory.lock = vector(k + 100);
        let turned = vector(k + 110);
        let kept = (0..3).map(|axis| if tie.axes[3 + axis].is_locked() { turned[axis] } else { 0.0 });
        tie.memory.turn_lock = axes * Vector3::from_iterator(kept);
        for (axis, limit) in tie.memory.limit.iter_mut().enumerate() {
            *limit = noise(k + 120 + axis as u32);
        }
        slots[lane] = graph.add_tie(&bodies, tie).expect("a tie").0;
    }
    for (k, &body) in ends.iter().take(15).enumerate() {
        let hot = &mut bodies.view_mut().hot[body.get()];
        hot.delta_translation = vector(k as u32 + 200) * 0.02;
        // One turns by more than series bear.
        hot.delta_rotation = vector(k as u32 + 300) * if k == 6 { 9.0 } else { 0.7 };
        (hot.linear, hot.angular) = (vector(k as u32 + 400), vector(k as u32 + 500));
    }
    (bodies, graph, slots)
}

/// Checks that a way does to eight ties what the plain one does to one after the other, and leaves alone what it leaves.
pub(super) fn agree(
    dress: impl Fn(u32, &mut JointConstraint),
    check: impl Fn(&TieBlock),
    way: impl Fn(Isa, Trial<'_, '_>) -> u8,
    wanted_left: u8,
) {
    let (mut bodies, graph, slots) = pile(dress);
    let h = 1.0 / 480.0;
    let mut start = TieBlock::NONE;
    let places = slots.map(|edge| graph.tie_place(EdgeIndex(edge)).expect("a tie"));
    start.fill(&bodies, &graph, [&slots, &places], (Cut { sub_steps: 8, h }, false), Isa::best());
    check(&start);
    // Pulls that stiffen, and one of a set.
    (start.lock[0][5], start.lock[1][4], start.lock[2][2]) = (400.0, 90.0, 15.0);
    start.in_set = 1 << 2;
    let before = bodies.view().hot.to_vec();
    let mut one_by_one = start.clone();
    // SAFETY: nobody else is at work.
    unsafe { one_by_one.place(u8::MAX, &SharedBodyStates::new(bodies.view_mut().hot), h, false) };
    let wanted = bodies.view().hot.to_vec();
    for isa in Isa::all() {
        bodies.view_mut().hot.copy_from_slice(&before);
        let mut together = start.clone();
        let hot = SharedBodyStates::new(bodies.view_mut().hot);
        let left = way(isa, Trial { block: &mut together, hot: &hot, h });
        assert_eq!(left, wanted_left);
        for lane in 0..8 {
            let is_left = left >> lane & 1 == 1;
            // What a strong pull gives is rounded by its size.
            let lock = (0..3).fold(0.0, |most: Real, k| most.max(start.lock[k][lane].abs()));
            for side in 0..2 {
                let body = start.ends[side][lane] as usize;
                let (found, reference) =
                    (&bodies.view().hot[body], if is_left { &before[body] } else { &wanted[body] });
                let off = [
                    (found.linear - reference.linear).norm(),
                    (found.angular - reference.angular).norm(),
                    (found.delta_translation - reference.delta_translation).norm(),
                    (found.delta_rotation - reference.delta_rotation).norm(),
                ];
                let least = 3e-5 * (1.0 + lock);
                assert!(off.iter().all(|&off| off < least), "lane {lane}, side {side}: {off:?}");
            }
            let reference = if is_left { &start } else { &one_by_one };
            same(&together, reference, lane);
        }
    }
}

/// What a lane of two blocks has, to rounding.
fn same(found: &TieBlock, wanted: &TieBlock, lane: usize) {
    let check = |what: &str, a: &[F8], b: &[F8]| {
        for (a, b) in a.iter().zip(b) {
            let (a, b) = (a[lane], b[lane]);
            assert!((a - b).abs() < 3e-5 * (1.0 + b.abs()), "lane {lane}, {what}: {a} in place of {b}");
        }
    };
    assert_eq!(found.stiff >> lane & 1, wanted.stiff >> lane & 1, "lane {lane}");
    check("damping", &[found.damping], &[wanted.damping]);
    check("places", &found.lock_mass, &wanted.lock_mass);
    check("turns", &found.turn_mass, &wanted.turn_mass);
    check("wound", &[found.wound], &[wanted.wound]);
    check("impulse", &found.lock, &wanted.lock);
    check("turning impulse", &found.turn_lock, &wanted.turn_lock);
    check("error", &found.error, &wanted.error);
    check("turn error", &found.turn_error, &wanted.turn_error);
    for k in 0..2 {
        check("arms", &found.arms[k], &wanted.arms[k]);
        check("inertia", &found.inverse_inertia[k], &wanted.inverse_inertia[k]);
    }
    for k in (0..ROWS).filter(|k| wanted.row[*k].own >> lane & 1 == 1) {
        let (found, wanted) = (&found.row[k], &wanted.row[k]);
        check("force", &found.force, &wanted.force);
        check("torque", &found.torque, &wanted.torque);
        let of = |row: &super::block::Row| {
            [row.response, row.mass, row.drive_mass, row.softness, row.wanted, row.beyond, row.rub, row.value]
        };
        check("row", &of(found), &of(wanted));
        check("room", &found.room, &wanted.room);
    }
}
