//! Measurements that cases compare with. They are not part of the repository: `DRYSTONE_DATA` names the folder that holds them, else they are
//! looked for in `../shared/data` beside it.

use crate::shell::{Failure, Outcome};
use crate::workspace::root;
use std::path::{Path, PathBuf};

/// The folder of one set of measurements; `None` when it is not there.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let all = std::env::var_os("DRYSTONE_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    Some(all.join(name)).filter(|folder| folder.is_dir())
}

/// The rows of a file of comma-separated numbers, without its first line of names; what is not a number is NaN.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn numbers(file: &Path) -> Outcome<Vec<Vec<f64>>> {
    let text = std::fs::read_to_string(file).map_err(|e| Failure::new(format!("{}: {e}", file.display())))?;
    let row = |line: &str| line.split(',').map(|cell| cell.trim().parse().unwrap_or(f64::NAN)).collect();
    Ok(text.lines().skip(1).map(row).collect())
}

/// The middle of some values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_is_none() {
        assert_eq!(folder("no such measurements"), None);
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![5.0, 1.0, 3.0]), 3.0);
        assert!(median(Vec::new()).is_nan());
    }
}
