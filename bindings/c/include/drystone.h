#ifndef DRYSTONE_H
#define DRYSTONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* drystone for C: rigid bodies in contact. SI units; y is up unless gravity says otherwise; rotations are quaternions (x, y, z, w).
 *
 * Every function that can fail returns a ds_status; ds_last_error() says in words what was wrong and what was expected. What is refused
 * changes nothing. Results are written through the last pointers, which may not be null unless said. A world is used by one thread at a time;
 * different worlds by different threads. Written by a tool from bindings/c/src; do not edit. */


// How a call went.
typedef enum ds_status {
  // It did what it says.
  DS_STATUS_OK = 0,
  // A pointer that may not be null was.
  DS_STATUS_NULL = 1,
  // The engine refused it; nothing changed.
  DS_STATUS_REFUSED = 2,
  // Something else than text in UTF-8.
  DS_STATUS_NOT_UTF8 = 3,
  // The engine failed where it must not: please report it. The world cannot be used any more, only destroyed.
  DS_STATUS_PANICKED = 4,
} ds_status;

// How a body moves.
typedef enum ds_body_kind {
  // Forces and impulses move it.
  DS_BODY_KIND_DYNAMIC = 0,
  // It does not move.
  DS_BODY_KIND_FIXED = 1,
  // It moves with the velocity that it is given; nothing pushes it.
  DS_BODY_KIND_KINEMATIC = 2,
} ds_body_kind;

// What happened.
typedef enum ds_event_kind {
  DS_EVENT_KIND_TRIGGER_IN = 0,
  DS_EVENT_KIND_TRIGGER_OUT = 1,
  DS_EVENT_KIND_TOUCH_BEGIN = 2,
  DS_EVENT_KIND_TOUCH_PERSIST = 3,
  DS_EVENT_KIND_TOUCH_END = 4,
  DS_EVENT_KIND_PROXIMITY_BEGIN = 5,
  DS_EVENT_KIND_PROXIMITY_PERSIST = 6,
  DS_EVENT_KIND_PROXIMITY_END = 7,
  DS_EVENT_KIND_TIMER_TICK = 8,
  DS_EVENT_KIND_HIT = 9,
  // Of a later version.
  DS_EVENT_KIND_OTHER = 10,
} ds_event_kind;

// What a joint is.
typedef enum ds_joint_kind {
  // Two points keep their distance, or keep it between limits.
  DS_JOINT_KIND_DISTANCE = 0,
  // One point in common.
  DS_JOINT_KIND_BALL = 1,
  // One axis in common, about which it turns.
  DS_JOINT_KIND_HINGE = 2,
  // One axis in common, along which it slides.
  DS_JOINT_KIND_SLIDER = 3,
  // Everything is held.
  DS_JOINT_KIND_FIXED = 4,
  // One point in common, and the axes stay in a cone.
  DS_JOINT_KIND_CONE_TWIST = 5,
  // One axis in common: it goes on by `pitch` per revolution.
  DS_JOINT_KIND_SCREW = 6,
  // B is a wheel on A: it turns about `axis`, and goes along `across` on a spring (`suspension`), about which it is steered.
  DS_JOINT_KIND_WHEEL = 7,
  // Everything is held, by springs as far as `linear` and `angular` say.
  DS_JOINT_KIND_SOFT_WELD = 8,
} ds_joint_kind;

// What drives a joint.
typedef enum ds_motor_kind {
  // Nothing.
  DS_MOTOR_KIND_NONE = 0,
  // Keeps `motor_speed`.
  DS_MOTOR_KIND_SPEED = 1,
  // Pulls to `motor_target` with `motor_stiffness` and `motor_damping`.
  DS_MOTOR_KIND_SPRING = 2,
  // All of it: `motor_force` and a spring with a damper to a target that moves with `motor_speed`.
  DS_MOTOR_KIND_SERVO = 3,
} ds_motor_kind;

