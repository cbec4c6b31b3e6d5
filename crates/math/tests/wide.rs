//! Lanes against scalar `f32`, bit for bit. Trusted reference: the compiler's scalar arithmetic. The checks
//! are generic over [`Lanes`], so a new instruction set is tested by one line in each test.

use drystone_math::wide::{LANES, Lanes, Mask, Reference, Wide};
use proptest::prelude::*;

/// Values at which implementations differ when they differ at all.
const SPECIAL: [f32; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    // The smallest and the largest subnormal, and a negative one.
    f32::from_bits(1),
    f32::from_bits(0x007F_FFFF),
    f32::from_bits(0x8000_1234),
    f32::EPSILON,
    16_777_217.0,
];

type Row = [f32; LANES];

/// Any bits, the special ones often.
fn any_f32() -> impl Strategy<Value = f32> {
    prop_oneof![
        2 => prop::sample::select(SPECIAL.to_vec()),
        2 => -1.0e3_f32..1.0e3,
        1 => any::<u32>().prop_map(f32::from_bits),
    ]
}

fn any_row() -> impl Strategy<Value = Row> {
    prop::array::uniform8(any_f32())
}

/// Equal bits, or both NaN: its sign and payload are not promised.
fn is_same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

fn bits(row: &Row) -> [u32; LANES] {
    row.map(f32::to_bits)
}

/// The operation on lanes is the scalar one on each lane.
fn check(name: &str, got: impl Wide, a: &Row, b: &Row, scalar: impl Fn(f32, f32) -> f32) {
    for (i, got) in got.to_array().into_iter().enumerate() {
        let expected = scalar(a[i], b[i]);
        assert!(is_same(got, expected), "{name}({}, {}) = {got}, not {expected}", a[i], b[i]);
    }
}

fn check_mask(name: &str, got: impl Mask, a: &Row, b: &Row, scalar: impl Fn(f32, f32) -> bool) {
    for i in 0..LANES {
        let got = got.bits() >> i & 1 == 1;
        assert_eq!(got, scalar(a[i], b[i]), "{name}({}, {})", a[i], b[i]);
    }
}

fn arithmetic<L: Lanes>(lanes: L, a: &Row, b: &Row) {
    let (x, y) = (lanes.load(a), lanes.load(b));
    check("add", x + y, a, b, |a, b| a + b);
    check("sub", x - y, a, b, |a, b| a - b);
    check("mul", x * y, a, b, |a, b| a * b);
    check("div", x / y, a, b, |a, b| a / b);
    check("sqrt", x.sqrt(), a, b, |a, _| a.sqrt());
    check("min", x.min(y), a, b, |a, b| if a < b { a } else { b });
    check("max", x.max(y), a, b, |a, b| if a > b { a } else { b });
    // Two roundings: no contraction.
    check("mul, add", x * y + x, a, b, |a, b| {
        let product = a * b;
        product + a
    });
    // Sign operations touch the sign bit alone, of NaN too.
    assert_eq!(bits(&(-x).to_array()), a.map(|a| a.to_bits() ^ 0x8000_0000));
    assert_eq!(bits(&x.abs().to_array()), a.map(|a| a.to_bits() & 0x7FFF_FFFF));
}

fn comparisons<L: Lanes>(lanes: L, a: &Row, b: &Row) {
    let (x, y) = (lanes.load(a), lanes.load(b));
    check_mask("less", x.less(y), a, b, |a, b| a < b);
    check_mask("less_or_equal", x.less_or_equal(y), a, b, |a, b| a <= b);
    check_mask("greater", x.greater(y), a, b, |a, b| a > b);
    check_mask("greater_or_equal", x.greater_or_equal(y), a, b, |a, b| a >= b);
    check_mask("equal", x.equal(y), a, b, |a, b| a == b);
    let chosen = L::F32::select(x.less(y), x, y).to_array();
    assert_eq!(bits(&chosen), std::array::from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] }.to_bits()));
}

fn masks<L: Lanes>(lanes: L, a: u8, b: u8) {
    let (x, y) = (lanes.mask(a), lanes.mask(b));
    assert_eq!((x & y).bits(), a & b);
    assert_eq!((x | y).bits(), a | b);
    assert_eq!((!x).bits(), !a);
    assert_eq!((x.any(), x.all()), (a != 0, a == 255));
    assert_eq!((x == y), (a == b));
    let (yes, no) = (lanes.splat(1.0), lanes.splat(-0.0));
    let chosen = L::F32::select(x, yes, no).to_array();
    assert!(
        (0..LANES).all(|i| chosen[i].to_bits() == if a >> i & 1 == 1 { 1.0_f32 } else { -0.0 }.to_bits())
    );
}

