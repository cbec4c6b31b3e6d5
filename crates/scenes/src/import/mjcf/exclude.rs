//! `exclude`: bodies that do not meet.

use super::{Reader, WORLD, known};
use crate::error::SceneError;
use crate::import::rig::Rig;
use roxmltree::Node;

impl<'a> Reader<'a> {
    /// Keeps two bodies apart, which a scene can as far as a joint holds them together.
    pub(super) fn exclude(&mut self, node: Node<'a, 'a>, rig: &mut Rig) -> Result<(), SceneError> {
        known::note(node, &mut self.left_out);
        let names = [self.source.required(node, "body1")?, self.source.required(node, "body2")?];
        if names.contains(&WORLD) && !rig.fixtures.is_empty() {
            self.left_out.add("`exclude` of planes of the world");
        }
        match [self.link(node, names[0])?, self.link(node, names[1])?] {
            [Some(a), Some(b)] => rig.apart.push([a, b]),
            // Nothing hangs on a world that is no link.
            _ => self.left_out.add("`exclude` of the world"),
        }
        Ok(())
    }
}