// A coordinate of a joint; a place in `coordinates` and `velocities`.
typedef enum ds_joint_axis {
  // Ways along the axes of A's frame, m.
  DS_JOINT_AXIS_X = 0,
  DS_JOINT_AXIS_Y = 1,
  DS_JOINT_AXIS_Z = 2,
  // Turn about x, rad; of hinges, screws and wheels over any number of revolutions.
  DS_JOINT_AXIS_TWIST = 3,
  // Turns of the x axis, rad.
  DS_JOINT_AXIS_SWING_Y = 4,
  DS_JOINT_AXIS_SWING_Z = 5,
  // Distance of the two points, m.
  DS_JOINT_AXIS_DISTANCE = 6,
} ds_joint_axis;

// How a spring with a damper is told.
typedef enum ds_spring_kind {
  // None: held.
  DS_SPRING_KIND_NONE = 0,
  // By its constants: N/m and N·s/m, or N·m/rad and N·m·s/rad.
  DS_SPRING_KIND_STIFFNESS = 1,
  // By how the two bodies would swing on it: Hz, and a damping ratio (1: critical).
  DS_SPRING_KIND_FREQUENCY = 2,
} ds_spring_kind;

// What couples two joints.
typedef enum ds_coupling_kind {
  // The second joint turns by `ratio` times what the first one turns by.
  DS_COUPLING_KIND_GEAR = 0,
  // The second joint slides by `ratio` (m per rad) times what the first one turns by.
  DS_COUPLING_KIND_RACK_AND_PINION = 1,
  // The first distance and `ratio` times the second one are at most what they are.
  DS_COUPLING_KIND_PULLEY = 2,
  // The sum of two coordinates (`axes`) with `factors` is what it is.
  DS_COUPLING_KIND_SUM = 3,
} ds_coupling_kind;

// Settings of a world.
typedef struct ds_config ds_config;

// A shape; worlds keep what they need of it, so it may be destroyed once it was used.
typedef struct ds_shape ds_shape;

// The state of a world between two steps.
typedef struct ds_snapshot ds_snapshot;

// Bodies in contact, and what advances them.
typedef struct ds_world ds_world;

// A place in the world, m.
typedef struct ds_position {
  double x;
  double y;
  double z;
} ds_position;

// A rotation; any length but 0.
typedef struct ds_quat {
  float x;
  float y;
  float z;
  float w;
} ds_quat;

// A vector.
typedef struct ds_vec3 {
  float x;
  float y;
  float z;
} ds_vec3;

// A body to be. Begin with `ds_body_options_default`.
typedef struct ds_body_options {
  // A ds_body_kind.
  uint32_t kind;
  struct ds_position position;
  struct ds_quat rotation;
  // Of the centre of mass, m/s.
  struct ds_vec3 velocity;
  // rad/s.
  struct ds_vec3 angular_velocity;
  // kg; 0 for what its colliders have.
  float mass;
  // World axes along and about which it cannot move.
  bool lock_translation[3];
  bool lock_rotation[3];
  // 1/s.
  float linear_damping;
  float angular_damping;
  float gravity_scale;
  bool can_sleep;
  bool is_asleep;
  // Anything.
  uint64_t user_data;
} ds_body_options;

// A shape on a body. Begin with `ds_collider_default`.
typedef struct ds_collider {
  // May not be null when it is used.
  const struct ds_shape *shape;
  // Where it is on the body, m.
  struct ds_vec3 position;
  struct ds_quat rotation;
  // What it is made of; 0 is granite.
  uint32_t material;
  // Groups (bits) that it belongs to, and groups that it meets.
  uint32_t member_of;
  uint32_t meets;
  // How fast its surface runs over it, m/s.
  struct ds_vec3 surface_velocity;
  // Tells what comes in and goes out, and touches nothing.
  bool is_trigger;
} ds_collider;

// A body of a world. One that is gone is refused. Zero is none.
typedef uint64_t ds_body;

// A body as it is.
typedef struct ds_body_state {
  ds_body body;
  enum ds_body_kind kind;
  struct ds_position position;
  struct ds_quat rotation;
  struct ds_position center_of_mass;
  struct ds_vec3 velocity;
  struct ds_vec3 angular_velocity;
  // kg; 0 when it is not dynamic.
  float mass;
  bool is_asleep;
  uint64_t user_data;
} ds_body_state;

