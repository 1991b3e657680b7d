//! The confidence that an answer needs to count.

use consign_contracts::{bridge::PhaseName, json::Number};

use super::Answer;

/// Two thresholds: from the upper one on an answer counts, from the lower one on with a warning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    pub accept: f64,
    pub doubt: f64,
}

/// The decision of a gate about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Accepted,
    /// It counts, with a warning in the report.
    Doubtful,
    /// It does not count; the findings of the rules stay.
    Refused,
}

impl Gate {
    #[must_use]
    pub const fn of(phase: PhaseName) -> Self {
        match phase {
            PhaseName::CodebaseAnalysis | PhaseName::AgentCreation => {
                Self { accept: 0.85, doubt: 0.70 }
            }
            PhaseName::AgentEnhancement => Self { accept: 0.80, doubt: 0.60 },
        }
    }

    #[must_use]
    pub fn judge(self, confidence: f64) -> Verdict {
        // No comparison holds for what is not a number, so that is refused too.
        if confidence >= self.accept {
            Verdict::Accepted
        } else if confidence >= self.doubt {
            Verdict::Doubtful
        } else {
            Verdict::Refused
        }
    }
}

impl Answer {
    /// The confidence that the answer states itself.
    #[must_use]
    pub fn overall(&self) -> Option<f64> {
        let own = match self {
            Self::Analysis(answer) => answer.overall_confidence.as_ref(),
            Self::Agents(answer) => answer.overall_confidence.as_ref(),
            Self::Enhancement(answer) => answer.overall_confidence.as_ref(),
        };
        own.map(Number::as_f64)
    }
}

/// The confidence of an answer: from its metadata, else from the answer itself, else zero.
#[must_use]
pub fn confidence(metadata: Option<f64>, answer: &Answer) -> f64 {
    let sure = metadata.or_else(|| answer.overall()).unwrap_or(0.0);
    if sure.is_nan() { 0.0 } else { sure.clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::read;

    #[test]
    fn each_gate_at_its_edges() {
        use Verdict::{Accepted, Doubtful, Refused};
        let table = [
            (1.0, Accepted, Accepted),
            (0.85, Accepted, Accepted),
            (0.849_999_9, Doubtful, Accepted),
            (0.8, Doubtful, Accepted),
            (0.799_999_9, Doubtful, Doubtful),
            (0.7, Doubtful, Doubtful),
            (0.6999, Refused, Doubtful),
            (0.6, Refused, Doubtful),
            (0.5999, Refused, Refused),
            (0.0, Refused, Refused),
            (f64::NAN, Refused, Refused),
        ];
        for (sure, early, late) in table {
            let judged = PhaseName::ALL.iter().map(|phase| Gate::of(*phase).judge(sure));
            assert_eq!(judged.collect::<Vec<_>>(), [early, early, late], "{sure}");
        }
    }

    #[test]
    fn the_metadata_counts_before_the_answer_and_silence_is_no_confidence() {
        let answer = |own: &str| {
            let text = format!(r#"{{"agents": []{own}}}"#);
            read(PhaseName::AgentCreation, &text).unwrap()
        };
        let check = |metadata: Option<f64>, own: &str, sure: f64| {
            let found = confidence(metadata, &answer(own));
            assert!((found - sure).abs() < f64::EPSILON, "{metadata:?} {own}: {found}");
        };
        check(Some(0.9), r#", "overall_confidence": 0.1"#, 0.9);
        check(Some(0.0), r#", "overall_confidence": 0.9"#, 0.0);
        check(None, r#", "overall_confidence": 0.85"#, 0.85);
        check(None, "", 0.0);
        check(Some(f64::NAN), "", 0.0);
        check(Some(7.0), "", 1.0);
        let at_the_edge = confidence(None, &answer(r#", "overall_confidence": 0.85"#));
        assert_eq!(Gate::of(PhaseName::AgentCreation).judge(at_the_edge), Verdict::Accepted);
    }
}
