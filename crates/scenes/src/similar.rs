//! Names that were meant.

/// The one of `names` that is most similar to `name`, if one is similar at all.
pub(crate) fn nearest(name: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let name: String = name.chars().take(60).flat_map(char::to_lowercase).collect();
    let candidates = names.map(|known| (edit_distance(&name, known), known));
    let (distance, best) = candidates.min_by_key(|(distance, _)| *distance)?;
    let limit = name.chars().count().max(best.len()) / 2;
    (distance <= limit).then_some(best)
}

/// Characters to insert, delete or replace to turn one text into the other (Levenshtein).
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
