//! The hot records as rows of eight floats, for kernels that work on eight contacts at a time.
//!
//! The bodies of one contact colour are disjoint, so several threads may each change "their" bodies at once.
//! That cannot be said to the compiler by slices; this module is where it is promised instead.
#![expect(unsafe_code, reason = "several threads change disjoint bodies of one array")]

use super::record::BodyHot;
use drystone_math::wide::{Lanes, Mask, Wide};
use std::marker::PhantomData;

/// Half a hot record: `linear, inverse_mass | angular, flags`, or the deltas of the step.
pub type Row = [f32; 8];

/// Where a hot record lies, in eighths of one: processors multiply by up to eight as they address, and a record is 64 bytes. So whoever
/// visits the same bodies again and again saves an instruction per body and visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct StateSlot(u32);

impl StateSlot {
    /// That of the dummy.
    pub const DUMMY: Self = Self(0);

    /// Where the record at `index` lies.
    #[inline]
    pub fn of(index: u32) -> Self {
        Self(8 * index)
    }

    /// The index of the record.
    #[inline]
    pub fn index(self) -> u32 {
        self.0 / 8
    }
}

/// What names a hot record: its index, or its place.
pub trait StateIndex: Copy {
    /// How many eighths of records come before it.
    fn eighths(self) -> usize;
}

impl StateIndex for u32 {
    #[inline(always)]
    fn eighths(self) -> usize {
        8 * self as usize
    }
}

impl StateIndex for StateSlot {
    #[inline(always)]
    fn eighths(self) -> usize {
        self.0 as usize
    }
}

/// Hot records of all bodies, of which several threads may each read and write disjoint ones.
#[derive(Debug)]
pub struct SharedBodyStates<'a> {
    start: *mut BodyHot,
    len: usize,
    records: PhantomData<&'a mut [BodyHot]>,
}

// SAFETY: access is through unsafe functions whose callers promise that no record is written by one thread
// while another touches it; the records are plain numbers.
unsafe impl Sync for SharedBodyStates<'_> {}
// SAFETY: it stands for a `&mut [BodyHot]`, which is `Send`.
unsafe impl Send for SharedBodyStates<'_> {}

impl<'a> SharedBodyStates<'a> {
    /// All records of `hot`; index 0 must be the dummy.
    ///
    /// # Panics
    /// There are 2²⁹ records or more, 32 GB: a [`StateSlot`] would not tell them apart.
    pub fn new(hot: &'a mut [BodyHot]) -> Self {
        assert!(hot.len() < 1 << 29, "{} bodies are more than lanes can name", hot.len());
        Self { start: hot.as_mut_ptr(), len: hot.len(), records: PhantomData }
    }

    /// Number of records; indices must be below it.
    pub fn len(&self) -> usize {
        self.len
    }

    /// True without records.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Half `half` (0: velocities, 1: deltas) of a record.
    #[inline(always)]
    fn row(&self, name: impl StateIndex, half: usize) -> *mut Row {
        let eighths = name.eighths();
        debug_assert!(eighths / 8 < self.len, "body {} of {}", eighths / 8, self.len);
        // An eighth of a record is 8 bytes long, as a test checks.
        self.start.cast::<u64>().wrapping_add(eighths).cast::<Row>().wrapping_add(half)
    }

    /// Velocities of eight bodies: `linear, inverse_mass, angular, flags`. An index may come twice.
    ///
    /// # Safety
    /// Indices below [`SharedBodyStates::len`]; nobody writes these bodies while the rows live.
    #[inline(always)]
    pub unsafe fn velocities(&self, index: &[impl StateIndex; 8]) -> [&Row; 8] {
        // SAFETY: in bounds and not written meanwhile, by the caller's promise; a record is 16 floats long
        // (`repr(C)`, checked by a test), and its flags are bits that are moved only.
        index.map(|i| unsafe { &*self.row(i, 0) })
    }

    /// Displacements of eight bodies since the start of the step.
    ///
    /// # Safety
    /// As [`SharedBodyStates::velocities`].
    #[inline(always)]
    pub unsafe fn deltas(&self, index: &[impl StateIndex; 8]) -> [&Row; 8] {
        // SAFETY: as above.
        index.map(|i| unsafe { &*self.row(i, 1) })
    }

