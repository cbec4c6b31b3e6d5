//! Requirement rows as they are written: `S1-57`, and ranges such as `S1-05..25` or `S1-05..S1-25`.

use std::fmt;

/// A requirement row: source 1 to 5 and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    source: u8,
    number: u8,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S{}-{:02}", self.source, self.number)
    }
}

/// All rows named in a text, ranges written out.
pub(super) fn cited(text: &str) -> Vec<Row> {
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(next) = text[place..].find('S') {
        let start = place + next;
        let Some((first, mut end)) = row_at(text, start).filter(|_| !continues_a_word(text, start)) else {
            place = start + 1;
            continue;
        };
        let mut last = first.number;
        if text[end..].starts_with("..") {
            let behind = end + 2;
            if let Some((row, after)) = row_at(text, behind).filter(|(row, _)| row.source == first.source) {
                (last, end) = (row.number, after);
            } else if let Some((number, after)) = number_at(text, behind) {
                (last, end) = (number, after);
            }
        }
        // A range that runs backwards still cites its first row.
        found.extend(
            (first.number..=last.max(first.number)).map(|number| Row { source: first.source, number }),
        );
        place = end;
    }
    found
}

/// The rows that the first cells of a document's tables name, with their lines (from 1).
pub(super) fn table_rows(text: &str) -> Vec<(usize, Row)> {
    let mut rows = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let Some(cells) = line.trim_start().strip_prefix('|') else { continue };
        let first_cell = cells.split('|').next().unwrap_or_default();
        rows.extend(cited(first_cell).into_iter().map(|row| (i + 1, row)));
    }
    rows
}

/// `S`, a digit from 1 to 5, `-`, two digits; and where it ends.
fn row_at(text: &str, start: usize) -> Option<(Row, usize)> {
    let bytes = text.as_bytes().get(start..start + 3)?;
    if bytes[0] != b'S' || !(b'1'..=b'5').contains(&bytes[1]) || bytes[2] != b'-' {
        return None;
    }
    let (number, end) = number_at(text, start + 3)?;
    Some((Row { source: bytes[1] - b'0', number }, end))
}

/// Exactly two digits, and where they end.
fn number_at(text: &str, start: usize) -> Option<(u8, usize)> {
    let rest = text.as_bytes().get(start..)?;
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    (digits == 2).then(|| ((rest[0] - b'0') * 10 + rest[1] - b'0', start + 2))
}

fn continues_a_word(text: &str, start: usize) -> bool {
    text[..start].chars().next_back().is_some_and(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        cited(text).iter().map(Row::to_string).collect()
    }

    #[test]
    fn single_rows_and_ranges_are_found() {
        assert_eq!(
            names("rows S1-05..08 in the map (S3-18)."),
            ["S1-05", "S1-06", "S1-07", "S1-08", "S3-18"]
        );
        assert_eq!(names("S1-24..S1-25, S5-15"), ["S1-24", "S1-25", "S5-15"]);
        assert_eq!(names("(S1-30)..."), ["S1-30"]);
    }

    #[test]
    fn a_range_ends_in_its_own_source() {
        assert_eq!(names("S1-98..S2-01"), ["S1-98", "S2-01"]);
        assert_eq!(names("S1-10..05"), ["S1-10"]);
    }

    #[test]
    fn other_words_are_no_rows() {
        assert_eq!(names("S6-01 S1-1 S1-123 SS1-01 S1_01 xS1-01 S1- S"), [""; 0]);
        assert_eq!(names("é S1-02 ü"), ["S1-02"]);
    }

    #[test]
    fn tables_are_read_by_their_first_cell() {
        let text = "S1-01 in a sentence\n| row | what |\n|---|---|\n| S1-02..03 | as S1-04 |\n";
        let rows: Vec<_> = table_rows(text).iter().map(|(line, row)| (*line, row.to_string())).collect();
        assert_eq!(rows, [(4, "S1-02".to_owned()), (4, "S1-03".to_owned())]);
    }
}
