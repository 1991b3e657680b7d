//! Everything that can happen to a job of three phases, row by row: its status, exit code, files, history, audit log and
//! recovery points. Every history is replayed.

use std::os::unix::fs::symlink;

use super::trial::Trial;

/// What happens, and what it must come to.
struct Row {
    what: &'static str,
    /// The script, then what a person does each time that the job stops.
    plays: &'static str,
    then: &'static [&'static str],
    /// Status and exit code of the last command.
    ends: (&'static str, i32),
    history: &'static str,
    audit: &'static str,
    files: &'static str,
    points: &'static str,
}

const ALL: &str = "phase-1-complete phase-2-complete phase-3-complete";

#[expect(clippy::too_many_arguments, reason = "a row of a table has its columns")]
const fn row(
    what: &'static str,
    plays: &'static str,
    then: &'static [&'static str],
    ends: (&'static str, i32),
    history: &'static str,
    audit: &'static str,
    files: &'static str,
    points: &'static str,
) -> Row {
    Row { what, plays, then, ends, history, audit, files, points }
}

const STUCK: (&str, i32) = ("INTERVENTION_REQUIRED", 43);
const DONE: (&str, i32) = ("SUCCESS", 0);
/// Two phases that are completed without files.
const REST: &str = "W2C>R S2C>P W3C>R S3C>S";

fn check(rows: &[Row], options: &[&str]) {
    for row in rows {
        let mut trial = Trial::new(options);
        let hostile = row.plays.contains("evidence-");
        if hostile {
            prepare(&trial);
        }
        trial.play(row.plays);
        for command in row.then {
            let words: Vec<&str> = command.splitn(2, ' ').collect();
            let text = words.get(1).copied().unwrap_or("so");
            match words[0] {
                "advise" => trial.job("advise", &[text, "--run"]),
                "reset" => trial.job("advise", &[text, "--reset", "--run"]),
                "halt" => trial.job("advise", &["--halt"]),
                "approve" => trial.job("approve", &["--run"]),
                "reject" => trial.job("reject", &[text, "--run"]),
                "cancel" => trial.job("cancel", &[]),
                "step" | "run" => trial.job(words[0], &[]),
                other => panic!("{other}"),
            };
        }
        let last = trial.last.as_ref().expect("it is there");
        let what = format!("{}\n{}\n{}", row.what, last.stdout, last.stderr);
        assert_eq!((trial.status().as_str(), last.code), (row.ends.0, Some(row.ends.1)), "{what}");
        let history = row.history.replace("…", REST);
        assert_eq!(trial.told(), history, "{what}");
        assert_eq!(trial.audit(), row.audit, "{what}");
        assert_eq!(trial.points(), row.points, "{what}");
        let files = trial.files();
        let files: Vec<_> =
            files.split(' ').filter(|name| !name.is_empty() && !is_prepared(name)).collect();
        assert_eq!(files.join(" "), row.files, "{what}");
        trial.home.run(&["job", "replay", trial.job]).exits(0);
        let (spent, cost) = sums(&trial);
        assert!((spent - cost).abs() < 1e-9, "{what}: {spent} and {cost}");
    }
}

/// What the manifest says was spent, and what the history adds up to, both in cents.
fn sums(trial: &Trial) -> (f64, f64) {
    let metrics = trial.manifest()["metrics"].clone();
    let number = |name: &str| metrics[name].as_f64().expect("it is there");
    let history = trial.history();
    let costs = history["interactions"].as_array().expect("it is there").iter();
    let costs: f64 =
        costs.map(|own| own["response"]["cost_usd"].as_f64().expect("it is there") * 100.0).sum();
    (number("cumulative_cost") - number("assumed_cost"), costs)
}

/// Links of every kind, for evidence that names them.
fn prepare(trial: &Trial) {
    let workspace = trial.directory().join("workspace");
    std::fs::create_dir(workspace.join("folder")).expect("it is there");
    std::fs::write(workspace.join("inside.txt"), "inside").expect("it is there");
    for (name, target) in [
        ("link-out", "/etc/hostname"),
        ("link-dangling", "../nowhere"),
        ("link-loop", "link-loop"),
        ("link-inside", "inside.txt"),
    ] {
        symlink(target, workspace.join(name)).expect("it is there");
    }
}

