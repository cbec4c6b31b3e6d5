//! A step of the impulse method, and of joint solves, allocates nothing once its memory has grown (design section 5), with large
//! and small batches, limits reached and shock propagation. One test only, since the count is of the whole
//! process.
#![expect(unsafe_code, reason = "a counting global allocator")]

mod common;

use common::{Cluster, Random, Rig, column, surface};
use drystone_exec::Exec;
use drystone_resolution::impulse::{
    ColourSweep, ContactOrder, FallingBar, FirstFound, HighestClosingSpeed, HighestImpulse, LevelSweep,
};
use drystone_resolution::lcp::FrictionLaw;
use drystone_resolution::{
    ImpulseConfig, ImpulseSolver, IslandSolver, IslandSolverConfig, LcpConfig, LcpSolver, Nsgs, NsgsConfig,
    Solver,
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn steps(rig: &mut Rig, method: &mut dyn Solver, exec: &Exec, count: usize) {
    for _ in 0..count {
        let _awake = exec.wake();
        method.begin(&mut rig.bodies, &rig.graph, &rig.step, exec);
        rig.advance_with(method, exec);
    }
}

fn check<O: ContactOrder + 'static>(config: ImpulseConfig, order: O, threads: usize) {
    let mut method = ImpulseSolver::with_order(config, order);
    check_method(&mut method, threads);
    let mut rig = world();
    let report = rig.advance_with(&mut method, &Exec::serial());
    assert!(report.shock_iterations > 0, "the column keeps the shock propagation busy");
}

fn world() -> Rig {
    let mut rig = Rig::with_gravity();
    column(&mut rig, 80, surface(0.25, 0.3));
    for seed in 0..30 {
        Cluster { body_count: 2 + seed % 12, ..Cluster::SMALL }
            .build(&mut rig, &mut Random::new(seed as u64));
    }
    rig
}

fn check_method(method: &mut dyn Solver, threads: usize) {
    let exec = Exec::with_threads(threads).expect("threads");
    let mut rig = world();
    // Threads allocate as they start, so wait until each has been in a stage.
    steps(&mut rig, method, &exec, 100);
    std::thread::sleep(std::time::Duration::from_millis(100));
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    steps(&mut rig, method, &exec, 50);
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0, "{threads} threads");
}

#[test]
fn steps_do_not_allocate_after_warm_up() {
    for threads in [1, 2, 4] {
        check(ImpulseConfig::fast(), HighestClosingSpeed::default(), threads);
        // Limits, so that shock propagation has work with totals too.
        let totals = ImpulseConfig { accumulate: true, global_limit: Some(0.1), ..ImpulseConfig::fast() };
        check(totals, HighestClosingSpeed::default(), threads);
    }
    check(ImpulseConfig::fast(), FirstFound::default(), 1);
    check(ImpulseConfig::fast(), HighestImpulse::default(), 1);
    check(ImpulseConfig::fast(), LevelSweep::default(), 1);
    check(ImpulseConfig::fast(), FallingBar::default(), 1);
    check(ImpulseConfig::fast(), ColourSweep::default(), 1);
    // With several threads each worker would have to meet the largest island first, which is chance.
    let config = IslandSolverConfig { max_iterations: 20, ..IslandSolverConfig::default() };
    check_method(&mut IslandSolver::new(config.clone(), Nsgs::new(NsgsConfig::default())), 1);
    // Pivots for the clusters, sweeps for the column; the pyramid's law is one that `Measure` does not call solved.
    for law in [FrictionLaw::Cone, FrictionLaw::Pyramid] {
        let solver = LcpSolver::new(LcpConfig { law, ..LcpConfig::default() });
        check_method(&mut IslandSolver::new(config.clone(), solver), 1);
    }
}
