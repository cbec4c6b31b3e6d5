//! The named scenes. Each file is a family; the numbers a paper states and the ones we chose are told apart
//! in its documentation.
//!
//! Where the scenes share a choice: gravity is 10 m/s² downwards and every contact has restitution 0.25
//! (S1-77); friction is 0.20 static and kinetic, that of the engine S1 describes (its Table 1 is not in the
//! text, so this is likely, not proven); bodies that are said to rest touch exactly, without gap or overlap.

mod balls;
mod cages;
mod catapults;
mod composites;
mod elastic;
mod engines;
mod engraved;
mod incline;
mod jointed;
mod stacks;
mod stirred;
mod suite;
mod terrain;
mod towers;
mod wells;

use cages::{any_rotation, inside, walls};

use crate::error::SceneError;
use crate::model::{Bounds, Scene};
use crate::similar::nearest;

/// A named scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SceneInfo {
    /// Its name.
    pub name: &'static str,
    /// What happens, in a line.
    pub summary: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What may follow the name after a colon, as in `tower:20`.
    pub parameter: Option<Parameter>,
    /// True when bodies may be set beside their places: `metre_tower:20:jitter=0.005`, and other draws with
    /// `metre_tower:20:jitter=0.005:seed=2`.
    pub takes_jitter: bool,
}

impl SceneInfo {
    /// Its name with a number of bodies that every method solves in seconds: of scenes that have thousands of them a smaller one of the same kind.
    ///
    /// ```
    /// let small = drystone_scenes::list().iter().map(|info| info.small());
    /// assert!(small.map(drystone_scenes::scene).all(|scene| scene.is_ok_and(|scene| scene.bodies.len() < 3000)));
    /// ```
    pub fn small(&self) -> &'static str {
        SMALLER.iter().find(|(name, _)| *name == self.name).map_or(self.name, |(_, small)| small)
    }
}

/// Scenes with thousands of bodies, and smaller ones of the same kind.
const SMALLER: [(&str, &str); 12] = [
    ("ball_pyramid", "ball_pyramid:4"),
    ("metre_pyramid", "metre_pyramid:12"),
    ("many_pyramids", "many_pyramids:2"),
    ("rain", "rain:150"),
    ("barrels", "barrels:150"),
    ("hull_pile", "hull_pile:60"),
    ("shards", "shards:60"),
    ("terrain", "terrain:80"),
    ("big_heap", "big_heap:200"),
    ("heap_stream", "heap_stream:150"),
    ("ragdolls", "ragdolls:6"),
    ("joint_grid", "joint_grid:8"),
];

/// A number that a named scene takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// What it counts.
    pub meaning: &'static str,
    /// Its value when the name stands alone.
    pub default: u32,
    /// Smallest value.
    pub min: u32,
    /// Largest value.
    pub max: u32,
}

/// How far bodies are set beside their places at random, in both horizontal directions.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Jitter {
    /// Largest distance in either direction, m.
    reach: f64,
    /// Which draw.
    seed: u64,
}

impl Jitter {
    const NONE: Self = Self { reach: 0.0, seed: 0 };
    /// Largest reach, m: below half of the gaps that jittered scenes have.
    const MAX: f64 = 0.02;
}

/// A scene and how it is built from its parameter, which is 0 where it has none.
struct Entry {
    info: SceneInfo,
    build: fn(u32) -> Scene,
    build_jittered: Option<fn(u32, Jitter) -> Scene>,
}

const fn plain(
    name: &'static str,
    source: &'static str,
    summary: &'static str,
    build: fn(u32) -> Scene,
) -> Entry {
    let info = SceneInfo { name, summary, source, parameter: None, takes_jitter: false };
    Entry { info, build, build_jittered: None }
}

const fn with(mut entry: Entry, meaning: &'static str, default: u32, min: u32, max: u32) -> Entry {
    entry.info.parameter = Some(Parameter { meaning, default, min, max });
    entry
}

