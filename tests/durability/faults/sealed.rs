//! A mount that only our own commands see, and that ends with the test.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::support::{Home, eventually, need};

/// Keeps a mount namespace open.
pub(super) struct Sealed {
    keeper: Child,
}

impl Sealed {
    /// Runs a script as root of a mount namespace, with the home's folder as `$1`. `None`, with a
    /// word about it, where we may not mount.
    pub(super) fn new(home: &Home, script: &str) -> Option<Self> {
        ["unshare", "nsenter", "mount"].into_iter().for_each(need);
        let ready = home.file("sealed");
        let script = format!("set -e\n{script}\ntouch \"$0\"\nexec sleep 600");
        let keeper = Command::new("unshare")
            .args(["--mount", "sh", "-c", &script])
            .args([ready.as_os_str(), home.path().as_os_str()])
            .stderr(Stdio::null())
            .spawn();
        let mut sealed = Self { keeper: keeper.expect("unshare can be started") };
        let mut refused = false;
        eventually(Duration::from_secs(10), "the mount is made or refused", || {
            refused = sealed.keeper.try_wait().expect("our own child").is_some();
            refused || ready.exists()
        });
        if refused {
            eprintln!("SKIPPED: no right to mount here, so this was not tested");
            return None;
        }
        Some(sealed)
    }

    /// The words that put a command inside.
    pub(super) fn words(&self) -> Vec<String> {
        let mount = format!("--mount=/proc/{}/ns/mnt", self.keeper.id());
        ["nsenter", &mount, "--"].map(str::to_owned).into()
    }

    /// Runs a command of the system inside.
    pub(super) fn run(&self, program: &str, args: &[&Path]) -> bool {
        let words = self.words();
        let status = Command::new(&words[0])
            .args(&words[1..])
            .arg(program)
            .args(args)
            .stderr(Stdio::null())
            .status();
        status.expect("nsenter can be started").success()
    }
}

impl Drop for Sealed {
    fn drop(&mut self) {
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
    }
}
