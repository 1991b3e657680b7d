//! The schema for an answer that comes without metadata, and a check whether an answer would count.

use std::borrow::Cow;

use consign_contracts::{
    bridge::PhaseName,
    json::{Json, Object},
};

use super::{Answer, Gate, Verdict, confidence, contract, read};
use crate::plain;

/// The schema of an answer that is given as a value: the contract of its phase, with the confidence that
/// metadata would have said and, for an agent's body, the agent that it is about.
#[must_use]
pub fn asked(phase: PhaseName, agent: Option<&str>) -> Json<'static> {
    let mut schema = contract(phase).source();
    if let Json::Object(object) = &mut schema {
        let required = object.get("required").and_then(Json::as_array);
        let mut required = required.map(<[Json<'static>]>::to_vec).unwrap_or_default();
        required.push(Json::from("overall_confidence"));
        object.set("required", Json::Array(required));
    }
    if let (PhaseName::AgentEnhancement, Some(agent)) = (phase, agent) {
        let mut name = Object::new();
        name.set("const", Json::String(Cow::Owned(agent.to_owned())));
        // Every contract of this phase has the member.
        let _ = schema.set_at("/properties/agent_name", Json::Object(name));
    }
    schema
}

/// The confidence of an answer, if it would count. `agent` is the agent whose body is asked for.
///
/// # Errors
/// Why it would not count.
pub fn worth(
    phase: PhaseName,
    agent: Option<&str>,
    text: &str,
    metadata: Option<f64>,
) -> Result<f64, String> {
    let answer = read(phase, text).map_err(|why| why.to_string())?;
    if let (Answer::Enhancement(answer), Some(agent)) = (&answer, agent)
        && plain::slug(&answer.agent_name) != plain::slug(agent)
    {
        return Err(format!("the answer is about {}, not {agent}", answer.agent_name));
    }
    let (sure, least) = (confidence(metadata, &answer), Gate::of(phase).doubt);
    match Gate::of(phase).judge(sure) {
        Verdict::Accepted | Verdict::Doubtful => Ok(sure),
        Verdict::Refused if metadata.is_none() && answer.overall().is_none() => {
            Err(format!("the answer has no confidence, and at least {least} is needed"))
        }
        Verdict::Refused => Err(format!("confidence {sure} is below {least}")),
    }
}

#[cfg(test)]
mod tests {
    use consign_contracts::{json::parse, schema::Schema};

    use super::*;

    const BODY: &str = r#"{"agent_name": "go-tester", "content": "x", "overall_confidence": 0.9}"#;

    #[test]
    fn what_is_asked_for_has_its_confidence_and_its_agent() {
        let keeps = |phase: PhaseName, text: &str| {
            let schema = Schema::compile(&asked(phase, Some("go-tester"))).unwrap();
            schema.check(&parse(text.as_bytes()).unwrap()).breaches.is_empty()
        };
        for (phase, text) in [
            (PhaseName::CodebaseAnalysis, r#"{"technology_stack": {"primary_language": "Go"}}"#),
            (PhaseName::AgentCreation, r#"{"agents": []}"#),
            (PhaseName::AgentEnhancement, r#"{"agent_name": "go-tester", "content": "x"}"#),
        ] {
            assert!(!keeps(phase, text), "{phase} without a confidence");
            let sure = text.replacen('{', r#"{"overall_confidence": 0.9, "#, 1);
            assert!(keeps(phase, &sure), "{phase}: {sure}");
            let strange = text.replacen('{', r#"{"overall_confidence": 7, "#, 1);
            assert!(!keeps(phase, &strange), "{phase}: {strange}");
        }
        let phase = PhaseName::AgentEnhancement;
        assert!(!keeps(phase, &BODY.replace("go-tester", "other")));
        let any = Schema::compile(&asked(phase, None)).unwrap();
        let other = BODY.replace("go-tester", "other");
        assert!(any.check(&parse(other.as_bytes()).unwrap()).breaches.is_empty());
    }

    #[test]
    fn what_an_answer_is_worth_is_said_beforehand() {
        let phase = PhaseName::AgentEnhancement;
        let check = |text: &str, metadata: Option<f64>, expected: Result<f64, &str>| match (
            worth(phase, Some("go-tester"), text, metadata),
            expected,
        ) {
            (Ok(sure), Ok(wanted)) => assert!((sure - wanted).abs() < f64::EPSILON, "{sure}"),
            (Err(why), Err(wanted)) => assert!(why.contains(wanted), "{why}"),
            (found, wanted) => panic!("{text}: {found:?}, not {wanted:?}"),
        };
        check(BODY, None, Ok(0.9));
        check(BODY, Some(0.6), Ok(0.6));
        check(BODY, Some(0.59), Err("confidence 0.59 is below 0.6"));
        check(&BODY.replace("0.9", "0.1"), None, Err("confidence 0.1 is below 0.6"));
        check(&BODY.replace("overall_", ""), None, Err("has no confidence"));
        check(&BODY.replace("go-tester", "other"), None, Err("about other, not go-tester"));
        check("no", None, Err("not JSON"));
        check("{}", Some(1.0), Err("breaks its contract"));
    }
}