fn is_prepared(name: &str) -> bool {
    name.starts_with("link-") || ["folder", "inside.txt"].contains(&name)
}

#[test]
fn work_goes_on_is_sent_back_and_is_helped_on() {
    check(
        &[
            row(
                "success at first try",
                "wC sC wC sC wC sC",
                &[],
                DONE,
                "W1C>R S1C>P W2C>R S2C>P W3C>R S3C>S",
                "",
                "f0.txt f2.txt f4.txt",
                ALL,
            ),
            row(
                "one review sent back",
                "wC sR wC sC .",
                &[],
                DONE,
                "W1C>R S1R>P W1C>R S1C>P …",
                "",
                "f2.txt",
                ALL,
            ),
            row(
                "sent back in the second phase",
                "wC sC wC sR wC sC .",
                &[],
                DONE,
                "W1C>R S1C>P W2C>R S2R>P W2C>R S2C>P W3C>R S3C>S",
                "",
                "f0.txt f4.txt",
                ALL,
            ),
            row(
                "the worker begins again by itself",
                "wR wC sC .",
                &[],
                DONE,
                "W1R>P W1C>R S1C>P …",
                "",
                "f1.txt",
                ALL,
            ),
            row(
                "three times sent back",
                "wC sR wC sR wC sR wC sC .",
                &[],
                DONE,
                "W1C>R S1R>P W1C>R S1R>P W1C>R S1R>P W1C>R S1C>P …",
                "",
                "f6.txt",
                ALL,
            ),
            row(
                "a fourth RETRY of the supervisor",
                "wC sR wC sR wC sR wC sR",
                &[],
                STUCK,
                "W1C>R S1R>P W1C>R S1R>P W1C>R S1R>P W1C>R S1R>I",
                "",
                "f6.txt",
                "",
            ),
            row(
                "a fourth RETRY of the worker",
                "wR wR wR wR",
                &[],
                STUCK,
                "W1R>P W1R>P W1R>P W1R>I",
                "",
                "",
                "",
            ),
            row(
                "RETRY counts both roles together",
                "wR wC sR wR wC sR",
                &[],
                STUCK,
                "W1R>P W1C>R S1R>P W1R>P W1C>R S1R>I",
                "",
                "f4.txt",
                "",
            ),
            row(
                "the count begins anew in the next phase",
                "wR wR wR wC sC wR wR wR wC sC .",
                &[],
                DONE,
                "W1R>P W1R>P W1R>P W1C>R S1C>P W2R>P W2R>P W2R>P W2C>R S2C>P W3C>R S3C>S",
                "",
                "f3.txt f8.txt",
                ALL,
            ),
            row(
                "advice after the fourth resumes the supervisor",
                "wC sR wC sR wC sR wC sR sC .",
                &["advise"],
                DONE,
                "W1C>R S1R>P W1C>R S1R>P W1C>R S1R>P W1C>R S1R>I S1C>P …",
                "",
                "f6.txt",
                ALL,
            ),
            row(
                "advice begins the count anew",
                "wR wR wR wR wR wR wR wC sC .",
                &["advise"],
                DONE,
                "W1R>P W1R>P W1R>P W1R>I W1R>P W1R>P W1R>P W1C>R S1C>P …",
                "",
                "f7.txt",
                ALL,
            ),
            row("worker stuck", "wS", &[], STUCK, "W1S>I", "", "", ""),
            row(
                "worker stuck, advised, done",
                "wS wC sC .",
                &["advise"],
                DONE,
                "W1S>I W1C>R S1C>P …",
                "",
                "f1.txt",
                ALL,
            ),
            row(
                "worker stuck twice",
                "wS wS wC sC .",
                &["advise", "advise"],
                DONE,
                "W1S>I W1S>I W1C>R S1C>P …",
                "",
                "f2.txt",
                ALL,
            ),
            row("supervisor stuck", "wC sS", &[], STUCK, "W1C>R S1S>I", "", "f0.txt", ""),
            row(
                "supervisor stuck, advised, goes on in review",
                "wC sS sC .",
                &["advise"],
                DONE,
                "W1C>R S1S>I S1C>P …",
                "",
                "f0.txt",
                ALL,
            ),
            row(
                "supervisor stuck, advised, sends back",
                "wC sS sR wC sC .",
                &["advise"],
                DONE,
                "W1C>R S1S>I S1R>P W1C>R S1C>P …",
                "",
                "f3.txt",
                ALL,
            ),
            row(
                "supervisor stuck, advised with reset",
                "wC sS wC sC .",
                &["reset"],
                DONE,
                "W1C>R S1S>I W1C>R S1C>P …",
                "",
                "f2.txt",
                ALL,
            ),
            row("stuck and halted", "wS", &["halt"], ("CANCELED", 0), "W1S>I", "", "", ""),
            row(
                "stuck in review and halted",
                "wC sC wC sS",
                &["halt"],
                ("CANCELED", 0),
                "W1C>R S1C>P W2C>R S2S>I",
                "",
                "f0.txt f2.txt",
                "phase-1-complete",
            ),
            row("stuck and canceled", "wS", &["cancel"], ("CANCELED", 0), "W1S>I", "", "", ""),
            row(
                "stuck in the last phase",
                "wC sC wC sC wS",
                &[],
                STUCK,
                "W1C>R S1C>P W2C>R S2C>P W3S>I",
                "",
                "f0.txt f2.txt",
                "phase-1-complete phase-2-complete",
            ),
            row("driven while stuck", "wS", &["run"], STUCK, "W1S>I", "", "", ""),
            row("stepped while stuck", "wS", &["step"], STUCK, "W1S>I", "", "", ""),
            row("driven after the end", ".", &["run"], DONE, "W1C>R S1C>P …", "", "", ALL),
            row(
                "stepped after the end",
                ".",
                &["step"],
                ("SUCCESS", 1),
                "W1C>R S1C>P …",
                "",
                "",
                ALL,
            ),
            row(
                "driven after a halt",
                "wS",
                &["halt", "run"],
                ("CANCELED", 1),
                "W1S>I",
                "",
                "",
                "",
            ),
        ],
        &[],
    );
}

