//! See [`drystone_fuzz::scene_file`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drystone_fuzz::scene_file(data));
