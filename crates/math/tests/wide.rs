//! Lanes against scalar `f32`, bit for bit, for every instruction set of this machine: each operation on its
//! own, and all of them inlined into one kernel as the engine runs them. Trusted reference: the compiler's
//! scalar arithmetic.

use drystone_math::wide::{Isa, Kernel, LANES, Lanes, Mask, Reference, Wide};
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

/// Calls a generic check with plain Rust and every instruction set of this machine, outside a kernel.
macro_rules! on_every_isa {
    ($check:ident($($argument:expr),*)) => {
        $check(Reference, $($argument),*);
        for isa in Isa::all().filter(|isa| isa.name() != "reference") {
            match isa {
                Isa::Baseline(lanes) => $check(lanes, $($argument),*),
                #[cfg(target_arch = "x86_64")]
                Isa::Avx2(lanes) => $check(lanes, $($argument),*),
                other => panic!("{} is not tested", other.name()),
            }
        }
    };
}

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
    let next = bits(&wide.next_axes().to_array());
    assert_eq!(next, bits(&[v[1], v[2], v[0], v[3], v[5], v[6], v[4], v[7]]), "next axes of {v:?}");
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

fn second_operand<L: Lanes>(lanes: L) {
    let [nan, one] = [f32::NAN, 1.0].map(|v| lanes.splat(v));
    assert!(nan.min(one).to_array() == [1.0; LANES] && nan.max(one).to_array() == [1.0; LANES]);
    assert!(one.min(nan).to_array()[0].is_nan() && one.max(nan).to_array()[0].is_nan());
    let [plus, minus] = [0.0, -0.0].map(|v| lanes.splat(v));
    assert_eq!(plus.min(minus).to_array()[0].to_bits(), (-0.0_f32).to_bits());
    assert_eq!(minus.max(plus).to_array()[0].to_bits(), 0.0_f32.to_bits());
    assert_eq!(plus.max(minus).to_array()[0].to_bits(), (-0.0_f32).to_bits());
}

fn slices<L: Lanes>(lanes: L) {
    let values: Vec<f32> = (0..10).map(|i| i as f32).collect();
    let mut out = vec![-1.0; 10];
    lanes.load_slice(&values[1..]).store_slice(&mut out);
    assert_eq!(out, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, -1.0, -1.0]);
}

/// Every operation on the first two rows, gather and scatter on all.
struct Trace<'a> {
    rows: &'a [Row; LANES],
    order: &'a [usize],
    mask: u8,
}

