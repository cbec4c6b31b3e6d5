#![doc = include_str!("../README.md")]
//!
//! # In depth
//!
//! Discrete contact problems from files: the problems of the FCLib collection as JSON.
//!
//! In: a file. Out: a [`Problem`] with what is known of its answers. Knows no solver. Start reading at [`read`].
//!
//! Source of the problems: Acary, Bremond, Koziara, Perignon, "FCLIB: a collection of discrete 3D Frictional Contact
//! problems", INRIA RT-0444 (2014). Conventions are those of [`drystone_resolution::problem`]: normal first in each
//! contact's frame, `u = W r + q`.
//!
//! # Format
//! One JSON object. Fields that are not listed are skipped.
//!
//! | field | what |
//! |---|---|
//! | `name` | text |
//! | `dim`, `contacts` | 3; number of contacts `nc` |
//! | `mu` | `nc` numbers |
//! | `W`, `q` | the local form: a matrix of `3 nc` rows and columns, `3 nc` numbers |
//! | `M`, `H`, `f`, `w` | the global form: matrices `n x n` and `n x 3 nc`, `n` and `3 nc` numbers |
//! | `guess_r`, `ref_r` | where to begin; an answer (`3 nc` numbers each, optional) |
//! | `ref_error`, `convex_f`, `convex_error` | error of `ref_r`, measured when it is missing; least `r·W r/2 + q·r` over the cone, and how well that is known (optional, may be null) |
//!
//! Matrices are `{rows, cols, i[], j[], x[]}`, triplets counted from 0. A file has one of the forms, or both, each in full.

mod error;
mod value;

pub use error::FclibError;

use drystone_resolution::problem::{BlockRows, GlobalForm, Measure, Problem};
use std::path::{Path, PathBuf};
use value::Object;

/// A problem from a file, and what is known of its answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Its name.
    pub name: String,
    /// The problem.
    pub problem: Problem,
    /// Where the source would begin, N·s; three numbers per contact.
    pub guess: Option<Vec<f64>>,
    /// An answer that came with the file.
    pub reference: Option<Reference>,
    /// Least `r·W r/2 + q·r` over the cone: the answer of the convex (associated) problem.
    pub convex_minimum: Option<f64>,
    /// How well that is known, relative, as its source says.
    pub convex_error: Option<f64>,
}

/// An answer that came with a problem.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Three numbers per contact, N·s.
    pub impulses: Vec<f64>,
    /// Its natural-map error, relative to `q`: what the file says, measured where it says nothing.
    pub error: f64,
}

/// Reads a problem.
///
/// # Errors
/// A file that cannot be read or is not JSON; a field that is missing or not what the format says, by name; a problem
/// that contradicts itself.
pub fn read(file: &Path) -> Result<Record, FclibError> {
    let shown = file.display().to_string();
    let text = std::fs::read_to_string(file)
        .map_err(|reason| FclibError::Read { file: shown.clone(), reason: reason.to_string() })?;
    parse(&text, &shown)
}

