//! A test that leaks. `cargo xtask sanitize address` builds it by itself and wants it to be reported: what hides it would hide every leak of a test.

#[test]
fn leaks_on_purpose() {
    std::mem::forget(std::hint::black_box(vec![0_u8; 64]));
}