#[test]
fn calls_fail() {
    check(
        &[
            row(
                "a timeout is never tried again",
                "w!timeout wC sC .",
                &[],
                STUCK,
                "W1S!t>I",
                "0:TIMEOUT",
                "",
                "",
            ),
            row(
                "a timeout, advised",
                "w!timeout wC sC .",
                &["advise"],
                DONE,
                "W1S!t>I W1C>R S1C>P …",
                "0:TIMEOUT",
                "f1.txt",
                ALL,
            ),
            row(
                "a timeout of the supervisor",
                "wC s!timeout sC .",
                &["advise"],
                DONE,
                "W1C>R S1S!t>I S1C>P …",
                "1:TIMEOUT",
                "f0.txt",
                ALL,
            ),
            row("a missing key", "w!key", &[], STUCK, "W1S!e>I", "0:AI_KEY_MISSING", "", ""),
            row(
                "a missing key, advised",
                "w!key wC sC .",
                &["advise"],
                DONE,
                "W1S!e>I W1C>R S1C>P …",
                "0:AI_KEY_MISSING",
                "f1.txt",
                ALL,
            ),
            row(
                "a missing key of the supervisor",
                "wC s!key",
                &[],
                STUCK,
                "W1C>R S1S!e>I",
                "1:AI_KEY_MISSING",
                "f0.txt",
                "",
            ),
            row(
                "the script has nothing left",
                "wC",
                &[],
                STUCK,
                "W1C>R S1S!e>I",
                "1:AGENT_NOT_FOUND",
                "f0.txt",
                "",
            ),
        ],
        &[],
    );
}

#[test]
fn three_api_errors_and_then_success() {
    check(
        &[row(
            "three API errors, then success",
            "w!api w!api w!api wC sC .",
            &[],
            DONE,
            "W1C>R S1C>P …",
            "",
            "f3.txt",
            ALL,
        )],
        &[],
    );
}

#[test]
fn four_api_errors() {
    check(
        &[row(
            "four API errors",
            "w!api w!api w!api w!api wC sC .",
            &[],
            STUCK,
            "W1S!e>I",
            "0:AI_NETWORK_ERROR",
            "",
            "",
        )],
        &[],
    );
}

