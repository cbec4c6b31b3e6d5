//! Stage and scene benchmarks.