const fn with_jitter(mut entry: Entry, build: fn(u32, Jitter) -> Scene) -> Entry {
    entry.info.takes_jitter = true;
    entry.build_jittered = Some(build);
    entry
}

const ENTRIES: [Entry; 46] = [
    plain("bullet5", "S1 Fig 27a", "an iron bullet smashes through 5 flat stacks of 55 boxes", |_| {
        stacks::bullet_flat(5)
    }),
    plain("bullet8", "S1 Fig 29a", "an iron bullet smashes through 8 flat stacks of 55 boxes", |_| {
        stacks::bullet_flat(8)
    }),
    plain("bullet5_square", "S1 Fig 27a", "bullet5 with square pyramids of 55 boxes", |_| {
        stacks::bullet_square(5)
    }),
    plain("bullet8_square", "S1 Fig 29a", "bullet8 with square pyramids of 55 boxes", |_| {
        stacks::bullet_square(8)
    }),
    plain("well324", "S1 Fig 27b", "324 balls fall into a small well", |_| wells::well324()),
    plain("well392", "S1 Fig 29b", "392 balls fall into a small well", |_| wells::well392()),
    plain("cage384", "S1 Fig 27c", "384 balls and boxes float in a cage, then fall", |_| cages::cage384()),
    plain("cage2816", "S1 Fig 29c", "2816 balls and boxes float in a cage, then fall", |_| cages::cage2816()),
    plain("catapult7", "S1 Fig 37a", "a box falls on a plank and tosses 7 boxes at rest", |_| {
        catapults::catapult7()
    }),
    plain("catapult15", "S1 Fig 37b", "a box falls on a plank and tosses 15 dropped boxes", |_| {
        catapults::catapult15()
    }),
    plain("bullet_into_balls", "S1 5.6", "an iron bullet hits a pile of 140 balls", |_| {
        balls::bullet_into_balls()
    }),
    with(
        plain(
            "cradle",
            "S1 5.6",
            "balls of 5 hit the others in a row, elastic, and come back",
            elastic::cradle,
        ),
        "balls coming in",
        1,
        1,
        4,
    ),
    plain("cradle_2", "S1 5.6", "cradle with 2 of 5 balls coming in", |_| elastic::cradle(2)),
    plain("cradle_3", "S1 5.6", "cradle with 3 of 5 balls coming in", |_| elastic::cradle(3)),
    plain("two_balls_wall", "S1 Fig 21", "two touching balls hit a wall, elastic", |_| {
        elastic::two_balls_wall()
    }),
    with(plain("tower", "benchmark", "a tower of boxes stands", towers::tower), "boxes", 10, 1, 10_000),
    with(
        plain("pyramid", "benchmark", "a flat pyramid of boxes stands", towers::pyramid),
        "rows",
        10,
        1,
        200,
    ),
    with(
        plain("mass_ratio", "benchmark", "a heavy box stands on ten light ones", towers::mass_ratio),
        "heavy over light mass",
        1000,
        1,
        1_000_000,
    ),
    with(
        plain("heap", "benchmark", "boxes and balls fall into a pit and come to rest", cages::heap),
        "bodies",
        1000,
        1,
        100_000,
    ),
    plain("incline", "benchmark", "five blocks on slopes below and above the friction angle", |_| {
        incline::incline()
    }),
    plain("incline120", "S3 Fig 12", "120 balls fall onto an inclined plane engraved with DIKU", |_| {
        engraved::engraved()
    }),
    with_jitter(
        with(
            plain("metre_tower", "benchmark", "a tower of boxes of one metre stands", |count| {
                engines::metre_tower(count, Jitter::NONE)
            }),
            "boxes",
            50,
            1,
            10_000,
        ),
        engines::metre_tower,
    ),
    with_jitter(
        with(
            plain("metre_pyramid", "benchmark", "a flat pyramid of boxes of one metre stands", |rows| {
                engines::metre_pyramid(rows, Jitter::NONE)
            }),
            "rows",
            100,
            1,
            200,
        ),
        engines::metre_pyramid,
    ),
    with(
        plain(
            "many_pyramids",
            "benchmark",
            "a square of flat pyramids of ten rows stands",
            engines::many_pyramids,
        ),
        "pyramids along an edge",
        14,
        1,
        40,
    ),
    with(
        plain(
            "ball_pyramid",
            "benchmark",
            "a square pyramid of balls begins touching (84: 200 000 bodies)",
            engines::ball_pyramid,
        ),
        "layers",
        10,
        1,
        100,
    ),
    with(
        plain("rain", "benchmark", "boxes, balls and capsules rain into a pit", engines::rain),
        "bodies",
        5000,
        1,
        100_000,
    ),
    with(
        plain("barrels", "benchmark", "cylinders, cones and balls fall into a pit", engines::barrels),
        "bodies",
        500,
        1,
        100_000,
    ),
    with(
        plain("hull_pile", "benchmark", "convex hulls fall into a pit", engines::hull_pile),
        "bodies",
        2000,
        1,
        100_000,
    ),
    with(
        plain("shards", "ours", "sharp hulls, thin and pointed, fall into a pit", engines::shards),
        "bodies",
        500,
        1,
        100_000,
    ),
    with(
        plain("terrain", "ours", "boxes, balls, capsules and hulls fall on hills", terrain::terrain),
        "bodies",
        1000,
        1,
        100_000,
    ),
    with(
        plain("big_heap", "benchmark", "large balls and boxes fall into a pit", engines::big_heap),
        "bodies",
        20_000,
        1,
        100_000,
    ),
    with(
        plain("heap_stream", "benchmark", "bodies keep falling onto a heap at rest", engines::heap_stream),
        "bodies at the start",
        1000,
        1,
        100_000,
    ),
    with(
        plain("drum", "benchmark", "a turning drum stirs balls and cubes", stirred::drum),
        "bodies",
        300,
        1,
        100_000,
    ),
    with(
        plain(
            "composites",
            "S3 section 2",
            "L and T pieces of boxes fall into a pit, and some break",
            composites::composites,
        ),
        "pieces",
        40,
        1,
        10_000,
    ),
    with(
        plain(
            "chain",
            "no-sag: heavy ends",
            "rods in a chain with a heavy ball at its end swing",
            jointed::chain,
        ),
        "links",
        100,
        1,
        2000,
    ),
    with(
        plain("bridge", "benchmark", "boxes fall onto a bridge of planks on hinges", jointed::bridge),
        "planks",
        60,
        3,
        2000,
    ),
    with(
        plain("ragdolls", "benchmark", "figures fall onto a heap", jointed::ragdolls),
        "figures",
        20,
        1,
        2000,
    ),
    with(
        plain("pendulums", "S1 5.6", "Newton's cradle of balls on rods", jointed::pendulums),
        "balls lifted",
        1,
        1,
        5,
    ),
    with(
        plain("joint_grid", "benchmark", "a net of balls on ball joints falls", jointed::joint_grid),
        "balls on each side",
        30,
        2,
        200,
    ),
    with(
        plain("hourglass", "S2 section 6", "cubes run through an hourglass", engines::hourglass),
        "cubes",
        1000,
        1,
        20_000,
    ),
    with(
        plain(
            "cubeglass",
            "S2 section 6",
            "cubes run through an hourglass with a wide throat",
            engines::cubeglass,
        ),
        "cubes",
        1000,
        1,
        20_000,
    ),
    with(
        plain("falling_stack", "S2 section 6", "cubes fall onto each other and stack", suite::falling_stack),
        "cubes",
        10,
        1,
        100,
    ),
    with(
        plain("cs_stack", "S2 section 6", "cubes and balls in turn fall onto each other", suite::cs_stack),
        "bodies",
        10,
        1,
        100,
    ),
    with(
        plain("cubejam", "S2 section 6", "cubes fall between bars and come to rest", suite::cubejam),
        "cubes",
        100,
        1,
        1000,
    ),
    plain("ball_on_ball", "S2 Fig 4", "a ball rolls off a fixed one", |_| suite::ball_on_ball()),
    plain("frozen_pair", "S2 Fig 5", "a cube slides into two at rest", |_| suite::frozen_pair()),
];