// A joint of a world. One that is gone or broke is refused.
typedef uint64_t ds_joint;

// A coupling to be. Begin with `ds_coupling_options_default`.
typedef struct ds_coupling_options {
  // A ds_coupling_kind.
  uint32_t kind;
  ds_joint first;
  ds_joint second;
  float ratio;
  // ds_joint_axis, of a sum.
  uint32_t axes[2];
  float factors[2];
  // Limits of the sum in place of what it is now; infinite for none.
  bool has_limits;
  double least;
  double greatest;
  // It breaks above this force (N) or torque (N·m) on the second joint; infinite for never.
  float break_force;
  float break_torque;
  // Whether its bodies meet each other.
  bool collides;
} ds_coupling_options;

// A spring with a damper; of zeros alone: none.
typedef struct ds_spring {
  // A ds_spring_kind.
  uint32_t kind;
  // Stiffness or frequency.
  float value;
  float damping;
} ds_spring;

// A joint to be. Begin with `ds_joint_options_default`.
typedef struct ds_joint_options {
  // A ds_joint_kind.
  uint32_t kind;
  ds_body a;
  ds_body b;
  // Where it is on each body, as a place in the world now; the same twice but for distances.
  struct ds_position on_a;
  struct ds_position on_b;
  // Its axis, world, any length.
  struct ds_vec3 axis;
  // Limits of its angle (rad), way or distance (m); infinite for none.
  bool has_limits;
  float lower;
  float upper;
  // A ds_motor_kind.
  uint32_t motor;
  // m/s or rad/s.
  float motor_speed;
  // m or rad.
  float motor_target;
  float motor_stiffness;
  float motor_damping;
  // Feed-forward of a servo, N or N·m.
  float motor_force;
  // Largest force (N) or torque (N·m) of the motor.
  float motor_most;
  // Of a wheel: its y axis, world, any length: the part of it across `axis`.
  struct ds_vec3 across;
  // Of a wheel: angle by which it is steered, rad.
  float steering;
  struct ds_spring suspension;
  // Of a screw: how far it goes per revolution, m.
  float pitch;
  // Of a soft weld: along ways and about axes.
  struct ds_spring linear;
  struct ds_spring angular;
  // Dry friction, N or N·m.
  float friction;
  // Of a cone-twist joint: largest angle of the axes, rad.
  float cone;
  // It breaks above this force (N) or torque (N·m); infinite for never.
  float break_force;
  float break_torque;
  // Whether its bodies meet each other.
  bool collides;
} ds_joint_options;

// A motor. Of zeros alone: none.
typedef struct ds_motor {
  // A ds_motor_kind.
  uint32_t kind;
  // m/s or rad/s.
  float speed;
  // m or rad.
  float target;
  float stiffness;
  float damping;
  // Feed-forward of a servo, N or N·m.
  float force;
  // Largest force (N) or torque (N·m).
  float most;
} ds_motor;

// An articulation of a world. One that is gone is refused.
typedef uint64_t ds_articulation;

// A joint as it is.
typedef struct ds_joint_state {
  // On B in the last step, N and N·m, world.
  struct ds_vec3 force;
  struct ds_vec3 torque;
  // Ways along x, y, z (m), twist and two swings (rad), distance (m); the twist of hinges, screws and wheels counts revolutions.
  float coordinates[7];
  // How fast they change, m/s and rad/s.
  float velocities[7];
  // Of a wheel: angle by which it is steered, rad.
  float steering;
  // Of couplings and screws: the sum that they hold, how fast it changes, how far it is beyond its limits, and the force along it; else 0.
  double sum;
  float sum_velocity;
  float sum_error;
  float sum_force;
  // How far what it holds is from where it should be, m, and turned, rad.
  float error;
  float angular_error;
} ds_joint_state;

// A contact point.
typedef struct ds_contact {
  ds_body a;
  ds_body b;
  struct ds_position point;
  // Unit, from A to B.
  struct ds_vec3 normal;
  // m; negative when overlapping.
  float distance;
  // On B in the last step, N·s.
  struct ds_vec3 impulse;
} ds_contact;

