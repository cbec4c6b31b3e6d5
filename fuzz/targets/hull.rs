//! See [`drystone_fuzz::hull`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drystone_fuzz::hull(data));
