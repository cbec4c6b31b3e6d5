//! Anderson acceleration: what the last sweeps changed says where the next ones lead.
//!
//! A sweep is a map `x → g(x)` whose fixed point is wanted. From the last `m` differences of `f = g(x) − x` and of `g`, the next
//! iterate is the combination that would make `f` smallest if the map were linear:
//! ```text
//! γ = argmin ‖ f_k − ΔF γ ‖     x_{k+1} = g_k − ΔG γ
//! ```
//! Source: Anderson, J. ACM 12 (1965) 547; in this form, type II of Fang and Saad, Numer. Linear Algebra Appl. 16 (2009) 197.
//! The least squares are solved by normal equations with a small stiffening, which is enough for a
//! safeguarded acceleration and needs no factors to be kept.

/// Memory of the acceleration.
#[derive(Clone, Debug, Default)]
pub(super) struct Anderson {
    /// Columns that are kept at most.
    memory: usize,
    /// Columns in use, and the one that is written next.
    count: usize,
    place: usize,
    size: usize,
    change_f: Vec<f64>,
    change_g: Vec<f64>,
    last_f: Vec<f64>,
    last_g: Vec<f64>,
    has_last: bool,
    /// Products of the columns of `ΔF` with each other.
    gram: Vec<f64>,
    factor: Vec<f64>,
    gamma: Vec<f64>,
}

/// Stiffening of the normal equations, as a share of their largest diagonal entry: well above their rounding.
const STIFFENING: f64 = 1e-13;

impl Anderson {
    /// Begins with vectors of so many entries, keeping up to `memory` differences; none switches it off.
    pub(super) fn begin(&mut self, size: usize, memory: usize) {
        (self.size, self.memory) = (size, memory);
        for list in [&mut self.change_f, &mut self.change_g] {
            list.clear();
            list.resize(size * memory, 0.0);
        }
        for list in [&mut self.last_f, &mut self.last_g] {
            list.clear();
            list.resize(size, 0.0);
        }
        for list in [&mut self.gram, &mut self.factor] {
            list.clear();
            list.resize(memory * memory, 0.0);
        }
        self.gamma.clear();
        self.gamma.resize(memory, 0.0);
        self.restart();
    }

    /// Forgets all differences.
    pub(super) fn restart(&mut self) {
        (self.count, self.place, self.has_last) = (0, 0, false);
    }

    /// From an iterate and what a sweep made of it (`swept`), the next iterate, in its place.
    pub(super) fn next(&mut self, iterate: &[f64], swept: &mut [f64]) {
        if self.memory == 0 {
            return;
        }
        let n = self.size;
        if self.has_last {
            let column = self.place;
            let f = &mut self.change_f[column * n..][..n];
            let g = &mut self.change_g[column * n..][..n];
            for i in 0..n {
                let now = swept[i] - iterate[i];
                (f[i], g[i]) = (now - self.last_f[i], swept[i] - self.last_g[i]);
                (self.last_f[i], self.last_g[i]) = (now, swept[i]);
            }
            self.place = (self.place + 1) % self.memory;
            self.count = (self.count + 1).min(self.memory);
            for other in 0..self.count {
                let product = dot(&self.change_f[column * n..][..n], &self.change_f[other * n..][..n]);
                self.gram[column * self.memory + other] = product;
                self.gram[other * self.memory + column] = product;
            }
            if self.solve() {
                for k in 0..self.count {
                    let (share, change) = (self.gamma[k], &self.change_g[k * n..][..n]);
                    swept.iter_mut().zip(change).for_each(|(x, d)| *x -= share * d);
                }
            } else {
                self.restart();
            }
        } else {
            for i in 0..n {
                (self.last_f[i], self.last_g[i]) = (swept[i] - iterate[i], swept[i]);
            }
            self.has_last = true;
        }
    }

    /// `γ` by Cholesky; false when the equations are not positive definite.
    fn solve(&mut self) -> bool {
        let (m, n, count) = (self.memory, self.size, self.count);
        let largest = (0..count).fold(0.0_f64, |most, k| most.max(self.gram[k * m + k]));
        for k in 0..count {
            self.gamma[k] = dot(&self.change_f[k * n..][..n], &self.last_f);
        }
        for i in 0..count {
            for j in 0..=i {
                let stiff = if i == j { STIFFENING * largest } else { 0.0 };
                let sum: f64 = (0..j).map(|k| self.factor[i * m + k] * self.factor[j * m + k]).sum();
                let rest = self.gram[i * m + j] + stiff - sum;
                if i > j {
                    self.factor[i * m + j] = rest / self.factor[j * m + j];
                } else if rest > 0.0 {
                    self.factor[i * m + i] = rest.sqrt();
                } else {
                    return false;
                }
            }
        }
        for i in 0..count {
            let sum: f64 = (0..i).map(|k| self.factor[i * m + k] * self.gamma[k]).sum();
            self.gamma[i] = (self.gamma[i] - sum) / self.factor[i * m + i];
        }
        for i in (0..count).rev() {
            let sum: f64 = (i + 1..count).map(|k| self.factor[k * m + i] * self.gamma[k]).sum();
            self.gamma[i] = (self.gamma[i] - sum) / self.factor[i * m + i];
        }
        self.gamma[..count].iter().all(|share| share.is_finite())
    }
}

/// Product in eight running sums: the compiler may use lanes, and the order of additions is fixed.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (parts_a, parts_b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f64 = parts_a.remainder().iter().zip(parts_b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in parts_a.zip(parts_b) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + rest
}