const INFOS: [SceneInfo; ENTRIES.len()] = {
    let mut infos = [ENTRIES[0].info; ENTRIES.len()];
    let mut i = 0;
    while i < ENTRIES.len() {
        infos[i] = ENTRIES[i].info;
        i += 1;
    }
    infos
};

/// The named scenes.
pub fn list() -> &'static [SceneInfo] {
    &INFOS
}

/// The scene with this name, which may end in a parameter as in `tower:20`, and in options as in
/// `metre_tower:20:jitter=0.005:seed=2` where the scene has them.
///
/// # Errors
/// [`SceneError::UnknownScene`] with the most similar name, [`SceneError::Parameter`].
///
/// ```
/// let bullet = drystone_scenes::scene("bullet5")?;
/// assert_eq!(bullet.bodies.len(), 1 + 5 * 55 + 1); // ground, boxes, bullet
/// # Ok::<(), drystone_scenes::SceneError>(())
/// ```
pub fn scene(name: &str) -> Result<Scene, SceneError> {
    let mut words = name.split(':');
    let base = words.next().unwrap_or_default();
    let Some(entry) = ENTRIES.iter().find(|e| e.info.name == base) else {
        return Err(SceneError::UnknownScene {
            name: name.to_owned(),
            nearest: nearest(base, INFOS.iter().map(|info| info.name)),
        });
    };
    let (mut value, mut jitter) = (entry.info.parameter.map_or(0, |p| p.default), None);
    for (place, word) in words.enumerate() {
        let read = match word.split_once('=') {
            None if place == 0 => read_count(word, entry).map(|count| value = count),
            Some((option, text)) => read_option(option, text, entry, jitter).map(|j| jitter = Some(j)),
            None => Err("one number at most, before any option".into()),
        };
        let found = word.to_owned();
        read.map_err(|expected| SceneError::Parameter { name: base.to_owned(), expected, found })?;
    }
    let mut scene = match (jitter, entry.build_jittered) {
        (Some(jitter), Some(build)) => build(value, jitter),
        _ => (entry.build)(value),
    };
    name.clone_into(&mut scene.name);
    Ok(scene)
}

