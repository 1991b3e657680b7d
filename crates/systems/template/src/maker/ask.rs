//! Asks an agent, and applies its answer.

use std::fmt::Write;

use consign_contracts::bridge::{AgentName, ErrorType, PhaseName};

use super::{End, Maker, MakerEvent, Reach, Stopped, Taken, page};
use crate::{
    Source, answers,
    answers::Answer,
    creation::{COMPLETED, Cause, Creation, Judgement, Note, Pending, Reply, Step, judge},
    folder::BridgeFile,
    package::AgentFile,
    plain, prompts,
};

impl Maker<'_> {
    /// Takes one request a step further. Returns where the creation ends, if it has to wait.
    pub(super) fn ask(
        &mut self,
        (phase_name, _): (PhaseName, AgentName),
        creation: &mut Creation,
        reach: &mut Reach<'_>,
    ) -> Result<Option<End>, Stopped> {
        if creation.pending.is_none() {
            if let Some(said) = creation.reviewed_elsewhere() {
                return self.taken_over(creation, &said).map(|()| None);
            }
            let prompt = self.prompt(phase_name, creation)?;
            creation.ask(prompt, (self.random)(), (self.now)());
            self.commit(creation)?;
        }
        let Some(pending) = creation.pending.clone() else { return Ok(None) };
        let reply = match reach {
            Reach::Bridge => match self.arrived(creation, &pending)? {
                Some(reply) => reply,
                None => {
                    self.put_request(creation)?;
                    return Ok(Some(End::Waits));
                }
            },
            // What somebody answered before the script came counts.
            Reach::Here(invoke) => match self.take_response(creation, &pending)? {
                Some(reply) => reply,
                None => {
                    self.note_request(creation, &pending.request)?;
                    (self.tell)(MakerEvent::Asks(&pending.request));
                    Reply::from(&invoke.invoke(&pending.request))
                }
            },
            Reach::Nobody(why) => match self.take_response(creation, &pending)? {
                Some(reply) => reply,
                None => Reply::Failed { cause: Cause::Cancelled, message: (*why).to_owned() },
            },
        };
        let judgement = judge(phase_name, &reply, pending.retries());
        self.conclude(creation, judgement)?;
        // Only now: the state has what was answered. The request goes first, so that nobody is told that an
        // answer to it was taken.
        if self.writes {
            self.folder.remove(BridgeFile::Request)?;
            self.remove_consumed(creation)?;
        }
        Ok(None)
    }

    /// The outcome of the pending request in its files; `None` if there is still time.
    fn arrived(
        &mut self,
        creation: &mut Creation,
        pending: &Pending,
    ) -> Result<Option<Reply>, Stopped> {
        if let Some(reply) = self.take_response(creation, pending)? {
            return Ok(Some(reply));
        }
        if !pending.is_late((self.now)()) {
            return Ok(None);
        }
        // Without the request nobody can answer any more. Whoever did a moment ago is heard.
        self.folder.remove(BridgeFile::Request)?;
        if let Some(reply) = self.take_response(creation, pending)? {
            return Ok(Some(reply));
        }
        let message = format!("there was no answer within {} s", pending.timeout());
        Ok(Some(Reply::Failed { cause: Cause::Error(ErrorType::Timeout), message }))
    }

    fn take_response(
        &mut self,
        creation: &mut Creation,
        pending: &Pending,
    ) -> Result<Option<Reply>, Stopped> {
        if !self.writes {
            return Ok(None);
        }
        let Some((response, digest)) = self.response(creation)? else { return Ok(None) };
        creation.consumed = Some(digest);
        let reply = Reply::from(&response);
        let request_id = pending.request.request_id.to_string();
        self.taken = Some(Taken { request_id, reply: reply.clone() });
        Ok(Some(reply))
    }

    /// Writes the pending request to its file, unless it is there.
    fn put_request(&mut self, creation: &Creation) -> Result<(), Stopped> {
        let Some(pending) = &creation.pending else { return Ok(()) };
        let wanted = page(&pending.request);
        let there = self.folder.read(BridgeFile::Request).ok().flatten();
        if self.writes && there.as_deref() != Some(wanted.as_bytes()) {
            self.note_request(creation, &pending.request)?;
            self.folder.write(BridgeFile::Request, wanted.as_bytes())?;
        }
        (self.tell)(MakerEvent::Asks(&pending.request));
        Ok(())
    }

    fn prompt(&mut self, phase: PhaseName, creation: &Creation) -> Result<String, Stopped> {
        let analysis = creation.analysis();
        match phase {
            PhaseName::CodebaseAnalysis => {
                prompts::codebase_analysis(self.folder.path(), &analysis, &self.cancel)
                    .map_err(|error| Stopped::new("PROJECT_UNREADABLE", error.to_string()))
            }
            PhaseName::AgentCreation => {
                let existing = creation.found.existing_agents.clone().unwrap_or_default();
                let recommended = &creation.found.recommended_agents;
                Ok(prompts::agent_creation(&analysis, &existing, recommended))
            }
            PhaseName::AgentEnhancement => {
                let draft = creation.enhances().cloned().unwrap_or_default();
                let (spec, templates) = (spec_of(creation, &draft), creation.templates());
                Ok(prompts::agent_enhancement(&analysis, &spec, &draft, &templates))
            }
        }
    }

    /// Accepts what an agent already said for another tool.
    fn taken_over(
        &mut self,
        creation: &mut Creation,
        said: &crate::analysis::Analysis,
    ) -> Result<(), Stopped> {
        let mut analysis = creation.analysis();
        if !said.primary_language.is_empty() {
            analysis.primary_language.clone_from(&said.primary_language);
        }
        if said.framework.is_some() {
            analysis.framework.clone_from(&said.framework);
        }
        if !said.patterns.is_empty() {
            analysis.patterns.clone_from(&said.patterns);
        }
        analysis.source = Source::Agent;
        let why = Some("taken from the state that another tool left".to_owned());
        let note = Note { phase: 1, subject: None, source: Source::Agent, why, confidence: None };
        creation.notes.push(note);
        let summary = format!("{}; review taken over", about(&analysis));
        creation.found.codebase_analysis = Some(analysis);
        self.done(creation, &summary)
    }

    /// Puts a judgement into the state, and commits it.
    fn conclude(&mut self, creation: &mut Creation, judgement: Judgement) -> Result<(), Stopped> {
        match judgement {
            Judgement::Again { cause, why } => {
                creation.settle(cause.status());
                creation.again();
                (self.tell)(MakerEvent::Warns(format!("{why}; asking again with more time")));
                self.commit(creation)
            }
            Judgement::Accepted { answer, confidence, doubt } => {
                creation.settle(COMPLETED);
                match self.accept(creation, &answer, confidence) {
                    Ok(dropped) => {
                        let why = doubt.into_iter().chain(dropped).collect::<Vec<_>>().join("; ");
                        let why = (!why.is_empty()).then_some(why);
                        self.finish(creation, Source::Agent, why, Some(confidence))
                    }
                    Err(why) => {
                        let why = format!("{}: {why}", ErrorType::ValidationError);
                        self.finish(creation, Source::Heuristic, Some(why), None)
                    }
                }
            }
            Judgement::Heuristics { status, why } => {
                creation.settle(status);
                self.finish(creation, Source::Heuristic, Some(why), None)
            }
        }
    }

    /// Takes an answer in. Says what of it was dropped, or why none of it can be used.
    fn accept(
        &mut self,
        creation: &mut Creation,
        answer: &Answer,
        sure: f64,
    ) -> Result<Vec<String>, String> {
        match (creation.step, answer) {
            (Step::ReviewAnalysis, Answer::Analysis(said)) => {
                let heuristic = creation.analysis();
                let reading = answers::apply_analysis(self.folder.path(), &heuristic, said, sure)?;
                creation.found.codebase_analysis = Some(reading.analysis);
                Ok(reading.dropped)
            }
            (Step::ReviewAgents, Answer::Agents(said)) => {
                let existing = creation.found.existing_agents.clone().unwrap_or_default();
                let (agents, dropped) = answers::apply_agents(&existing, said);
                creation.found.recommended_agents = agents;
                Ok(dropped)
            }
            (Step::Enhance(at), Answer::Enhancement(said)) => {
                let Some(draft) = creation.found.agents.get_mut(at) else {
                    return Err("there is no such agent".to_owned());
                };
                let (enhanced, dropped) =
                    answers::apply_enhancement(self.folder.path(), draft, said)?;
                *draft = enhanced;
                Ok(dropped)
            }
            _ => Err("it answers another phase".to_owned()),
        }
    }

    /// Ends the request of this step.
    fn finish(
        &mut self,
        creation: &mut Creation,
        source: Source,
        why: Option<String>,
        confidence: Option<f64>,
    ) -> Result<(), Stopped> {
        let phase = creation.step.phase();
        let subject = creation.enhances().map(|agent| agent.name.clone());
        let told = match (source, &why) {
            (Source::Heuristic, Some(why)) => {
                let of = subject.as_deref().map(|of| format!("{of}: ")).unwrap_or_default();
                Some(format!("{of}done by heuristics: {why}"))
            }
            (Source::Agent, Some(why)) => Some(why.clone()),
            (_, None) => None,
        };
        if let Some(told) = told {
            (self.tell)(MakerEvent::Warns(told));
        }
        creation.notes.push(Note { phase, subject, source, why: why.clone(), confidence });
        let by = match (source, why) {
            (Source::Agent, _) => {
                format!("agent, confidence {:.2}", confidence.unwrap_or_default())
            }
            (Source::Heuristic, why) => format!("heuristic: {}", why.unwrap_or_default()),
        };
        if let Step::Enhance(at) = creation.step {
            if source == Source::Heuristic {
                self.enhance_by_rules(creation, at);
            }
            if at + 1 < creation.found.agents.len() {
                creation.advance();
                return self.commit(creation);
            }
            let summary = enhanced(creation);
            return self.done(creation, &summary);
        }
        if creation.step == Step::ReviewAgents {
            let agents = creation.found.recommended_agents.len();
            return self
                .done(creation, &format!("{} recommended; {by}", plain::count(agents, "agent")));
        }
        let analysis = creation.analysis();
        let summary =
            format!("read {}: {}; {by}", plain::count(analysis.files, "file"), about(&analysis));
        self.done(creation, &summary)
    }

    fn enhance_by_rules(&mut self, creation: &mut Creation, at: usize) {
        let (analysis, templates) = (creation.analysis(), creation.templates());
        let Some(draft) = creation.found.agents.get(at).cloned() else { return };
        let spec = spec_of(creation, &draft);
        creation.found.agents[at] = crate::agents::enhance(&draft, &spec, &analysis, &templates);
    }
}