#[test]
fn an_api_error_of_the_supervisor_does_not_cost_the_work() {
    check(
        &[row(
            "an API error in review",
            "wC s!api sC .",
            &[],
            DONE,
            "W1C>R S1C>P …",
            "",
            "f0.txt",
            ALL,
        )],
        &[],
    );
}

/// An answer of the worker that is taken for STUCK.
const fn broken(what: &'static str, plays: &'static str, audit: &'static str) -> Row {
    row(what, plays, &[], STUCK, "W1S!e>I", audit, "", "")
}

#[test]
fn answers_break_the_protocol() {
    let rows = [
        broken("no JSON", "w:not-json .", "0:RESPONSE_MALFORMED"),
        broken("prose before it", "w:prose-before .", "0:RESPONSE_MALFORMED"),
        broken("prose after it", "w:prose-after .", "0:RESPONSE_MALFORMED"),
        broken("a fence", "w:fence .", "0:RESPONSE_MALFORMED"),
        broken("two objects", "w:two-objects .", "0:RESPONSE_MALFORMED"),
        broken("two lines", "w:two-lines .", "0:RESPONSE_MALFORMED"),
        broken("cut off", "w:cut-off .", "0:RESPONSE_MALFORMED"),
        broken("a duplicate key", "w:duplicate-key .", "0:RESPONSE_MALFORMED"),
        broken("an array", "w:array .", "0:SCHEMA_INVALID"),
        broken("an empty object", "w:empty-object .", "0:SCHEMA_INVALID"),
        broken("an unknown action", "w:unknown-action .", "0:ACTION_INVALID"),
        broken("an action in small letters", "w:small-action .", "0:ACTION_INVALID"),
        broken("a null action", "w:null-action .", "0:ACTION_INVALID"),
        broken("no action", "w:no-action .", "0:SCHEMA_INVALID"),
        broken("no evidence list", "w:no-evidence .", "0:SCHEMA_INVALID"),
        broken("evidence that is a text", "w:evidence-text .", "0:SCHEMA_INVALID"),
        broken("evidence of numbers", "w:evidence-numbers .", "0:SCHEMA_INVALID"),
        broken("no summary", "w:no-summary .", "0:SUMMARY_MISSING"),
        broken("an empty summary", "w:empty-summary .", "0:SUMMARY_MISSING"),
        broken("a blank summary", "w:blank-summary .", "0:SUMMARY_MISSING"),
        broken("501 characters", "w:summary-501 .", "0:SCHEMA_INVALID"),
        broken("a file above", "w:file-above .", "0:PATH_OUTSIDE"),
        broken("a file that is a number", "w:file-number .", "0:SCHEMA_INVALID"),
        row(
            "broken, advised",
            "w:not-json wC sC .",
            &["advise"],
            DONE,
            "W1S!e>I W1C>R S1C>P …",
            "0:RESPONSE_MALFORMED",
            "f1.txt",
            ALL,
        ),
        row(
            "the supervisor breaks it",
            "wC s:fence",
            &[],
            STUCK,
            "W1C>R S1S!e>I",
            "1:RESPONSE_MALFORMED",
            "f0.txt",
            "",
        ),
        row(
            "the supervisor breaks it, and is advised",
            "wC s:fence sC .",
            &["advise"],
            DONE,
            "W1C>R S1S!e>I S1C>P …",
            "1:RESPONSE_MALFORMED",
            "f0.txt",
            ALL,
        ),
    ];
    check(&rows, &[]);
}

/// An answer of the worker that is accepted.
const fn accepted(
    what: &'static str,
    plays: &'static str,
    audit: &'static str,
    files: &'static str,
) -> Row {
    row(what, plays, &[], DONE, "W1C>R S1C>P …", audit, files, ALL)
}

