//! Fifty questions of one run, answered out of order, twice and late, by several people at once,
//! while workers die: each answer is taken once.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::{Chance, Home, Look, Outcome, eventually};

const ASKS: usize = 50;
const PEOPLE: usize = 3;

#[test]
fn fifty_answers_from_all_sides_are_each_taken_once() {
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same order again");
    let mut chance = Chance::new(seed);
    let home = Home::new();
    let run = home.detach("sample/approval", &json!({"asks": ASKS}), &[]);
    let mut worker = home.worker();
    eventually(Duration::from_secs(30), "all questions are asked", || {
        Look::at(&home.path()).keys(&run, "asked").len() == ASKS
    });
    // Two people have a list of all questions each, in orders of their own; one has every third, and
    // comes late.
    let taken: Mutex<BTreeMap<String, Vec<(usize, Outcome)>>> = Mutex::default();
    let lists: Vec<Vec<usize>> = (0..PEOPLE)
        .map(|person| {
            let mut list: Vec<_> = (1..=ASKS).filter(|ask| person < 2 || ask % 3 == 0).collect();
            chance.shuffle(&mut list);
            list
        })
        .collect();
    let mut kills = 0;
    thread::scope(|scope| {
        let people: Vec<_> = lists
            .iter()
            .enumerate()
            .map(|(person, list)| {
                let (home, run, taken) = (&home, &run, &taken);
                scope.spawn(move || {
                    for ask in list {
                        let key = format!("ask-{ask}");
                        // Each has an opinion of their own, so that it shows whose was taken.
                        let value = opinion(person, *ask).to_string();
                        let answer = ["runs", "answer", run, &key, "--value", &value];
                        let outcome = home.run(answer);
                        let mut taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
                        taken.entry(key).or_default().push((person, outcome));
                    }
                })
            })
            .collect();
        while !people.iter().all(thread::ScopedJoinHandle::is_finished) {
            thread::sleep(chance.millis(20..120));
            let dead = std::mem::replace(&mut worker, home.worker());
            assert_eq!(dead.kill().signal, Some(9), "it ended by itself");
            kills += 1;
        }
    });
    eventually(Duration::from_secs(30), "the run finishes", || home.status(&run) == "succeeded");

    let look = Look::at(&home.path());
    assert_eq!(look.keys(&run, "call_completed"), ["prepare"], "finished work is not done again");
    assert_eq!(look.keys(&run, "call_started"), ["prepare"]);
    let journal = answers(&home, &run);
    let (mut approved, mut refused) = (0, 0);
    for (key, outcomes) in taken.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let (good, bad): (Vec<_>, Vec<_>) =
            outcomes.into_iter().partition(|(_, outcome)| outcome.code == Some(0));
        assert_eq!(good.len(), 1, "{key}: {good:#?}, {bad:#?}");
        for (_, outcome) in bad {
            outcome.fails_with(&["ALREADY_ANSWERED"]);
            refused += 1;
        }
        let ask = key["ask-".len()..].parse().expect("a number");
        assert_eq!(journal[&key], [opinion(good[0].0, ask)], "{key}: another answer was kept");
        approved += usize::from(journal[&key] == [json!(true)]);
    }
    let output = &home.show(&run)["output"];
    assert_eq!(output["approved"], approved, "{output}");
    assert_eq!(output["denied"], ASKS - approved, "{output}");
    home.verify(&run);
    eprintln!("{ASKS} taken, {refused} refused, {kills} kills");
    assert!(refused >= ASKS && kills >= 3, "nobody got in anybody's way");
}

fn opinion(person: usize, ask: usize) -> Value {
    json!((person + ask).is_multiple_of(2))
}

/// What the journal has for each question.
fn answers(home: &Home, run: &str) -> BTreeMap<String, Vec<Value>> {
    let mut answers: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in home.journal(run).lines() {
        let event: Value = serde_json::from_str(line).expect("an event");
        if event["kind"] == "answered" {
            let key = event["body"]["key"].as_str().expect("a key").to_owned();
            answers.entry(key).or_default().push(event["body"]["value"].clone());
        }
    }
    answers
}
