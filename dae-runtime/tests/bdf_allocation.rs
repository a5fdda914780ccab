//! A BDF step allocates nothing: rejected steps, new matrices, projections and filters included.

mod problems;

use dae_runtime::bdf::Bdf;
use dae_runtime::contract::Dae;
use dae_runtime::stepper::{Options, Stepper};
use problems::pendulum::Form;
use problems::{pendulum, transistor_amplifier};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

fn assert_no_allocation(dae: &dyn Dae, y0: &[f64], yp0: &[f64], t_end: f64) {
    let mut bdf = Bdf::new(dae, 0.0, y0, yp0, t_end, &Options::default()).unwrap();
    let region = Region::new(ALLOCATOR);
    while bdf.time() != t_end {
        assert_eq!(bdf.step(), Ok(()));
    }
    let change = region.change();
    assert_eq!((change.allocations, change.reallocations), (0, 0));
    let statistics = bdf.statistics();
    assert!(statistics.error_rejections > 0 && statistics.jacobians > 10, "{statistics:?}");
}

/// One test, so that nothing else allocates meanwhile.
#[test]
fn no_step_allocates() {
    let ggl = pendulum::pendulum(Form::Ggl);
    assert_no_allocation(&ggl, &ggl.y0, &ggl.yp0, 10.0);
    let amplifier = transistor_amplifier::transistor_amplifier();
    assert_no_allocation(&amplifier, &amplifier.y0, &amplifier.yp0, 0.02);
}
