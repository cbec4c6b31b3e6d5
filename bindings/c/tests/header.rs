//! The header is what the tool makes of the sources: `DRYSTONE_WRITE_HEADER=1 cargo test --test header` writes it.

use std::path::Path;

#[test]
fn the_header_is_up_to_date() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).expect("the settings read");
    let mut made = Vec::new();
    cbindgen::generate_with_config(folder, config).expect("the sources read").write(&mut made);
    let path = folder.join("include").join("drystone.h");
    if std::env::var_os("DRYSTONE_WRITE_HEADER").is_some() {
        std::fs::write(&path, &made).expect("the header can be written");
    }
    let there = std::fs::read_to_string(&path).expect("the header is there");
    assert!(
        there.replace("\r\n", "\n").as_bytes() == made,
        "include/drystone.h is not what the sources say: DRYSTONE_WRITE_HEADER=1 cargo test --test header"
    );
}