// Something that happened in a step.
typedef struct ds_event {
  enum ds_event_kind kind;
  // s.
  double time;
  // Of triggers: that of the trigger, then the other. Zero for ticks of timers.
  ds_body a;
  ds_body b;
  // Of hits: closing speed, m/s.
  float speed;
} ds_event;

// What a ray hit.
typedef struct ds_ray_hit {
  ds_body body;
  // Along the ray, m; 0 for one that begins inside.
  double distance;
  struct ds_position point;
  struct ds_vec3 normal;
} ds_ray_hit;

// Told of each finding: what is wrong, the bodies that it is about (zero for none), the figure and the bound that it passes.
typedef void (*ds_finding_callback)(void *user,
                                    const char *message,
                                    ds_body a,
                                    ds_body b,
                                    double value,
                                    double bound);

// What two bodies have between them.
typedef struct ds_pair {
  // From 0 to 1.
  float restitution;
  float static_friction;
  // At most the static one.
  float kinetic_friction;
  // m.
  float rolling_friction;
} ds_pair;

// What one step did.
typedef struct ds_report {
  // Number of the step, from 0, and time after it, s.
  uint64_t step;
  double time;
  uint32_t bodies;
  uint32_t awake;
  uint32_t asleep;
  uint32_t contacts;
  uint32_t joints;
  uint32_t broken_joints;
  uint32_t islands;
  uint64_t iterations;
  // No contact closes faster than the threshold, no joint is apart by more than a hundredth of its arms or turned by more than 0.01 rad where that is
  // locked, and no energy grew from nothing.
  bool is_solved;
  // Joints that are apart, and joints that are turned by more.
  uint32_t unsolved_joints;
  uint32_t turned_joints;
  // Energy that an island of bodies gained from nothing, J; 0 where none did. The setting "energy_check" says which islands are looked at: "off" (the default), "joints" or "all".
  double energy_grown;
  // The body of that island whose kinetic energy grew most; none where `energy_grown` is 0.
  ds_body energy_grown_body;
  // Largest closing speed left, m/s.
  float worst_residual;
  // Deepest overlap, m.
  float worst_overlap;
  // Limits that were reached.
  uint32_t limit_hits;
  // Bodies that were taken out since their state was no number.
  uint32_t quarantined;
  // Time that the step took, s.
  double seconds;
} ds_report;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// A dynamic body at the origin, at rest.
struct ds_body_options ds_body_options_default(void);

// Adds a body with its colliders.
//
// # Safety
// `world` is one; `options` is valid; `colliders` is null or has `count` values with shapes that are alive; `body` is valid for a write.
enum ds_status ds_world_add_body(struct ds_world *world,
                                 const struct ds_body_options *options,
                                 const struct ds_collider *colliders,
                                 size_t count,
                                 ds_body *body);

// Removes a body; what rested on it wakes.
//
// # Safety
// `world` is one.
enum ds_status ds_world_remove_body(struct ds_world *world, ds_body body);

// A body as it is.
//
// # Safety
// `world` is one; `state` is valid for a write.
enum ds_status ds_world_body(const struct ds_world *world, ds_body body, struct ds_body_state *state);

// All bodies: as many as there is room for, and how many there are.
//
// # Safety
// `world` is one; `states` is null with a capacity of 0, or has room for `capacity` values; `count` is valid for a write.
enum ds_status ds_world_bodies(const struct ds_world *world,
                               struct ds_body_state *states,
                               size_t capacity,
                               size_t *count);

// Bodies that move or may begin to, as `ds_world_bodies`. What moved in the last step is more than that: see `ds_world_moved_bodies`.
//
// # Safety
// As `ds_world_bodies`.
enum ds_status ds_world_awake_bodies(const struct ds_world *world,
                                     struct ds_body_state *states,
                                     size_t capacity,
                                     size_t *count);

// Bodies that may be elsewhere, or sleep otherwise, than before the last step, as `ds_world_bodies`: those that are awake, those that fell
// asleep in it, and those that were added or changed since. What copies poses out after every step asks for these alone.
//
// # Safety
// As `ds_world_bodies`.
enum ds_status ds_world_moved_bodies(const struct ds_world *world,
                                     struct ds_body_state *states,
                                     size_t capacity,
                                     size_t *count);

