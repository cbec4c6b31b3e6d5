//! What cargo knows of the workspace: our packages, their dependencies and targets.

use crate::shell::{Failure, Outcome, cargo};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Root of the repository: the folder with the lock file above the package's, as `cargo run` tells it, or as it was built.
pub fn root() -> &'static Path {
    static ROOT: OnceLock<PathBuf> = OnceLock::new();
    ROOT.get_or_init(|| {
        let told = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let package = told.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = package.ancestors().find(|folder| folder.join("Cargo.lock").exists());
        root.unwrap_or(Path::new(".")).to_path_buf()
    })
}

/// The packages of the workspace, and where cargo builds.
#[derive(Debug)]
pub struct Workspace {
    /// Its packages.
    pub packages: Vec<Package>,
    /// Where cargo builds.
    pub target_directory: PathBuf,
}

/// A package of ours.
#[derive(Debug)]
pub struct Package {
    /// As in its manifest: `drystone-contact`.
    pub name: String,
    /// Dependencies on packages of ours: their name, and whether only tests and benches use them.
    pub internal: Vec<(String, bool)>,
    /// Names of its bench targets.
    pub benches: Vec<String>,
    /// Names of its examples.
    pub examples: Vec<String>,
}

impl Workspace {
    /// Asks cargo.
    ///
    /// # Errors
    /// When cargo fails or answers something unexpected.
    pub fn load() -> Outcome<Self> {
        let output = cargo().args(["metadata", "--format-version", "1", "--no-deps"]).output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(Failure::new(format!("`cargo metadata` failed: {said}")));
        }
        Self::parse(&serde_json::from_slice(&output.stdout)?)
            .ok_or_else(|| Failure::new("`cargo metadata` answered in a form that is not known here"))
    }

    fn parse(metadata: &Value) -> Option<Self> {
        let packages = metadata.get("packages")?.as_array()?;
        let names: Vec<&str> = packages.iter().filter_map(|p| p.get("name")?.as_str()).collect();
        let packages = packages.iter().map(|p| Package::parse(p, &names)).collect::<Option<_>>()?;
        Some(Self { packages, target_directory: metadata.get("target_directory")?.as_str()?.into() })
    }

    /// The package with this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn package(&self, name: &str) -> Outcome<&Package> {
        let found = self.packages.iter().find(|p| p.name == name);
        found.ok_or_else(|| Failure::new(format!("the workspace has no package `{name}`")))
    }
}

impl Package {
    fn parse(package: &Value, ours: &[&str]) -> Option<Self> {
        let mut internal = Vec::new();
        for dependency in package.get("dependencies")?.as_array()? {
            let name = dependency.get("name")?.as_str()?;
            if ours.contains(&name) {
                internal.push((name.to_owned(), dependency.get("kind")?.as_str() == Some("dev")));
            }
        }
        let name_of = |v: &Value| v.get("name")?.as_str().map(str::to_owned);
        let targets = package.get("targets")?.as_array()?;
        let of_kind = |kind: &str| {
            let is_it = |target: &&Value| {
                let kinds = target.get("kind").and_then(Value::as_array);
                kinds.is_some_and(|kinds| kinds.iter().any(|k| k == kind))
            };
            targets.iter().filter(is_it).filter_map(name_of).collect()
        };
        Some(Self {
            name: name_of(package)?,
            internal,
            benches: of_kind("bench"),
            examples: of_kind("example"),
        })
    }

    /// Its name as in the documents: `contact` for `drystone-contact`.
    pub fn short_name(&self) -> &str {
        short(&self.name)
    }
}

/// A package's name as in the documents.
pub fn short(name: &str) -> &str {
    name.strip_prefix("drystone-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn internal_dependencies_and_benches_are_read() {
        let metadata = json!({
            "target_directory": "/t",
            "packages": [
                { "name": "drystone-math", "dependencies": [{ "name": "nalgebra", "kind": null }], "targets": [] },
                {
                    "name": "drystone-benches",
                    "dependencies": [{ "name": "drystone-math", "kind": "dev" }],
                    "targets": [{ "name": "broad", "kind": ["bench"] }, { "name": "x", "kind": ["lib"] }, { "name": "show", "kind": ["example"] }],
                },
            ],
        });
        let workspace = Workspace::parse(&metadata).expect("well formed");
        let benches = workspace.package("drystone-benches").expect("listed");
        assert_eq!(benches.internal, [("drystone-math".to_owned(), true)]);
        assert_eq!(
            (&benches.benches, &benches.examples),
            (&vec!["broad".to_owned()], &vec!["show".to_owned()])
        );
        assert_eq!(benches.short_name(), "benches");
        assert!(workspace.package("drystone-math").expect("listed").internal.is_empty());
        assert!(workspace.package("drystone-joint").is_err());
    }
}
