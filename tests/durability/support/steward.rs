//! The person at the inbox: answers what is asked, truthfully, through the command line.

use serde_json::{Value, json};

use super::{Effects, Home, Outcome, Process};

pub(crate) struct Steward<'a> {
    home: &'a Home,
    effects: Effects,
    /// What is added to a limit that is reached.
    raise: i64,
}

/// Something asked, and the command that answers it.
pub(crate) struct Asked {
    pub(crate) run: String,
    pub(crate) interaction: String,
    args: Vec<String>,
}

const NANOS: f64 = 1e9;

impl<'a> Steward<'a> {
    pub(crate) fn new(home: &'a Home, raise: i64) -> Self {
        Self { home, effects: Effects::of(home), raise }
    }

    /// What is open now.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        let entries = self.home.inbox();
        let look = super::Look::books(&self.home.path());
        let asked = entries.iter().filter_map(|entry| {
            let text = |name: &str| entry[name].as_str().map(str::to_owned);
            let (run, interaction) = (text("run")?, text("interaction")?);
            let cap = look.runs.get(&run)?.cap.unwrap_or(0);
            let args = self.args(&run, &interaction, entry, cap)?;
            Some(Asked { run, interaction, args })
        });
        asked.collect()
    }

    /// The command that answers it. `None` for what others answer.
    fn args(&self, run: &str, interaction: &str, entry: &Value, cap: i64) -> Option<Vec<String>> {
        let value = if interaction.starts_with("@limit@") {
            if entry["code"] == "LIMIT_OWNER" {
                return None;
            }
            let cost = usd(cap + self.raise);
            // Both ways are the same to the run; either is used for half of them.
            if run.starts_with(|first: char| first.is_ascii_digit()) {
                let cost = cost.to_string();
                return Some(words(&["runs", "raise", run, "--json", "--cost", &cost]));
            }
            json!({"cost_usd": cost})
        } else if interaction.starts_with("@outcome:") {
            self.effects.truth(run, interaction)
        } else {
            assert!(!interaction.starts_with('@'), "nothing here is stuck: {entry}");
            json!(true)
        };
        let value = value.to_string();
        Some(words(&["runs", "answer", run, interaction, "--json", "--value", &value]))
    }

    pub(crate) fn answer(&self, asked: &Asked) -> Process {
        self.home.start(self.home.command(&asked.args))
    }

    /// Answers everything that is open, once around. Says what came of each.
    pub(crate) fn answer_all(&self) -> Vec<(Asked, Outcome)> {
        let answer = |asked: Asked| {
            let outcome = self.answer(&asked).wait();
            (asked, outcome)
        };
        self.asked().into_iter().map(answer).collect()
    }
}

/// A command line.
pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Nano-dollars as dollars.
#[expect(clippy::cast_precision_loss, reason = "a few dollars")]
pub(crate) fn usd(nanos: i64) -> f64 {
    nanos as f64 / NANOS
}
