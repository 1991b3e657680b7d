//! What is logged: a level for the whole program, and others for parts of it.

use std::str::FromStr;

use tracing_subscriber::filter::{LevelFilter, Targets};

/// What every target of ours begins with; alone it stands for all of them.
const ALL: &str = "consign";
/// The crates that write logs.
const PARTS: [&str; 11] = [
    ALL,
    "consign_accounts",
    "consign_app",
    "consign_engine",
    "consign_identity",
    "consign_invokers",
    "consign_knowledge",
    "consign_models",
    "consign_server",
    "consign_store",
    "consign_supervised",
];

/// `info`, or `consign_server=debug,info`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Directives {
    all: LevelFilter,
    parts: Vec<(String, LevelFilter)>,
}

/// Why a text is none, and what would be one.
#[derive(Debug)]
pub(super) struct Invalid {
    pub(super) message: String,
    pub(super) hint: String,
}

impl Directives {
    pub(super) fn all(level: LevelFilter) -> Self {
        Self { all: level, parts: Vec::new() }
    }

    pub(super) fn are_off(&self) -> bool {
        let off = |level: &LevelFilter| *level == LevelFilter::OFF;
        off(&self.all) && self.parts.iter().all(|(_, level)| off(level))
    }

    /// Lets through what is wanted, and nothing of other crates.
    pub(super) fn filter(&self) -> Targets {
        let parts = self.parts.iter().map(|(part, level)| (part.as_str(), *level));
        Targets::new().with_target(ALL, self.all).with_targets(parts)
    }
}

impl FromStr for Directives {
    type Err = Invalid;

    fn from_str(text: &str) -> Result<Self, Invalid> {
        let mut read = Self::all(LevelFilter::WARN);
        for directive in text.split(',').map(str::trim) {
            match directive.split_once('=') {
                None => read.all = level(directive)?,
                Some((part, wanted)) => {
                    let part = part_of_ours(part.trim())?;
                    read.parts.push((part.to_owned(), level(wanted.trim())?));
                }
            }
        }
        Ok(read)
    }
}

/// By name only: the parser of `LevelFilter` also takes numbers, and nothing at all.
fn level(text: &str) -> Result<LevelFilter, Invalid> {
    let known = [
        ("off", LevelFilter::OFF),
        ("error", LevelFilter::ERROR),
        ("warn", LevelFilter::WARN),
        ("info", LevelFilter::INFO),
        ("debug", LevelFilter::DEBUG),
        ("trace", LevelFilter::TRACE),
    ];
    let found = known.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
    found.map(|(_, level)| *level).ok_or_else(|| Invalid {
        message: format!("{text:?} is not a level"),
        hint: "levels are off, error, warn, info, debug and trace; `consign_server=debug,info` \
               sets another one for a part of the program"
            .to_owned(),
    })
}

fn part_of_ours(text: &str) -> Result<&str, Invalid> {
    let crate_name = text.split("::").next().unwrap_or_default();
    if PARTS.contains(&crate_name) {
        return Ok(text);
    }
    Err(Invalid {
        message: format!("{text:?} is not a part of the program that logs"),
        hint: format!("parts are {}, and modules of them", PARTS.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use tracing::Level;

    use super::*;

    #[test]
    fn directives_let_through_what_they_name_and_never_other_crates() {
        let check = |text: &str, target: &str, level: Level, wanted: bool| {
            let filter = text.parse::<Directives>().unwrap().filter();
            assert_eq!(filter.would_enable(target, &level), wanted, "{text} {target} {level}");
        };
        check("warn", "consign_engine::drive", Level::WARN, true);
        check("warn", "consign_engine::drive", Level::INFO, false);
        check("TRACE", "consign::commands::serve", Level::TRACE, true);
        check("off", "consign_store", Level::ERROR, false);
        check("consign_server=debug,info", "consign_server::gate", Level::DEBUG, true);
        check("consign_server=debug,info", "consign_engine", Level::INFO, true);
        check("consign_server=debug,info", "consign_engine", Level::DEBUG, false);
        check("consign_engine::worker=info", "consign_engine::worker", Level::INFO, true);
        check("consign_engine::worker=info", "consign_engine::drive", Level::INFO, false);
        check("consign_engine=off", "consign_store", Level::WARN, true);
        check("consign_engine=off", "consign_engine", Level::ERROR, false);
        check("trace", "h2::proto", Level::ERROR, false);
        check("trace", "rmcp", Level::ERROR, false);
    }

    #[test]
    fn anything_else_is_refused_with_what_there_is() {
        let check = |text: &str, message: &str, hint: &str| {
            let refused = text.parse::<Directives>().unwrap_err();
            assert!(refused.message.contains(message), "{refused:?}");
            assert!(refused.hint.contains(hint), "{refused:?}");
        };
        check("loud", "\"loud\" is not a level", "off, error, warn, info, debug and trace");
        check("", "\"\" is not a level", "levels are");
        check("3", "\"3\" is not a level", "levels are");
        check("info,", "\"\" is not a level", "levels are");
        check("consign_server=", "\"\" is not a level", "levels are");
        check("h2=trace", "\"h2\" is not a part", "consign_server");
        check("consign_serve=info", "\"consign_serve\" is not a part", "consign_server");
        check("=info", "\"\" is not a part", "consign_engine");
    }

    #[test]
    fn every_crate_that_logs_is_a_part() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let folders = [crates.to_owned(), crates.join("systems")];
        let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
        let logs = entries.filter_map(|entry| {
            let manifest = fs::read_to_string(entry.unwrap().path().join("Cargo.toml")).ok()?;
            let name = manifest.lines().find_map(|line| line.strip_prefix("name = "))?;
            let logs = manifest.lines().any(|line| line.starts_with("tracing."));
            logs.then(|| name.trim_matches('"').replace('-', "_"))
        });
        // The program itself is named after its binary.
        let logs: BTreeSet<_> = logs.map(|name| name.replace("consign_cli", ALL)).collect();
        assert_eq!(logs, PARTS.map(str::to_owned).into());
    }
}
