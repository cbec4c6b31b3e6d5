//! Balls that fall onto an inclined plane engraved with the letters DIKU (S3 Fig 12): 120 of them, 10 s, 100 steps per second.
//!
//! S3 tells the letters, the balls and the times; slope, sizes and places are ours. The plane is a slab with raised plates on it that leave the
//! letters open: boxes, a fixed body each, in rows of cells. A letter is as deep as a ball's radius and as wide as a ball and a bit, so that
//! what rolls into it stays; the others roll off and on along the ground.

use super::above_ground;
use crate::model::{Body, Scene, ShapeSpec};
use crate::random::Random;
use drystone::math::Real;

/// Letters from above, the top row upslope; `#` is open.
const LETTERS: [[&str; 7]; 4] = [
    ["####.", "#...#", "#...#", "#...#", "#...#", "#...#", "####."],
    [".###.", "..#..", "..#..", "..#..", "..#..", "..#..", ".###."],
    ["#...#", "#..#.", "#.#..", "##...", "#.#..", "#..#.", "#...#"],
    ["#...#", "#...#", "#...#", "#...#", "#...#", "#...#", ".###."],
];
/// Cells of the plane along the slope and across it: letters of 5 by 7 with a cell between them and around all.
const ROWS: usize = 9;
const COLUMNS: usize = 25;
/// Edge of a cell, m.
const CELL: f64 = 0.13;
/// Slope, degrees.
const SLOPE: f64 = 30.0;
/// How deep letters are, m.
const DEPTH: f64 = 0.05;
/// Thickness of the slab below them, m.
const SLAB: f64 = 0.1;
/// How high the middle of the slab's upper face is, m.
const MIDDLE: f64 = 0.6;
const DIAMETER: f64 = 0.1;
const BALLS: u32 = 120;
/// Balls across the slope; the others lie along it.
const ACROSS: u32 = 20;

/// The scene.
pub(super) fn engraved() -> Scene {
    let mut scene = Scene::new("incline120");
    scene.description = format!(
        "{BALLS} oak balls (10 cm) fall onto a granite plane of {SLOPE} degrees that is engraved with the letters DIKU; what does not stay in them \
         rolls off and on along the ground. After S3 Fig 12."
    );
    scene.seconds = 10.0;
    scene.hz.fast = 100.0;
    scene.bounds = Some(above_ground(200.0));
    scene.bodies.push(Body::ground("granite"));
    // Down the slope is +z, so the plane is turned by the slope about x; letters are read along +x.
    let (sin, cos) = SLOPE.to_radians().sin_cos();
    let on_plane = |along: f64, above: f64| (MIDDLE - along * sin + above * cos, along * cos + above * sin);
    for (name, [from, to]) in boxes() {
        let half = [0, 1, 2].map(|k| (0.5 * (to[k] - from[k])) as Real);
        let [x, above, along] = [0, 1, 2].map(|k| 0.5 * (to[k] + from[k]));
        let (y, z) = on_plane(along, above);
        let shape = ShapeSpec::cuboid(half[0], half[1], half[2]);
        let part = Body::new(name, shape, "granite").fixed().at(x, y, z);
        scene.bodies.push(part.turned(SLOPE as Real, 0.0, 0.0));
    }
    let mut random = Random::new(u64::from(BALLS));
    for i in 0..BALLS {
        let share = |k: u32, of: u32, cells: usize| {
            ((f64::from(k) + 0.5) / f64::from(of) - 0.5) * cells as f64 * CELL
        };
        let across = share(i % ACROSS, ACROSS, COLUMNS) + random.between(-0.02, 0.02);
        let along = share(i / ACROSS, BALLS / ACROSS, ROWS) + random.between(-0.02, 0.02);
        let above = random.between(0.15, 0.45);
        let ball = Body::new(format!("ball {i}"), ShapeSpec::ball(DIAMETER as Real), "oak");
        let (y, z) = on_plane(along, above);
        scene.bodies.push(ball.at(across, y, z));
    }
    scene
}

/// Ends of a box, m.
type Ends = [[f64; 3]; 2];

/// The slab and the plates, in a frame whose x is across the slope and whose z is down it.
fn boxes() -> Vec<(String, Ends)> {
    let half = [0.5 * COLUMNS as f64 * CELL, 0.5 * ROWS as f64 * CELL];
    let mut boxes = vec![("slab".to_owned(), [[-half[0], -SLAB, -half[1]], [half[0], 0.0, half[1]]])];
    for (i, [row, end_row, column, end_column]) in plates().into_iter().enumerate() {
        let at = |cell: usize, half: f64| cell as f64 * CELL - half;
        let from = [at(column, half[0]), 0.0, at(row, half[1])];
        boxes.push((format!("plate {i}"), [from, [at(end_column, half[0]), DEPTH, at(end_row, half[1])]]));
    }
    boxes
}

/// Cells that are not open as rectangles `[row, end row, column, end column]`: runs of a row, over as many rows as have the same run.
fn plates() -> Vec<[usize; 4]> {
    let mut plates: Vec<[usize; 4]> = Vec::new();
    for row in 0..ROWS {
        let mut column = 0;
        while column < COLUMNS {
            let end = (column..COLUMNS).find(|&c| is_open(row, c)).unwrap_or(COLUMNS);
            if end > column {
                match plates.iter_mut().find(|p| p[1] == row && p[2..] == [column, end]) {
                    Some(above) => above[1] = row + 1,
                    None => plates.push([row, row + 1, column, end]),
                }
            }
            column = end + 1;
        }
    }
    plates
}

/// Whether a cell is part of a letter.
fn is_open(row: usize, column: usize) -> bool {
    let (Some(row), Some(column)) = (row.checked_sub(1), column.checked_sub(1)) else { return false };
    let line = LETTERS.get(column / 6).and_then(|letter| letter.get(row));
    line.is_some_and(|line| line.as_bytes().get(column % 6) == Some(&b'#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plates_cover_every_cell_but_the_letters_once() {
        let plates = plates();
        for (row, column) in (0..ROWS).flat_map(|r| (0..COLUMNS).map(move |c| (r, c))) {
            let covers = |p: &&[usize; 4]| (p[0]..p[1]).contains(&row) && (p[2]..p[3]).contains(&column);
            let count = plates.iter().filter(covers).count();
            assert_eq!(count, usize::from(!is_open(row, column)), "row {row}, column {column}");
        }
        assert!(plates.len() < 80, "{} plates", plates.len());
    }
}