/// Reads a problem from text; `file` is the name that errors give.
///
/// ```
/// let text = r#"{"name": "drop", "dim": 3, "contacts": 1, "mu": [0.5], "q": [-1, 0, 0],
///     "W": {"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "x": [1, 1, 1]}}"#;
/// assert_eq!(drystone_fclib::parse(text, "drop.json")?.problem.contact_count(), 1);
///
/// let error = drystone_fclib::parse(&text.replace("[0.5]", "[true]"), "drop.json").unwrap_err().to_string();
/// assert_eq!(error, "drop.json: mu[0] must be a number, got true");
/// # Ok::<(), drystone_fclib::FclibError>(())
/// ```
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, file: &str) -> Result<Record, FclibError> {
    let root = serde_json::from_str(text)
        .map_err(|reason| FclibError::Syntax { file: file.to_owned(), reason: reason.to_string() })?;
    let object = Object::new(&root, file)?;
    let dimension = object.count("dim")?;
    if dimension != 3 {
        return Err(object.bad("dim", "3", &dimension.to_string()));
    }
    let contacts = object.count("contacts")?;
    let friction = object.numbers("mu")?;
    if friction.len() != contacts {
        let expected = format!("a list of {contacts} numbers (`contacts`)");
        return Err(object.bad("mu", &expected, &format!("{} numbers", friction.len())));
    }
    let invalid = |source| FclibError::Problem { file: file.to_owned(), source };
    // One field of the global form asks for the others.
    let has_global = ["M", "H", "f", "w"].iter().any(|field| object.has(field));
    let global = has_global.then(|| read_global(&object)).transpose()?;
    let problem = if object.has("W") || global.is_none() {
        let matrix = object.triplets("W")?;
        // Before memory is taken for its rows: no field but these two bounds them.
        for (field, size) in [("W.rows", matrix.rows), ("W.cols", matrix.columns)] {
            if size != 3 * contacts {
                let expected = format!("{} (3 per contact)", 3 * contacts);
                return Err(object.bad(field, &expected, &size.to_string()));
            }
        }
        let coupling = BlockRows::from_triplets("W", &matrix).map_err(invalid)?;
        let problem = Problem::new(coupling, object.numbers("q")?, friction).map_err(invalid)?;
        match global {
            Some(global) => problem.with_global(global).map_err(invalid)?,
            None => problem,
        }
    } else {
        Problem::from_global(global.unwrap_or_default(), friction).map_err(invalid)?
    };
    let answer = |field| -> Result<Option<Vec<f64>>, FclibError> {
        if !object.has(field) {
            return Ok(None);
        }
        let numbers = object.numbers(field)?;
        if numbers.len() == 3 * contacts {
            return Ok(Some(numbers));
        }
        let expected = format!("a list of {} numbers (3 per contact)", 3 * contacts);
        Err(object.bad(field, &expected, &format!("{} numbers", numbers.len())))
    };
    let reference_error = object.optional_number("ref_error")?;
    let measured = |impulses: &[f64]| Measure::of(&problem, impulses).natural_map;
    Ok(Record {
        name: object.text("name")?,
        guess: answer("guess_r")?,
        reference: answer("ref_r")?.map(|impulses| Reference {
            error: reference_error.unwrap_or_else(|| measured(&impulses)),
            impulses,
        }),
        convex_minimum: object.optional_number("convex_f")?,
        convex_error: object.optional_number("convex_error")?,
        problem,
    })
}

fn read_global(object: &Object<'_>) -> Result<GlobalForm, FclibError> {
    Ok(GlobalForm {
        mass: object.triplets("M")?,
        directions: object.triplets("H")?,
        f: object.numbers("f")?,
        w: object.numbers("w")?,
    })
}

/// The folder of the collection's JSON files: `fclib` in the folder that the environment's `DRYSTONE_DATA` names, when there is one. The
/// data is not part of the repository; what needs it says so and does without.
pub fn collection_folder() -> Option<PathBuf> {
    let folder = Path::new(&std::env::var_os("DRYSTONE_DATA")?).join("fclib");
    folder.is_dir().then_some(folder)
}