/// The number of a scene, or what was expected.
fn read_count(text: &str, entry: &Entry) -> Result<u32, String> {
    let parameter = entry.info.parameter.ok_or("left out (this scene takes none)")?;
    let Parameter { meaning, min, max, .. } = parameter;
    let count = text.parse().ok().filter(|count| (min..=max).contains(count));
    count.ok_or_else(|| format!("{min} to {max} ({meaning})"))
}

/// The jitter with one option changed, or what was expected.
fn read_option(name: &str, text: &str, entry: &Entry, jitter: Option<Jitter>) -> Result<Jitter, String> {
    if !entry.info.takes_jitter {
        return Err("left out (this scene takes no options)".into());
    }
    let jitter = jitter.unwrap_or(Jitter::NONE);
    match name {
        "jitter" => {
            let reach = text.parse().ok().filter(|reach| (0.0..=Jitter::MAX).contains(reach));
            let reach = reach.ok_or_else(|| format!("jitter=0 to jitter={} (m)", Jitter::MAX))?;
            Ok(Jitter { reach, ..jitter })
        }
        "seed" => {
            let seed = text.parse().map_err(|_| "seed= and a whole number".to_owned())?;
            Ok(Jitter { seed, ..jitter })
        }
        _ => Err("jitter= or seed=".into()),
    }
}

