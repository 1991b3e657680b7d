//! A document in the making, with the stage that it has come to.

use serde::{Deserialize, Serialize};

use super::{agents::Settled, text::whole_sections};

/// A document in the making.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Draft {
    pub(crate) path: String,
    pub(super) stage: Stage,
    /// Files that the model was shown, and how many it was not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) sources: Vec<String>,
    #[serde(default)]
    pub(crate) left_out: usize,
    /// What the model wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) written: Option<String>,
    /// What the model wrote was cut off, also when it was asked for less: only whole sections were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cut_off: Option<CutOff>,
    /// It was right as it was.
    #[serde(default)]
    pub(crate) left_alone: bool,
    /// What was not found the first time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) asked_about: Vec<String>,
    /// The code of the failure of the model that was to write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) settled: Option<Settled>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) review: Option<Review>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Stage {
    Brief,
    Write {
        prompt: String,
    },
    /// The text was cut off: a shorter one is asked for.
    Shorter {
        prompt: String,
    },
    Check {
        may_ask: bool,
    },
    Again {
        prompt: String,
    },
    Review {
        prompt: String,
    },
    Done,
}

/// What a text that ends in the middle has lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CutOff {
    /// The heading of the section that it ends in; none if nothing of the text is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) section: Option<String>,
}

/// What a second reading said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Review {
    pub(crate) issues: Vec<String>,
    pub(crate) suggestions: Vec<String>,
    pub(crate) score: f64,
}

impl Review {
    /// The score, from 0 to 100.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is held between 0 and 100"
    )]
    pub(crate) fn points(&self) -> u32 {
        self.score.clamp(0.0, 100.0).round() as u32
    }
}

impl Draft {
    pub(super) fn new(path: &str, stage: Stage) -> Self {
        Self {
            path: path.to_owned(),
            stage,
            sources: Vec::new(),
            left_out: 0,
            written: None,
            cut_off: None,
            left_alone: false,
            asked_about: Vec::new(),
            failed: None,
            settled: None,
            review: None,
        }
    }

    /// Whether a model gave a text for it.
    pub(crate) fn was_written(&self) -> bool {
        self.written.is_some()
    }

    /// Keeps the whole sections of the text that there is.
    pub(super) fn keep_whole_sections(&mut self) {
        let (whole, section) = whole_sections(self.written.as_deref().unwrap_or_default());
        self.cut_off = Some(CutOff { section });
        self.written = Some(whole);
    }
}
