//! `include`: other files in the place of elements that name them (mujoco.readthedocs.io/XMLreference, include).

use crate::error::SceneError;
use crate::import::text_of;
use crate::import::xml::{Origins, Piece, Source, parse};
use roxmltree::Document;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Most bytes of a model with all that it includes.
const MAX_SIZE: usize = 64 << 20;

/// The text of a model with what it includes in place.
#[derive(Default)]
pub(in crate::import) struct Expanded {
    pub text: String,
    pub origins: Origins,
    /// Files that are named, but cannot be read, each with the reason.
    pub missing: Vec<String>,
    /// Files that are in it, so that rings end.
    taken: BTreeSet<PathBuf>,
}

/// Puts what a model includes into its place. Files are named from the folder of the model, whoever includes them.
///
/// # Errors
/// A file that is no XML, or is included twice (MuJoCo refuses that as well); more than [`MAX_SIZE`] in all.
pub(in crate::import) fn expand(text: String, path: &Path) -> Result<Expanded, SceneError> {
    let mut all = Expanded::default();
    all.taken.insert(path.to_owned());
    let whole = 0..text.len();
    all.add(text, path, path.parent().unwrap_or(Path::new("")), |_| whole)?;
    Ok(all)
}

impl Expanded {
    /// Adds a part of a file's text, with all that it includes.
    fn add(
        &mut self,
        text: String,
        path: &Path,
        folder: &Path,
        part: impl FnOnce(&Document<'_>) -> Range<usize>,
    ) -> Result<(), SceneError> {
        let document = parse(&text, path)?;
        let part = part(&document);
        let file = path.display().to_string();
        let source = Source { document: &document, file: file.clone(), origins: Origins::default() };
        let own = self.origins.add(file, text.clone());
        let mut done = part.start;
        for node in document.descendants().filter(|node| node.has_tag_name("include")) {
            self.copy(&text, own, done..node.range().start);
            done = node.range().end;
            let name = source.required(node, "file")?;
            let included = folder.join(name);
            if !self.taken.insert(included.clone()) {
                return Err(source.fault(node, format!("the file {name:?} is included twice")));
            }
            match text_of(&included) {
                Ok(inner) => self.add(inner, &included, folder, contents)?,
                Err(error) => self.missing.push(format!("left out: `include` of {name:?}: {error}")),
            }
            if self.text.len() > MAX_SIZE {
                return Err(
                    source.fault(node, format!("with this file the model has more than {MAX_SIZE} bytes"))
                );
            }
        }
        self.copy(&text, own, done..part.end);
        Ok(())
    }

    fn copy(&mut self, text: &str, file: usize, part: Range<usize>) {
        self.origins.pieces.push(Piece { start: self.text.len(), file, offset: part.start });
        self.text.push_str(&text[part]);
    }
}

/// What is in the root of a document.
fn contents(document: &Document<'_>) -> Range<usize> {
    let root = document.root_element();
    match (root.first_child(), root.last_child()) {
        (Some(first), Some(last)) => first.range().start..last.range().end,
        _ => 0..0,
    }
}
