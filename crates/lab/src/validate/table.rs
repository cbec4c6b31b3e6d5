//! The table, for people and as CSV.

use super::cases::Case;
use super::row::Row;
use std::fmt::Write as _;

/// A row with its case and preset.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) case: &'static str,
    pub(crate) preset: &'static str,
    pub(crate) row: Row,
}

/// Prints the rows, grouped by case.
pub(crate) fn print(cases: &[Case], entries: &[Entry]) {
    for case in cases {
        println!("\n{} {}", case.id, case.title);
        println!(
            "  {:<15} {:<52} {:>13} {:>13} {:>11} {:>10}         source",
            "preset", "quantity", "reference", "ours", "error", "limit"
        );
        for entry in entries.iter().filter(|e| e.case == case.id) {
            let Entry { preset, row, .. } = entry;
            let mark = match (row.is_good(), super::limits::reason(entry)) {
                (true, _) => "",
                (false, Some(_)) => "known",
                (false, None) => "FAILED",
            };
            let unit = if row.unit.is_empty() { String::new() } else { format!(" ({})", row.unit) };
            println!(
                "  {preset:<15} {:<52} {:>13} {:>13} {:>11} {:>10} {:<7} {}",
                format!("{}{unit}", row.quantity),
                number(row.reference),
                number(row.ours),
                share(row.error, row.is_relative),
                if row.limit == f64::INFINITY { "-".into() } else { share(row.limit, row.is_relative) },
                mark,
                row.source
            );
        }
    }
}

/// The table as comma-separated values; errors and limits of relative rows are shares.
pub(crate) fn csv(entries: &[Entry]) -> String {
    let mut text =
        "case,preset,quantity,unit,reference,ours,error,limit,is_relative,is_good,source\n".to_owned();
    for Entry { case, preset, row } in entries {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{case},{preset},{},{},{},{},{},{},{},{},{}",
            quoted(&row.quantity),
            row.unit,
            row.reference,
            row.ours,
            row.error,
            row.limit,
            row.is_relative,
            row.is_good(),
            quoted(row.source)
        );
    }
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// Six significant digits, plain or with an exponent, whichever is easier to read.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if value.is_nan() {
        "-".into()
    } else if (1e-3..1e6).contains(&value.abs()) {
        let digits = (5 - value.abs().log10().floor() as i32).clamp(0, 6) as usize;
        format!("{value:.digits$}")
    } else {
        format!("{value:.3e}")
    }
}

/// An error or limit: a percentage when it is relative.
pub(super) fn share(value: f64, is_relative: bool) -> String {
    let text = |v: f64| {
        if v == 0.0 {
            "0".into()
        } else if (1e-3..1e4).contains(&v.abs()) {
            format!("{v:.4}")
        } else {
            format!("{v:.1e}")
        }
    };
    if is_relative { format!("{} %", text(100.0 * value)) } else { text(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_six_digits() {
        assert_eq!(number(26.5651), "26.5651");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(1.5e-7), "1.500e-7");
        assert_eq!(share(0.01, true), "1.0000 %");
    }
}
