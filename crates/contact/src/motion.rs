//! Where a kinematic body is as a function of time: keyframes, straight or smooth (S3-01 S).

use crate::error::ContactError;
use drystone_math::{
    Displacement, Pose, WideRotation, narrow_rotation, unit_rotation, wide_rotation_from_vector,
    widen_rotation,
};

/// A pose as a function of time. Functions and closures are motions as well.
pub trait Motion: Send + Sync {
    /// Pose of the body's own origin at `time` (s since the motion began). The same for the same time, and without jumps:
    /// what touches the body sees the velocity that leads from step to step.
    fn pose(&self, time: f64) -> Pose;
}

impl<F: Fn(f64) -> Pose + Send + Sync> Motion for F {
    fn pose(&self, time: f64) -> Pose {
        self(time)
    }
}

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// s since the motion began.
    pub time: f64,
    /// Pose of the body's own origin.
    pub pose: Pose,
}

impl Key {
    /// A pose at a time (s).
    pub fn new(time: f64, pose: Pose) -> Self {
        Self { time, pose }
    }
}

/// A motion through keys. Before the first key the body is where that is, after the last one where that is, unless it repeats.
///
/// Rotations turn from key to key by the shorter way at constant rate (slerp), in both kinds.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframes {
    keys: Vec<Key>,
    /// Turn from each key to the next, rotation vector in the frame of the key, rad.
    turns: Vec<Displacement>,
    /// Velocity at each key, m/s; empty for straight motion.
    tangents: Vec<Displacement>,
    repeats: bool,
}

/// Difference of first and last key that is taken for rounding when a motion repeats, m and quaternion units.
const SAME_POSE: f64 = 1e-6;

impl Keyframes {
    /// Straight from key to key at constant speed.
    ///
    /// # Errors
    /// No key, a time or pose that is not finite, or times that do not ascend.
    pub fn linear(keys: impl Into<Vec<Key>>) -> Result<Self, ContactError> {
        let mut keys = keys.into();
        if keys.is_empty() {
            return Err(ContactError::OutOfRange { field: "keys", expected: "at least one", value: 0.0 });
        }
        for key in &keys {
            let is_unit = (key.pose.rotation.norm() - 1.0).abs() < 1e-3;
            if !key.time.is_finite() || !key.pose.is_finite() || !is_unit {
                let expected = "finite with a unit rotation";
                return Err(ContactError::OutOfRange { field: "key", expected, value: key.time });
            }
        }
        if let Some(pair) = keys.windows(2).find(|pair| pair[0].time >= pair[1].time) {
            let expected = "after the time of the key before";
            return Err(ContactError::OutOfRange { field: "key.time", expected, value: pair[1].time });
        }
        keys.iter_mut().for_each(|key| key.pose.rotation = unit_rotation(&key.pose.rotation));
        let turn = |pair: &[Key]| {
            let [from, to] = [0, 1].map(|k| widen_rotation(&pair[k].pose.rotation));
            rotation_vector(&(from.inverse() * to))
        };
        let turns = keys.windows(2).map(turn).collect();
        Ok(Self { keys, turns, tangents: Vec::new(), repeats: false })
    }

    /// Smoothly through the keys: places along cubic Hermite pieces whose velocity at a key is that from the key before to
    /// the key after (Catmull and Rom 1974, for any spacing in time). It begins and ends at rest.
    ///
    /// # Errors
    /// As [`Keyframes::linear`].
    pub fn smooth(keys: impl Into<Vec<Key>>) -> Result<Self, ContactError> {
        let mut motion = Self::linear(keys)?;
        motion.tangents = motion.find_tangents();
        Ok(motion)
    }

    /// Begins anew at the last key, for ever; smooth motions pass it without a halt.
    ///
    /// # Errors
    /// Fewer than two keys, or a last pose that is not the first one: the body would jump.
    pub fn repeating(mut self) -> Result<Self, ContactError> {
        let (first, last) = (self.keys[0].pose, self.keys[self.keys.len() - 1].pose);
        let gap = (last.translation - first.translation).norm();
        let turn = 1.0 - f64::from(last.rotation.coords.dot(&first.rotation.coords).abs());
        if self.keys.len() < 2 || gap.max(turn) > SAME_POSE {
            let expected = "where the first one is, of two keys at least, for a motion that repeats";
            return Err(ContactError::OutOfRange { field: "last key", expected, value: gap.max(turn) });
        }
        self.repeats = true;
        if !self.tangents.is_empty() {
            self.tangents = self.find_tangents();
        }
        Ok(self)
    }

    /// The keys.
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    fn find_tangents(&self) -> Vec<Displacement> {
        let (keys, last) = (&self.keys, self.keys.len() - 1);
        let slope = |from: &Key, to: &Key, span: f64| (to.pose.translation - from.pose.translation) / span;
        let mut tangents = vec![Displacement::zeros(); keys.len()];
        for k in 1..last {
            tangents[k] = slope(&keys[k - 1], &keys[k + 1], keys[k + 1].time - keys[k - 1].time);
        }
        if self.repeats {
            let span = keys[last].time - keys[last - 1].time + keys[1].time - keys[0].time;
            tangents[0] = slope(&keys[last - 1], &keys[1], span);
            tangents[last] = tangents[0];
        }
        tangents
    }
}

