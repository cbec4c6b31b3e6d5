//! Classes of defaults: what an element says, its class, or that of the bodies around it.

use crate::import::xml::elements;
use roxmltree::Node;
use std::collections::BTreeMap;

/// The class of what names none.
const MAIN: &str = "main";

/// Attributes by class and element, those of the classes around already in them.
pub(super) struct Defaults<'a>(BTreeMap<String, BTreeMap<&'a str, BTreeMap<&'a str, &'a str>>>);

impl<'a> Defaults<'a> {
    pub(super) fn read(model: Node<'a, 'a>) -> Self {
        let mut all = Self(BTreeMap::from([(MAIN.to_owned(), BTreeMap::new())]));
        for node in elements(model).filter(|node| node.has_tag_name("default")) {
            all.add(node, MAIN);
        }
        all
    }

    fn add(&mut self, node: Node<'a, 'a>, above: &str) {
        let class = node.attribute("class").unwrap_or(MAIN).to_owned();
        let mut own = self.0.get(above).cloned().unwrap_or_default();
        for inner in elements(node).filter(|inner| !inner.has_tag_name("default")) {
            let said = own.entry(inner.tag_name().name()).or_default();
            said.extend(inner.attributes().map(|attribute| (attribute.name(), attribute.value())));
        }
        self.0.insert(class.clone(), own);
        for inner in elements(node).filter(|inner| inner.has_tag_name("default")) {
            self.add(inner, &class);
        }
    }
}

/// An element with its defaults.
pub(super) struct Element<'a> {
    pub node: Node<'a, 'a>,
    defaults: BTreeMap<&'a str, &'a str>,
}

impl<'a> Element<'a> {
    pub(super) fn new(defaults: &Defaults<'a>, node: Node<'a, 'a>, around: Option<&str>) -> Self {
        let class = node.attribute("class").or(around).unwrap_or(MAIN);
        let found = defaults.0.get(class).or_else(|| defaults.0.get(MAIN));
        let own = found.and_then(|class| class.get(node.tag_name().name())).cloned();
        Self { node, defaults: own.unwrap_or_default() }
    }

    /// What it says, or its class does.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.node.attribute(name).or_else(|| self.defaults.get(name).copied())
    }
}
