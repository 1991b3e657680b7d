//! Money is held back before it can be spent, so that no number of calls at once, and no crash, can
//! spend more than was allowed.

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use serde_json::json;

use crate::support::{Chance, Effects, Home, Look, Process, Witness, eventually, until, usd};

const CENT: i64 = 10_000_000;
const LONG: Duration = Duration::from_secs(60);

/// Looks at the books as often as it can until it is told to stop. Says how often it did.
fn watch(home: &Home, stop: &AtomicBool) -> usize {
    let mut witness = Witness::default();
    let lines = Effects::of(home).lines();
    let mut looks = 0;
    while !stop.load(Ordering::Relaxed) {
        let look = Look::at(&home.path());
        let wrong = witness.sees(&lines, &look, &lines);
        assert!(wrong.is_empty(), "{wrong:#?}");
        looks += 1;
        thread::sleep(Duration::from_millis(2));
    }
    looks
}

struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Does something while somebody watches the books.
fn watched(home: &Home, work: impl FnOnce()) {
    let stop = AtomicBool::new(false);
    let looks = thread::scope(|scope| {
        let watcher = scope.spawn(|| watch(home, &stop));
        let stopped = StopOnDrop(&stop);
        work();
        drop(stopped);
        watcher.join().expect("the books are in order")
    });
    eprintln!("the books were in order {looks} times");
    assert!(looks >= 50, "{looks} looks are too few to mean anything");
}

/// Sees a run to its end, raising its cap in steps and killing workers while calls are under way. Says
/// how often, and what the cap came to.
fn finishes(home: &Home, run: &str, chance: &mut Chance, (cap, step): (i64, i64)) -> (usize, i64) {
    let mut worker = home.worker();
    let (mut cap, mut kills) = (cap, 0);
    eventually(LONG, "the run finishes", || {
        let look = Look::at(&home.path());
        match look.runs[run].status.as_str() {
            "succeeded" => return true,
            "waiting" => {
                cap += step;
                home.run(["runs", "raise", run, "--cost", &usd(cap).to_string()]).succeeds();
            }
            _ if kills < 6 && look.runs[run].reserved > 0 => {
                thread::sleep(chance.millis(0..100));
                let dead = std::mem::replace(&mut worker, home.worker());
                dead.kill();
                kills += 1;
            }
            _ => {}
        }
        false
    });
    (kills, cap)
}

fn waits(home: &Home, run: &str) -> bool {
    Look::books(&home.path()).runs[run].status == "waiting"
}

#[test]
fn sixty_four_calls_at_once_never_pass_the_cap_of_their_run() {
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same kills again");
    let mut chance = Chance::new(seed);
    let home = Home::new();
    watched(&home, || {
        let input = json!({"width": 64, "cost_usd": 0.01, "sleep_ms": 120});
        let run = home.detach("sample/fanout", &input, &["--cost", "0.20"]);
        let (kills, _) = finishes(&home, &run, &mut chance, (20 * CENT, 16 * CENT));
        let look = Look::at(&home.path());
        let events = &look.events[&run];
        let lost: Vec<_> = events.iter().filter(|event| event.kind == "attempt_lost").collect();
        assert!(!lost.is_empty(), "no kill hit a call");
        assert!(lost.iter().all(|event| event.assumed && event.paid == CENT), "{lost:#?}");
        let honest: Vec<_> = events.iter().filter(|event| event.kind == "call_completed").collect();
        assert_eq!(honest.len(), 64);
        assert!(honest.iter().all(|event| !event.assumed && event.paid == CENT));
        let spent = i64::try_from(64 + lost.len()).expect("a small number") * CENT;
        assert_eq!((look.runs[&run].spent, look.runs[&run].reserved), (spent, 0));
        home.verify(&run);
        eprintln!("{kills} kills, {} attempts lost and taken for spent", lost.len());
    });
}

/// A double of a provider, and an agent that asks it. What is said has real tokens and a price.
fn model(home: &Home) -> Process {
    let script = home.file("says.json");
    let says =
        json!([{"text": "A short answer of eight or nine tokens.", "delay_ms": 100, "times": 0}]);
    fs::write(&script, says.to_string()).expect("a file of our own");
    let script = script.display().to_string();
    let args = ["models", "double", "--listen", "127.0.0.1:0", "--json", "--script", &script];
    let double = home.start(home.command(args));
    let url = until(LONG, "the double listens".to_owned(), || {
        let told: serde_json::Value = serde_json::from_str(&double.stdout()).ok()?;
        Some(told["listening"].as_str()?.to_owned())
    });
    fs::create_dir_all(home.path()).expect("a folder of our own");
    let models = format!("[providers.compatible]\nbase_url = \"{url}/compatible/v1\"\n");
    fs::write(home.path().join("models.toml"), models).expect("a file of our own");
    let prices = "as_of = \"2026-11-01\"\n[models.\"compatible/m\"]\ninput = 1\noutput = 10\n";
    fs::write(home.path().join("prices.toml"), prices).expect("a file of our own");
    let agent = home.file("teller.toml");
    let text = "name = \"teller\"\neffect = \"pure\"\n\
                [model]\nname = \"compatible/m\"\nmax_tokens = 200\n";
    fs::write(&agent, text).expect("a file of our own");
    home.run(["agents", "add", &agent.display().to_string()]).succeeds();
    double
}

