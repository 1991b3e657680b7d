//! What the tables beside the journal should hold.
//!
//! People are shown the inbox and their answers are held to its schemas, and money is stopped by the
//! figures. None of these is in the chain, so each is compared with the events that it came from.
//! Nothing here reads a store: [`Told::check`] takes what was read.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Display,
};

use super::Disproof;
use crate::{
    At, Fault, Key, Status,
    frame::{Frame, Open, Phase},
    journal::{Answered, AskExpired, AskWithdrawn, Asked, Body, Created, Declined, Record},
    store::{Interaction, Placement, Row},
};

/// What a journal says so far. It needs no workflow to be told.
pub(super) struct Told {
    frame: Frame,
    placement: Placement,
    created_at: At,
    /// What was asked, and when. The frame knows which of it is open.
    asks: BTreeMap<Key, (At, Asked)>,
}

impl Told {
    pub(super) fn new(created: &Created, at: At) -> Self {
        let placement = created.placement.clone();
        Self { frame: Frame::new(created, at), placement, created_at: at, asks: BTreeMap::new() }
    }

    pub(super) fn apply(&mut self, record: &Record, body: &Body) -> Result<(), Fault> {
        self.frame.apply(record.at, &record.actor, body)?;
        if let Body::Asked(ask) = body {
            self.asks.insert(ask.key.clone(), (record.at, ask.clone()));
        }
        // A long run asks much, and only what is open is needed in the end.
        if let Body::Answered(Answered { key, .. })
        | Body::Declined(Declined { key, .. })
        | Body::AskExpired(AskExpired { key })
        | Body::AskWithdrawn(AskWithdrawn { key }) = body
        {
            self.asks.remove(key);
        }
        Ok(())
    }

    /// How the run ended.
    pub(super) fn closed(&self) -> Option<Status> {
        self.frame.closed
    }

    /// Compares a run's row and its open asks with the events up to the row's newest.
    pub(super) fn check(&self, row: &Row, inbox: &[Interaction]) -> Result<(), Disproof> {
        let Self { frame, placement, created_at, .. } = self;
        let field = |name: &str, kept: &dyn Display, told: &dyn Display| same(name, kept, told);
        field("the workflow", &row.workflow, &frame.workflow)?;
        field("the version", &row.version, &frame.version)?;
        field("the owner", &row.owner, &frame.owner)?;
        field("the placement", &row.placement, placement)?;
        field("the beginning", &row.created_at, created_at)?;
        field("the newest instant", &row.at, &frame.at)?;
        field("what is spent", &row.figures.spent, &frame.usage.spent)?;
        field("what is reserved", &row.figures.reserved, &frame.usage.reserved)?;
        field("the cost limit", &or_none(row.figures.cap), &or_none(frame.limits.cost))?;
        self.check_asks(inbox)
    }

    fn check_asks(&self, inbox: &[Interaction]) -> Result<(), Disproof> {
        let mut others: BTreeSet<_> = inbox.iter().map(|kept| &kept.key).collect();
        let kept: BTreeMap<_, _> = inbox.iter().map(|kept| (&kept.key, kept)).collect();
        for (key, (at, asked)) in self.open_asks() {
            let state = |kept: &str, told: &str| same(&format!("ask {key}"), &kept, &told);
            let Some(kept) = kept.get(key) else { return state("not open", "open") };
            others.remove(key);
            check_ask(kept, *at, asked)?;
        }
        match others.first() {
            Some(key) => same(&format!("ask {key}"), &"open", &"not open"),
            None => Ok(()),
        }
    }

    /// A run that is over asks nothing more, and writes no event to say so.
    fn open_asks(&self) -> impl Iterator<Item = (&Key, &(At, Asked))> {
        let over = self.frame.closed.is_some();
        self.asks.iter().filter(move |(key, _)| {
            let asked = match self.frame.open.get(*key) {
                Some(Open::Ask { .. }) => true,
                Some(Open::Call(call)) => matches!(call.phase, Phase::Asked { .. }),
                Some(Open::Timer { .. }) | None => false,
            };
            !over && asked
        })
    }
}

fn check_ask(kept: &Interaction, at: At, asked: &Asked) -> Result<(), Disproof> {
    let field = |name: &str, kept: &dyn Display, told: &dyn Display| {
        same(&format!("the {name} of ask {}", asked.key), kept, told)
    };
    field("kind", &kept.kind, &asked.kind)?;
    field("prompt", &kept.prompt, &asked.prompt)?;
    field("schema", &kept.schema.as_str(), &asked.schema.as_str())?;
    field("deadline", &or_none(kept.deadline), &or_none(asked.deadline))?;
    let default = |of: &Option<_>| of.as_ref().map_or("none", crate::Data::as_str).to_owned();
    field("default", &default(&kept.default), &default(&asked.default))?;
    let about = asked.about.as_ref().map(|fault| &fault.code);
    field("code", &or_none(kept.code.as_ref()), &or_none(about))?;
    field("agent", &or_none(kept.agent.as_ref()), &or_none(asked.agent.as_ref()))?;
    field("opening", &kept.opened_at, &at)
}

fn or_none(value: Option<impl Display>) -> String {
    value.map_or("none".to_owned(), |value| value.to_string())
}

fn same(field: &str, kept: &dyn Display, told: &dyn Display) -> Result<(), Disproof> {
    let (kept, told) = (kept.to_string(), told.to_string());
    if kept == told {
        return Ok(());
    }
    let alike = kept.chars().zip(told.chars()).take_while(|(kept, told)| kept == told).count();
    let (kept, told) = (excerpt(&kept, alike), excerpt(&told, alike));
    Err(Disproof::Table { field: field.to_owned(), kept, told })
}

/// The part of a long text around the place where it begins to differ.
fn excerpt(text: &str, differs: usize) -> String {
    const MOST: usize = 60;
    const BEFORE: usize = 20;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    let from = differs.saturating_sub(BEFORE);
    let mut rest = text.chars().skip(from);
    let part: String = rest.by_ref().take(MOST).collect();
    let before = if from > 0 { "…" } else { "" };
    let after = if rest.next().is_some() { "…" } else { "" };
    format!("{before}{part}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_values_are_told_in_short_where_they_differ() {
        let check = |kept: &str, told: &str, expected: (&str, &str)| {
            let Err(Disproof::Table { kept, told, .. }) = same("it", &kept, &told) else {
                panic!("{kept} and {told} are not the same");
            };
            assert_eq!((kept.as_str(), told.as_str()), expected);
        };
        check("1", "none", ("1", "none"));
        let long = "é".repeat(100);
        let part = "é".repeat(20);
        let (kept, told) = (format!("…{part}a"), format!("…{part}b{}…", "é".repeat(39)));
        check(&format!("{long}a"), &format!("{long}b{long}"), (&kept, &told));
        assert_eq!(same("it", &long, &long), Ok(()));
    }
}
