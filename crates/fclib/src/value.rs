//! Fields of a JSON object, with errors that name them.

use crate::FclibError;
use drystone_resolution::problem::Triplets;
use serde_json::{Map, Value};

/// A JSON object of a file, maybe within another one.
pub(crate) struct Object<'a> {
    fields: &'a Map<String, Value>,
    file: &'a str,
    /// Fields above this one, each with a dot.
    prefix: String,
}

impl<'a> Object<'a> {
    /// The whole file.
    pub(crate) fn new(root: &'a Value, file: &'a str) -> Result<Self, FclibError> {
        match root {
            Value::Object(fields) => Ok(Self { fields, file, prefix: String::new() }),
            other => Err(FclibError::Field {
                file: file.to_owned(),
                field: "the file".into(),
                expected: "an object".into(),
                got: shown(other),
            }),
        }
    }

    /// True when the field is there and not null.
    pub(crate) fn has(&self, field: &str) -> bool {
        self.fields.get(field).is_some_and(|value| !value.is_null())
    }

    /// The error for a field that holds something else.
    pub(crate) fn bad(&self, field: &str, expected: &str, got: &str) -> FclibError {
        FclibError::Field {
            file: self.file.to_owned(),
            field: format!("{}{field}", self.prefix),
            expected: expected.to_owned(),
            got: got.to_owned(),
        }
    }

    fn get(&self, field: &str, expected: &str) -> Result<&'a Value, FclibError> {
        self.fields.get(field).ok_or_else(|| FclibError::Missing {
            file: self.file.to_owned(),
            field: format!("{}{field}", self.prefix),
            expected: expected.to_owned(),
        })
    }

    pub(crate) fn text(&self, field: &str) -> Result<String, FclibError> {
        let value = self.get(field, "text")?;
        value.as_str().map(str::to_owned).ok_or_else(|| self.bad(field, "text", &shown(value)))
    }

    pub(crate) fn count(&self, field: &str) -> Result<usize, FclibError> {
        let value = self.get(field, WHOLE)?;
        whole(value).map(|n| n as usize).ok_or_else(|| self.bad(field, WHOLE, &shown(value)))
    }

    /// A number that may be missing or null.
    pub(crate) fn optional_number(&self, field: &str) -> Result<Option<f64>, FclibError> {
        match self.fields.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) => Ok(Some(number)),
                None => Err(self.bad(field, "a number or null", &shown(value))),
            },
        }
    }

    pub(crate) fn numbers(&self, field: &str) -> Result<Vec<f64>, FclibError> {
        self.list(field, "a list of numbers", "a number", Value::as_f64)
    }

    /// A matrix as triplets. Their places are checked where the matrix is used.
    pub(crate) fn triplets(&self, field: &str) -> Result<Triplets, FclibError> {
        const MATRIX: &str = "a matrix {rows, cols, i, j, x}";
        let value = self.get(field, MATRIX)?;
        let Value::Object(fields) = value else { return Err(self.bad(field, MATRIX, &shown(value))) };
        let matrix = Object { fields, file: self.file, prefix: format!("{}{field}.", self.prefix) };
        let indices = |name| matrix.list(name, "a list of whole numbers", WHOLE, whole);
        Ok(Triplets {
            rows: matrix.count("rows")?,
            columns: matrix.count("cols")?,
            row_index: indices("i")?,
            column_index: indices("j")?,
            values: matrix.numbers("x")?,
        })
    }

    fn list<T>(
        &self,
        field: &str,
        expected: &str,
        expected_entry: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Vec<T>, FclibError> {
        let value = self.get(field, expected)?;
        let Value::Array(entries) = value else { return Err(self.bad(field, expected, &shown(value))) };
        let read_entry = |(i, entry): (usize, &Value)| {
            read(entry).ok_or_else(|| self.bad(&format!("{field}[{i}]"), expected_entry, &shown(entry)))
        };
        entries.iter().enumerate().map(read_entry).collect()
    }
}

const WHOLE: &str = "a whole number from 0";

fn whole(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|n| u32::try_from(n).ok())
}

/// A value in a message: short ones as they are.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Object(_) => "an object".into(),
        other => other.to_string(),
    }
}