/// Everything above the ground within `reach` m of the origin.
fn above_ground(reach: f64) -> Bounds {
    Bounds { min: [-reach, 0.0, -reach], max: [reach, reach, reach] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scene_is_valid_and_the_same_each_time() {
        for info in list() {
            let built = scene(info.name).expect("listed");
            built.validate().expect("valid");
            assert_eq!(built, scene(info.name).expect("listed"), "{}", info.name);
            assert_eq!(built.name, info.name);
            assert!(built.description.len() > info.summary.len(), "{} says more than its summary", info.name);
        }
    }

    #[test]
    fn parameters_are_checked() {
        assert_eq!(scene("tower:20").expect("in range").bodies.len(), 21);
        for wrong in
            ["tower:", "tower:0", "tower:-1", "tower:x", "tower:99999999999", "bullet5:3", "cradle:5"]
        {
            assert!(matches!(scene(wrong), Err(SceneError::Parameter { .. })), "{wrong}");
        }
    }

    #[test]
    fn jitter_is_drawn_from_its_seed_and_checked() {
        let places = |name: &str| -> Vec<[f64; 3]> {
            let scene = scene(name).expect(name);
            scene.validate().expect(name);
            scene.bodies.iter().skip(1).map(|b| b.position).collect()
        };
        let apart = |a: &str, b: &str| -> Vec<[f64; 3]> {
            let pairs = places(a).into_iter().zip(places(b));
            pairs.map(|(a, b)| std::array::from_fn(|k| (a[k] - b[k]).abs())).collect()
        };
        for moved in apart("metre_tower:40", "metre_tower:40:jitter=0.005") {
            assert!(moved[0] <= 0.005 && moved[1] == 0.0 && moved[2] <= 0.005, "{moved:?}");
        }
        let mean = |of: Vec<[f64; 3]>| of.iter().map(|v| v[0] + v[2]).sum::<f64>() / (2 * of.len()) as f64;
        // The mean distance of a uniform draw is half its reach; of 400 draws its standard error is 0.07 mm.
        let mean_jitter = mean(apart("metre_tower:200", "metre_tower:200:jitter=0.005"));
        assert!((mean_jitter - 0.0025).abs() < 3e-4, "{mean_jitter}");
        assert!(mean(apart("metre_tower:jitter=0.005", "metre_tower:jitter=0.005:seed=1")) > 1e-3);
        assert_eq!(
            places("metre_pyramid:5:jitter=0.01:seed=3"),
            places("metre_pyramid:5:seed=3:jitter=0.01")
        );
        assert_eq!(places("metre_tower:5:seed=3"), places("metre_tower:5"));
        for row in places("metre_pyramid:20:jitter=0.02").chunks(20).take(1) {
            assert!(
                row.windows(2).all(|pair| pair[1][0] - pair[0][0] > 1.0),
                "boxes of a row do not overlap"
            );
        }
        for wrong in
            ["5:jitter=1", "5:jitter=-0.001", "5:jitter=nan", "5:jitter", "5:wind=1", "5:seed=x", "5:6"]
        {
            let name = format!("metre_tower:{wrong}");
            assert!(matches!(scene(&name), Err(SceneError::Parameter { .. })), "{name}");
        }
        assert!(matches!(scene("rain:5:jitter=0.001"), Err(SceneError::Parameter { .. })));
    }

    #[test]
    fn a_misspelt_name_gets_a_hint() {
        assert!(scene("bulet5").unwrap_err().to_string().contains("\"bullet5\""));
        assert!(scene("PYRAMID").unwrap_err().to_string().contains("\"pyramid\""));
        assert!(!scene("zzzzzzzzzzzzzzzzz").unwrap_err().to_string().contains("did you mean"));
    }
}