/// The problem files of a folder: those whose names end in `.json`, by name.
///
/// # Errors
/// A folder that cannot be read.
pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>, FclibError> {
    let unreadable = |reason: std::io::Error| FclibError::Read {
        file: folder.display().to_string(),
        reason: reason.to_string(),
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"{"name": "one", "dim": 3, "contacts": 1, "mu": [0.5], "q": [-1, 0, 0],
        "W": {"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "x": [1, 1, 1]}}"#;

    #[test]
    fn what_is_wrong_is_named_with_file_field_and_expectation() {
        let refused = |from: &str, to: &str| {
            let text = ONE.replace(from, to);
            assert_ne!(text, ONE, "`{from}` is in the text");
            parse(&text, "one.json").expect_err("refused").to_string()
        };
        assert_eq!(refused(r#""mu": [0.5], "#, ""), "one.json: mu must be a list of numbers, but is missing");
        assert_eq!(
            refused("[0.5]", r#"[0.5, 1]"#),
            "one.json: mu must be a list of 1 numbers (`contacts`), got 2 numbers"
        );
        assert_eq!(refused("[0.5]", "[-0.5]"), "one.json: mu[0] must be at least 0, got -0.5");
        assert_eq!(refused(r#""dim": 3"#, r#""dim": 2"#), "one.json: dim must be 3, got 2");
        assert_eq!(refused("[-1, 0, 0]", r#"[-1, "x", 0]"#), r#"one.json: q[1] must be a number, got "x""#);
        assert_eq!(refused("[-1, 0, 0]", "[-1, 0]"), "one.json: q must have 3 entries, got 2");
        assert_eq!(
            refused(r#""i": [0, 1, 2]"#, r#""i": [0, 1, 5]"#),
            "one.json: entry 2 of W is at (5, 2), outside of 3 x 3"
        );
        assert_eq!(
            refused(r#""i": [0, 1, 2]"#, r#""i": [0, 1, -1]"#),
            "one.json: W.i[2] must be a whole number from 0, got -1"
        );
        assert_eq!(
            refused(r#""x": [1, 1, 1]"#, r#""x": {}"#),
            "one.json: W.x must be a list of numbers, got an object"
        );
        assert_eq!(refused(r#""i": [0, 1, 2]"#, r#""i": [0, 1]"#), "one.json: W must have 3 entries, got 2");
        // One more row would be one more contact, and four thousand million take a hundred gigabytes.
        for (field, size) in [("rows", "4294967295"), ("cols", "4294967295"), ("rows", "6"), ("cols", "4")] {
            let (from, to) = (format!(r#""{field}": 3"#), format!(r#""{field}": {size}"#));
            let wanted = format!("one.json: W.{field} must be 3 (3 per contact), got {size}");
            assert_eq!(refused(&from, &to), wanted);
        }
        for (field, missing) in [("M", "H"), ("H", "M"), ("f", "M"), ("w", "M")] {
            let value =
                if field < "a" { r#"{"rows": 0, "cols": 0, "i": [], "j": [], "x": []}"# } else { "[]" };
            let message = refused(r#""mu""#, &format!(r#""{field}": {value}, "mu""#));
            assert!(message.starts_with(&format!("one.json: {missing} must be a matrix")), "{message}");
        }
        let broken = refused("[0.5]", "[0.5");
        assert!(broken.starts_with("one.json: not JSON: ") && broken.contains("line 1"), "{broken}");
    }

    #[test]
    fn a_file_with_bodies_alone_is_formed_from_them() {
        let text = r#"{"name": "ball", "dim": 3, "contacts": 1, "mu": [0.5], "f": [-4, 0, 0], "w": [1, 0, 0],
            "M": {"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "x": [2, 2, 2]},
            "H": {"rows": 3, "cols": 3, "i": [0, 1, 2], "j": [0, 1, 2], "x": [1, 1, 1]},
            "ref_r": [2, 0, 0], "ref_error": 0, "convex_f": null}"#;
        let record = parse(text, "ball.json").expect("fits");
        assert_eq!(record.problem.free_velocities(), [-1.0, 0.0, 0.0]);
        assert_eq!(record.problem.coupling().diagonal(0)[(0, 0)], 0.5);
        assert!(record.problem.global().is_some() && record.convex_minimum.is_none());
        assert_eq!(record.reference.map(|r| r.impulses), Some(vec![2.0, 0.0, 0.0]));
    }

    /// An answer without its error is not dropped: the error is measured.
    #[test]
    fn an_answer_may_come_without_its_error() {
        let with = |more: &str| parse(&ONE.replace(r#""mu""#, &format!(r#"{more}, "mu""#)), "one.json");
        // Stops the body with a tenth too much: u = (0.1, 0, 0), and the map is off by as much.
        let reference = with(r#""ref_r": [1.1, 0, 0]"#).expect("fits").reference.expect("it has one");
        assert_eq!(reference.impulses, [1.1, 0.0, 0.0]);
        assert!((reference.error - 0.1).abs() < 1e-15, "{}", reference.error);
        let said = with(r#""ref_r": [1.1, 0, 0], "ref_error": 0.25"#).expect("fits").reference;
        assert_eq!(said.map(|r| r.error), Some(0.25));
        assert!(with(r#""ref_error": 0.25"#).expect("fits").reference.is_none());
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = read(Path::new("nowhere/one.json")).expect_err("not there").to_string();
        assert!(error.starts_with("nowhere/one.json: cannot be read: "), "{error}");
    }
}
