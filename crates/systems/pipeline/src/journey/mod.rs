//! An envelope on its way through a pipeline, as a value.
//!
//! A [`Journey`] says which stages have their turn ([`Journey::calls`]) or what is asked of a person
//! ([`Journey::question`]), and takes in what they came to. It is the same whether the envelope is in a
//! pipe, in a request or in a durable run: nothing here calls an agent or reads a clock. Every turn is
//! a hop, hops are bounded, so every journey ends.

mod bounds;
mod critic;
mod enter;
mod finished;
mod goals;
mod pause;
mod person;
mod points;
mod record;
mod refit;
mod room;
mod turn;
mod until;

use std::sync::Arc;

use consign_contracts::{
    envelope::{Envelope, TerminalReason},
    json::{Json, Object},
    wire::Nullable,
};
use consign_engine::{Ask, At, Call, Data, Fault, Key, Work};

use super::{
    agent_scope::AgentScope,
    envelope::stamp,
    pipeline::{END, Pipeline, Target},
};
pub(super) use bounds::MOST_HOPS;
pub use enter::Unfit;
pub(super) use pause::question_key;
pub(super) use points::Points;
pub(super) use room::Room;
pub(super) use turn::{StageTurn, turn_key};

#[derive(Clone, Debug)]
pub struct Journey {
    pub(super) pipeline: Arc<Pipeline>,
    pub(super) place: AgentScope,
    pub(super) envelope: Envelope,
    pub(super) stand: Stand,
    /// Stop after this stage.
    pub(super) until: Option<usize>,
    /// Turns so far: every call has its own key.
    pub(super) turns: u32,
    pub(super) points: Points,
    pub(super) room: Room,
}

/// Where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stand {
    /// A stage has its turn: one agent, or several at once.
    Working {
        stage: usize,
        turns: Vec<StageTurn>,
    },
    /// It waits for a clarification.
    Clarifying,
    /// It waits for a confirmation, yes or no.
    Confirming,
    /// It was to go no further.
    Stopped,
    Over,
}

impl Journey {
    /// The envelope as it is now.
    #[must_use]
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    #[must_use]
    pub fn into_envelope(self) -> Envelope {
        self.envelope
    }

    #[must_use]
    pub fn pipeline(&self) -> &Arc<Pipeline> {
        &self.pipeline
    }

