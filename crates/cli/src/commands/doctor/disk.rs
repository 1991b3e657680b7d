//! Measures how fast the disk makes writes durable.

use std::{
    io::{self, Write},
    path::Path,
    time::{Duration, Instant},
};

/// What was measured.
pub(super) struct Disk {
    pub(super) megabytes_per_second: f64,
    pub(super) median_ms: f64,
    pub(super) slowest_ms: f64,
}

const SYNCS: usize = 40;
const PAGE: [u8; 4096] = [0x5A; 4096];
const PAGES: usize = 4096;

/// A slow disk must not make the check itself slow.
const LONGEST: Duration = Duration::from_secs(3);

/// Measures with a file that has no name and so leaves nothing behind.
pub(super) fn measure(folder: &Path) -> io::Result<Disk> {
    let mut file = tempfile::tempfile_in(folder)?;
    let began = Instant::now();
    let mut times = Vec::with_capacity(SYNCS);
    while times.len() < SYNCS && (times.is_empty() || began.elapsed() < LONGEST) {
        let once = Instant::now();
        file.write_all(&PAGE)?;
        file.sync_data()?;
        times.push(once.elapsed());
    }
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;

    let once = Instant::now();
    for _ in 0..PAGES {
        file.write_all(&PAGE)?;
    }
    file.sync_data()?;
    let megabytes = (PAGE.len() * PAGES) as f64 / 1e6;
    Ok(Disk {
        megabytes_per_second: megabytes / once.elapsed().as_secs_f64(),
        median_ms: ms(times[times.len() / 2]),
        slowest_ms: ms(times[times.len() - 1]),
    })
}