// Puts a body elsewhere; it wakes.
//
// # Safety
// `world` is one.
enum ds_status ds_world_set_pose(struct ds_world *world,
                                 ds_body body,
                                 struct ds_position position,
                                 struct ds_quat rotation);

// Sets the velocity of a body, m/s and rad/s; this is how a kinematic body moves.
//
// # Safety
// `world` is one.
enum ds_status ds_world_set_velocity(struct ds_world *world,
                                     ds_body body,
                                     struct ds_vec3 velocity,
                                     struct ds_vec3 angular_velocity);

// A force (N) and a torque (N·m) about the centre of mass, for the next step.
//
// # Safety
// `world` is one.
enum ds_status ds_world_add_force(struct ds_world *world,
                                  ds_body body,
                                  struct ds_vec3 force,
                                  struct ds_vec3 torque);

// An impulse (N·s) at the centre of mass and an angular one (N·m·s), now.
//
// # Safety
// `world` is one.
enum ds_status ds_world_add_impulse(struct ds_world *world,
                                    ds_body body,
                                    struct ds_vec3 impulse,
                                    struct ds_vec3 angular);

// Wakes a body.
//
// # Safety
// `world` is one.
enum ds_status ds_world_wake(struct ds_world *world, ds_body body);

// What the last call of this thread that failed said. Valid until the next one that fails; empty before the first.
const char *ds_last_error(void);

// Version of the library, as "0.1.0".
const char *ds_version(void);

// A collider of granite at the origin of its body that meets everything.
struct ds_collider ds_collider_default(const struct ds_shape *shape);

// A ball.
//
// # Safety
// `shape` is null or valid for a write.
enum ds_status ds_shape_sphere(float radius, struct ds_shape **shape);

// A box of half extents.
//
// # Safety
// `shape` is null or valid for a write.
enum ds_status ds_shape_cuboid(struct ds_vec3 half_extents, struct ds_shape **shape);

// A capsule along y.
//
// # Safety
// `shape` is null or valid for a write.
enum ds_status ds_shape_capsule(float half_length, float radius, struct ds_shape **shape);

// A cylinder along y.
//
// # Safety
// `shape` is null or valid for a write.
enum ds_status ds_shape_cylinder(float half_height, float radius, struct ds_shape **shape);

// A cone along y.
//
// # Safety
// `shape` is null or valid for a write.
enum ds_status ds_shape_cone(float half_height, float radius, struct ds_shape **shape);

// All that lies below a plane through the origin; for fixed bodies.
//
// # Safety
// `shape` is null or valid for a write.
enum ds_status ds_shape_half_space(struct ds_vec3 normal, struct ds_shape **shape);

// The convex hull of points.
//
// # Safety
// `points` is null or has `count` values; `shape` is null or valid for a write.
enum ds_status ds_shape_hull(const struct ds_vec3 *points, size_t count, struct ds_shape **shape);

// A surface of triangles, three indices each, counter-clockwise from outside; for fixed bodies.
//
// # Safety
// `vertices` is null or has `vertex_count` values, `indices` null or three times `triangle_count`; `shape` is null or valid for a write.
enum ds_status ds_shape_mesh(const struct ds_vec3 *vertices,
                             size_t vertex_count,
                             const uint32_t *indices,
                             size_t triangle_count,
                             struct ds_shape **shape);

// A height field: heights row by row, m, in cells of so many metres along x and z; for fixed bodies.
//
// # Safety
// `heights` is null or has `rows` times `columns` values; `shape` is null or valid for a write.
enum ds_status ds_shape_height_field(size_t rows,
                                     size_t columns,
                                     const float *heights,
                                     float cell_x,
                                     float cell_z,
                                     struct ds_shape **shape);

// Destroys a shape; null is nothing.
//
// # Safety
// `shape` is null or came from a function above, and is not used any more.
void ds_shape_destroy(struct ds_shape *shape);

