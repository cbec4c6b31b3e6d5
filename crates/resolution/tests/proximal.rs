//! Problems on which rounds of [`ProximalNewton`] alone end before an answer: least squares on the smoothed law bring it there.

use drystone_resolution::ProximalNewton;
use drystone_resolution::problem::{GlobalForm, Problem, ProblemSolver, SolveOptions, Status, Triplets};
use nalgebra::Vector3;

/// Bodies and contacts, in the making.
struct Pile {
    form: GlobalForm,
    contacts: u32,
}

impl Pile {
    /// Bodies of these masses and inertias, which would fall at this speed without contacts.
    fn new(bodies: &[(f64, f64)], speed: f64) -> Self {
        let dofs = 6 * bodies.len();
        let mut mass = Triplets::new(dofs, dofs);
        let mut f = vec![0.0; dofs];
        for (body, &(m, inertia)) in bodies.iter().enumerate() {
            for i in 0..6 {
                let place = (6 * body + i) as u32;
                mass.push(place, place, if i < 3 { m } else { inertia });
            }
            f[6 * body + 2] = -speed * m;
        }
        let directions = Triplets::new(dofs, 0);
        Self { form: GlobalForm { mass, directions, f, w: Vec::new() }, contacts: 0 }
    }

    /// A contact that pushes the first body along `normal` and the second one back, each with its arm.
    fn touch(&mut self, normal: Vector3<f64>, sides: &[(usize, Vector3<f64>)]) {
        let across = if normal.z.abs() < 0.9 { Vector3::z() } else { Vector3::x() };
        let tangent = normal.cross(&across).normalize();
        for (axis, direction) in [normal, tangent, normal.cross(&tangent)].iter().enumerate() {
            let column = 3 * self.contacts + axis as u32;
            for (&(body, arm), sign) in sides.iter().zip([1.0, -1.0]) {
                let turn = arm.cross(direction);
                for i in 0..3 {
                    self.form.directions.push((6 * body + i) as u32, column, sign * direction[i]);
                    self.form.directions.push((6 * body + 3 + i) as u32, column, sign * turn[i]);
                }
            }
        }
        self.contacts += 1;
    }

    fn problem(mut self, friction: f64) -> Problem {
        self.form.directions.columns = 3 * self.contacts as usize;
        self.form.w = vec![0.0; self.form.directions.columns];
        Problem::from_global(self.form, vec![friction; self.contacts as usize]).expect("fits")
    }
}

/// A square pyramid of balls; those of a layer do not touch each other.
fn pyramid(layers: u32, friction: f64) -> Problem {
    let radius = 0.05;
    let mut balls = Vec::new();
    for layer in 0..layers {
        let side = layers - layer;
        let along = |i: u32| radius * f64::from(layer + 2 * i);
        let height = radius * (1.0 + 2.0_f64.sqrt() * f64::from(layer));
        balls.extend((0..side * side).map(|k| Vector3::new(along(k / side), along(k % side), height)));
    }
    let mass = 4000.0 / 3.0 * std::f64::consts::PI * radius * radius * radius;
    let mut pile = Pile::new(&vec![(mass, 0.4 * mass * radius * radius); balls.len()], 0.05);
    for (b, at) in balls.iter().enumerate() {
        if at.z < 1.5 * radius {
            pile.touch(Vector3::z(), &[(b, Vector3::z() * -radius)]);
        }
        for (a, below) in balls[..b].iter().enumerate() {
            let between = at - below;
            if between.z > radius && between.norm() < 2.001 * radius {
                let normal = between.normalize();
                pile.touch(normal, &[(b, normal * -radius), (a, normal * radius)]);
            }
        }
    }
    pile.problem(friction)
}

/// A tower of cubes of 1 kg, the uppermost of which weighs `load`.
fn tower(cubes: usize, load: f64) -> Problem {
    let half = 0.1;
    let mut masses = vec![1.0; cubes];
    masses[cubes - 1] = load;
    let bodies: Vec<_> = masses.iter().map(|m| (*m, m * 4.0 * half * half / 6.0)).collect();
    let mut pile = Pile::new(&bodies, 0.05);
    for cube in 0..cubes {
        for (x, y) in [(half, half), (-half, half), (half, -half), (-half, -half)] {
            let mut sides = vec![(cube, Vector3::new(x, y, -half))];
            if cube > 0 {
                sides.push((cube - 1, Vector3::new(x, y, half)));
            }
            pile.touch(Vector3::z(), &sides);
        }
    }
    pile.problem(0.5)
}

fn is_solved(problem: &Problem, tolerance: f64, max_iterations: u64) -> bool {
    let options = SolveOptions { tolerance, max_iterations, time_limit: None };
    let solution = ProximalNewton::new().solve_problem(problem, &options, None);
    println!("{} after {} iterations", solution.residual, solution.iterations);
    solution.status == Status::Solved
}

/// 256 contacts below their critical friction. Rounds alone leave 2.1e-4 after 1200 iterations.
#[test]
fn a_pyramid_of_balls_that_slides_apart_is_solved() {
    assert!(is_solved(&pyramid(6, 0.4), 1e-4, 1000));
}

/// Rounds alone leave 1e-7 after 1000 iterations.
#[test]
fn a_tower_under_a_load_is_solved_to_1e_8() {
    assert!(is_solved(&tower(10, 100.0), 1e-8, 1000));
}