    /// Whether there is nothing left to do here: it is over, or was to go no further.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.stand, Stand::Over | Stand::Stopped)
    }

    /// The calls that should be under way.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        let Stand::Working { turns, .. } = &self.stand else { return Vec::new() };
        let open = turns.iter().filter(|turn| turn.ended.is_none());
        open.filter_map(|turn| self.call(turn)).collect()
    }

    /// The question that the journey waits for, if it does.
    #[must_use]
    pub fn question(&self) -> Option<Ask> {
        match &self.stand {
            Stand::Clarifying => Some(self.clarification()),
            Stand::Confirming => Some(self.confirmation()),
            Stand::Working { .. } => self.person_question(),
            Stand::Stopped | Stand::Over => None,
        }
    }

    /// The stages whose turn it is, by their names.
    #[must_use]
    pub fn working(&self) -> Vec<&str> {
        let Stand::Working { turns, .. } = &self.stand else { return Vec::new() };
        let open = turns.iter().filter(|turn| turn.ended.is_none());
        open.map(|turn| self.pipeline.stages[turn.stage].name.as_str()).collect()
    }

    /// Takes in what a call came to. When all of a stage have ended, the next has its turn.
    pub fn ended(&mut self, key: &Key, result: Result<&Data, &Fault>, work: Work) {
        // A question that was not answered in time.
        if let Some((stage, turn, _)) = self.asked_person()
            && turn.key == *key
        {
            self.withdraw_question(stage);
        }
        self.end_turn(key, result, work);
        self.end_unfit(work.ended);
    }

    /// Ends the turns whose agents cannot even be called. One after the other: an envelope that goes in
    /// circles must not do so on the stack.
    fn end_unfit(&mut self, at: At) {
        let work = Work { began: at, ended: at, ..Work::default() };
        loop {
            let Stand::Working { turns, .. } = &self.stand else { return };
            let open = turns.iter().filter(|turn| turn.ended.is_none());
            let mut unfit = open.filter_map(|turn| Some((turn.key.clone(), turn.unfit.clone()?)));
            let Some((key, fault)) = unfit.next() else { return };
            self.end_turn(&key, Err(&fault), work);
        }
    }

    fn end_turn(&mut self, key: &Key, result: Result<&Data, &Fault>, work: Work) {
        let Stand::Working { stage, turns } = &mut self.stand else { return };
        let stage = *stage;
        let Some(at) = turns.iter().position(|turn| turn.key == *key && turn.ended.is_none())
        else {
            return;
        };
        let turn = turns[at].clone();
        let ended = self.judge(&turn, result, work);
        if ended.is_err() && turn.thinks {
            // A model that gives nothing is no reason to give up: there is a way without one.
            let own = self.take_turn(turn.stage, false);
            self.replace(at, own);
            return;
        }
        let Stand::Working { turns, .. } = &mut self.stand else { return };
        turns[at].ended = Some(ended);
        if turns.iter().all(|turn| turn.ended.is_some()) {
            let turns = std::mem::take(turns);
            self.join(stage, turns, work.ended);
        }
    }

    /// All turns of a stage have ended.
    fn join(&mut self, stage: usize, turns: Vec<StageTurn>, at: At) {
        self.keep_all(&turns);
        match (failure(&turns), self.pipeline.stages[stage].error_next) {
            (None, _) => self.succeeded(stage, &turns, at),
            (Some(_), Some(next)) => self.lead(stage, next, at),
            (Some(fault), None) => self.fail(stage, &turns, fault, at),
        }
    }

    /// Keeps the outputs of the turns that are done.
    fn keep_all(&mut self, turns: &[StageTurn]) {
        // In the order of the pipeline, whichever was named or done first.
        let mut done: Vec<_> = turns
            .iter()
            .filter_map(|turn| Some((turn.stage, turn.ended.as_ref()?.as_ref().ok()?.clone())))
            .collect();
        done.sort_by_key(|(member, _)| *member);
        let members: Vec<_> = done.iter().map(|(member, _)| *member).collect();
        for (member, output) in done {
            self.keep(member, output);
        }
        self.put_in_order(&members);
    }

    fn fail(&mut self, stage: usize, turns: &[StageTurn], fault: &Fault, at: At) {
        let reason = if fault.recoverable {
            TerminalReason::ToolFailedRecoverably
        } else {
            TerminalReason::ToolFailedFatally
        };
        let words = self.blame(stage, turns);
        self.note_finished(stage, turns);
        self.envelope.current_stage.clone_from(&self.pipeline.stages[stage].name);
        self.terminate(reason, words, at);
    }

    /// Leaves off in the middle: a later journey gives another turn to the members that have not ended.
    /// What failed meanwhile has failed.
    pub fn leave(&mut self, at: At) {
        let Stand::Working { stage, turns } = &mut self.stand else { return };
        let (stage, turns) = (*stage, std::mem::take(turns));
        self.stand = Stand::Stopped;
        let open = turns.iter().filter(|turn| turn.ended.is_none()).count();
        let open = i64::try_from(open).unwrap_or(i64::MAX);
        bounds::add(&mut self.envelope.agent_hop_count, -open);
        self.keep_all(&turns);
        match failure(&turns) {
            Some(fault) => self.fail(stage, &turns, fault, at),
            None => self.note_finished(stage, &turns),
        }
    }

    /// Why a stage failed; where several ran at once, in which of them.
    fn blame(&self, stage: usize, turns: &[StageTurn]) -> String {
        let failed = turns.iter().filter_map(|turn| {
            let fault = turn.ended.as_ref()?.as_ref().err()?;
            let member = &self.pipeline.stages[turn.stage].name;
            let whose = if turn.stage == stage { String::new() } else { format!(" in {member}") };
            Some(format!("{whose}: {}", fault.message))
        });
        let failed: Vec<_> = failed.collect();
        format!("Stage {} failed{}", self.pipeline.stages[stage].name, failed.join(";"))
    }

    /// A stage has its outputs: a question is asked, the critic is heard, or the next stage has its turn.
    fn succeeded(&mut self, stage: usize, turns: &[StageTurn], at: At) {
        for turn in turns {
            if let Some(Ok(output)) = &turn.ended
                && self.pipeline.stages[turn.stage].person().is_none()
                && self.interrupted(turn.stage, output, at)
            {
                return;
            }
        }
        let critic = turns.iter().find_map(|turn| {
            let output = turn.ended.as_ref()?.as_ref().ok()?;
            Some((turn.stage, self.verdict(turn.stage, output)?))
        });
        let next = match critic {
            Some((critic, verdict)) => self.heed(critic, &verdict),
            None => match self.next(stage, turns) {
                Ok(next) => next,
                Err(rejected) => {
                    self.envelope.current_stage.clone_from(&self.pipeline.stages[stage].name);
                    return self.terminate(TerminalReason::DeniedByPolicy, rejected, at);
                }
            },
        };
        self.lead(stage, next, at);
    }

    /// Where a stage leads: by its routes, else to the next. What a person rejected goes where failures go, or ends.
    fn next(&self, stage: usize, turns: &[StageTurn]) -> Result<Target, String> {
        let own = &self.pipeline.stages[stage];
        match (self.route(stage, turns), self.rejection(stage, turns)) {
            (Some(to), _) => Ok(to),
            (None, None) => Ok(own.default_next),
            (None, Some(rejected)) => own.error_next.ok_or(rejected),
        }
    }

    /// The first route that fits.
    fn route(&self, stage: usize, turns: &[StageTurn]) -> Option<Target> {
        let own = &self.pipeline.stages[stage];
        let fits = |key: &[String], equals: &Json<'_>| {
            turns.iter().any(|turn| {
                // Where several ran, the first word says whose output is meant.
                let named = &self.pipeline.stages[turn.stage].output_key;
                let key = match key.split_first() {
                    Some((first, rest)) if turn.stage != stage && first == named => rest,
                    _ if turn.stage == stage => key,
                    _ => return false,
                };
                let Some(Ok(output)) = &turn.ended else { return false };
                let mut value = match key.first().and_then(|first| output.get(first)) {
                    Some(value) => value,
                    None => return false,
                };
                for name in &key[1..] {
                    match value.get(name) {
                        Some(inner) => value = inner,
                        None => return false,
                    }
                }
                same(value, equals)
            })
        };
        let route = own.routes.iter().find(|route| fits(&route.key, &route.equals));
        route.map(|route| route.to)
    }

    /// Goes on to where a stage leads.
    fn lead(&mut self, from: usize, to: Target, at: At) {
        self.points.reach(&self.pipeline.stages[from].name);
        self.pipeline.name_of(to).clone_into(&mut self.envelope.current_stage);
        match to {
            Target::End => self.complete(at),
            Target::Stage(stage) if self.goes_no_further(from, stage) => {
                self.stand = Stand::Stopped;
            }
            Target::Stage(stage) => self.begin_stage(stage, at),
        }
    }

    /// Gives a stage its turn, unless a bound is reached. Who is done already is not called again.
    fn begin_stage(&mut self, stage: usize, at: At) {
        self.envelope.current_stage.clone_from(&self.pipeline.stages[stage].name);
        let members = self.pipeline.members(stage);
        let mut finished = self.finished(stage);
        let open = members.iter().filter(|member| !finished.contains_key(member));
        let open: Vec<_> = open.copied().collect();
        if let Some((reason, words)) = self.reached(&open) {
            return self.terminate(reason, words, at);
        }
        self.forget_finished();
        let hops = i64::try_from(open.len()).unwrap_or(i64::MAX);
        bounds::add(&mut self.envelope.agent_hop_count, hops);
        let turns = members.into_iter().map(|member| match finished.remove(&member) {
            Some(output) => self.had_turn(member, output),
            None => self.take_turn(member, true),
        });
        let turns = turns.collect();
        self.stand = Stand::Working { stage, turns };
        self.ask_person(at);
    }

    fn complete(&mut self, at: At) {
        END.clone_into(&mut self.envelope.current_stage);
        let words = "All stages are done".to_owned();
        self.terminate(TerminalReason::CompletedSuccessfully, words, at);
    }

    fn terminate(&mut self, reason: TerminalReason, words: String, at: At) {
        let envelope = &mut self.envelope;
        envelope.terminated = true;
        envelope.terminal_reason = Some(Nullable(Some(reason)));
        envelope.termination_reason = Some(Nullable(Some(words)));
        envelope.completed_at = Some(Nullable(Some(stamp(at))));
        self.stand = Stand::Over;
    }
}

fn failure(turns: &[StageTurn]) -> Option<&Fault> {
    turns.iter().find_map(|turn| turn.ended.as_ref()?.as_ref().err())
}

/// Whether two values are the same, numbers by their value.
pub(super) fn same(a: &Json<'_>, b: &Json<'_>) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => match (a.as_i64(), b.as_i64()) {
            // Large whole numbers share their nearest float.
            (Some(a), Some(b)) => a == b,
            (Some(_), None) | (None, Some(_)) => false,
            (None, None) => a == b || a.as_f64().is_finite() && a.as_f64() == b.as_f64(),
        },
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Json::Object(a), Json::Object(b)) => same_object(a, b),
        (a, b) => a == b,
    }
}

pub(super) fn same_object(a: &Object<'_>, b: &Object<'_>) -> bool {
    let inside = |(name, a): (&str, &Json<'_>)| b.get(name).is_some_and(|b| same(a, b));
    a.len() == b.len() && a.iter().all(inside)
}