// A coupling without limits of its own, that does not break; of a sum both factors are 0, which is refused.
struct ds_coupling_options ds_coupling_options_default(uint32_t kind,
                                                       ds_joint first,
                                                       ds_joint second,
                                                       float ratio);

// Couples coordinates of two joints: the joint that it is goes with either of them.
//
// # Safety
// `world` is one; `options` is valid; `added` is valid for a write.
enum ds_status ds_world_add_coupling(struct ds_world *world,
                                     const struct ds_coupling_options *options,
                                     ds_joint *added);

// A joint at one place, without limits, motor or friction, that does not break; its axis is x.
struct ds_joint_options ds_joint_options_default(uint32_t kind, ds_body a, ds_body b, struct ds_position at);

// Adds a joint.
//
// # Safety
// `world` is one; `options` is valid; `added` is valid for a write.
enum ds_status ds_world_add_joint(struct ds_world *world,
                                  const struct ds_joint_options *options,
                                  ds_joint *added);

// Sets what drives a coordinate (a ds_joint_axis) of a joint; its bodies wake.
//
// # Safety
// `world` is one.
enum ds_status ds_world_set_motor(struct ds_world *world,
                                  ds_joint of,
                                  uint32_t axis_of,
                                  struct ds_motor motor);

// Sets the limits of a coordinate (a ds_joint_axis) of a joint, m or rad, infinite for none; its bodies wake.
//
// # Safety
// `world` is one.
enum ds_status ds_world_set_joint_limits(struct ds_world *world,
                                         ds_joint of,
                                         uint32_t axis_of,
                                         float lower,
                                         float upper);

// Steers a wheel by an angle from straight on, rad; its bodies wake.
//
// # Safety
// `world` is one.
enum ds_status ds_world_set_steering(struct ds_world *world, ds_joint of, float angle);

// Makes `count` joints an articulation: they are solved by their coordinates from now on, all of one tree of links at once. It is no more as soon as one of its
// joints or bodies is removed.
//
// # Safety
// `world` is one; `joints` is valid for reads of `count`; `added` is valid for a write.
enum ds_status ds_world_add_articulation(struct ds_world *world,
                                         const ds_joint *joints,
                                         size_t count,
                                         ds_articulation *added);

// Removes an articulation: its joints are constraints again.
//
// # Safety
// `world` is one.
enum ds_status ds_world_remove_articulation(struct ds_world *world, ds_articulation removed);

// Removes a joint, and what couples it; its bodies wake.
//
// # Safety
// `world` is one.
enum ds_status ds_world_remove_joint(struct ds_world *world, ds_joint removed);

// A joint as it is.
//
// # Safety
// `world` is one; `state` is valid for a write.
enum ds_status ds_world_joint(const struct ds_world *world, ds_joint of, struct ds_joint_state *state);

// Joints that broke in the last step: as many as there is room for, and how many there are.
//
// # Safety
// `world` is one; `broken` is null with a capacity of 0, or has room for `capacity` values; `count` is valid for a write.
enum ds_status ds_world_broken_joints(const struct ds_world *world,
                                      ds_joint *broken,
                                      size_t capacity,
                                      size_t *count);

// All contact points: as many as there is room for, and how many there are.
//
// # Safety
// `world` is one; `contacts` is null with a capacity of 0, or has room for `capacity` values; `count` is valid for a write.
enum ds_status ds_world_contacts(const struct ds_world *world,
                                 struct ds_contact *contacts,
                                 size_t capacity,
                                 size_t *count);

// What happened since this was asked the last time, told one by one; `tell` may not call this world. Until then all is kept, without bound;
// with "events.queue" set to "false" (`ds_config_set`) nothing is, and nothing told.
//
// # Safety
// `world` is one; `tell` may be called with `user`.
enum ds_status ds_world_take_events(struct ds_world *world,
                                    void (*tell)(void *user, const struct ds_event *event),
                                    void *user);

