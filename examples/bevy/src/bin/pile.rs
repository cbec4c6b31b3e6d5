//! A wall of bricks in a window.
//!
//! The mouse (left button) throws balls; space pauses, N takes one step, C shows contacts with their forces, R begins again. `--screenshot FILE` throws three balls by itself,
//! writes a picture after four seconds of simulated time, and ends.

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, save_to_disk};
use bevy::window::PrimaryWindow;
use drystone_bevy::drystone::debug::{DebugDraw, DebugOptions, Rgb};
use drystone_bevy::drystone::math::{Position, Vector3};
use drystone_bevy::drystone::{Shape, WorldConfig};
use drystone_bevy::{Asleep, Colliders, DrystonePlugin, Physics, RigidBody, StepClock, Velocity};

const ROWS: usize = 12;
const COLUMNS: usize = 10;
/// Half extents of a brick, m.
const BRICK: Vec3 = Vec3::new(0.4, 0.2, 0.2);
/// Radius of a ball, m.
const BALL: f32 = 0.35;
/// Simulated time of the picture, and when the balls are thrown for it, s.
const PICTURE: f64 = 4.0;
const THROWS: [f64; 3] = [0.5, 1.2, 1.9];

/// What goes with the wall, and is gone with it.
#[derive(Component)]
struct Piece;

/// Meshes and colours that all share.
#[derive(Resource)]
struct Looks {
    brick: Handle<Mesh>,
    ball: Handle<Mesh>,
    awake: Handle<StandardMaterial>,
    asleep: Handle<StandardMaterial>,
    thrown: Handle<StandardMaterial>,
}

/// What is asked for besides a window.
#[derive(Resource, Default)]
struct Options {
    screenshot: Option<String>,
    shows_contacts: bool,
    thrown: usize,
    is_taken: bool,
}

fn main() -> Result<(), BevyError> {
    let mut arguments = std::env::args().skip(1);
    let mut options = Options::default();
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--screenshot", Some(file)) => options.screenshot = Some(file),
            (other, _) => return Err(format!("expected nothing or --screenshot FILE, got {other:?}").into()),
        }
    }
    // For a picture each frame is worth a step, however long it takes to draw.
    let clock = match options.screenshot {
        Some(_) => StepClock::fixed(60.0, 1.0 / 60.0),
        None => StepClock::wall(60.0),
    };
    App::new()
        .add_plugins(DefaultPlugins)
        .add_plugins(DrystonePlugin::new(WorldConfig::default())?.clock(clock))
        .insert_resource(options)
        .insert_resource(ClearColor(Color::srgb(0.75, 0.82, 0.9)))
        .add_systems(Startup, (set_up, build).chain())
        .add_systems(Update, (keys, throw_by_mouse, throw_for_picture, colour, draw_contacts, take_picture))
        .run();
    Ok(())
}

