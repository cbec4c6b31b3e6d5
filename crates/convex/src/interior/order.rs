//! In which order bodies are eliminated, and which blocks of the factor that fills.

/// The order of least degree (ties by index), which keeps a factor sparse: a stack has no fill at all, a wall a few
/// blocks per body. Keeps its memory: n²/8 bytes for n bodies, and as many steps to find an order, which is what it is made for: islands of up to some ten
/// thousand bodies (12.5 MB for 10 000), where the factor takes far longer. Beyond that, sorted lists of neighbours and a heap would be the smaller ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Elimination {
    /// Body of each column, in the order of elimination, and the column of each body.
    pub(super) order: Vec<u32>,
    pub(super) column_of: Vec<u32>,
    /// First block of each column below the diagonal, and the end of the last one; rows are columns, the first is the least.
    pub(super) starts: Vec<u32>,
    pub(super) rows: Vec<u32>,
    /// Neighbours that are left, a row of bits per body.
    neighbours: Vec<u64>,
    degree: Vec<u32>,
}

impl Elimination {
    /// Of `count` bodies, of which these pairs are coupled.
    pub(super) fn find(&mut self, count: usize, pairs: &[[u32; 2]]) {
        let words = count.div_ceil(64);
        self.neighbours.clear();
        self.neighbours.resize(count * words, 0);
        for &[a, b] in pairs {
            for (i, j) in [(a as usize, b as usize), (b as usize, a as usize)] {
                self.neighbours[i * words + j / 64] |= 1 << (j % 64);
            }
        }
        self.degree.clear();
        let counted = (0..count).map(|i| bits(&self.neighbours[i * words..][..words]).count() as u32);
        self.degree.extend(counted);
        self.order.clear();
        self.starts.clear();
        self.rows.clear();
        self.column_of.clear();
        self.column_of.resize(count, u32::MAX);
        for column in 0..count {
            let left = (0..count).filter(|&i| self.column_of[i] == u32::MAX);
            let Some(pivot) = left.min_by_key(|&i| self.degree[i]) else { break };
            self.order.push(pivot as u32);
            self.column_of[pivot] = column as u32;
            self.starts.push(self.rows.len() as u32);
            self.eliminate(pivot, words);
        }
        self.starts.push(self.rows.len() as u32);
        // Rows were noted as bodies.
        self.rows.iter_mut().for_each(|row| *row = self.column_of[*row as usize]);
        for column in 0..count {
            let range = self.starts[column] as usize..self.starts[column + 1] as usize;
            self.rows[range].sort_unstable();
        }
    }

    /// Rows of a column below the diagonal, ascending.
    pub(super) fn rows(&self, column: usize) -> &[u32] {
        &self.rows[self.starts[column] as usize..self.starts[column + 1] as usize]
    }

    /// Notes the neighbours of a body as rows of its column and couples them with each other.
    fn eliminate(&mut self, pivot: usize, words: usize) {
        let first = self.rows.len();
        let range = pivot * words..(pivot + 1) * words;
        self.rows.extend(bits(&self.neighbours[range]).map(|i| i as u32));
        for k in first..self.rows.len() {
            let body = self.rows[k] as usize;
            for word in 0..words {
                let of_pivot = self.neighbours[pivot * words + word];
                self.neighbours[body * words + word] |= of_pivot;
            }
            let row = &mut self.neighbours[body * words..][..words];
            row[pivot / 64] &= !(1 << (pivot % 64));
            row[body / 64] &= !(1 << (body % 64));
            self.degree[body] = row.iter().map(|word| word.count_ones()).sum();
        }
    }
}

/// Places of the bits that are set, ascending.
fn bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(k, &word)| {
        std::iter::successors(Some(word), |rest| Some(rest & rest.wrapping_sub(1)))
            .take_while(|rest| *rest != 0)
            .map(move |rest| 64 * k + rest.trailing_zeros() as usize)
    })
}