#[test]
fn sixty_four_model_calls_at_once_never_pass_the_cap_whoever_is_killed() {
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same kills again");
    let mut chance = Chance::new(seed);
    let home = Home::new();
    let _double = model(&home);
    watched(&home, || {
        let inputs: Vec<_> = (0..64).map(|n| json!(format!("Tell me about {n}."))).collect();
        let input = json!({"agent": "teller", "inputs": inputs, "at_once": 64});
        // Room for about twenty calls at their worst.
        let cap = 5 * CENT;
        let run = home.detach("agent/map", &input, &["--cost", &usd(cap).to_string()]);
        let (kills, cap) = finishes(&home, &run, &mut chance, (cap, 3 * CENT));
        let look = Look::at(&home.path());
        let events = &look.events[&run];
        let lost: Vec<_> = events.iter().filter(|event| event.kind == "attempt_lost").collect();
        assert!(!lost.is_empty(), "no kill hit a call");
        let honest: Vec<_> = events.iter().filter(|event| event.kind == "call_completed").collect();
        assert_eq!(honest.len(), 64);
        // What was used was counted, and is far below what was held back for it.
        let worst = lost.iter().map(|event| event.paid).min().expect("one was lost");
        assert!(
            honest.iter().all(|event| !event.assumed && event.paid > 0 && event.paid < worst / 4)
        );
        let spent: i64 = events.iter().map(|event| event.paid).sum();
        assert_eq!((look.runs[&run].spent, look.runs[&run].reserved), (spent, 0));
        assert!(spent <= cap);
        home.verify(&run);
        eprintln!("{kills} kills, {} attempts lost", lost.len());
    });
}

#[test]
fn a_cap_that_fits_only_some_calls_lets_only_these_begin() {
    let home = Home::new();
    watched(&home, || {
        let input = json!({"width": 64, "cost_usd": 0.01, "sleep_ms": 150});
        let run = home.detach("sample/fanout", &input, &["--cost", "0.25"]);
        let _worker = home.worker();
        eventually(LONG, "the run waits for a higher limit", || waits(&home, &run));
        let look = Look::at(&home.path());
        assert_eq!(look.keys(&run, "call_completed").len(), 25);
        assert_eq!(look.runs[&run].spent, 25 * CENT);
        home.run(["runs", "raise", &run, "--cost", "0.64"]).succeeds();
        eventually(LONG, "the run finishes", || home.status(&run) == "succeeded");
        assert_eq!(Look::books(&home.path()).runs[&run].spent, 64 * CENT);
        home.verify(&run);
    });
}

#[test]
fn several_runs_together_never_pass_the_cap_of_their_owner() {
    let seed = Chance::seed();
    eprintln!("CONSIGN_SEED={seed} has the same kills again");
    let mut chance = Chance::new(seed);
    let home = Home::new();
    home.run(["budget", "set", "red", "--cost", "0.30"]).succeeds();
    watched(&home, || {
        let input = json!({"width": 16, "cost_usd": 0.01, "sleep_ms": 30});
        let runs: Vec<_> =
            (0..4).map(|_| home.detach("sample/fanout", &input, &["--owner", "red"])).collect();
        let mut workers = [home.worker(), home.worker()];
        for turn in 0..6 {
            thread::sleep(chance.millis(30..150));
            let dead = std::mem::replace(&mut workers[turn % 2], home.worker());
            dead.kill();
        }
        eventually(LONG, "all wait for the owner's budget, or are done", || {
            runs.iter().all(|run| ["waiting", "succeeded"].contains(&&*home.status(run)))
        });
        let look = Look::at(&home.path());
        assert!(look.open_runs().count() > 0, "the budget was enough for all");
        let left = 30 * CENT - look.owners["red"].spent;
        assert!(left < CENT, "{left} was left, and nobody took it");
        home.run(["budget", "set", "red", "--cost", "5"]).succeeds();
        eventually(LONG, "all runs finish", || Look::books(&home.path()).open_runs().count() == 0);
        let look = Look::at(&home.path());
        for run in &runs {
            assert_eq!(look.runs[run].status, "succeeded");
            home.verify(run);
        }
        assert_eq!(look.owners["red"].reserved, 0);
    });
}

#[test]
fn who_waits_for_two_limits_in_turn_is_told_which() {
    let home = Home::new();
    home.run(["budget", "set", "red", "--cost", "0.02"]).succeeds();
    let input = json!({"width": 8, "cost_usd": 0.01});
    let run = home.detach("sample/fanout", &input, &["--owner", "red", "--cost", "0.05"]);
    let _worker = home.worker();
    let told = |code: &str| {
        eventually(LONG, format!("it is told: {code}"), || {
            home.inbox().iter().any(|entry| entry["code"] == code)
        });
    };
    told("LIMIT_OWNER");
    home.run(["budget", "set", "red", "--cost", "5"]).succeeds();
    told("LIMIT_COST");
    home.run(["runs", "raise", &run, "--cost", "5"]).succeeds();
    eventually(LONG, "the run finishes", || home.status(&run) == "succeeded");
    assert!(home.inbox().is_empty());
    home.verify(&run);
}
