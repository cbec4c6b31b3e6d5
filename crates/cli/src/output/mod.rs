//! What a run leaves behind: text for people and for programs, and the files of the folder of results.

mod files;
mod json;
mod table;

pub(crate) use files::Folder;
pub(crate) use json::json_line;
pub(crate) use table::{figures, table};
