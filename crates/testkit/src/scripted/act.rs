//! An act: what one attempt of a scripted agent does.

use std::time::Duration;

use consign_engine::{Attempt, Data, Effect, Failure, Fault, Nanos, Onward, Reply};
use tokio::time::sleep;

use crate::draft::json;

/// So many dollars.
#[must_use]
pub fn usd(dollars: u64) -> Nanos {
    Nanos::new(dollars * 1_000_000_000)
}

/// One attempt: it takes its time, has its effect, and comes to its end.
#[derive(Clone, Debug)]
pub struct Act {
    takes: Span,
    /// Told to stop, it does not listen.
    deaf: bool,
    effect: bool,
    /// `None` if it cannot tell.
    cost: Option<Nanos>,
    onward: Onward,
    words: Vec<String>,
    end: End,
}

#[derive(Clone, Copy, Debug)]
enum Span {
    For(Duration),
    Ever,
}

#[derive(Clone, Debug)]
enum End {
    Answer(Data),
    Echo,
    Fail(Fault),
    Panic,
}

impl Act {
    fn new(end: End, effect: bool) -> Self {
        let cost = Some(Nanos::ZERO);
        let (takes, deaf) = (Span::For(Duration::ZERO), false);
        Self { takes, deaf, effect, cost, onward: Onward::ByClass, words: Vec::new(), end }
    }

    /// Has its effect and gives this answer, in JSON.
    #[must_use]
    pub fn answers(answer: &str) -> Self {
        Self::new(End::Answer(json(answer)), true)
    }

    /// Has its effect and answers with what it was given.
    #[must_use]
    pub fn echoes() -> Self {
        Self::new(End::Echo, true)
    }

    /// Fails without an effect.
    #[must_use]
    pub fn fails(fault: Fault) -> Self {
        Self::new(End::Fail(fault), false)
    }

    /// Fails, and leaves this for the next attempt, in JSON.
    #[must_use]
    pub fn hands_over(fault: Fault, handed: &str) -> Self {
        Self { onward: Onward::HandOver(json(handed)), ..Self::fails(fault) }
    }

    /// Fails, and leaves it to somebody else.
    #[must_use]
    pub fn refers(fault: Fault) -> Self {
        Self { onward: Onward::Refer, ..Self::fails(fault) }
    }

    /// Says this before it comes to its end.
    #[must_use]
    pub fn saying(mut self, words: &[&str]) -> Self {
        self.words = words.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    #[must_use]
    pub fn panics() -> Self {
        Self::new(End::Panic, false)
    }

    /// Has no end until it is told to stop.
    #[must_use]
    pub fn hangs() -> Self {
        Self { takes: Span::Ever, ..Self::echoes() }
    }

    #[must_use]
    pub fn after(mut self, wait: Duration) -> Self {
        self.takes = Span::For(wait);
        self
    }

    /// Does not listen when it is told to stop.
    #[must_use]
    pub fn deaf(mut self) -> Self {
        self.deaf = true;
        self
    }

    #[must_use]
    pub fn costs(mut self, cost: Nanos) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Nobody can tell what it cost.
    #[must_use]
    pub fn costs_who_knows(mut self) -> Self {
        self.cost = None;
        self
    }

    /// It has its effect, also when it fails.
    #[must_use]
    pub fn with_effect(mut self) -> Self {
        self.effect = true;
        self
    }

    /// Takes its time. Says whether it was left to.
    pub(super) async fn delays(&self, attempt: &Attempt) -> bool {
        for word in &self.words {
            attempt.says.text(word);
        }
        let passes = async {
            match self.takes {
                Span::For(Duration::ZERO) => {}
                Span::For(wait) => sleep(wait).await,
                Span::Ever => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = passes => true,
            () = attempt.cancelled(), if !self.deaf => false,
        }
    }

    pub(super) fn has_effect(&self) -> bool {
        self.effect
    }

    pub(super) fn reply(&self, input: &Data) -> Reply {
        let output = match &self.end {
            End::Answer(answer) => answer.clone(),
            End::Echo | End::Fail(_) | End::Panic => input.clone(),
        };
        Reply::new(output, self.cost.unwrap_or_default())
    }

    pub(super) fn stopped(&self, effect: Effect) -> Failure {
        let told = "it was told to stop";
        let fault = match effect {
            Effect::Pure | Effect::Idempotent => Fault::permanent("STOPPED", told),
            Effect::Keyed | Effect::Unsafe => Fault::outcome_unknown("STOPPED", told),
        };
        Failure::new(fault, self.cost)
    }

    pub(super) fn ends(&self, input: &Data) -> Result<Reply, Failure> {
        match &self.end {
            End::Answer(_) | End::Echo => Ok(self.reply(input)),
            End::Fail(fault) => {
                Err(Failure::new(fault.clone(), self.cost).onward(self.onward.clone()))
            }
            End::Panic => panic!("as the script says"),
        }
    }
}