/// What an agent's file was drafted from.
fn spec_of(creation: &Creation, draft: &AgentFile) -> crate::package::AgentSpec {
    let specs = &creation.found.recommended_agents;
    specs.iter().find(|spec| spec.name == draft.name).cloned().unwrap_or_default()
}

/// A project in a few words.
pub(super) fn about(analysis: &crate::analysis::Analysis) -> String {
    match &analysis.framework {
        Some(framework) => format!("{} with {framework}", analysis.primary_language),
        None => analysis.primary_language.clone(),
    }
}

/// How the enhancement of all agents went.
fn enhanced(creation: &Creation) -> String {
    let notes: Vec<_> = creation.notes.iter().filter(|note| note.phase == 7).collect();
    let fell: Vec<_> = notes.iter().filter(|note| note.source == Source::Heuristic).collect();
    let mut summary = format!(
        "{} enhanced, {} by an agent",
        plain::count(notes.len(), "agent"),
        notes.len() - fell.len()
    );
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for note in fell {
        let (why, of) = (note.why.as_deref().unwrap_or_default(), note.subject.as_deref());
        let of = of.unwrap_or_default();
        match reasons.iter_mut().find(|(known, _)| *known == why) {
            Some((_, agents)) => agents.push(of),
            None => reasons.push((why, vec![of])),
        }
    }
    for (why, agents) in reasons {
        let _ = write!(summary, "; heuristic: {} ({why})", agents.join(", "));
    }
    summary
}
