//! Where the collection is.

use std::io::Write as _;
use std::path::PathBuf;

/// The folder of the FCLib collection. `None`, and a line that says so also where the output of tests is caught, without it.
pub(crate) fn collection() -> Option<PathBuf> {
    let folder = drystone_fclib::collection_folder();
    if folder.is_none() {
        let line = b"skipped: DRYSTONE_DATA does not name a folder that holds the collection in `fclib`\n";
        std::io::stderr().write_all(line).expect("a place for messages");
    }
    folder
}
