//! See [`drystone_fuzz::mesh`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drystone_fuzz::mesh(data));
