//! How a job of Scribe takes in what happened to its documents, and any job what happened to its publishing.

use consign_engine::{Data, Fault, Work};

use super::{End, Progress, Step};
use crate::{
    job::{
        AiUsage,
        model::{Said, is_silence},
    },
    publish::Then,
    scribe::{agents::is_source_fault, state::Follows},
};

impl Progress {
    pub(super) fn scribe_done(&mut self, step: Step, key: &str, output: &Data, work: Work) {
        let Some(wanted) = self.wanted() else { return };
        let is_model = step == Step::Think
            || ["write:", "shorter:", "again:", "review:"].iter().any(|word| key.starts_with(word));
        let said = if is_model { self.hear(output, work) } else { Data::null() };
        let is_cut_off = is_model && Said::read(output).cut_off;
        let Some(scribe) = &mut self.scribe else { return };
        let follows = match step {
            Step::Read if key == "read" => {
                let follows = scribe.has_read(output);
                if let Some(source) = &scribe.source {
                    self.publication.looked = Some(source.looked.clone());
                    if let (None, Some(model)) = (&self.ai, &source.model) {
                        self.ai = Some(AiUsage::of(model));
                    }
                }
                follows
            }
            Step::Plan if key == "plan" => scribe.has_planned(output, &self.input, &wanted),
            Step::Think if key == "think" => {
                let plan = self.plan.clone().unwrap_or_default();
                scribe.has_thought(&said, &plan, &self.input, &wanted)
            }
            Step::Make => {
                let follows = scribe.done(key, output, &said, is_cut_off);
                if scribe.all_done() {
                    let before = scribe.files().map(|(_, settled, _)| settled.before.clone());
                    self.publication.before = before.collect();
                }
                follows
            }
            Step::Read
            | Step::Plan
            | Step::Think
            | Step::Reflect
            | Step::Approve
            | Step::Publish
            | Step::Finish
            | Step::Stop => Follows::GoOn,
        };
        self.follow(follows);
    }

    fn follow(&mut self, follows: Follows) {
        match follows {
            Follows::GoOn => {}
            Follows::Planned(plan) => self.plan = Some(plan),
            Follows::Broken(fault) => self.end = Some(End::Failed(fault)),
        }
    }

    /// Takes in what a step of publishing gave.
    pub(super) fn published(&mut self, key: &str, output: Result<&Data, &Fault>) {
        let next = self.publish_next();
        if self.publication.key(next) != key {
            return;
        }
        let was_refreshing = std::mem::take(&mut self.is_refreshing);
        let then = match output {
            Ok(output) => self.publication.done(next, output),
            Err(fault) => {
                // Who only wanted to look may look again.
                match was_refreshing {
                    true => self.publication.rechecks += 1,
                    false => self.publication.failed(next, fault),
                }
                Then::GoOn
            }
        };
        match (then, &mut self.scribe) {
            (Then::Moved { base, head }, Some(scribe)) => {
                scribe.moved(base.clone(), head.clone());
                self.is_approved = false;
                if let Some(looked) = &mut self.publication.looked {
                    (looked.base, looked.head) = (base, head);
                }
            }
            _ if was_refreshing => {
                // Nothing has changed: the same is asked again, and the next answer is looked at again too.
                self.publication.refreshed += 1;
                self.publication.is_same = false;
            }
            _ => {}
        }
    }

    pub(super) fn scribe_failed(&mut self, step: Step, key: &str, fault: &Fault, work: Work) {
        let Some(wanted) = self.wanted() else { return };
        let Some(scribe) = &mut self.scribe else { return };
        let is_ours = step == Step::Make || step.key() == key;
        let follows = match step {
            Step::Read if is_ours && is_source_fault(fault) => {
                scribe.unreadable = Some(fault.message.clone());
                Follows::GoOn
            }
            Step::Make => {
                if let (Some(ai), false) = (&mut self.ai, key.starts_with("check")) {
                    ai.add(work);
                }
                scribe.failed(key, fault)
            }
            // A model without a word leaves the plan by rules (5.3). A plan that cannot be used fails the job.
            Step::Think if is_ours && is_silence(fault) => {
                self.ai.iter_mut().for_each(|ai| ai.add(work));
                scribe.plans_by_rules(&self.input, &wanted);
                Follows::GoOn
            }
            _ if is_ours => Follows::Broken(fault.clone()),
            Step::Read
            | Step::Plan
            | Step::Think
            | Step::Reflect
            | Step::Approve
            | Step::Publish
            | Step::Finish
            | Step::Stop => Follows::GoOn,
        };
        self.follow(follows);
    }
}
