//! Links the runtime of C++ where Jolt is built in, which `joltc-sys` leaves to its users.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let target = std::env::var("TARGET").unwrap_or_default();
    if std::env::var_os("CARGO_FEATURE_JOLT").is_some() && !target.contains("msvc") {
        let library = if target.contains("apple") { "c++" } else { "stdc++" };
        println!("cargo:rustc-link-arg=-l{library}");
    }
}