    /// Writes back what [`SharedBodyStates::velocities`] (half 0) or [`SharedBodyStates::deltas`] (half 1) gathered, of those lanes
    /// whose entry in `inverse_mass` is positive.
    ///
    /// # Safety
    /// As [`SharedBodyStates::velocities`]; and nobody else reads or writes the bodies written here.
    #[inline(always)]
    pub unsafe fn set_half<const HALF: usize, L: Lanes>(
        &self,
        lanes: L,
        index: &[impl StateIndex; 8],
        columns: [L::F32; 8],
        inverse_mass: &Row,
    ) {
        let rows = lanes.transpose(columns);
        let bits = lanes.load(inverse_mass).greater(lanes.splat(0.0)).bits();
        // Mostly all of them: a branch for each would cost as much as the stores.
        if bits == u8::MAX {
            for k in 0..8 {
                // SAFETY: in bounds and ours alone, by the caller's promise.
                rows[k].store(unsafe { &mut *self.row(index[k], HALF) });
            }
            return;
        }
        for k in 0..8 {
            if bits & (1 << k) != 0 {
                // SAFETY: as above.
                rows[k].store(unsafe { &mut *self.row(index[k], HALF) });
            }
        }
    }

    /// Velocities of one body, as [`SharedBodyStates::velocities`] has them.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    pub unsafe fn velocity(&self, index: u32) -> &Row {
        // SAFETY: as above.
        unsafe { &*self.row(index, 0) }
    }

    /// Both halves of a record, to change.
    ///
    /// # Safety
    /// As [`SharedBodyStates::record`].
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "disjoint bodies of one array: the caller's promise")]
    pub unsafe fn halves(&self, index: u32) -> [&mut Row; 2] {
        // SAFETY: two halves of one record, in bounds and ours alone, by the caller's promise.
        unsafe { [&mut *self.row(index, 0), &mut *self.row(index, 1)] }
    }

    /// A record, to change.
    ///
    /// # Safety
    /// `index` below [`SharedBodyStates::len`]; nobody else reads or writes the body while the reference lives.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "disjoint bodies of one array: the caller's promise")]
    pub unsafe fn record(&self, index: u32) -> &mut BodyHot {
        debug_assert!((index as usize) < self.len, "body {index} of {}", self.len);
        // SAFETY: in bounds and ours alone, by the caller's promise.
        unsafe { &mut *self.start.add(index as usize) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drystone_math::Vector3;
    use drystone_math::wide::Reference;

    #[test]
    fn rows_are_the_halves_of_the_record_and_only_masses_are_written() {
        let mut hot = vec![BodyHot::VACANT; 3];
        for (i, record) in hot.iter_mut().enumerate() {
            let k = i as f32;
            record.linear = Vector3::new(k, k + 0.1, k + 0.2);
            record.inverse_mass = k + 0.3;
            record.angular = Vector3::new(k + 0.4, k + 0.5, k + 0.6);
            record.flags = 7 + i as u32;
            record.delta_translation = Vector3::new(10.0, 11.0, 12.0);
            record.delta_rotation = Vector3::new(14.0, 15.0, 16.0);
        }
        let before = hot.clone();
        let lanes = SharedBodyStates::new(&mut hot);
        let index = [2_u32, 1, 0, 0, 0, 0, 0, 0];
        let places = index.map(StateSlot::of);
        assert_eq!(places.map(StateSlot::index), index);
        // SAFETY: indices below 3, one thread.
        unsafe {
            let rows = lanes.velocities(&index);
            assert_eq!(rows[0][..7], [2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6]);
            assert_eq!(rows[1][7].to_bits(), 8);
            assert_eq!((lanes.velocities(&places), lanes.deltas(&places)), (rows, lanes.deltas(&index)));
            assert_eq!(lanes.deltas(&index)[1], &[10.0, 11.0, 12.0, 0.0, 14.0, 15.0, 16.0, 0.0]);
            let mut columns = Reference.gather(rows);
            columns[0] = columns[0] + Reference.splat(1.0);
            let mass = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            lanes.set_half::<0, _>(Reference, &index, columns, &mass);
        }
        assert_eq!((hot[0], hot[1]), (before[0], before[1]));
        assert_eq!((hot[2].linear.x, hot[2].flags), (3.0, 9));
    }
}
