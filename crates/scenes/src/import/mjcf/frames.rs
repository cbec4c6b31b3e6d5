//! What is in a body, those elements in frames among it: a frame only places what is in it.

use super::{MAX_DEPTH, Reader};
use crate::error::SceneError;
use crate::import::xml::elements;
use drystone::math::RelativePose;
use roxmltree::Node;

/// An element of a body.
pub(super) struct Content<'a> {
    pub node: Node<'a, 'a>,
    /// The class of what says no other.
    pub class: Option<&'a str>,
    /// The frame that its pose is in, in the frame of the body.
    pub frame: RelativePose,
}

impl Content<'_> {
    /// True for a body, which is read after all else.
    pub(super) fn is_body(&self) -> bool {
        self.node.has_tag_name("body")
    }
}

impl<'a> Reader<'a> {
    /// The elements of a body or of the world, in the order of the file.
    pub(super) fn contents(
        &mut self,
        node: Node<'a, 'a>,
        class: Option<&'a str>,
        frame: RelativePose,
    ) -> Result<Vec<Content<'a>>, SceneError> {
        let mut all = Vec::new();
        self.collect(node, class, frame, 0, &mut all)?;
        Ok(all)
    }

    fn collect(
        &mut self,
        node: Node<'a, 'a>,
        class: Option<&'a str>,
        frame: RelativePose,
        depth: usize,
        all: &mut Vec<Content<'a>>,
    ) -> Result<(), SceneError> {
        if depth > MAX_DEPTH {
            return Err(self.source.fault(node, format!("frames are nested more than {MAX_DEPTH} deep")));
        }
        for inner in elements(node) {
            if inner.has_tag_name("frame") {
                let class = inner.attribute("childclass").or(class);
                self.defaults.class(&self.source, inner, class)?;
                let element = self.element(inner, None)?;
                let frame = frame.compose(&self.place(&element)?);
                self.collect(inner, class, frame, depth + 1, all)?;
            } else {
                all.push(Content { node: inner, class, frame });
            }
        }
        Ok(())
    }
}
