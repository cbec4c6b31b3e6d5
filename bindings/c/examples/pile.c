/* A pile of ten cubes, a ball thrown at it, and what is said when something is wrong. Exits with 1 when something is not as it should be.
 *
 *   cargo build --release --manifest-path bindings/c/Cargo.toml
 *   cc -std=c99 -Ibindings/c/include bindings/c/examples/pile.c -Lbindings/c/target/release -ldrystone_c -lm -o pile
 *   LD_LIBRARY_PATH=bindings/c/target/release ./pile
 */
#include "drystone.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 10

static void check(ds_status status) {
    if (status != DS_STATUS_OK) {
        fprintf(stderr, "drystone: %s\n", ds_last_error());
        exit(1);
    }
}

static void expect(bool holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        exit(1);
    }
}

static void on_event(void *user, const ds_event *event) {
    if (event->kind == DS_EVENT_KIND_TOUCH_BEGIN) {
        ++*(size_t *)user;
    }
}

static void on_finding(void *user, const char *message, ds_body a, ds_body b, double value, double bound) {
    (void)a, (void)b, (void)value, (void)bound;
    printf("likely to go badly: %s\n", message);
    ++*(size_t *)user;
}

int main(void) {
    printf("drystone %s\n", ds_version());
    ds_config *config = NULL;
    check(ds_config_create("fast", &config));
    expect(ds_config_set(config, "sub_step.sweps", "2") == DS_STATUS_REFUSED, "a setting that there is not is refused");
    printf("as it should be: %.60s...\n", ds_last_error());
    check(ds_config_set(config, "sub_step.sweeps", "2"));

    ds_world *world = NULL;
    check(ds_world_create(config, 2, &world));
    ds_config_destroy(config);

    ds_shape *plane = NULL, *cube = NULL, *ball = NULL;
    check(ds_shape_half_space((ds_vec3){0, 1, 0}, &plane));
    check(ds_shape_cuboid((ds_vec3){0.5f, 0.5f, 0.5f}, &cube));
    check(ds_shape_sphere(0.4f, &ball));
    expect(ds_shape_sphere(-1, &ball) == DS_STATUS_REFUSED, "a negative radius is refused");

    ds_body_options options = ds_body_options_default();
    ds_collider collider = ds_collider_default(plane);
    ds_body ground, cubes[COUNT], thrown;
    options.kind = DS_BODY_KIND_FIXED;
    check(ds_world_add_body(world, &options, &collider, 1, &ground));
    options.kind = DS_BODY_KIND_DYNAMIC;
    collider = ds_collider_default(cube);
    for (int i = 0; i < COUNT; ++i) {
        options.position.y = 0.5 + i;
        check(ds_world_add_body(world, &options, &collider, 1, &cubes[i]));
    }
    size_t findings = 0;
    check(ds_world_lint(world, 1.0f / 60, on_finding, &findings));
    expect(findings == 0, "nothing is likely to go badly");

    ds_report report;
    for (int i = 0; i < 300; ++i) {
        check(ds_world_step(world, 1.0f / 60, &report));
    }
    ds_body_state top;
    check(ds_world_body(world, cubes[COUNT - 1], &top));
    printf("after %.1f s the uppermost cube is at (%.4f, %.4f, %.4f); %u bodies sleep\n", report.time, top.position.x,
           top.position.y, top.position.z, report.asleep);
    expect(fabs(top.position.y - 9.5) < 1e-3 && report.asleep == COUNT, "the pile stands and sleeps");

    ds_ray_hit hit;
    bool has_hit = false;
    check(ds_world_cast_ray(world, (ds_position){0, 20, 0}, (ds_vec3){0, -1, 0}, INFINITY, &has_hit, &hit));
    expect(has_hit && hit.body == cubes[COUNT - 1] && fabs(hit.distance - 10) < 1e-3, "a ray from above hits the top");

    size_t touches = 0;
    check(ds_world_take_events(world, on_event, &touches));
    printf("%zu touches began\n", touches);
    expect(touches == COUNT, "each cube touches what is below it");

    ds_snapshot *before = NULL;
    check(ds_world_snapshot(world, &before));
    options.position = (ds_position){-6, 4, 0};
    options.velocity = (ds_vec3){25, 0, 0};
    collider = ds_collider_default(ball);
    check(ds_world_add_body(world, &options, &collider, 1, &thrown));
    for (int i = 0; i < 180; ++i) {
        check(ds_world_step(world, 1.0f / 60, &report));
    }
    check(ds_world_body(world, cubes[COUNT - 1], &top));
    printf("hit by a ball it is at (%.2f, %.2f, %.2f)\n", top.position.x, top.position.y, top.position.z);
    expect(top.position.y < 9, "the pile fell");

    check(ds_world_restore(world, before));
    check(ds_world_body(world, cubes[COUNT - 1], &top));
    expect(fabs(top.position.y - 9.5) < 1e-3, "it stands again");
    expect(ds_world_body(world, thrown, &top) == DS_STATUS_REFUSED, "and the ball is not there any more");
    printf("as it should be: %s\n", ds_last_error());

    ds_joint_options door = ds_joint_options_default(DS_JOINT_KIND_HINGE, ground, cubes[0], (ds_position){0, 0, 0});
    ds_joint hinge;
    door.axis = (ds_vec3){0, 1, 0};
    check(ds_world_add_joint(world, &door, &hinge));
    check(ds_world_step(world, 1.0f / 60, NULL));
    ds_joint_state state;
    check(ds_world_joint(world, hinge, &state));
    expect(state.error < 1e-3f, "the hinge holds");
    check(ds_world_remove_joint(world, hinge));

    size_t count = 0;
    check(ds_world_contacts(world, NULL, 0, &count));
    ds_contact *contacts = malloc(count * sizeof *contacts);
    check(ds_world_contacts(world, contacts, count, &count));
    printf("%zu contact points\n", count);
    expect(count > 0 && contacts[0].a != contacts[0].b, "the pile has contacts");
    free(contacts);

    ds_snapshot_destroy(before);
    ds_shape_destroy(ball);
    ds_shape_destroy(cube);
    ds_shape_destroy(plane);
    ds_world_destroy(world);
    puts("all as it should be");
    return 0;
}
