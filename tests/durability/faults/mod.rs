//! The machine fails: a full disk, a sync that fails, a directory that cannot be written, a damaged
//! or foreign file, no file handles, a clock that is set. There is a clear error, or it goes on as it
//! should; and when the fault is gone, all that was confirmed is there and comes to its end.

mod clock;
mod damage;
mod disk;
mod handles;
mod kept;
mod sealed;
mod server;
mod sync;

use kept::Kept;
use sealed::Sealed;
