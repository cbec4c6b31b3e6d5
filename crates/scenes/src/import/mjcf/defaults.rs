//! Classes of defaults: what an element says, its class, or that of the bodies around it.

use super::pose::TURNS;
use super::{MAX_DEPTH, known};
use crate::error::SceneError;
use crate::import::xml::{LeftOut, Source, elements};
use roxmltree::Node;
use std::collections::BTreeMap;

/// The class of what names none.
const MAIN: &str = "main";

type Attributes<'a> = BTreeMap<&'a str, &'a str>;

/// Attributes by element, those of the classes around already in them.
type Class<'a> = BTreeMap<&'a str, Attributes<'a>>;

/// All classes by name.
pub(super) struct Defaults<'a> {
    classes: BTreeMap<&'a str, Class<'a>>,
    /// What the file calls the class of what names none: the first default may have a name.
    main: &'a str,
}

impl<'a> Defaults<'a> {
    /// Reads the classes of a model; what of them is not read is noted.
    pub(super) fn read(
        source: &Source<'_>,
        model: Node<'a, 'a>,
        left_out: &mut LeftOut,
    ) -> Result<Self, SceneError> {
        let pieces = || elements(model).filter(|node| node.has_tag_name("default"));
        let main = pieces().next().and_then(|node| node.attribute("class")).unwrap_or(MAIN);
        let mut all = Self { classes: BTreeMap::from([(main, BTreeMap::new())]), main };
        for node in pieces() {
            all.add(source, node, main, 0, left_out)?;
        }
        Ok(all)
    }

    fn add(
        &mut self,
        source: &Source<'_>,
        node: Node<'a, 'a>,
        above: &'a str,
        depth: usize,
        left_out: &mut LeftOut,
    ) -> Result<(), SceneError> {
        if depth > MAX_DEPTH {
            return Err(source.fault(node, format!("defaults are nested more than {MAX_DEPTH} deep")));
        }
        let class = match node.attribute("class") {
            None | Some(MAIN) if depth == 0 => self.main,
            Some(class) => class,
            None => return Err(source.fault(node, "a default in another one must have a class, it has none")),
        };
        let mut own = self.classes.get(above).cloned().unwrap_or_default();
        for inner in elements(node).filter(|inner| !inner.has_tag_name("default")) {
            let name = inner.tag_name().name();
            match name {
                _ if known::is_known(name) => known::note(inner, left_out),
                // What they are for is left out, and noted there.
                _ => {}
            }
            lay(own.entry(name).or_default(), inner);
        }
        // What is in no other one may come in several pieces.
        if self.classes.insert(class, own).is_some() && !(depth == 0 && class == self.main) {
            return Err(source.fault(node, format!("there is another default of the class {class:?}")));
        }
        let mut nested = elements(node).filter(|inner| inner.has_tag_name("default"));
        nested.try_for_each(|inner| self.add(source, inner, class, depth + 1, left_out))
    }

    /// The class of this name; the main one without a name.
    ///
    /// # Errors
    /// When there is none, at the element that asks.
    pub(super) fn class(
        &self,
        source: &Source<'_>,
        node: Node<'_, '_>,
        name: Option<&str>,
    ) -> Result<&Class<'a>, SceneError> {
        let is_main = |name: &&str| *name == MAIN && !self.classes.contains_key(MAIN);
        let name = name.filter(|name| !is_main(name)).unwrap_or(self.main);
        self.classes.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.classes.keys().copied().collect();
            source.fault(node, format!("a class must be one of {}, got {name:?}", known.join(", ")))
        })
    }

    /// An element with its defaults: those of the class it names, or of the one around it.
    pub(super) fn element(
        &self,
        source: &Source<'_>,
        node: Node<'a, 'a>,
        around: Option<&str>,
    ) -> Result<Element<'a>, SceneError> {
        let class = self.class(source, node, node.attribute("class").or(around))?;
        let mut said = class.get(node.tag_name().name()).cloned().unwrap_or_default();
        lay(&mut said, node);
        Ok(Element { node, said })
    }

    /// An actuator with its defaults: its kinds are short for `general`, whose defaults are for all of them.
    pub(super) fn actuator(
        &self,
        source: &Source<'_>,
        node: Node<'a, 'a>,
    ) -> Result<Element<'a>, SceneError> {
        let class = self.class(source, node, node.attribute("class"))?;
        let mut said = class.get("general").cloned().unwrap_or_default();
        said.extend(class.get(node.tag_name().name()).into_iter().flatten());
        lay(&mut said, node);
        Ok(Element { node, said })
    }
}

/// Lays what an element says over what is said without it.
fn lay<'a>(said: &mut Attributes<'a>, node: Node<'a, 'a>) {
    // One way to say how something is turned takes the place of any other.
    if node.attributes().any(|attribute| TURNS.contains(&attribute.name())) {
        said.retain(|name, _| !TURNS.contains(name));
    }
    said.extend(node.attributes().map(|attribute| (attribute.name(), attribute.value())));
}

/// An element with its defaults.
pub(super) struct Element<'a> {
    pub node: Node<'a, 'a>,
    said: Attributes<'a>,
}

impl<'a> Element<'a> {
    /// What it says, or its class does.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.said.get(name).copied()
    }
}