impl Motion for Keyframes {
    fn pose(&self, time: f64) -> Pose {
        let (first, last) = (&self.keys[0], &self.keys[self.keys.len() - 1]);
        let period = last.time - first.time;
        let time =
            if self.repeats && time > last.time { first.time + (time - first.time) % period } else { time };
        let after = self.keys.partition_point(|key| key.time <= time);
        if after == 0 {
            return first.pose;
        }
        let Some(to) = self.keys.get(after) else { return last.pose };
        let from = &self.keys[after - 1];
        let span = to.time - from.time;
        let s = (time - from.time) / span;
        let way = to.pose.translation - from.pose.translation;
        let translation = if self.tangents.is_empty() {
            from.pose.translation + way * s
        } else {
            let [m, n] = [after - 1, after].map(|k| self.tangents[k] * span);
            // Hermite: h01 of the way, h10 and h11 of the velocities.
            let (square, cube) = (s * s, s * s * s);
            let bend = m * (cube - 2.0 * square + s) + n * (cube - square);
            from.pose.translation + way * (3.0 * square - 2.0 * cube) + bend
        };
        let turn = wide_rotation_from_vector(&(self.turns[after - 1] * s));
        Pose::new(translation, narrow_rotation(&(widen_rotation(&from.pose.rotation) * turn)))
    }
}

/// The rotation vector of a rotation, rad, by the shorter way: the inverse of [`wide_rotation_from_vector`].
///
/// Four square roots bring the half angle below π/32, where the series of the arc tangent is exact to rounding: no platform's
/// maths library takes part.
pub fn rotation_vector(rotation: &WideRotation) -> Displacement {
    const HALVINGS: i32 = 4;
    let q = rotation.quaternion();
    let sign = if q.w < 0.0 { -1.0 } else { 1.0 };
    let (mut w, mut v) = (q.w * sign, q.imag() * sign);
    for _ in 0..HALVINGS {
        // The square root of a unit quaternion points to the middle between it and one.
        let scale = 1.0 / ((1.0 + w) * (1.0 + w) + v.norm_squared()).sqrt();
        (w, v) = ((1.0 + w) * scale, v * scale);
    }
    let t = v / w;
    let square = t.norm_squared();
    let series = (0..8).rev().fold(0.0, |sum, k| 1.0 / f64::from(2 * k + 1) - square * sum);
    t * (series * 2.0 * f64::from(1 << HALVINGS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::{Rotation, Vector3};
    use proptest::prelude::*;

    fn key(time: f64, x: f64, turn: f32) -> Key {
        let rotation = Rotation::from_axis_angle(&Vector3::y_axis(), turn);
        Key::new(time, Pose::new([x, 0.0, 1.0].into(), rotation))
    }

    proptest! {
        #[test]
        fn the_rotation_vector_leads_back(x in -1.8..1.8_f64, y in -1.8..1.8_f64, z in -1.8..1.8_f64) {
            let v = Displacement::new(x, y, z);
            prop_assert!((rotation_vector(&wide_rotation_from_vector(&v)) - v).norm() < 1e-13);
        }

        /// Keys are met; between them smooth motion has a velocity without jumps, the derivative of the place.
        #[test]
        fn smooth_motion_passes_its_keys_without_a_jolt(xs in prop::collection::vec(-2.0..2.0_f64, 2..6), repeats: bool) {
            let mut keys: Vec<_> = xs.iter().enumerate().map(|(k, &x)| key(k as f64 * (1.0 + 0.2 * k as f64), x, 0.3 * k as f32)).collect();
            if repeats {
                keys.push(Key { time: 20.0, ..keys[0] });
            }
            let mut motion = Keyframes::smooth(keys.clone()).expect("ascending");
            if repeats {
                motion = motion.repeating().expect("closed");
            }
            const H: f64 = 1e-5;
            let velocity = |t: f64| (motion.pose(t + H).translation - motion.pose(t - H).translation) / (2.0 * H);
            for k in &keys {
                prop_assert!((motion.pose(k.time).translation - k.pose.translation).norm() < 1e-12);
                prop_assert!((motion.pose(k.time).rotation.coords - k.pose.rotation.coords).norm() < 1e-6);
                // There is nothing before the begin. Second differences of cubics of this size are below 100 m/s².
                let jolt = (velocity(k.time + 2.0 * H) - velocity(k.time - 2.0 * H)).norm();
                prop_assert!((repeats && k.time == 0.0) || jolt < 400.0 * H, "{jolt} m/s at {} s", k.time);
            }
        }
    }

    #[test]
    fn straight_motion_and_turns_are_even_and_stop_at_the_ends() {
        let motion = Keyframes::linear([key(1.0, 0.0, 0.0), key(3.0, 4.0, 2.0), key(4.0, 4.0, 2.0)])
            .expect("ascending");
        for (time, x, turn) in
            [(0.0, 0.0, 0.0), (1.5, 1.0, 0.5), (2.0, 2.0, 1.0), (3.5, 4.0, 2.0), (9.0, 4.0, 2.0)]
        {
            let pose = motion.pose(time);
            assert!((pose.translation.x - x).abs() < 1e-12, "{time} s");
            assert!(pose.rotation.angle_to(&key(0.0, 0.0, turn).pose.rotation) < 1e-3, "{time} s");
        }
        assert!(motion.clone().repeating().is_err(), "it would jump");
        let there_and_back = [key(0.0, 0.0, 0.0), key(1.0, 1.0, 0.0), key(2.0, 0.0, 0.0)];
        let motion = Keyframes::linear(there_and_back).and_then(Keyframes::repeating).expect("closed");
        assert!((motion.pose(1001.25).translation.x - 0.75).abs() < 1e-9);
    }

    #[test]
    fn keys_out_of_order_are_refused() {
        let bad = [
            vec![],
            vec![key(1.0, 0.0, 0.0), key(1.0, 1.0, 0.0)],
            vec![key(f64::NAN, 0.0, 0.0)],
            vec![key(0.0, f64::INFINITY, 0.0)],
        ];
        for keys in bad {
            assert!(matches!(Keyframes::smooth(keys), Err(ContactError::OutOfRange { .. })));
        }
    }
}
