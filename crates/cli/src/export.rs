//! `drystone export`: a recording as a model or a table for other programs.

use crate::args::{ExportArguments, Table};
use crate::diff::load;
use crate::failure::Failure;
use crate::lists::print;
use drystone_viewer::{csv, gltf};

/// Writes the file.
pub(crate) fn run(arguments: &ExportArguments) -> Result<(), Failure> {
    let extension = arguments.out.extension().and_then(|e| e.to_str()).unwrap_or("").to_ascii_lowercase();
    if !matches!(extension.as_str(), "glb" | "csv") {
        let out = arguments.out.display();
        return Err(Failure::input(format!("the file to write must end with .glb or .csv, got {out}")));
    }
    if arguments.every == Some(0) {
        return Err(Failure::input("--every must be 1 or more, got 0"));
    }
    let is_model = extension == "glb";
    if is_model && arguments.table.is_some() {
        return Err(Failure::input("--table is of .csv files, a .glb has none"));
    }
    let recording = load(&arguments.recording)?;
    let usual = if is_model { gltf::GltfOptions::default().frame_stride } else { 1 };
    let every = arguments.every.unwrap_or(usual);
    let bytes = match arguments.table.unwrap_or(Table::Series) {
        _ if is_model => {
            gltf::glb(&recording, &gltf::GltfOptions { frame_stride: every }).map_err(Failure::input)?
        }
        Table::Series => csv::series(&recording, every).into_bytes(),
        Table::Bodies => csv::bodies(&recording, every).map_err(Failure::input)?.into_bytes(),
        Table::Contacts => csv::contacts(&recording, every).map_err(Failure::input)?.into_bytes(),
    };
    // A model has the last frame in any case.
    let last = recording.frame_count().saturating_sub(1);
    let has_more = is_model && !last.is_multiple_of(every);
    let frames = recording.frame_count().div_ceil(every) + usize::from(has_more);
    let out = arguments.out.display();
    std::fs::write(&arguments.out, &bytes).map_err(|error| Failure::work(format!("{out}: {error}")))?;
    print(&format!("{out}: {} bytes, {frames} frames of {}\n", bytes.len(), recording.meta.scene))
}
