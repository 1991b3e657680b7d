//! The transitions of a pipeline: every way that an envelope can go from one stage to another.
//!
//! Some are not written in the file: the verdicts of a critic lead somewhere without a route too, and after
//! an answer the envelope goes on where it stood.

use consign_contracts::json::Json;

use super::{
    Pipeline, Route, Stage, Target,
    person::APPROVED,
    pipeline::{CRITIC, EXECUTION, INTENT, VERDICTS},
};

/// A way from one stage to another, and when it is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    pub from: usize,
    pub to: Target,
    /// Any of these; whatever comes if there is none.
    pub when: Vec<String>,
    pub kind: Kind,
}

impl Transition {
    /// When it is taken, on one line.
    #[must_use]
    pub fn label(&self) -> String {
        self.when.join(", ")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Usual,
    /// When the stage has failed.
    Error,
    /// When the question was answered.
    Asked,
}

/// Every way from where an envelope can stand. Those that lead to the same place are one.
#[must_use]
pub fn transitions(pipeline: &Pipeline) -> Vec<Transition> {
    let mut ways: Vec<Transition> = Vec::new();
    for from in (0..pipeline.stages.len()).filter(|at| pipeline.turn_of(*at) == *at) {
        for (to, when) in from_stage(pipeline, from) {
            let kind = when.kind();
            let twin = |other: &Transition| (other.from, other.to, other.kind) == (from, to, kind);
            let at = ways.iter().position(twin).unwrap_or_else(|| {
                ways.push(Transition { from, to, when: Vec::new(), kind });
                ways.len() - 1
            });
            ways[at].when.extend(when.words());
        }
    }
    ways
}

/// When a way is taken.
pub(super) enum When<'a> {
    Always,
    Fits(&'a Route),
    /// The critic has said a word that has no route: alone, or beside others.
    Says(&'static str, &'static str),
    Else,
    Failed,
    /// A person has said yes, or no, and no route is for that.
    Approved,
    Rejected,
    Clarified,
    Confirmed,
}

impl When<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::Always | Self::Fits(_) | Self::Says(..) | Self::Else | Self::Approved => {
                Kind::Usual
            }
            Self::Failed | Self::Rejected => Kind::Error,
            Self::Clarified | Self::Confirmed => Kind::Asked,
        }
    }

    fn words(&self) -> Option<String> {
        Some(match self {
            Self::Always => return None,
            Self::Fits(Route { key, equals, .. }) => {
                format!("{} = {}", key.join("."), value(equals))
            }
            Self::Says(key, verdict) => format!("{key} = {verdict}"),
            Self::Else => "else".to_owned(),
            Self::Failed => "failed".to_owned(),
            Self::Approved => "approved".to_owned(),
            Self::Rejected => "rejected".to_owned(),
            Self::Clarified => "clarified".to_owned(),
            Self::Confirmed => "confirmed".to_owned(),
        })
    }
}

/// A value that a route asks for, as it is shown. Text is in quotes unless it can only be text: `"true"` is
/// not `true`, and empty text must be visible.
fn value(value: &Json<'_>) -> String {
    let plain = |text: &&str| {
        let fits = |letter: char| letter.is_alphanumeric() || " _-./".contains(letter);
        let begins = text.starts_with(char::is_alphabetic) && !text.ends_with(' ');
        begins && text.chars().all(fits) && !["true", "false", "null"].contains(text)
    };
    value.as_str().filter(plain).map_or_else(|| value.to_string(), str::to_owned)
}

/// The ways from one stage, in the order in which they are thought of.
pub(super) fn from_stage(pipeline: &Pipeline, from: usize) -> Vec<(Target, When<'_>)> {
    let stage = &pipeline.stages[from];
    let mut ways: Vec<_> = stage.routes.iter().map(|route| (route.to, When::Fits(route))).collect();
    let members = pipeline.members(from);
    let writes = |key: &str| members.iter().find(|at| pipeline.stages[**at].output_key == key);
    if let Some(critic) = writes(CRITIC) {
        let key = if *critic == from { "verdict" } else { "critic.verdict" };
        for verdict in VERDICTS {
            // A verdict for which no stage is meant goes the default way.
            if pipeline.verdict_route(*critic, verdict).is_none()
                && pipeline.meant_by(verdict).is_some()
            {
                let to = pipeline.after_verdict(*critic, verdict);
                ways.push((to, When::Says(key, verdict)));
            }
        }
    }
    if stage.person().is_some_and(|person| person.is_approval()) {
        approval(stage, &mut ways);
        return ways;
    }
    let otherwise = if ways.is_empty() { When::Always } else { When::Else };
    ways.push((stage.default_next, otherwise));
    ways.extend(stage.error_next.map(|to| (to, When::Failed)));
    // A person does not ask back.
    if stage.person().is_some() {
        return ways;
    }
    if writes(INTENT).is_some() {
        ways.push((Target::Stage(from), When::Clarified));
    }
    if writes(EXECUTION).is_some() {
        ways.push((Target::Stage(from), When::Confirmed));
    }
    ways
}

/// The ways from a stage in which a person says yes or no, beside its routes.
fn approval<'a>(stage: &'a Stage, ways: &mut Vec<(Target, When<'a>)>) {
    if verdict_route(stage, true).is_none() {
        ways.push((stage.default_next, When::Approved));
    }
    if verdict_route(stage, false).is_none() {
        ways.extend(stage.error_next.map(|to| (to, When::Rejected)));
    }
    ways.extend(stage.error_next.map(|to| (to, When::Failed)));
}

/// The route for a person's yes or no.
pub(super) fn verdict_route(stage: &Stage, yes: bool) -> Option<&Route> {
    let fits = |route: &&Route| route.key == [APPROVED] && route.equals == Json::Bool(yes);
    stage.routes.iter().find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_could_be_another_value_is_in_quotes() {
        for (text, expected) in [
            ("approved", "approved"),
            ("needs work", "needs work"),
            ("true", "\"true\""),
            ("null", "\"null\""),
            ("1", "\"1\""),
            ("", "\"\""),
            ("so ", "\"so \""),
            ("a, else", "\"a, else\""),
            ("\u{1b}[31m", "\"\\u001b[31m\""),
        ] {
            assert_eq!(value(&Json::from(text)), expected, "{text:?}");
        }
        assert_eq!(value(&Json::Bool(true)), "true");
        assert_eq!(value(&Json::Number(1_u64.into())), "1");
        assert_eq!(value(&Json::Null), "null");
    }
}
