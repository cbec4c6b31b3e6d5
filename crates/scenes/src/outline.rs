//! The outline of a RON text: which field begins where. It turns a position into a field's path for errors
//! of syntax, and a path into a position for values out of range; it is made only once something is wrong.

/// One field or list entry.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    path: String,
    /// Byte offset of its name, or of its value where it has none.
    offset: usize,
}

/// Every field of a text with its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    entries: Vec<Entry>,
    /// Every closed bracket: the path of what it closes, and the byte offset behind it.
    closed: Vec<Entry>,
}

/// An open bracket.
struct Level {
    index: usize,
    field: Option<String>,
    is_list: bool,
}

impl Outline {
    /// Reads as far as the text makes sense; never fails.
    pub(crate) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut outline = Self::default();
        let mut levels: Vec<Level> = Vec::new();
        let mut at = skip_space(bytes, 0);
        while at < bytes.len() {
            match bytes[at] {
                open @ (b'(' | b'[' | b'{') => {
                    outline.enter(&levels, at);
                    levels.push(Level { index: 0, field: None, is_list: open == b'[' });
                    at += 1;
                }
                b')' | b']' | b'}' => {
                    levels.pop();
                    at += 1;
                    outline.closed.push(Entry { path: path_of(&levels), offset: at });
                }
                b',' => {
                    if let Some(level) = levels.last_mut() {
                        level.index += 1;
                        level.field = None;
                    }
                    at += 1;
                }
                b'"' => {
                    outline.enter(&levels, at);
                    at = skip_string(bytes, at);
                }
                byte if is_word(byte) => {
                    let end = at + bytes[at..].iter().take_while(|b| is_word(**b)).count();
                    let next = skip_space(bytes, end);
                    if bytes.get(next) == Some(&b':')
                        && let Some(level) = levels.last_mut()
                    {
                        level.field = Some(text[at..end].to_owned());
                        outline.enter(&levels, at);
                        at = next + 1;
                    } else {
                        outline.enter(&levels, at);
                        at = end;
                    }
                }
                _ => at += 1,
            }
            at = skip_space(bytes, at);
        }
        outline
    }

    fn enter(&mut self, levels: &[Level], offset: usize) {
        let path = path_of(levels);
        if self.entries.last().is_none_or(|last| last.path != path) {
            self.entries.push(Entry { path, offset });
        }
    }

    /// The field that a byte offset lies in, empty outside of all.
    pub(crate) fn path_at(&self, offset: usize) -> &str {
        let behind = self.entries.partition_point(|e| e.offset <= offset);
        behind.checked_sub(1).map_or("", |i| &self.entries[i].path)
    }

    /// What is closed by the bracket before or at a byte offset, empty at the top.
    pub(crate) fn holder_at(&self, offset: usize) -> &str {
        let behind = self.closed.partition_point(|e| e.offset <= offset);
        let nearest = self.closed.get(behind).filter(|e| e.offset == offset + 1);
        nearest.or(behind.checked_sub(1).map(|i| &self.closed[i])).map_or("", |e| &e.path)
    }

    /// The byte offset of a field, or of the nearest one around it that is there.
    pub(crate) fn offset_of(&self, path: &str) -> usize {
        let mut wanted = path;
        loop {
            if let Some(entry) = self.entries.iter().find(|e| e.path == wanted) {
                return entry.offset;
            }
            match wanted.rfind(['.', '[']) {
                Some(cut) => wanted = &wanted[..cut],
                None => return 0,
            }
        }
    }
}

fn path_of(levels: &[Level]) -> String {
    let mut path = String::new();
    for (depth, level) in levels.iter().enumerate() {
        match &level.field {
            Some(field) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(field);
            }
            // Unnamed parts of `(1.0, 2.0)` are not worth a name; entries of lists are.
            None if level.is_list && depth > 0 => path.push_str(&format!("[{}]", level.index)),
            None => {}
        }
    }
    path
}

/// Letters, digits, signs and dots, so that a number is one word as well.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'.' | b'#') || byte >= 0x80
}

/// The offset behind white space and comments.
fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    loop {
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        if bytes[at.min(bytes.len())..].starts_with(b"//") {
            at += bytes[at..].iter().take_while(|b| **b != b'\n').count();
        } else if bytes[at.min(bytes.len())..].starts_with(b"/*") {
            let mut depth = 0;
            while at < bytes.len() {
                if bytes[at..].starts_with(b"/*") {
                    depth += 1;
                    at += 2;
                } else if bytes[at..].starts_with(b"*/") {
                    depth -= 1;
                    at += 2;
                    if depth == 0 {
                        break;
                    }
                } else {
                    at += 1;
                }
            }
        } else {
            return at;
        }
    }
}

/// The offset behind the string that begins at `at`.
fn skip_string(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while end < bytes.len() && bytes[end] != b'"' {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    (end + 1).min(bytes.len())
}

/// Line and column (in characters) of a byte offset, both counted from 1.
pub(crate) fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before: String = String::from_utf8_lossy(&text.as_bytes()[..offset.min(text.len())]).into_owned();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    (line, column)
}

/// The byte offset of a line and column, both counted from 1.
pub(crate) fn offset_at(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let rest = &text[start.min(text.len())..];
    start + rest.char_indices().nth(column.saturating_sub(1)).map_or(rest.len(), |(i, _)| i)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"( // a "comment" ( with brackets
    name: "a \" [ ) name",
    bodies: [
        (shape: sphere(radius: 1.0), position: (0.0, 1.0, 2.0)),
        /* nested /* comment */ ( */
        (shape: cuboid(half_extents: (1.0, 1.0, 1.0))),
    ],
)"#;

    #[test]
    fn paths_lead_to_places_and_back() {
        let outline = Outline::of(TEXT);
        for (path, mark) in [
            ("name", "name: "),
            ("bodies[0].shape.radius", "radius"),
            ("bodies[0].position", "position"),
            ("bodies[1]", "(shape: cuboid"),
            ("bodies[1].shape.half_extents", "half_extents"),
        ] {
            let offset = TEXT.find(mark).expect("the mark is in the text");
            assert_eq!(outline.offset_of(path), offset, "{path}");
            assert_eq!(outline.path_at(offset), path);
        }
    }

    #[test]
    fn a_field_left_out_is_placed_at_what_holds_it() {
        let outline = Outline::of(TEXT);
        assert_eq!(outline.offset_of("bodies[1].linear"), outline.offset_of("bodies[1]"));
        assert_eq!(outline.offset_of("seconds"), 0);
    }

    #[test]
    fn broken_texts_have_an_outline_too() {
        for text in ["", "(", "\"", "\"\\", ")))", "/*", "//", "(a:", "[,,,", "(ä: 'x', ö"] {
            let outline = Outline::of(text);
            assert!(outline.offset_of("a.b[3].c") <= text.len());
        }
    }

    #[test]
    fn lines_and_columns_count_characters() {
        let text = "ab\ncä d\n";
        let offset = text.find('d').expect("there");
        assert_eq!(line_and_column(text, offset), (2, 4));
        assert_eq!(offset_at(text, 2, 4), offset);
        assert_eq!(offset_at(text, 99, 1), text.len());
    }
}