fn set_up(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) -> Result {
    let mut matt = |red, green, blue| {
        materials.add(StandardMaterial {
            base_color: Color::srgb(red, green, blue),
            perceptual_roughness: 0.9,
            ..default()
        })
    };
    let looks = Looks {
        brick: meshes.add(Cuboid::from_size(2.0 * BRICK)),
        ball: meshes.add(Sphere::new(BALL)),
        awake: matt(0.80, 0.42, 0.28),
        asleep: matt(0.62, 0.55, 0.50),
        thrown: matt(0.20, 0.35, 0.65),
    };
    let ground = matt(0.45, 0.52, 0.42);
    commands.insert_resource(looks);
    commands.spawn((
        RigidBody::Fixed,
        Colliders::from(Shape::half_space(Vector3::y())?),
        Mesh3d(meshes.add(Plane3d::default().mesh().size(80.0, 80.0))),
        MeshMaterial3d(ground),
    ));
    // One that needs no tables.
    commands.spawn((
        Camera3d::default(),
        Tonemapping::ReinhardLuminance,
        Transform::from_xyz(7.0, 5.0, 11.0).looking_at(Vec3::new(0.0, 2.0, 0.0), Vec3::Y),
    ));
    commands.spawn((
        DirectionalLight { illuminance: 9000.0, shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(4.0, 9.0, 6.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    Ok(())
}

/// The wall, every other row by half a brick to the side.
fn build(mut commands: Commands, looks: Res<Looks>) -> Result {
    let shape = Shape::cuboid(Vector3::new(BRICK.x, BRICK.y, BRICK.z))?;
    for row in 0..ROWS {
        let shift = if row % 2 == 0 { 0.0 } else { BRICK.x };
        for column in 0..COLUMNS {
            let x = 2.0 * BRICK.x * (column as f32 - COLUMNS as f32 / 2.0) + shift;
            commands.spawn((
                Piece,
                RigidBody::Dynamic,
                Colliders::from(shape.clone()),
                Transform::from_xyz(x, BRICK.y * (2 * row + 1) as f32, 0.0),
                Mesh3d(looks.brick.clone()),
                MeshMaterial3d(looks.awake.clone()),
            ));
        }
    }
    Ok(())
}

fn throw(commands: &mut Commands, looks: &Looks, from: Vec3, to: Vec3) -> Result {
    commands.spawn((
        Piece,
        RigidBody::Dynamic,
        Colliders::from(Shape::sphere(BALL)?),
        Transform::from_translation(from),
        Velocity { linear: 25.0 * (to - from).normalize_or(Vec3::NEG_Z), angular: Vec3::ZERO },
        Mesh3d(looks.ball.clone()),
        MeshMaterial3d(looks.thrown.clone()),
    ));
    Ok(())
}

fn throw_by_mouse(
    mut commands: Commands,
    buttons: Res<ButtonInput<MouseButton>>,
    window: Single<&Window, With<PrimaryWindow>>,
    camera: Single<(&Camera, &GlobalTransform)>,
    physics: Res<Physics>,
    looks: Res<Looks>,
) -> Result {
    let (camera, place) = *camera;
    let Some(cursor) = window.cursor_position().filter(|_| buttons.just_pressed(MouseButton::Left)) else {
        return Ok(());
    };
    let Ok(ray) = camera.viewport_to_world(place, cursor) else { return Ok(()) };
    // At what the mouse points to, or far away.
    let hit = physics.cast_ray(ray.origin, *ray.direction, 1e3)?;
    let far = hit.map_or(50.0, |hit| hit.found.hit.distance as f32);
    throw(&mut commands, &looks, ray.origin, ray.origin + *ray.direction * far)
}

fn throw_for_picture(
    mut commands: Commands,
    mut options: ResMut<Options>,
    physics: Res<Physics>,
    looks: Res<Looks>,
) -> Result {
    let due = THROWS.iter().take_while(|&&time| physics.world().time() >= time).count();
    if options.screenshot.is_none() || options.thrown >= due {
        return Ok(());
    }
    let at = Vec3::new(2.0 * options.thrown as f32 - 2.0, 2.6, 0.0);
    options.thrown += 1;
    throw(&mut commands, &looks, at + Vec3::new(1.0, 1.0, 9.0), at)
}

fn keys(
    mut commands: Commands,
    keys: Res<ButtonInput<KeyCode>>,
    pieces: Query<Entity, With<Piece>>,
    mut clock: ResMut<StepClock>,
    mut options: ResMut<Options>,
    looks: Res<Looks>,
) -> Result {
    if keys.just_pressed(KeyCode::Space) {
        let is_paused = clock.is_paused();
        clock.set_paused(!is_paused);
    }
    if keys.just_pressed(KeyCode::KeyN) {
        clock.add_step();
    }
    if keys.just_pressed(KeyCode::KeyC) {
        options.shows_contacts = !options.shows_contacts;
    }
    if keys.just_pressed(KeyCode::KeyR) {
        pieces.iter().for_each(|piece| commands.entity(piece).despawn());
        build(commands, looks)?;
    }
    Ok(())
}

/// Sleepers are grey.
fn colour(
    mut fell_asleep: Query<&mut MeshMaterial3d<StandardMaterial>, (Added<Asleep>, With<Piece>)>,
    mut woke: RemovedComponents<Asleep>,
    mut others: Query<&mut MeshMaterial3d<StandardMaterial>, (Without<Asleep>, With<Piece>)>,
    looks: Res<Looks>,
) {
    for mut material in fell_asleep.iter_mut().filter(|material| material.0 != looks.thrown) {
        material.0 = looks.asleep.clone();
    }
    for entity in woke.read() {
        if let Ok(mut material) = others.get_mut(entity)
            && material.0 != looks.thrown
        {
            material.0 = looks.awake.clone();
        }
    }
}

/// The engine's debug drawing, with Bevy's gizmos.
struct Pen<'a, 'w, 's>(&'a mut Gizmos<'w, 's>);

impl DebugDraw for Pen<'_, '_, '_> {
    fn line(&mut self, from: &Position, to: &Position, Rgb([red, green, blue]): Rgb) {
        let [from, to] = [from, to].map(|p| Vec3::new(p.x as f32, p.y as f32, p.z as f32));
        self.0.line(from, to, Color::srgb(red, green, blue));
    }
}

fn draw_contacts(mut gizmos: Gizmos, options: Res<Options>, physics: Res<Physics>) {
    if options.shows_contacts {
        let drawn = DebugOptions { shapes: false, forces: true, size: 0.1, ..DebugOptions::default() };
        physics.world().draw(&drawn, &mut Pen(&mut gizmos));
    }
}

fn take_picture(mut commands: Commands, mut options: ResMut<Options>, physics: Res<Physics>) {
    let Some(file) = options.screenshot.clone() else { return };
    if !options.is_taken && physics.world().time() >= PICTURE {
        options.is_taken = true;
        commands.spawn(Screenshot::primary_window()).observe(save_to_disk(file)).observe(
            |_: On<bevy::render::view::screenshot::ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
                exit.write(AppExit::Success);
            },
        );
    }
}
