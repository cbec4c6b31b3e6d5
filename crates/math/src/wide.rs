//! SIMD lanes: eight `f32` at a time behind one trait (under construction: see `Lanes`).
