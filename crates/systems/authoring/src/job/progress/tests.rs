//! The order of a job's steps, as a value: what is known, and what follows from it.

use serde_json::json;

use super::*;
use crate::job::JobSettings;

fn job(kind: &str, payload: &serde_json::Value, model: Option<&str>) -> Progress {
    Progress::new(JobInput {
        kind: kind.to_owned(),
        payload: Data::of(payload),
        requires_strict_validation: None,
        settings: JobSettings { model: model.map(str::to_owned), ..JobSettings::default() },
        submitted: None,
        revision: None,
    })
}

fn done(job: &mut Progress, key: &str, output: &serde_json::Value) {
    job.take(&News::Done(key, &Data::of(output), Work::default()));
}

fn failed(job: &mut Progress, key: &str, code: &'static str) {
    let fault = Fault::permanent(code, "it did not work");
    job.take(&News::Failed(key, &fault, Work::default()));
}

fn made() -> serde_json::Value {
    json!({"result": {"ok": true, "agent": "trace", "files": [], "testPlan": "", "coverageMatrix": {},
        "artifacts": [{"filePath": "a.md", "content": "a"}],
        "metadata": {"scenarioCount": 1, "totalTestCases": 1, "specLength": 3}}})
}

#[test]
fn every_job_is_planned_first_and_proto_is_looked_over() {
    let check = |kind: &str, payload: serde_json::Value, model: Option<&str>, expected: &[&str]| {
        let mut job = job(kind, &payload, model);
        let mut steps = Vec::new();
        while !matches!(job.next(), Step::Finish | Step::Stop) {
            let key = job.next().key();
            steps.push(format!("{key} ({})", job.state()));
            match job.next() {
                Step::Plan => done(&mut job, key, &json!({"steps": ["one"]})),
                Step::Think => failed(&mut job, key, "AI_NETWORK_ERROR"),
                Step::Make => done(&mut job, key, &made()),
                Step::Reflect => failed(&mut job, key, "TIMEOUT"),
                Step::Read | Step::Approve | Step::Publish | Step::Finish | Step::Stop => {}
            }
        }
        assert_eq!(steps, expected, "{kind}");
        assert_eq!(job.state(), JobState::Completed);
    };
    check("trace", json!({"spec": "a"}), None, &["plan (pending)", "make (running)"]);
    check("trace", json!({"spec": "a"}), Some("rules"), &["plan (pending)", "make (running)"]);
    check(
        "trace",
        json!({"spec": "a"}),
        Some("gpt-5-mini"),
        &["plan (pending)", "think (running)", "make (running)"],
    );
    check(
        "proto",
        json!({"goal": "a"}),
        None,
        &["plan (pending)", "make (running)", "reflect (running)"],
    );
    // Only Scribe asks.
    check(
        "trace",
        json!({"spec": "a", "requiresApproval": true}),
        None,
        &["plan (pending)", "make (running)"],
    );
}

#[test]
fn a_plan_that_fails_fails_the_job_and_a_model_or_second_look_does_not() {
    let mut planless = job("trace", &json!({"spec": "a"}), None);
    failed(&mut planless, "plan", "AI_KEY_MISSING");
    assert_eq!(planless.state(), JobState::Failed);
    assert_eq!(
        planless.fault().map(|fault| fault.code.into_owned()),
        Some("AI_KEY_MISSING".into())
    );

    let mut mute = job("proto", &json!({"goal": "a"}), Some("gpt-5-mini"));
    done(&mut mute, "plan", &json!({"steps": []}));
    failed(&mut mute, "think", "AI_RATE_LIMITED");
    done(&mut mute, "make", &made());
    failed(&mut mute, "reflect", "TIMEOUT");
    assert_eq!(mute.next(), Step::Finish);
    let result = mute.result().expect("it was made").to::<serde_json::Value>().expect("it is JSON");
    assert_eq!(result["metadata"]["aiError"], "AI_RATE_LIMITED");
    assert_eq!(result["metadata"]["reflection"]["ok"], false);
    assert_eq!(result["metadata"]["committed"], false);
}

#[test]
fn a_cancelled_job_reads_as_failed() {
    let mut cancelled = job("trace", &json!({"spec": "a"}), None);
    cancelled.take(&News::Cancelled);
    assert_eq!(cancelled.state(), JobState::Failed);
    // What comes late changes nothing.
    done(&mut cancelled, "plan", &json!({"steps": []}));
    assert_eq!((cancelled.plan.is_some(), cancelled.state()), (false, JobState::Failed));
}

#[test]
fn strict_validation_holds_the_result_to_its_contract() {
    let mut strict = job("trace", &json!({"spec": "a"}), None);
    strict.input.requires_strict_validation = Some(true);
    let mut loose = strict.clone();
    loose.input.requires_strict_validation = None;
    for job in [&mut strict, &mut loose] {
        done(job, "plan", &json!({"steps": []}));
        done(job, "make", &json!({"result": {"ok": "perhaps"}}));
    }
    assert_eq!(
        strict.fault().map(|fault| fault.code.into_owned()),
        Some("AI_INVALID_RESPONSE".into())
    );
    assert_eq!(loose.state(), JobState::Completed);
}

#[test]
fn only_a_job_with_a_repository_publishes() {
    let steps = |payload: serde_json::Value| {
        let mut job = job("trace", &payload, None);
        done(&mut job, "plan", &json!({"steps": []}));
        done(&mut job, "make", &made());
        job.next()
    };
    assert_eq!(steps(json!({"spec": "a", "owner": "o", "repo": "r"})), Step::Publish);
    assert_eq!(
        steps(json!({"spec": "a", "owner": "o", "repo": "r", "dryRun": true})),
        Step::Finish
    );
    assert_eq!(steps(json!({"spec": "a"})), Step::Finish);
}

#[test]
fn a_repository_out_of_reach_fails_no_job() {
    let mut job = job("trace", &json!({"spec": "a", "owner": "o", "repo": "r"}), None);
    done(&mut job, "plan", &json!({"steps": []}));
    done(&mut job, "make", &made());
    failed(&mut job, "look", "REPOSITORY_UNREACHABLE");
    assert_eq!((job.next(), job.state()), (Step::Finish, JobState::Completed));
    let result: serde_json::Value = job.result().expect("it was made").to().expect("it is JSON");
    assert_eq!(result["metadata"]["githubError"], "it did not work");
    assert_eq!(result["metadata"]["committed"], false);
}

#[test]
fn what_a_model_said_is_in_the_books() {
    let mut job = job("trace", &json!({"spec": "a"}), Some("gpt-5-mini"));
    done(&mut job, "plan", &json!({"steps": []}));
    let said = json!({"answer": {"cases": []}, "model": "openai/gpt-5-mini", "key_source": "user",
        "input_tokens": 10, "output_tokens": 2});
    done(&mut job, "think", &said);
    assert!(matches!(job.thought, Some(Thought::Answered(_))));
    let ai = job.ai.expect("a model was asked");
    assert_eq!(
        (ai.input_tokens, ai.output_tokens, ai.key_source.as_deref()),
        (10, 2, Some("user"))
    );
}
