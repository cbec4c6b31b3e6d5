//! A robot between its file and a scene: links with shapes and masses, and what holds them together.

mod assembly;
mod body;
mod dof;
mod fit;
mod inertia;
mod mimic;
mod springs;
mod start;

pub(super) use dof::{Dof, Motion};
pub(super) use mimic::Mimic;

use super::filter::{Filter, Groups};
use super::names::{Names, scene_name};
use super::xml::LeftOut;
use super::{ImportOptions, Imported};
use crate::model::{Body, JointEntry, MaterialSpec, PartSpec, RotorSpec, Scene, ShapeSpec};
use assembly::{Assembly, Chain, Closing, sorted};
use drystone::math::inertia::MassProperties;
use drystone::math::{Pose, Real};
use std::collections::{BTreeMap, BTreeSet};

/// Density of what has no mass of its own, kg/m³: water's.
pub(super) const DENSITY: Real = 1000.0;
/// What all of a robot is made of.
pub(super) const MATERIAL: &str = "robot";

/// A robot.
pub(super) struct Rig {
    pub name: String,
    pub gravity: [Real; 3],
    pub links: Vec<Link>,
    /// The link that a fixed base is about.
    pub base: Option<usize>,
    pub holds: Vec<Hold>,
    /// Degrees of freedom that go with others.
    pub mimics: Vec<Mimic>,
    /// Links that do not meet, whatever holds them together.
    pub apart: Vec<[usize; 2]>,
    /// Bodies that are there besides, a ground, walls, and whom they meet.
    pub fixtures: Vec<(Body, Filter)>,
    pub friction: Option<Real>,
    /// A link has the mass of its meshes, where it says nothing else: without them it is not what the file means. Otherwise such a link has none.
    pub meshes_weigh: bool,
    pub notes: Vec<String>,
}

/// A link: where it is, and what it is made of, in its own frame.
pub(super) struct Link {
    /// Names may be equal; those of the bodies that come out are not.
    pub name: String,
    pub pose: Pose,
    pub parts: Vec<PartSpec>,
    /// Whom the parts meet; without any, all others.
    pub filters: Vec<Filter>,
    pub mass: Option<MassProperties>,
    /// The mass is what the file says, not what follows from shapes: its moments may be none that a body can have.
    pub is_given: bool,
    /// A mesh of it that could not be read, and why.
    pub lost: Option<String>,
    /// Factor on gravity.
    pub gravity_scale: Real,
    /// It does not move.
    pub is_fixed: bool,
}

impl Link {
    /// A link of nothing.
    pub(super) fn new(name: impl Into<String>, pose: Pose) -> Self {
        let (name, parts, filters) = (name.into(), Vec::new(), Vec::new());
        Self {
            name,
            pose,
            parts,
            filters,
            mass: None,
            is_given: false,
            lost: None,
            gravity_scale: 1.0,
            is_fixed: false,
        }
    }
}

/// What holds a link to another one.
pub(super) struct Hold {
    /// What a note calls it.
    pub name: String,
    pub ends: [usize; 2],
    pub how: How,
}

pub(super) enum How {
    /// They are one body.
    Welded,
    /// Degrees of freedom from the first end to the second one; none is a joint that holds everything. They meet each other (`collides`).
    Chain { dofs: Vec<Dof>, collides: bool },
    /// A joint besides the tree, with places in the world.
    Joint(Box<JointEntry>),
}

impl Rig {
    pub(super) fn new(name: String, gravity: [Real; 3]) -> Self {
        Self {
            name,
            gravity,
            links: Vec::new(),
            base: None,
            holds: Vec::new(),
            mimics: Vec::new(),
            apart: Vec::new(),
            fixtures: Vec::new(),
            friction: None,
            meshes_weigh: false,
            notes: Vec::new(),
        }
    }

