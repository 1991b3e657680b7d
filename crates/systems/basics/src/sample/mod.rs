//! Small workflows that show what the engine promises, one idea each. They need no model, no key and
//! no network, and come with agents of their own.
//!
//! `sample/effects` writes to whatever file it is told to: offer these only to people who could
//! write there anyway.

mod agents;
mod approval;
mod budget;
mod effects;
mod fanout;
mod fields;
#[cfg(test)]
mod interpreter;
mod series;
mod signals;
mod steps;
mod ticks;
mod usd;
mod worst;

/// Writes to whatever file it is told to: only for people who could write there anyway.
pub const EFFECTS: &str = "sample/effects";

pub use agents::agents;
use consign_engine::Workflows;

#[must_use]
pub fn workflows() -> Workflows {
    Workflows::default()
        .with(steps::Steps::default())
        .with(fanout::Fanout::default())
        .with(approval::Approval::default())
        .with(budget::Budget::default())
        .with(effects::Effects)
        .with(signals::Signals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_there_by_its_name() {
        let names = workflows();
        let names: Vec<_> = names.names().collect();
        assert_eq!(
            names,
            [
                "sample/approval",
                "sample/budget",
                "sample/effects",
                "sample/fanout",
                "sample/signals",
                "sample/steps"
            ]
        );
        let names = agents();
        let names: Vec<_> = names.known().map(|(name, _)| name.as_ref()).collect();
        assert_eq!(
            names,
            [
                "sample/append.idempotent",
                "sample/append.keyed",
                "sample/append.pure",
                "sample/append.unsafe",
                "sample/echo",
                "sample/paid",
            ]
        );
    }
}
