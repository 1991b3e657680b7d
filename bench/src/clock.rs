//! CPU time and wall time.

use std::time::{Duration, Instant};

use nix::{
    sys::{
        resource::{UsageWho, getrusage},
        time::TimeVal,
    },
    time::{ClockId, clock_gettime},
};

/// What something cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) cpu: Duration,
    pub(crate) wall: Duration,
}

impl Cost {
    /// Microseconds of each, for one of `times`.
    pub(crate) fn each(self, times: u32) -> (f64, f64) {
        let micros = |spent: Duration| spent.as_secs_f64() * 1e6 / f64::from(times);
        (micros(self.cpu), micros(self.wall))
    }
}

/// Runs `work` in this process.
pub(crate) fn here(work: impl FnOnce()) -> Cost {
    let (wall, cpu) = (Instant::now(), own_cpu());
    work();
    Cost { cpu: own_cpu().saturating_sub(cpu), wall: wall.elapsed() }
}

/// The same for work that waits: what else goes on in this process meanwhile counts with it.
pub(crate) async fn meanwhile<T>(work: impl Future<Output = T>) -> (Cost, T) {
    let (wall, cpu) = (Instant::now(), own_cpu());
    let done = work.await;
    (Cost { cpu: own_cpu().saturating_sub(cpu), wall: wall.elapsed() }, done)
}

/// Runs `work`, which starts processes and waits for them; their CPU time counts.
pub(crate) fn in_children(work: impl FnOnce()) -> Cost {
    let (wall, cpu) = (Instant::now(), children_cpu());
    work();
    Cost { cpu: children_cpu().saturating_sub(cpu), wall: wall.elapsed() }
}

/// What this process has used since it began.
pub(crate) fn own_cpu() -> Duration {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// What the processes that this one started and waited for have used.
pub(crate) fn children_cpu() -> Duration {
    let duration = |time: TimeVal| {
        let micros = time.tv_sec() * 1_000_000 + time.tv_usec();
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map(|usage| duration(usage.user_time()) + duration(usage.system_time()))
        .unwrap_or_default()
}

/// The middle of many measurements.
pub(crate) fn median(values: Vec<f64>) -> f64 {
    share(values, 0.5)
}

/// The measurement that such a share of all is below.
pub(crate) fn share(mut values: Vec<f64>, below: f64) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get((values.len() as f64 * below) as usize).copied().unwrap_or(f64::NAN)
}

/// Three digits behind the point are more than the machine can tell.
pub(crate) fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
