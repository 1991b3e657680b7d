//! Judges texts that enter or leave a conversation.
//!
//! [`Guard::check_input`] is for what a person says, [`Guard::check_output`] for an answer, and
//! [`Guard::passage`] for text that was retrieved: that is data, and what it tells an assistant to do is cut
//! out. Each is a function of the text, the [`Options`] and the [`Marks`]: nothing here reads a clock, a
//! file or a network, and no text makes it fail. Texts of any length are looked at to the end, in windows.
//!
//! A caller that cannot run a check to its end (out of time, a panic caught) must treat the text as blocked:
//! [`Verdict::blocked`] is that verdict.

mod classifier;
mod decode;
mod marks;
mod passage;
mod personal;
mod threats;
mod verdict;
mod view;
mod windows;

use std::collections::BTreeSet;

#[doc(hidden)]
pub use classifier::{BUCKETS, features};
pub use marks::{Kept, Marks};
pub use passage::{Passage, REMOVED, Span};
pub use personal::PersonalData;
pub use verdict::{Finding, Risk, Verdict};

/// The threshold when none is set. docs/guardrails.md has the curve that it was taken from.
pub const THRESHOLD: f64 = 0.45;

/// What to judge by.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// From this score on a text is blocked, in 0..=1. A number outside is taken as the nearest end, and one that is
    /// not a number as 0, which blocks everything.
    pub threshold: f64,
    /// Whether names and places are personal data, too.
    pub redact_entities: bool,
    /// What personal data an answer may carry.
    pub output_allow: BTreeSet<PersonalData>,
}

impl Default for Options {
    fn default() -> Self {
        Self { threshold: THRESHOLD, redact_entities: false, output_allow: BTreeSet::new() }
    }
}

/// Judges texts by one set of [`Options`]. Cheap to make; its tables are built when the first text comes.
#[derive(Clone, Debug)]
pub struct Guard {
    options: Options,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

impl Guard {
    #[must_use]
    pub fn new(mut options: Options) -> Self {
        options.threshold =
            if options.threshold.is_nan() { 0.0 } else { options.threshold.clamp(0.0, 1.0) };
        Self { options }
    }

    /// Judges what a person says. Personal data is redacted and the text goes on.
    pub fn check_input(&self, text: &str, marks: &mut Marks) -> Verdict {
        self.check(text, marks, Side::Input)
    }

    /// Judges an answer. Personal data that is not allowed makes it unsafe.
    pub fn check_output(&self, text: &str, marks: &mut Marks) -> Verdict {
        self.check(text, marks, Side::Output)
    }

    /// Retrieved text without what it tells an assistant to do.
    #[must_use]
    pub fn passage(&self, text: &str) -> Passage {
        passage::neutralise(text, self.options.threshold)
    }

    /// How sure each kind of threat is. For measuring.
    #[doc(hidden)]
    #[must_use]
    pub fn scores(&self, text: &str) -> [(Risk, f64); 3] {
        let threats = threats::look(text);
        [Risk::Injection, Risk::MaliciousCode, Risk::HateSpeech]
            .map(|risk| (risk, threats.worst(risk).unwrap_or(0.0)))
    }

    fn check(&self, text: &str, marks: &mut Marks, side: Side) -> Verdict {
        let threats = threats::look(text);
        if let Some(verdict) = verdict::blocked(&threats, self.options.threshold) {
            return verdict;
        }
        let mut values = personal::find(text, self.options.redact_entities);
        if side == Side::Output {
            values.retain(|value| !self.options.output_allow.contains(&value.kind));
        }
        verdict::redacted(text, &values, threats.score(), marks, side == Side::Input)
    }
}
