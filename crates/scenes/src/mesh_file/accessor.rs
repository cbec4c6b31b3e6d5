//! Accessors of glTF: checked before the crate `gltf` reads them, because its readers stop the program at many of those that are wrong.

use super::MAX_SIZE;
use super::gltf::Buffers;
use gltf::accessor::{Accessor, DataType, Dimensions, sparse::Sparse};
use gltf::buffer::View;

/// What an accessor has to hold.
pub(super) struct Contents {
    /// In words, in the plural.
    name: &'static str,
    dimensions: Dimensions,
    types: &'static [DataType],
}

/// Where corners are.
pub(super) const POSITIONS: Contents =
    Contents { name: "positions", dimensions: Dimensions::Vec3, types: &[DataType::F32] };
/// Which corners are a triangle.
pub(super) const INDICES: Contents = Contents {
    name: "indices",
    dimensions: Dimensions::Scalar,
    types: &[DataType::U8, DataType::U16, DataType::U32],
};

/// `Ok` when all that the accessor promises is there, so that it can be read; else what it has, and what was expected.
///
/// Source: glTF 2.0, sections 3.6.2.1 to 3.6.2.4. Alignment is not asked for, nothing here depends on it. The document must be valid for the crate: all
/// places of views and buffers exist, and strides are 4 to 252. O(1), and O(n) in the items that a sparse accessor replaces.
pub(super) fn check(accessor: &Accessor<'_>, wanted: &Contents, buffers: &Buffers<'_>) -> Result<(), String> {
    check_items(accessor, wanted, buffers)
        .map_err(|reason| format!("its accessor {} {reason}", accessor.index()))
}

fn check_items(accessor: &Accessor<'_>, wanted: &Contents, buffers: &Buffers<'_>) -> Result<(), String> {
    let (dimensions, data_type) = (accessor.dimensions(), accessor.data_type());
    if dimensions != wanted.dimensions || !wanted.types.contains(&data_type) {
        let types: Vec<_> = wanted.types.iter().map(|t| format!("{t:?}")).collect();
        let expected = format!("{} are {:?} of {}", wanted.name, wanted.dimensions, types.join(" or "));
        return Err(format!("has {dimensions:?} of {data_type:?}, {expected}"));
    }
    let (size, count) = (accessor.size(), accessor.count());
    if count == 0 {
        return Err("has 0 items, at least 1 is expected".into());
    }
    // Without a view, all items are zero but for sparse ones; no file bounds how many that are.
    let most_without = MAX_SIZE as usize / size;
    if let Some(view) = accessor.view() {
        span(&view, accessor.offset(), size, count, buffers)?;
    } else if count > most_without {
        return Err(format!("has {count} items and no buffer view, at most {most_without} are expected"));
    }
    accessor.sparse().map_or(Ok(()), |sparse| check_sparse(&sparse, size, count, buffers))
}

/// Checks the items that a sparse accessor replaces, among `count` items of `size` bytes.
fn check_sparse(sparse: &Sparse<'_>, size: usize, count: usize, buffers: &Buffers<'_>) -> Result<(), String> {
    let sparse_count = sparse.count();
    if !(1..=count).contains(&sparse_count) {
        return Err(format!("has {sparse_count} sparse items, 1 to {count} are expected"));
    }
    let (indices, values) = (sparse.indices(), sparse.values());
    span(&values.view(), values.offset(), size, sparse_count, buffers)
        .map_err(|reason| format!("has sparse values whose list {reason}"))?;
    let (view, size) = (indices.view(), indices.index_type().size());
    let bytes = span(&view, indices.offset(), size, sparse_count, buffers)
        .map_err(|reason| format!("has sparse indices whose list {reason}"))?;
    // Those out of order are passed over by the reader, and so is all behind them.
    let mut least = 0;
    for item in bytes.chunks(view.stride().unwrap_or(size)) {
        let index = item[..size].iter().rev().fold(0, |sum, byte| (sum << 8) | usize::from(*byte));
        if !(least..count).contains(&index) {
            return Err(format!("has the sparse index {index}, ascending ones below {count} are expected"));
        }
        least = index + 1;
    }
    Ok(())
}

/// The bytes of `count` items (at least one) of `size` bytes each that begin at `offset` in a view, from the first to the last.
fn span<'b>(
    view: &View<'_>,
    offset: usize,
    size: usize,
    count: usize,
    buffers: &'b Buffers<'_>,
) -> Result<&'b [u8], String> {
    let (index, buffer) = (view.index(), view.buffer().index());
    let stride = view.stride().unwrap_or(size);
    if stride < size {
        let place = format!("buffer view {index}, whose stride is {stride}");
        return Err(format!("has items of {size} bytes in {place}, at least {size} is expected"));
    }
    // In u128, where no sum and no product of these overflows.
    let end = offset as u128 + stride as u128 * (count as u128 - 1) + size as u128;
    if end > view.length() as u128 {
        return Err(format!("ends at byte {end} of buffer view {index}, which has {}", view.length()));
    }
    let view_end = view.offset() as u128 + view.length() as u128;
    let length = buffers[buffer].len();
    if view_end > length as u128 {
        let place = format!("buffer view {index}, which ends at byte {view_end} of buffer {buffer}");
        return Err(format!("is in {place}, which has {length}"));
    }
    Ok(&buffers[buffer][view.offset() + offset..view.offset() + end as usize])
}
