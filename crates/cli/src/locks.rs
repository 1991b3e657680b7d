//! Tells the user when this process waits for another one to release the write lock.

use std::{path::Path, thread, time::Duration};

use anstream::ColorChoice;
use consign_files::{Holder, Locks};

use crate::output::warn;

/// How often to look whether we wait, and how often once we do.
const SELDOM: Duration = Duration::from_secs(1);
const OFTEN: Duration = Duration::from_millis(100);
/// How often in a row the same process must be found to hold the lock. Processes that take turns are found
/// waiting now and then, and that is normal.
const LOOKS: u32 = 20;

/// Says on standard error, once each time, that this process waits for another to let it write.
/// From a thread of its own: the main thread may be the one that waits.
pub(crate) fn tell_waits(home: &Path) {
    let file = home.join("write.lock");
    let watch = move || {
        let (mut holder, mut looks) = (Holder::Nobody, 0_u32);
        loop {
            thread::sleep(if looks == 0 { SELDOM } else { OFTEN });
            let locks = Locks::look();
            if !locks.keep_us_waiting(&file) {
                looks = 0;
                continue;
            }
            let now = locks.holder(&file);
            looks = if now == holder { looks.saturating_add(1) } else { 1 };
            holder = now;
            if looks == LOOKS {
                warn(ColorChoice::Never, format!("waiting to write: {}", in_words(holder)));
            }
        }
    };
    // Without this thread everything works, but the user is not told.
    let _ = thread::Builder::new().name("consign-lookout".into()).spawn(watch);
}

fn in_words(holder: Holder) -> String {
    match holder {
        Holder::Alive(pid) => format!("process {pid} has the write lock"),
        Holder::Stopped(pid) => {
            format!(
                "process {pid} has the write lock and is stopped; `kill -CONT {pid}` lets it go on"
            )
        }
        Holder::Nobody | Holder::Unknown => "another process has the write lock".to_owned(),
    }
}
