//! The outline of a RON text: which field begins where. It turns a position into a field's path for errors
//! of syntax, and a path into a position for values out of range; it is made only once something is wrong.

/// A field or list entry, in a tree: whole paths for all of them would be quadratic in deep or long-named texts.
#[derive(Clone, Debug)]
struct Node<'t> {
    /// What it is in, none at the top.
    holder: Option<usize>,
    part: Part<'t>,
    /// Byte offset of its name, or of its value where it has none.
    offset: usize,
}

/// What a node adds to the path of its holder.
#[derive(Clone, Debug)]
enum Part<'t> {
    Field(&'t str),
    Index(usize),
}

impl Part<'_> {
    /// What of a path is behind this part of it, none where the path begins otherwise.
    fn behind<'p>(&self, path: &'p str, is_first: bool) -> Option<&'p str> {
        match self {
            Self::Field(name) if is_first => path.strip_prefix(name),
            Self::Field(name) => path.strip_prefix('.')?.strip_prefix(name),
            Self::Index(own) => {
                let (index, behind) = path.strip_prefix('[')?.split_once(']')?;
                (index.parse() == Ok(*own)).then_some(behind)
            }
        }
    }
}

/// A byte offset in a node, or at the top.
#[derive(Clone, Debug)]
struct Mark {
    node: Option<usize>,
    offset: usize,
}

/// Every field of a text with its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline<'t> {
    /// Holders first.
    nodes: Vec<Node<'t>>,
    /// Where what is in which node begins, ascending.
    begun: Vec<Mark>,
    /// Every closed bracket: what holds it, and the byte offset behind it.
    closed: Vec<Mark>,
}

/// Words of a text that are neither in strings nor in comments nor the name of a field, each with its byte offset.
pub(crate) fn bare_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at = skip_space(bytes, at);
            match *bytes.get(at)? {
                b'"' => at = skip_string(bytes, at),
                byte if is_word(byte) => {
                    let start = at;
                    at += bytes[at..].iter().take_while(|b| is_word(**b)).count();
                    if bytes.get(skip_space(bytes, at)) != Some(&b':') {
                        return Some((start, &text[start..at]));
                    }
                }
                _ => at += 1,
            }
        }
    })
}

/// An open bracket.
struct Level {
    /// What it is in.
    holder: Option<usize>,
    /// The field or entry of it that is being read; the holder while there is none.
    node: Option<usize>,
    index: usize,
    /// Whether entries without a name have their index; unnamed parts of `(1.0, 2.0)` are not worth one.
    is_list: bool,
}

impl<'t> Outline<'t> {
    /// Reads as far as the text makes sense; never fails. Linear in its length.
    pub(crate) fn of(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut outline = Self::default();
        let mut levels: Vec<Level> = Vec::new();
        let mut at = skip_space(bytes, 0);
        while at < bytes.len() {
            match bytes[at] {
                open @ (b'(' | b'[' | b'{') => {
                    let holder = outline.begin(&mut levels, at);
                    let is_list = open == b'[' && !levels.is_empty();
                    levels.push(Level { holder, node: holder, index: 0, is_list });
                    at += 1;
                }
                b')' | b']' | b'}' => {
                    levels.pop();
                    at += 1;
                    outline.closed.push(Mark { node: levels.last().and_then(|l| l.node), offset: at });
                }
                b',' => {
                    if let Some(level) = levels.last_mut() {
                        level.index += 1;
                        level.node = level.holder;
                    }
                    at += 1;
                }
                b'"' => {
                    outline.begin(&mut levels, at);
                    at = skip_string(bytes, at);
                }
                byte if is_word(byte) => {
                    let end = at + bytes[at..].iter().take_while(|b| is_word(**b)).count();
                    let next = skip_space(bytes, end);
                    if bytes.get(next) == Some(&b':')
                        && let Some(level) = levels.last_mut()
                    {
                        level.node = Some(outline.add(level.holder, Part::Field(&text[at..end]), at));
                        outline.begin(&mut levels, at);
                        at = next + 1;
                    } else {
                        outline.begin(&mut levels, at);
                        at = end;
                    }
                }
                _ => at += 1,
            }
            at = skip_space(bytes, at);
        }
        outline
    }

