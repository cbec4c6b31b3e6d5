//! Reading XML with errors that name their place.

use crate::error::{Place, SceneError};
use drystone::math::Real;
use roxmltree::{Document, Node};
use std::path::Path;

/// What is said where a file was not made ready by the program that it was written for.
pub(super) const XACRO: &str =
    ": that is left over from xacro, expand the file first (`xacro FILE.xacro > FILE.urdf`)";

/// A document, and where it is from.
pub(super) struct Source<'a> {
    pub document: &'a Document<'a>,
    pub file: String,
    /// Where the text is from, where it is from several files.
    pub origins: Origins,
}

/// Where a text is from that was put together from files.
#[derive(Default)]
pub(super) struct Origins {
    /// Names and texts.
    files: Vec<(String, String)>,
    /// By where they start.
    pub pieces: Vec<Piece>,
}

/// A piece of a file.
pub(super) struct Piece {
    /// Where it starts in the whole text, bytes.
    pub start: usize,
    /// Which file.
    pub file: usize,
    /// Where it starts there.
    pub offset: usize,
}

impl Origins {
    /// Adds a file; returns which one it is.
    pub(super) fn add(&mut self, name: String, text: String) -> usize {
        self.files.push((name, text));
        self.files.len() - 1
    }

    /// The place of a byte of the whole text; `None` where nobody said.
    fn place(&self, at: usize) -> Option<Place> {
        let index = self.pieces.partition_point(|piece| piece.start <= at).checked_sub(1)?;
        let piece = self.pieces.get(index)?;
        let (file, text) = self.files.get(piece.file)?;
        let before = text.get(..piece.offset + at - piece.start)?;
        let line = before.rsplit('\n').next().unwrap_or("");
        Some(Place {
            file: file.clone(),
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        })
    }
}

/// A text as it is taken: what declares XML stands first, whatever comes before it in the file. Places stay.
pub(super) fn tidied(text: String) -> String {
    let text = text.strip_prefix('\u{feff}').map_or(text.clone(), str::to_owned);
    let Some(at) = text.find("<?xml").filter(|&at| at > 0) else { return text };
    let Some(end) = text[at..].find("?>").map(|end| at + end + 2) else { return text };
    // The parser takes a declaration at the very beginning only, and people put blank lines and comments there.
    let (before, rest) = text.split_at(at);
    let is_before_all = before.trim_start().is_empty()
        || before.trim_start().starts_with("<!--") && before.trim_end().ends_with("-->");
    if !is_before_all {
        return text;
    }
    let blank: String = rest[..end - at].chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect();
    format!("{before}{blank}{}", &rest[end - at..])
}

/// The tree of a text.
///
/// # Errors
/// Where it is no XML.
pub(super) fn parse<'a>(text: &'a str, path: &Path) -> Result<Document<'a>, SceneError> {
    // Robots' files have no document types; entities could grow without end.
    let options = roxmltree::ParsingOptions { allow_dtd: false, ..roxmltree::ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|error| {
        let at = error.pos();
        let place =
            Place { file: path.display().to_string(), line: at.row as usize, column: at.col as usize };
        let hint = if error.to_string().contains("xacro") { XACRO } else { "" };
        SceneError::Syntax { place, path: String::new(), message: format!("{error}{hint}") }
    })
}

impl Source<'_> {
    /// An error at an element.
    pub(super) fn fault(&self, node: Node<'_, '_>, message: impl Into<String>) -> SceneError {
        let place = self.origins.place(node.range().start).unwrap_or_else(|| {
            let at = self.document.text_pos_at(node.range().start);
            Place { file: self.file.clone(), line: at.row as usize, column: at.col as usize }
        });
        let name = node.attribute("name").map_or_else(String::new, |name| format!(" {name:?}"));
        let path = format!("{}{name}", node.tag_name().name());
        SceneError::Syntax { place, path, message: message.into() }
    }

    /// An attribute that must be there.
    pub(super) fn required<'n>(&self, node: Node<'n, '_>, name: &str) -> Result<&'n str, SceneError> {
        node.attribute(name).ok_or_else(|| self.fault(node, format!("the attribute {name:?} is missing")))
    }

    /// Numbers of a text, separated by spaces.
    pub(super) fn numbers(&self, node: Node<'_, '_>, name: &str, text: &str) -> Result<Vec<f64>, SceneError> {
        let number = |word: &str| {
            // Finite also as what they become.
            let value = word.parse::<f64>().ok().filter(|&value| (value as Real).is_finite());
            let hint = if text.contains("${") || text.contains("$(") { XACRO } else { "" };
            value
                .ok_or_else(|| self.fault(node, format!("{name} must be finite numbers, got {word:?}{hint}")))
        };
        // Some programs write commas behind numbers.
        let words = text.split_whitespace().map(|word| word.trim_end_matches(','));
        words.filter(|word| !word.is_empty()).map(number).collect()
    }

    /// So many numbers of a text.
    pub(super) fn exactly<const N: usize>(
        &self,
        node: Node<'_, '_>,
        name: &str,
        text: &str,
    ) -> Result<[f64; N], SceneError> {
        let found = self.numbers(node, name, text)?;
        <[f64; N]>::try_from(found)
            .map_err(|found| self.fault(node, format!("{name} must be {N} numbers, got {}", found.len())))
    }

    /// So many numbers of an attribute, or what there is without it.
    pub(super) fn array<const N: usize>(
        &self,
        node: Node<'_, '_>,
        name: &str,
        default: [f64; N],
    ) -> Result<[f64; N], SceneError> {
        node.attribute(name).map_or(Ok(default), |text| self.exactly(node, name, text))
    }

    /// A number of an attribute that must be there.
    pub(super) fn number(&self, node: Node<'_, '_>, name: &str) -> Result<Real, SceneError> {
        let [value] = self.exactly(node, name, self.required(node, name)?)?;
        Ok(value as Real)
    }

    /// A number of an attribute, if it is there.
    pub(super) fn optional(&self, node: Node<'_, '_>, name: &str) -> Result<Option<Real>, SceneError> {
        node.attribute(name).map(|_| self.number(node, name)).transpose()
    }
}

/// The elements right below another one.
pub(super) fn elements<'a, 'd>(node: Node<'a, 'd>) -> impl Iterator<Item = Node<'a, 'd>> {
    node.children().filter(Node::is_element)
}

/// The first element of a name right below another one.
pub(super) fn child<'a, 'd>(node: Node<'a, 'd>, name: &str) -> Option<Node<'a, 'd>> {
    elements(node).find(|child| child.has_tag_name(name))
}

/// Counts what was left out by kind, for one note each.
#[derive(Default)]
pub(super) struct LeftOut(Vec<(String, usize)>);

impl LeftOut {
    pub(super) fn add(&mut self, what: impl Into<String>) {
        let what = what.into();
        match self.0.iter_mut().find(|(known, _)| *known == what) {
            Some((_, count)) => *count += 1,
            None => self.0.push((what, 1)),
        }
    }

    pub(super) fn notes(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|(what, count)| match count {
            1 => format!("left out: {what}"),
            _ => format!("left out: {what} ({count} times)"),
        })
    }
}
