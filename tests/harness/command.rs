//! `consign` as a command that takes nothing from the environment of the person who runs the tests.

use std::{ffi::OsStr, process::Command};

/// `consign ARGS`, or `WRAPPER… consign ARGS`.
pub(crate) fn consign<W: AsRef<OsStr>, A: AsRef<OsStr>>(
    wrapper: impl IntoIterator<Item = W>,
    args: impl IntoIterator<Item = A>,
) -> Command {
    let binary = env!("CARGO_BIN_EXE_consign");
    let mut wrapper = wrapper.into_iter();
    let mut command = match wrapper.next() {
        None => Command::new(binary),
        Some(first) => {
            let mut command = Command::new(first);
            command.args(wrapper).arg(binary);
            command
        }
    };
    command.args(args);
    plain(&mut command);
    command
}

/// Takes away what would change colours, places or logs, and all keys: no test reaches a real provider.
pub(crate) fn plain(command: &mut Command) {
    for name in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "CI",
        "COLUMNS",
        "CONSIGN_HOME",
        "CONSIGN_LOG",
        "CONSIGN_LOG_FORMAT",
    ] {
        command.env_remove(name);
    }
    // A model for searching by meaning is there for tests that ask for it, and gives each of the others the same answers on
    // every machine.
    command.env("CONSIGN_MODELS", concat!(env!("CARGO_TARGET_TMPDIR"), "/no-models"));
    let outside = std::env::vars_os().map(|(name, _)| name);
    for name in outside.filter(|name| is_of_providers(&name.to_string_lossy())) {
        command.env_remove(name);
    }
}

/// Whether a variable may say where a provider is, what its key is, or how keys are sealed.
fn is_of_providers(name: &str) -> bool {
    name.ends_with("_BASE_URL")
        || name.ends_with("_API_KEY")
        || name.starts_with("AI_KEY_ENCRYPTION_KEY")
}
