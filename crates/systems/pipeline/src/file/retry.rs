//! When and how often the call of a stage is tried again: `tries`, or `retry` with all of it.

use std::{sync::Arc, time::Duration};

use consign_contracts::{engine::PipelineStage, json::Number, suggest::nearest, wire::Integer};
use consign_engine::{Retry, RetryOn, TIMEOUT, parse_duration};

use super::read::{DURATION, PipelineReader};
use crate::envelope::number;

/// The codes of faults that may pass. An agent may have codes of its own besides.
const CODES: [&str; 15] = [
    TIMEOUT,
    "EXIT_STATUS",
    "SUBPROCESS_KILLED",
    "SUBPROCESS_TIMEOUT",
    "HTTP_AGENT_FAILED",
    "HTTP_AGENT_LOST",
    "HTTP_AGENT_TIMEOUT",
    "HTTP_AGENT_UNREACHED",
    "MCP_TIMEOUT",
    "MCP_TOOL_FAILED",
    "MCP_UNAVAILABLE",
    "AI_RATE_LIMITED",
    "AI_NETWORK_ERROR",
    "AI_PROVIDER_ERROR",
    "AI_INVALID_RESPONSE",
];

impl PipelineReader<'_> {
    pub(super) fn retry(&mut self, stage: &str, written: &PipelineStage) -> Retry {
        let (name, usual) = (&written.name, Retry::default());
        let Some(own) = &written.retry else {
            return Retry { tries: tries(written.tries.as_ref()), ..usual };
        };
        if written.tries.is_some() {
            let what = format!("stage {name:?} has `tries` and `retry`: write retry.tries");
            self.refuse(&format!("{stage}/tries"), what);
        }
        let mut wait = |key: &str, text: &Option<String>, usual: Duration| {
            let Some(text) = text else { return usual };
            let wait = parse_duration(text);
            if wait.is_none() {
                let what = format!("retry.{key} of {name:?} is {text:?}: {DURATION}");
                self.refuse(&format!("{stage}/retry/{key}"), what);
            }
            wait.unwrap_or(usual)
        };
        let first = wait("first", &own.first, usual.first);
        let longest = wait("most", &own.most, usual.longest).max(first);
        let factor = own.factor.as_ref().map_or(usual.factor, Number::as_f64);
        let on = own.on.as_deref().map_or(RetryOn::Any, |codes| self.retry_on(stage, name, codes));
        let tries = tries(own.tries.as_ref());
        Retry { tries, first, factor, longest, on, exact: false }
    }

    fn retry_on(&mut self, stage: &str, name: &str, codes: &[String]) -> RetryOn {
        let (not, only): (Vec<_>, Vec<_>) = codes.iter().partition(|code| code.starts_with('!'));
        let bare = |codes: &[&String]| -> Arc<[String]> {
            codes.iter().map(|code| code.trim_start_matches('!').to_owned()).collect()
        };
        let is_code = |code: &String| {
            let mut letters = code.chars();
            letters.next().is_some_and(|first| first.is_ascii_uppercase())
                && letters.all(|letter| matches!(letter, 'A'..='Z' | '0'..='9' | '_'))
        };
        let at = format!("{stage}/retry/on");
        for code in bare(&codes.iter().collect::<Vec<_>>()).iter().filter(|code| !is_code(code)) {
            let what = format!("retry.on of {name:?} has {code:?}: a code is such as EXIT_STATUS");
            self.refuse(&at, what);
        }
        for code in bare(&codes.iter().collect::<Vec<_>>()).iter() {
            let near = nearest(code, CODES).filter(|near| near != code);
            if let Some(near) = near.filter(|_| is_code(code)) {
                self.refuse(
                    &at,
                    format!("retry.on of {name:?} has {code:?}; did you mean {near:?}?"),
                );
            }
        }
        if !not.is_empty() && !only.is_empty() {
            let what =
                format!("retry.on of {name:?} has codes with and without `!`: write one kind");
            self.refuse(&at, what);
        }
        if only.is_empty() { RetryOn::Except(bare(&not)) } else { RetryOn::Only(bare(&only)) }
    }
}

fn tries(written: Option<&Integer>) -> u32 {
    u32::try_from(number(written, 3)).unwrap_or(3)
}