// What a ray hits first, not farther than `max_distance` (m, may be infinite). `has_hit` is false for a miss, and `hit` untouched.
//
// # Safety
// `world` is one; `has_hit` and `hit` are valid for a write.
enum ds_status ds_world_cast_ray(const struct ds_world *world,
                                 struct ds_position origin,
                                 struct ds_vec3 direction,
                                 double max_distance,
                                 bool *has_hit,
                                 struct ds_ray_hit *hit);

// What is likely to go badly with steps of `dt` seconds, told one by one, with the remedy; nothing is told when all is well.
//
// # Safety
// `world` is one; `tell` may be called with `user`.
enum ds_status ds_world_lint(const struct ds_world *world,
                             float dt,
                             ds_finding_callback tell,
                             void *user);

// Adds a material. `alike` is what it has against itself; against another one restitution is that of `ds_world_set_pair`, or what both mix to, and friction
// the mean.
//
// # Safety
// `world` is a world; `name` ends with a zero; `material` is valid for a write.
enum ds_status ds_world_add_material(struct ds_world *world,
                                     const char *name,
                                     float density,
                                     struct ds_pair alike,
                                     uint32_t *material);

// What two materials have between them.
//
// # Safety
// `world` is a world.
enum ds_status ds_world_set_pair(struct ds_world *world, uint32_t a, uint32_t b, struct ds_pair pair);

// The settings of a name: "fast", "fine", "nsgs", "lcp", "qp_suite", "thesis_fast" or "thesis_accurate".
//
// Events gather until `ds_world_take_events`, without bound; who never calls it sets "events.queue" to "false" (`ds_config_set`).
//
// # Safety
// `preset` ends with a zero; `config` is valid for a write.
enum ds_status ds_config_create(const char *preset,
                                struct ds_config **config);

// Sets a setting from text, for example "sub_step.sweeps" to "2"; the error names those that there are.
//
// # Safety
// `config` is one; the texts end with a zero.
enum ds_status ds_config_set(struct ds_config *config, const char *name, const char *value);

// Sets gravity, m/s².
//
// # Safety
// `config` is one.
enum ds_status ds_config_set_gravity(struct ds_config *config, struct ds_vec3 gravity);

// Whether touches that begin fast are told as hits, and from which closing speed on, m/s.
//
// # Safety
// `config` is one.
enum ds_status ds_config_tell_hits(struct ds_config *config, bool tell, float speed);

// Destroys settings; null is nothing.
//
// # Safety
// `config` is null, or one that is not used any more.
void ds_config_destroy(struct ds_config *config);

// An empty world that steps on so many threads; null settings are those of "fast", with which events gather (`ds_config_create`). Motion is
// the same with any number of threads.
//
// # Safety
// `config` is null or one; `world` is valid for a write.
enum ds_status ds_world_create(const struct ds_config *config,
                               size_t threads,
                               struct ds_world **world);

// Destroys a world; null is nothing.
//
// # Safety
// `world` is null, or one that is not used any more.
void ds_world_destroy(struct ds_world *world);

// Makes one step of `dt` seconds. `report` may be null.
//
// # Safety
// `world` is one; `report` is null or valid for a write.
enum ds_status ds_world_step(struct ds_world *world, float dt, struct ds_report *report);

// Simulated time, s.
//
// # Safety
// `world` is one; `time` is valid for a write.
enum ds_status ds_world_time(const struct ds_world *world, double *time);

// A hash of the state of all bodies: equal worlds hash equal, on every machine and at any number of threads.
//
// # Safety
// `world` is one; `hash` is valid for a write.
enum ds_status ds_world_state_hash(const struct ds_world *world, uint64_t *hash);

// All that the world carries from step to step.
//
// # Safety
// `world` is one; `snapshot` is valid for a write.
enum ds_status ds_world_snapshot(const struct ds_world *world, struct ds_snapshot **snapshot);

// Goes back to a snapshot of this world, or of one with the same settings.
//
// # Safety
// `world` and `snapshot` are one each.
enum ds_status ds_world_restore(struct ds_world *world, const struct ds_snapshot *snapshot);

// Destroys a snapshot; null is nothing.
//
// # Safety
// `snapshot` is null, or one that is not used any more.
void ds_snapshot_destroy(struct ds_snapshot *snapshot);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* DRYSTONE_H */
