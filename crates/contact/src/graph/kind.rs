//! Kinds of nodes and edges (S3-01, S3-02, S3-03), and which pairs may have an edge at all.

/// What a node of the contact graph is (S3, Table 1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum NodeKind {
    /// R: a body that forces and impulses move.
    Rigid,
    /// F: a body that never moves.
    Fixed,
    /// L: a body that is part of a multibody.
    Link,
    /// S: a body that moves as its user says, whatever pushes it.
    Kinematic,
    /// C: bodies fastened to each other.
    Composite,
    /// M: links held by joints.
    Multibody,
    /// A: what may meet, and what not.
    Rule,
    /// V: a volume that tells who enters and leaves it.
    Trigger,
    /// T: tells that a time has come. Has no edges.
    Timer,
}

impl NodeKind {
    /// All kinds, in the order of S3's table.
    pub const ALL: [Self; 9] = [
        Self::Rigid,
        Self::Fixed,
        Self::Link,
        Self::Kinematic,
        Self::Composite,
        Self::Multibody,
        Self::Rule,
        Self::Trigger,
        Self::Timer,
    ];

    /// S3's letter.
    pub const fn letter(self) -> char {
        match self {
            Self::Rigid => 'R',
            Self::Fixed => 'F',
            Self::Link => 'L',
            Self::Kinematic => 'S',
            Self::Composite => 'C',
            Self::Multibody => 'M',
            Self::Rule => 'A',
            Self::Trigger => 'V',
            Self::Timer => 'T',
        }
    }

    /// Its name in exports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rigid => "rigid",
            Self::Fixed => "fixed",
            Self::Link => "link",
            Self::Kinematic => "kinematic",
            Self::Composite => "composite",
            Self::Multibody => "multibody",
            Self::Rule => "rule",
            Self::Trigger => "trigger",
            Self::Timer => "timer",
        }
    }

    /// True for what takes room and touches: R, F, L, S.
    pub const fn is_physical(self) -> bool {
        matches!(self, Self::Rigid | Self::Fixed | Self::Link | Self::Kinematic)
    }

    /// True for what holds bodies: C, M.
    pub const fn is_container(self) -> bool {
        matches!(self, Self::Composite | Self::Multibody)
    }

    /// True for what belongs to islands: F and S insulate, so a search of an island does not cross them (S3-14).
    pub const fn is_movable(self) -> bool {
        matches!(self, Self::Rigid | Self::Link)
    }
}

/// What an edge is for (S3, Table 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EdgeClass {
    /// A rule and a body that it is about.
    Logical,
    /// A container and a body in it.
    Structural,
    /// A trigger volume and a body near it.
    Geometric,
    /// Two bodies near each other.
    Physical,
}

impl EdgeClass {
    /// Its name in exports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Logical => "logical",
            Self::Structural => "structural",
            Self::Geometric => "geometric",
            Self::Physical => "physical",
        }
    }

    /// True for edges that the user makes and ends; the others come and go with what is near (S3-03).
    pub const fn is_static(self) -> bool {
        matches!(self, Self::Logical | Self::Structural)
    }
}

/// One of the 17 kinds of edges: its class, and what it joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EdgeKind {
    class: EdgeClass,
    ends: [NodeKind; 2],
}

impl EdgeKind {
    /// All kinds, in the order of S3's table: S3-02.
    pub const ALL: [Self; 17] = {
        use EdgeClass::{Geometric, Logical, Physical, Structural};
        use NodeKind::{Composite, Fixed, Kinematic, Link, Multibody, Rigid, Rule, Trigger};
        [
            Self::new(Logical, Rule, Rigid),
            Self::new(Logical, Rule, Fixed),
            Self::new(Logical, Rule, Kinematic),
            Self::new(Logical, Rule, Link),
            Self::new(Structural, Rigid, Composite),
            Self::new(Structural, Link, Multibody),
            Self::new(Geometric, Trigger, Rigid),
            Self::new(Geometric, Trigger, Fixed),
            Self::new(Geometric, Trigger, Kinematic),
            Self::new(Geometric, Trigger, Link),
            Self::new(Physical, Rigid, Rigid),
            Self::new(Physical, Rigid, Fixed),
            Self::new(Physical, Rigid, Kinematic),
            Self::new(Physical, Rigid, Link),
            Self::new(Physical, Fixed, Link),
            Self::new(Physical, Kinematic, Link),
            Self::new(Physical, Link, Link),
        ]
    };

    const fn new(class: EdgeClass, a: NodeKind, b: NodeKind) -> Self {
        Self { class, ends: [a, b] }
    }

    /// The kind of an edge between two nodes, in any order; `None` where there is none: F–F, F–S and S–S are
    /// pairs that nothing can be done about, and a timer has no edges.
    ///
    /// ```
    /// use drystone_contact::{EdgeClass, EdgeKind, NodeKind};
    /// let kind = EdgeKind::between(NodeKind::Fixed, NodeKind::Rigid).expect("R–F");
    /// assert_eq!((kind.class(), kind.name()), (EdgeClass::Physical, "R-F".to_owned()));
    /// assert_eq!(EdgeKind::between(NodeKind::Fixed, NodeKind::Kinematic), None);
    /// ```
    pub fn between(a: NodeKind, b: NodeKind) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.ends == [a, b] || kind.ends == [b, a])
    }

    /// What it is for.
    pub const fn class(self) -> EdgeClass {
        self.class
    }

    /// What it joins, in the order of S3's table.
    pub const fn ends(self) -> [NodeKind; 2] {
        self.ends
    }

    /// S3's letters of its ends.
    pub fn name(self) -> String {
        let [a, b] = self.ends.map(NodeKind::letter);
        format!("{a}-{b}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn seventeen_pairs_and_only_those_have_an_edge() {
        let names = "A-R A-F A-S A-L R-C L-M V-R V-F V-S V-L R-R R-F R-S R-L F-L S-L L-L";
        let found: Vec<String> = EdgeKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(found.join(" "), names);
        let mut pairs = BTreeSet::new();
        for a in NodeKind::ALL {
            for b in NodeKind::ALL {
                let kind = EdgeKind::between(a, b);
                assert_eq!(kind, EdgeKind::between(b, a), "{a:?} and {b:?}");
                pairs.extend(kind.map(|kind| kind.ends()));
                let physical = a.is_physical() && b.is_physical() && (a.is_movable() || b.is_movable());
                assert_eq!(kind.is_some_and(|k| k.class() == EdgeClass::Physical), physical, "{a:?}, {b:?}");
            }
        }
        assert_eq!(pairs.len(), 17);
        assert!(NodeKind::ALL.iter().all(|&other| EdgeKind::between(NodeKind::Timer, other).is_none()));
    }

    #[test]
    fn what_the_user_makes_is_static() {
        let is_static = |a, b| EdgeKind::between(a, b).is_some_and(|kind| kind.class().is_static());
        assert!(is_static(NodeKind::Rule, NodeKind::Link) && is_static(NodeKind::Rigid, NodeKind::Composite));
        assert!(
            !is_static(NodeKind::Trigger, NodeKind::Rigid) && !is_static(NodeKind::Rigid, NodeKind::Fixed)
        );
    }
}