#[test]
fn answers_are_accepted_with_or_without_a_warning() {
    let rows = [
        accepted("500 characters", "w:summary-500 .", "", ""),
        accepted("500 characters of two bytes", "w:summary-500-wide .", "", ""),
        accepted("three sentences", "w:three-sentences .", "", ""),
        accepted("four sentences", "w:four-sentences .", "0:SUMMARY_LONG", ""),
        accepted("members of its own", "w:more-members .", "", ""),
        accepted("missing evidence", "w:missing-evidence .", "0:EVIDENCE_MISSING", ""),
        accepted(
            "two missing files",
            "w:missing-twice .",
            "0:EVIDENCE_MISSING 0:EVIDENCE_MISSING",
            "",
        ),
        accepted("it brings a file", "w:file .", "0:EVIDENCE_UNDECLARED", "new.txt"),
        accepted("a link that stays inside", "w:evidence-link-inside .", "", ""),
        accepted("a folder", "w:evidence-folder .", "", ""),
        row("STUCK brings no files", "w:file-stuck", &[], STUCK, "W1S>I", "", "", ""),
        row(
            "RETRY brings no files",
            "w:retry-with-file .",
            &[],
            DONE,
            "W1R>P W1C>R S1C>P …",
            "",
            "",
            ALL,
        ),
    ];
    check(&rows, &[]);
}

#[test]
fn evidence_leads_out_of_the_workspace() {
    let rows = [
        broken("above", "w:evidence-above .", "0:PATH_OUTSIDE"),
        broken("through `..`", "w:evidence-inside-above .", "0:PATH_OUTSIDE"),
        broken("absolute", "w:evidence-absolute .", "0:PATH_OUTSIDE"),
        broken("empty", "w:evidence-empty .", "0:PATH_OUTSIDE"),
        broken("a dot", "w:evidence-dot .", "0:PATH_OUTSIDE"),
        broken("NUL", "w:evidence-nul .", "0:PATH_OUTSIDE"),
        broken("a link out", "w:evidence-link .", "0:PATH_OUTSIDE"),
        broken("a dangling link out", "w:evidence-dangling .", "0:PATH_OUTSIDE"),
        broken("a loop of links", "w:evidence-loop .", "0:PATH_OUTSIDE"),
        row(
            "of the supervisor",
            "wC s:evidence-above",
            &[],
            STUCK,
            "W1C>R S1S!e>I",
            "1:PATH_OUTSIDE",
            "f0.txt",
            "",
        ),
    ];
    check(&rows, &[]);
}

#[test]
fn a_person_approves_or_rejects_the_end() {
    let waits = ("REVIEWING", 43);
    let all = "W1C>R S1C>P W2C>R S2C>P W3C>R S3C>R";
    let rows = [
        row(
            "it waits for approval",
            ".",
            &[],
            waits,
            all,
            "",
            "",
            "phase-1-complete phase-2-complete",
        ),
        row("approved", ".", &["approve"], DONE, all, "", "", ALL),
        row(
            "rejected at the end",
            "wC sC wC sC wC sC wC sC",
            &["reject not yet"],
            waits,
            "W1C>R S1C>P W2C>R S2C>P W3C>R S3C>R W3C>R S3C>R",
            "",
            "f0.txt f2.txt f6.txt",
            "phase-1-complete phase-2-complete",
        ),
        row(
            "rejected, then approved",
            "wC sC wC sC wC sC wC sC",
            &["reject not yet", "approve"],
            DONE,
            "W1C>R S1C>P W2C>R S2C>P W3C>R S3C>R W3C>R S3C>R",
            "",
            "f0.txt f2.txt f6.txt",
            ALL,
        ),
        row(
            "rejected four times",
            ".",
            &["reject a", "reject b", "reject c", "reject d"],
            STUCK,
            "W1C>R S1C>P W2C>R S2C>P W3C>R S3C>R W3C>R S3C>R W3C>R S3C>R W3C>R S3C>R",
            "",
            "",
            "phase-1-complete phase-2-complete",
        ),
        row(
            "canceled before approval",
            ".",
            &["cancel"],
            ("CANCELED", 0),
            all,
            "",
            "",
            "phase-1-complete phase-2-complete",
        ),
        row(
            "stuck before the end",
            "wC sC wC sC wS",
            &["advise"],
            STUCK,
            "W1C>R S1C>P W2C>R S2C>P W3S>I W3S!e>I",
            "5:AGENT_NOT_FOUND",
            "f0.txt f2.txt",
            "phase-1-complete phase-2-complete",
        ),
    ];
    check(&rows, &["--require-approval"]);
}
