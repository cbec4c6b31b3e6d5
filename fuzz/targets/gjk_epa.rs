//! See [`drystone_fuzz::gjk_epa`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drystone_fuzz::gjk_epa(data));