    /// Adds a node and returns its place.
    fn add(&mut self, holder: Option<usize>, part: Part<'t>, offset: usize) -> usize {
        self.nodes.push(Node { holder, part, offset });
        self.nodes.len() - 1
    }

    /// Marks what begins at `offset`, and returns the node that it is in.
    fn begin(&mut self, levels: &mut [Level], offset: usize) -> Option<usize> {
        let node = levels.last_mut().and_then(|level| {
            if level.is_list && level.node == level.holder {
                level.node = Some(self.add(level.holder, Part::Index(level.index), offset));
            }
            level.node
        });
        if self.begun.last().is_none_or(|last| last.node != node) {
            self.begun.push(Mark { node, offset });
        }
        node
    }

    /// The field that a byte offset lies in, empty outside of all.
    pub(crate) fn path_at(&self, offset: usize) -> String {
        let behind = self.begun.partition_point(|mark| mark.offset <= offset);
        self.path_of(behind.checked_sub(1).map(|i| &self.begun[i]))
    }

    /// What is closed by the bracket before or at a byte offset, empty at the top.
    pub(crate) fn holder_at(&self, offset: usize) -> String {
        let behind = self.closed.partition_point(|mark| mark.offset <= offset);
        let nearest = self.closed.get(behind).filter(|mark| mark.offset == offset + 1);
        self.path_of(nearest.or(behind.checked_sub(1).map(|i| &self.closed[i])))
    }

    fn path_of(&self, mark: Option<&Mark>) -> String {
        let node = |place: Option<usize>| place.map(|index| &self.nodes[index]);
        let around = std::iter::successors(node(mark.and_then(|m| m.node)), |inner| node(inner.holder));
        let parts: Vec<_> = around.map(|node| &node.part).collect();
        let mut path = String::new();
        for part in parts.into_iter().rev() {
            match part {
                Part::Field(name) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                Part::Index(index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }

    /// The byte offset of a field, or of the nearest one around it that is there.
    pub(crate) fn offset_of(&self, path: &str) -> usize {
        let (mut least, mut offset) = (path.len(), 0);
        // What of the path is behind every node, none where it does not lead there.
        let mut rests: Vec<Option<&str>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let before = node.holder.map_or(Some(path), |holder| rests[holder]);
            let rest = before.and_then(|before| node.part.behind(before, before.len() == path.len()));
            rests.push(rest);
            if let Some(rest) = rest
                && rest.len() < least
                && (rest.is_empty() || rest.starts_with(['.', '[']))
            {
                (least, offset) = (rest.len(), node.offset);
            }
        }
        offset
    }
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

    /// What is deep, and what has long names: paths of all of it would be more than memory holds.
    #[test]
    fn what_is_deep_and_long_is_read() {
        let (name, count) = ("a".repeat(100_000), 100_000);
        let texts = [
            "(".repeat(10 * count),
            "(a: [".repeat(count),
            "(a:".repeat(count) + &")".repeat(count),
            format!("({name}: [{}])", "(b: 1),".repeat(count)),
        ];
        for text in &texts {
            let outline = Outline::of(text);
            assert!(outline.offset_of("bodies[3].shape") <= text.len());
            let error = crate::Scene::parse(text, "long.ron").expect_err("no scene").to_string();
            assert!(error.starts_with("long.ron:1:"), "{}", &error[..80]);
        }
        let outline = Outline::of(&texts[3]);
        assert_eq!(outline.path_at(texts[3].len() - 6), format!("{name}[99999].b"));
        assert_eq!(outline.offset_of(&format!("{name}[99999].b.c")), texts[3].len() - 8);
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
