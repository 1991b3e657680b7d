//! The process that reads files, for tests: it serves, or it goes wrong in the way that its argument names.

use std::io;

fn main() -> io::Result<()> {
    match std::env::args().nth(1).as_deref() {
        None => consign_parsers::child::serve(),
        Some("abort") => std::process::abort(),
        Some("memory") => {
            let all = Vec::<u8>::with_capacity(isize::MAX.unsigned_abs());
            std::process::exit(i32::from(all.capacity() == 0))
        }
        Some("garbage") => {
            use io::Write;
            io::stdout().write_all(&[3, 0, 0, 0, 0, 0, 0, 0, b'n', b'o', b'!'])
        }
        Some("silent") => loop {
            std::thread::sleep(std::time::Duration::from_secs(60));
        },
        Some(other) => Err(io::Error::other(format!("unknown: {other}"))),
    }
}
