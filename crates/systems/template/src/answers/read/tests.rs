//! Answers as models write them, and malicious ones.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in r#"(?s)([{}\[\]",:]|"agents"|"name"|null|1e9|.){0,80}"#) {
        for phase in PhaseName::ALL {
            if let Err(why) = read(*phase, &text) {
                prop_assert!(!why.to_string().contains(char::is_control), "{why}");
            }
        }
    }
}

const MOCK: &str = r#"{"technology_stack": {"primary_language": "C#", "confidence": 0.95}, "overall_confidence": 0.92}"#;

#[test]
fn what_models_write_around_an_answer_is_passed_over() {
    for text in [
        MOCK.to_owned(),
        format!("```json\n{MOCK}\n```"),
        format!("Here is my analysis:\n\n```json\n{MOCK}\n```\nLet me know!"),
        format!("<think>Is it Go?</think>\n{MOCK}"),
        format!("\u{feff}{MOCK}\n"),
    ] {
        let Ok(Answer::Analysis(answer)) = read(PhaseName::CodebaseAnalysis, &text) else {
            panic!("{text}")
        };
        assert_eq!(answer.technology_stack.primary_language, "C#");
    }
}

#[test]
fn what_is_no_json_is_told_from_what_breaks_the_contract() {
    let deep = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    let long = format!(r#"{{"technology_stack": "{}"}}"#, "x".repeat(LONGEST));
    for text in [
        "",
        "   ",
        "I could not read the project.",
        r#"{"technology_stack": {"primary_language": "C#""#,
        r#"{"technology_stack": {"primary_language": "C#"}, ...}"#,
        &format!("{MOCK}\n{}", MOCK.replace("C#", "Go")),
        &deep,
        &long,
    ] {
        let read = read(PhaseName::CodebaseAnalysis, text);
        let shown = &text[..text.floor_char_boundary(60)];
        let Err(Unusable::NotJson(why)) = read else { panic!("{shown}: {read:?}") };
        assert!((1..=LONGEST_BREACH).contains(&why.chars().count()), "{shown}: {why}");
        assert_eq!(Unusable::NotJson(why).error_type(), ErrorType::ParseError);
    }
    for (text, place) in [
        ("{}", "the document"),
        ("[1]", "the document"),
        (r#"{"technology_stack": "C#"}"#, "/technology_stack"),
        (r#"{"technology_stack": {"primary_language": 7}}"#, "/technology_stack/primary_language"),
        (
            r#"{"technology_stack": {"primary_language": "C#"}, "overall_confidence": 1.01}"#,
            "/overall_confidence",
        ),
        (
            "{\"technology_stack\": {\"primary_language\": \"C#\"}, \"entities\": \"\\u001b[2J\"}",
            "/entities",
        ),
    ] {
        let read = read(PhaseName::CodebaseAnalysis, text);
        let Err(Unusable::Breaks(breaches)) = read else { panic!("{text}: {read:?}") };
        assert!(breaches.iter().any(|breach| breach.starts_with(place)), "{text}: {breaches:?}");
        assert!(!breaches.concat().contains(char::is_control), "{breaches:?}");
    }
}

#[test]
fn many_breaches_are_not_all_told() {
    let agents = vec![r#"{"name": "NOT A NAME", "description": ""}"#; 32].join(",");
    let text = format!(r#"{{"agents": [{agents}]}}"#);
    let Err(Unusable::Breaks(breaches)) = read(PhaseName::AgentCreation, &text) else {
        panic!("it is refused")
    };
    assert_eq!(breaches.len(), MOST_BREACHES);
}

#[test]
fn an_answer_to_another_phase_is_refused() {
    let agents = r#"{"agents": []}"#;
    let body = r#"{"agent_name": "a", "content": "text"}"#;
    for (phase, own) in [
        (PhaseName::CodebaseAnalysis, MOCK),
        (PhaseName::AgentCreation, agents),
        (PhaseName::AgentEnhancement, body),
    ] {
        for text in [MOCK, agents, body] {
            assert_eq!(read(phase, text).is_ok(), text == own, "{phase}: {text}");
        }
    }
}
