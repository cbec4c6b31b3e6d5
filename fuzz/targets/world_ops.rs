//! See [`drystone_fuzz::world_ops`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| drystone_fuzz::world_ops(data));
