//! What the project's own programs share: they start processes ([`shell`]), ask cargo for the workspace ([`workspace`]) and its leaves ([`leaf`]), and say
//! which machine they ran on ([`machine`]); and the check of documents ([`docs_check`]). The program `xtask` is in `main.rs`; what needs the engine is in the package `drystone-lab`.

pub mod docs_check;
pub mod leaf;
pub mod machine;
pub mod shell;
pub mod workspace;