/// What operations gave, by name.
#[derive(Debug, PartialEq)]
struct Traced {
    /// Bits of all results, NaN made by arithmetic as the one NaN.
    values: Vec<(&'static str, [u32; LANES])>,
    masks: Vec<(&'static str, u8)>,
}

/// Bits, with one NaN for all. In integers: as floats, the compiler may take any NaN for another.
#[inline(always)]
fn bits_of_arithmetic(value: impl Wide) -> [u32; LANES] {
    let is_nan = |bits: u32| bits & 0x7FFF_FFFF > f32::INFINITY.to_bits();
    bits(&value.to_array()).map(|bits| if is_nan(bits) { f32::NAN.to_bits() } else { bits })
}

impl Kernel for Trace<'_> {
    type Output = Traced;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> Traced {
        let (x, y, mask) = (lanes.load(&self.rows[0]), lanes.load(&self.rows[1]), lanes.mask(self.mask));
        let [ax, ay, az, ..] = lanes.gather(std::array::from_fn(|i| &self.rows[self.order[i]]));
        let (less, equal) = (x.less(y), x.equal(y));
        let mut values = vec![
            ("add", bits_of_arithmetic(x + y)),
            ("sub", bits_of_arithmetic(x - y)),
            ("mul", bits_of_arithmetic(x * y)),
            ("div", bits_of_arithmetic(x / y)),
            ("mul, add", bits_of_arithmetic(x * y + x)),
            ("neg, mul, sub", bits_of_arithmetic(-x * y - x)),
            ("sqrt", bits_of_arithmetic(x.sqrt())),
            ("length", bits_of_arithmetic((ax * ax + ay * ay + az * az).sqrt())),
            ("sum", bits_of_arithmetic(lanes.splat(x.sum()))),
            ("largest", bits(&lanes.splat(x.largest()).to_array())),
            ("neg", bits(&(-x).to_array())),
            ("abs", bits(&x.abs().to_array())),
            ("min", bits(&x.min(y).to_array())),
            ("max", bits(&x.max(y).to_array())),
            ("clamp", bits(&x.max(-y.abs()).min(y.abs()).to_array())),
            ("select", bits(&L::F32::select(mask & !less | equal, x, y).to_array())),
        ];
        values.extend(
            lanes.transpose([x, y, ax, ay, az, x, -y, x.abs()]).map(|v| ("transpose", bits(&v.to_array()))),
        );
        let mut out = *self.rows;
        lanes.scatter([x, ay, y, ax, az, -x, x, y], out.each_mut(), mask);
        values.extend(out.map(|row| ("scatter", bits(&row))));
        let masks = vec![
            ("less", less.bits()),
            ("less_or_equal", x.less_or_equal(y).bits()),
            ("greater", x.greater(y).bits()),
            ("greater_or_equal", x.greater_or_equal(y).bits()),
            ("equal", equal.bits()),
            ("and", (less & mask).bits()),
            ("or", (less | mask).bits()),
            ("not", (!less).bits()),
            ("any", u8::from(less.any())),
            ("all", u8::from((less | mask).all())),
            ("same", u8::from(less == mask)),
        ];
        Traced { values, masks }
    }
}

proptest! {
    #[test]
    fn arithmetic_is_scalar_in_every_lane(a in any_row(), b in any_row()) {
        on_every_isa!(arithmetic(&a, &b));
    }

    #[test]
    fn comparisons_are_scalar_in_every_lane(a in any_row(), b in any_row()) {
        on_every_isa!(comparisons(&a, &b));
    }

    #[test]
    fn masks_are_bitwise(a: u8, b: u8) {
        on_every_isa!(masks(a, b));
    }

    #[test]
    fn sums_and_maxima_keep_their_order(v in any_row()) {
        on_every_isa!(horizontal(&v));
    }

    #[test]
    fn gathered_rows_come_back_where_the_mask_is_set(
        table in prop::array::uniform8(any_row()),
        order in prop::collection::vec(0..LANES, LANES),
        mask: u8,
    ) {
        on_every_isa!(gather_and_scatter(&table, &order, mask));
    }

    #[test]
    fn a_kernel_gives_the_bits_of_the_reference_with_every_instruction_set(
        rows in prop::array::uniform8(any_row()),
        order in prop::collection::vec(0..LANES, LANES),
        mask: u8,
    ) {
        let trace = |isa: Isa| isa.run(Trace { rows: &rows, order: &order, mask });
        let expected = Trace { rows: &rows, order: &order, mask }.run(Reference);
        for isa in Isa::all() {
            let got = trace(isa);
            for (got, expected) in got.values.iter().zip(&expected.values) {
                prop_assert_eq!(got, expected, "{}", isa.name());
            }
            prop_assert_eq!(got.masks, &*expected.masks, "{}", isa.name());
        }
    }
}

#[test]
fn every_pair_of_special_values_is_scalar() {
    for &a in &SPECIAL {
        for half in SPECIAL.as_chunks::<LANES>().0 {
            on_every_isa!(arithmetic(&[a; LANES], half));
            on_every_isa!(comparisons(&[a; LANES], half));
        }
    }
}

#[test]
fn the_rule_for_nan_and_zeros_is_the_second_operand() {
    on_every_isa!(second_operand());
}

#[test]
fn slices_load_and_store_their_first_eight() {
    on_every_isa!(slices());
}

#[test]
fn the_best_instruction_set_is_one_of_this_machine() {
    let names: Vec<&str> = Isa::all().map(Isa::name).collect();
    assert_eq!(names.first(), Some(&"reference"));
    assert_eq!(names.last(), Some(&Isa::best().name()));
    assert!(names.len() > 1 || !cfg!(any(target_arch = "x86_64", target_arch = "aarch64")), "{names:?}");
}