fn horizontal<L: Lanes>(lanes: L, v: &Row) {
    let wide = lanes.load(v);
    let sum = ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
    assert!(is_same(wide.sum(), sum), "sum of {v:?}: {} not {sum}", wide.sum());
    let max = |a: f32, b: f32| if a > b { a } else { b };
    let largest = max(max(max(v[0], v[4]), max(v[2], v[6])), max(max(v[1], v[5]), max(v[3], v[7])));
    assert_eq!(wide.largest().to_bits(), largest.to_bits(), "largest of {v:?}");
}

/// Rows of any bits, of which some are picked, changed and put back.
fn gather_and_scatter<L: Lanes>(lanes: L, table: &[Row; LANES], order: &[usize], mask: u8) {
    let columns = lanes.gather(std::array::from_fn(|i| &table[order[i]]));
    for (k, column) in columns.iter().enumerate() {
        let expected: [u32; LANES] = std::array::from_fn(|i| table[order[i]][k].to_bits());
        assert_eq!(bits(&column.to_array()), expected, "column {k}");
    }
    let back = lanes.transpose(lanes.transpose(columns));
    for (a, b) in back.iter().zip(&columns) {
        assert_eq!(bits(&a.to_array()), bits(&b.to_array()), "a transpose undoes itself");
    }
    let mut out = [[7.5; LANES]; LANES];
    lanes.scatter(columns, out.each_mut(), lanes.mask(mask));
    for (i, row) in out.iter().enumerate() {
        let expected = if mask >> i & 1 == 1 { table[order[i]] } else { [7.5; LANES] };
        assert_eq!(bits(row), bits(&expected), "row {i} with mask {mask:08b}");
    }
}

proptest! {
    #[test]
    fn arithmetic_is_scalar_in_every_lane(a in any_row(), b in any_row()) {
        arithmetic(Reference, &a, &b);
    }

    #[test]
    fn comparisons_are_scalar_in_every_lane(a in any_row(), b in any_row()) {
        comparisons(Reference, &a, &b);
    }

    #[test]
    fn masks_are_bitwise(a: u8, b: u8) {
        masks(Reference, a, b);
    }

    #[test]
    fn sums_and_maxima_keep_their_order(v in any_row()) {
        horizontal(Reference, &v);
    }

    #[test]
    fn gathered_rows_come_back_where_the_mask_is_set(
        table in prop::array::uniform8(any_row()),
        order in prop::collection::vec(0..LANES, LANES),
        mask: u8,
    ) {
        gather_and_scatter(Reference, &table, &order, mask);
    }
}

#[test]
fn every_pair_of_special_values_is_scalar() {
    for &a in &SPECIAL {
        for half in SPECIAL.as_chunks::<LANES>().0 {
            arithmetic(Reference, &[a; LANES], half);
            comparisons(Reference, &[a; LANES], half);
        }
    }
}

#[test]
fn the_rule_for_nan_and_zeros_is_the_second_operand() {
    let [nan, one] = [f32::NAN, 1.0].map(|v| Reference.splat(v));
    assert!(nan.min(one).to_array() == [1.0; LANES] && nan.max(one).to_array() == [1.0; LANES]);
    assert!(one.min(nan).to_array()[0].is_nan() && one.max(nan).to_array()[0].is_nan());
    let [plus, minus] = [0.0, -0.0].map(|v| Reference.splat(v));
    assert_eq!(plus.min(minus).to_array()[0].to_bits(), (-0.0_f32).to_bits());
    assert_eq!(minus.max(plus).to_array()[0].to_bits(), 0.0_f32.to_bits());
    assert_eq!(plus.max(minus).to_array()[0].to_bits(), (-0.0_f32).to_bits());
}

#[test]
fn slices_load_and_store_their_first_eight() {
    let values: Vec<f32> = (0..10).map(|i| i as f32).collect();
    let mut out = vec![-1.0; 10];
    Reference.load_slice(&values[1..]).store_slice(&mut out);
    assert_eq!(out, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, -1.0, -1.0]);
}
