//! Who meets whom besides: bodies that do not meet (`exclude`), and geoms that do (`pair`).

use super::{Reader, WORLD, known};
use crate::error::SceneError;
use crate::import::filter::Filter;
use crate::import::rig::Rig;
use crate::import::xml::{LeftOut, elements};
use roxmltree::Node;
use std::collections::BTreeMap;

impl<'a> Reader<'a> {
    /// Keeps two bodies apart.
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

/// What geoms are of and ask for besides, so that those of a `pair` meet whatever their own numbers say: the first one is of a kind that nothing else in the model is of,
/// and the second one asks for it.
pub(super) fn pairs<'a>(model: Node<'a, 'a>, left_out: &mut LeftOut) -> BTreeMap<&'a str, Filter> {
    let bits = |node: Node<'a, 'a>| {
        let of =
            |name: &str| node.attribute(name).and_then(|text| text.trim().parse::<i32>().ok()).unwrap_or(0);
        (of("contype") | of("conaffinity")) as u32
    };
    // Of what says nothing is the first kind.
    let taken = model.descendants().map(bits).fold(1, |all, own| all | own);
    let mut free = (0..u32::BITS).map(|bit| 1 << bit).filter(|bit| taken & bit == 0);
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    let mut all: BTreeMap<&str, Filter> = BTreeMap::new();
    let contacts = elements(model).filter(|node| node.has_tag_name("contact"));
    for pair in contacts.flat_map(elements).filter(|node| node.has_tag_name("pair")) {
        known::note(pair, left_out);
        let (Some(first), Some(second)) = (pair.attribute("geom1"), pair.attribute("geom2")) else {
            continue;
        };
        let Some(kind) = kinds.get(first).copied().or_else(|| free.next()) else {
            left_out.add("`pair` of contacts, for which no kind is free");
            continue;
        };
        kinds.insert(first, kind);
        let none = Filter { is: 0, asks: 0 };
        all.entry(first).or_insert(none).is |= kind;
        all.entry(second).or_insert(none).asks |= kind;
    }
    all
}
