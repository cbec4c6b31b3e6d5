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
    let recording = load(&arguments.recording)?;
    let every = arguments.every.unwrap_or(1);
    let bytes = match (extension.as_str(), arguments.table) {
        ("glb", _) => {
            let usual = gltf::GltfOptions::default();
            let frame_stride = arguments.every.unwrap_or(usual.frame_stride);
            gltf::glb(&recording, &gltf::GltfOptions { frame_stride }).map_err(Failure::input)?
        }
        (_, Table::Series) => csv::series(&recording).into_bytes(),
        (_, Table::Bodies) => csv::bodies(&recording, every).map_err(Failure::input)?.into_bytes(),
        (_, Table::Contacts) => csv::contacts(&recording, every).map_err(Failure::input)?.into_bytes(),
    };
    let out = arguments.out.display();
    std::fs::write(&arguments.out, &bytes).map_err(|error| Failure::work(format!("{out}: {error}")))?;
    print(&format!(
        "{out}: {} bytes, {} frames of {}\n",
        bytes.len(),
        recording.frame_count(),
        recording.meta.scene
    ))
}
