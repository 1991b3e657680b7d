//! Lists of runs by age, page by page.

use std::cmp::Reverse;

use consign_engine::{
    AgentName, At,
    store::{AskState, Error, InboxQuery, Interaction, Row, RunQuery},
};

use super::state::{KeptAsk, MemoryState};

impl MemoryState {
    /// Newest first.
    pub(super) fn list(&self, query: &RunQuery) -> Result<Vec<Row>, Error> {
        let end = match &query.before {
            Some(run) => self.run(run)?.ordinal,
            None => u64::MAX,
        };
        let mut found: Vec<_> = self.runs.values().filter(|run| run.ordinal < end).collect();
        found.retain(|run| matches(&run.row, query));
        found.sort_by_key(|run| Reverse(run.ordinal));
        Ok(found.into_iter().take(query.most).map(|run| run.row.clone()).collect())
    }

    /// Oldest first. A page may begin after an ask that is no longer open.
    pub(super) fn open_asks(&self, query: &InboxQuery) -> Vec<Interaction> {
        let after = query.after.as_ref().and_then(|(run, key)| self.ask(run, key));
        let mut found: Vec<_> = self.asks.values().collect();
        found.retain(|ask| match (query.answered, after) {
            (_, None) => true,
            (false, Some(after)) => age(ask) > age(after),
            (true, Some(after)) => answer_age(ask) < answer_age(after),
        });
        let state = if query.answered { AskState::Answered } else { AskState::Open };
        found.retain(|ask| {
            let ask = &ask.interaction;
            let owner = self.runs.get(&ask.run).map(|run| &run.row.owner);
            ask.state == state
                && (query.owner.is_none() || query.owner.as_ref() == owner)
                && query.open_at.is_none_or(|now| ask.deadline.is_none_or(|until| until > now))
                && query.run.as_ref().is_none_or(|run| *run == ask.run)
                && query.kind.is_none_or(|kind| kind == ask.kind)
                && (query.agent.is_none() || is_of(query.agent.as_deref(), ask.agent.as_deref()))
        });
        if query.answered {
            found.sort_by_key(|ask| Reverse(answer_age(ask)));
        } else {
            found.sort_by_key(|ask| age(ask));
        }
        found.into_iter().take(query.most).map(|ask| ask.interaction.clone()).collect()
    }
}

fn age(ask: &KeptAsk) -> (At, u64) {
    (ask.interaction.opened_at, ask.ordinal)
}

fn answer_age(ask: &KeptAsk) -> (At, u64) {
    let answered = ask.interaction.answered.as_ref().map(|(_, at)| *at);
    (answered.unwrap_or(ask.interaction.opened_at), ask.ordinal)
}

fn matches(row: &Row, query: &RunQuery) -> bool {
    query.status.is_none_or(|status| status == row.status)
        && query.workflow.as_ref().is_none_or(|workflow| *workflow == row.workflow)
        && query.owner.as_ref().is_none_or(|owner| *owner == row.owner)
        && (query.label.is_none() || query.label == row.label)
        && query.prefix.as_ref().is_none_or(|prefix| row.id.as_str().starts_with(prefix.as_str()))
}

/// Whether an ask is one for this agent, or for one that is pinned under its name.
fn is_of(wanted: Option<&str>, agent: Option<&str>) -> bool {
    wanted == agent || agent.is_some_and(|agent| wanted == Some(AgentName::from(agent).shown()))
}