    /// The scene: links that are welded to each other are one body, in the frame of the first of them.
    ///
    /// The rotors of its joints come with it where articulations are asked for; otherwise they are in the masses of bodies.
    ///
    /// # Errors
    /// What a body has no mass for want of: a file of a mesh, in words that follow the name of the model's.
    pub(super) fn scene(mut self, options: &ImportOptions) -> Result<(Imported, Vec<RotorSpec>), String> {
        if options.fixed_base
            && let Some(base) = self.base
        {
            self.links[base].is_fixed = true;
        }
        let (mut names, mut groups) = (Names::default(), Groups::default());
        let leaders = self.leaders();
        // Before what is there besides, so that it is not a robot's part whose name changes.
        for leader in (0..self.links.len()).filter(|&link| leaders[link] == link) {
            self.links[leader].name = names.free(&self.links[leader].name);
        }
        let mut bodies = Vec::new();
        for (body, filter) in std::mem::take(&mut self.fixtures) {
            let own = groups.of(&[filter]).into_iter().collect();
            bodies.push(Body { name: names.free(&body.name), groups: own, ..body });
        }
        let mut assembly = self.assembly(&leaders);
        self.check_mass(&assembly)?;
        assembly.hold_mimics();
        assembly.reduce();
        assembly.tune_springs();
        assembly.start_within_limits();
        let (mut joints, rotors) = assembly.split(&mut names, options.articulated);
        let couplings = assembly.couplings(&mut joints);
        joints.extend(assembly.closing_joints());
        joints.extend(assembly.separations());
        bodies.extend(assembly.bodies(&mut groups));
        if options.ground && !bodies.iter().any(|body| matches!(body.shape, ShapeSpec::HalfSpace { .. })) {
            let ground = self.ground(&bodies);
            // It is asked for to stand on, whatever the filters say.
            bodies.push(Body { name: names.free(&ground.name), groups: vec![groups.open()], ..ground });
        }
        let friction = self.friction.unwrap_or(0.8);
        let material = MaterialSpec {
            restitution: 0.0,
            // A pair has the sum of both.
            static_friction: friction / 2.0,
            kinetic_friction: friction / 2.0,
            ..MaterialSpec::new(MATERIAL, DENSITY)
        };
        let (gravity, materials, rules) = (self.gravity, vec![material], groups.rules());
        let mut notes = self.notes;
        notes.extend(assembly.notes.into_iter().chain(groups.notes()).chain(names.notes()));
        let name = scene_name(&self.name, &mut notes);
        let scene = Scene { gravity, materials, bodies, joints, couplings, rules, ..Scene::new(name) };
        Ok((Imported { scene, notes }, rotors))
    }

    /// Whether bodies have their masses, where these are those of meshes.
    ///
    /// # Errors
    /// The first body that has none, and its mesh.
    fn check_mass(&self, assembly: &Assembly) -> Result<(), String> {
        let is_weightless = assembly.clusters.iter().all(|cluster| cluster.mass.is_none());
        let mut lost =
            assembly.clusters.iter().filter(|cluster| cluster.is_nothing() && cluster.lost.is_some());
        let Some(cluster) = lost.next().filter(|_| self.meshes_weigh || is_weightless) else { return Ok(()) };
        Err(format!(
            "body {:?} has no mass: it must have an inertial or the file of its mesh, got neither ({})",
            cluster.name,
            cluster.lost.as_deref().unwrap_or_default()
        ))
    }

    /// Bodies to be, and what is between them.
    fn assembly(&mut self, leaders: &[usize]) -> Assembly {
        let mut clusters = Vec::new();
        let mut cluster_of = vec![0; self.links.len()];
        for leader in (0..self.links.len()).filter(|&link| leaders[link] == link) {
            let members: Vec<usize> = (0..self.links.len()).filter(|&link| leaders[link] == leader).collect();
            members.iter().for_each(|&member| cluster_of[member] = clusters.len());
            clusters.push(self.cluster(leader, &members));
        }
        let apart = self.apart(&cluster_of);
        let (mut chains, mut closings) = (Vec::new(), Vec::new());
        for Hold { name, ends, how } in std::mem::take(&mut self.holds) {
            let ends = ends.map(|end| cluster_of[end]);
            match how {
                How::Welded => {}
                How::Chain { dofs, collides } => chains.push(Chain { name, ends, dofs, collides }),
                How::Joint(entry) => closings.push(Closing { name, ends, entry: *entry }),
            }
        }
        let (mimics, notes) = (std::mem::take(&mut self.mimics), std::mem::take(&mut self.notes));
        Assembly { clusters, chains, closings, mimics, placed: BTreeMap::new(), apart, notes }
    }

    /// Pairs of clusters that do not meet, for those of links. What is welded to a link is kept apart with it, which is noted.
    fn apart(&mut self, cluster_of: &[usize]) -> BTreeSet<[usize; 2]> {
        let links = |cluster: usize| (0..cluster_of.len()).filter(move |&link| cluster_of[link] == cluster);
        let shaped =
            |cluster: usize| links(cluster).filter(|&link| !self.links[link].parts.is_empty()).count();
        let mut apart = BTreeSet::new();
        let mut left_out = LeftOut::default();
        for pair in &self.apart {
            let pair = sorted(pair.map(|link| cluster_of[link]));
            // Parts of one body do not meet anyway.
            if pair[0] != pair[1] && apart.insert(pair) && pair.iter().any(|&cluster| shaped(cluster) > 1) {
                left_out.add("contacts of what is fixed to bodies of an `exclude`");
            }
        }
        self.notes.extend(left_out.notes());
        apart
    }

    /// For each link, the first of those that it is welded to.
    fn leaders(&self) -> Vec<usize> {
        let mut leaders: Vec<usize> = (0..self.links.len()).collect();
        // As often as links may be in a row.
        for _ in 0..self.links.len() {
            let mut changed = false;
            for hold in self.holds.iter().filter(|hold| matches!(hold.how, How::Welded)) {
                let first = hold.ends.map(|end| leaders[end]).into_iter().min().unwrap_or_default();
                for end in hold.ends {
                    changed |= leaders[end] != first;
                    leaders[end] = first;
                }
            }
            if !changed {
                break;
            }
        }
        leaders
    }
}
