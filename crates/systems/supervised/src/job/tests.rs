use super::*;

fn job(phases: usize) -> Job {
    let phase = |at: usize| Phase { name: format!("p{at}"), ..Phase::only("work") };
    Job::new((0..phases).map(phase).collect(), false)
}

fn acted(action: Action) -> Event {
    Event::Acted { action, words: "why".to_owned(), cost: Nanos::new(1) }
}

/// What happens in a story: w and s are what worker and supervisor decide (C, S, R), the rest is by name.
fn tell(job: &mut Job, story: &str) -> Vec<&'static str> {
    let mut statuses = vec![job.status().as_str()];
    for word in story.split_whitespace() {
        let event = match word {
            "activate" => Event::Activated,
            "claim" => Event::Claimed,
            "wC" | "sC" => acted(Action::Completed),
            "wS" | "sS" => acted(Action::Stuck),
            "wR" | "sR" => acted(Action::Retry),
            "check" => Event::Checked,
            "accept" => Event::Accepted,
            "advise" => Event::Advised { text: "so".to_owned(), reset: false },
            "advise-reset" => Event::Advised { text: "so".to_owned(), reset: true },
            "halt" => Event::Halted,
            "approve" => Event::Approved,
            "reject" => Event::Rejected { why: "no".to_owned() },
            "cancel" => Event::Canceled,
            other => panic!("{other}"),
        };
        let refused = job.clone().apply(event.clone()).err();
        assert_eq!(refused, None, "{word} after {statuses:?}");
        job.apply(event).unwrap();
        statuses.push(job.status().as_str());
    }
    statuses
}

fn ends(phases: usize, story: &str) -> (&'static str, u64) {
    let mut job = job(phases);
    let statuses = tell(&mut job, story);
    (statuses.last().copied().unwrap(), job.interactions)
}

#[test]
fn stories_end_where_the_document_says() {
    let again = "claim wC sR ".repeat(3);
    let rows = [
        (1, "activate claim wC sC accept".to_owned(), "SUCCESS", 2),
        (2, "activate claim wC sC accept".to_owned(), "PENDING", 2),
        (2, "activate claim wC sC accept claim wC sC accept".to_owned(), "SUCCESS", 4),
        (1, "activate claim wC sR".to_owned(), "PENDING", 2),
        (1, "activate claim wR".to_owned(), "PENDING", 1),
        (1, format!("activate {again}"), "PENDING", 6),
        (1, format!("activate {again}claim wC sR"), "INTERVENTION_REQUIRED", 8),
        (1, format!("activate {again}claim wR"), "INTERVENTION_REQUIRED", 7),
        (1, format!("activate {again}claim wC sR advise"), "REVIEWING", 8),
        (1, format!("activate {again}claim wC sR advise sR claim wC sC accept"), "SUCCESS", 11),
        (1, "activate claim wS".to_owned(), "INTERVENTION_REQUIRED", 1),
        (1, "activate claim wS advise claim wC sC accept".to_owned(), "SUCCESS", 3),
        (1, "activate claim wC sS advise sC accept".to_owned(), "SUCCESS", 3),
        (1, "activate claim wC sS advise-reset claim wC sC accept".to_owned(), "SUCCESS", 4),
        (1, "activate claim wC sS halt".to_owned(), "CANCELED", 2),
        (1, "cancel".to_owned(), "CANCELED", 0),
        (1, "activate claim cancel".to_owned(), "CANCELED", 0),
    ];
    for (phases, story, status, interactions) in rows {
        assert_eq!(ends(phases, &story), (status, interactions), "{story}");
    }
}

#[test]
fn a_phase_without_a_supervisor_goes_on_by_itself_and_a_check_comes_before_the_review() {
    let mut job = job(1);
    job.phases[0].supervisor = None;
    tell(&mut job, "activate claim wC accept");
    assert_eq!(job.stand, Stand::Done);
    let mut job = self::job(1);
    job.phases[0].check = Some(vec!["true".to_owned()]);
    tell(&mut job, "activate claim wC");
    assert_eq!((job.wants(), job.status()), (Wants::Check, JobStatus::Running));
    tell(&mut job, "check");
    assert_eq!(job.wants(), Wants::Act(Role::Supervisor));
}

#[test]
fn an_approval_holds_the_end_and_a_rejection_counts_as_a_retry() {
    let mut job = job(2);
    job.require_approval = true;
    tell(&mut job, "activate claim wC sC accept claim wC sC");
    assert_eq!((job.status(), job.wants()), (JobStatus::Reviewing, Wants::Person));
    tell(&mut job, "reject");
    assert_eq!((job.stand, job.retries), (Stand::Pending { reset: true }, 1));
    assert_eq!(job.reason.as_deref(), Some("no"));
    assert_eq!(tell(&mut job, "claim wC sC approve accept").last(), Some(&"SUCCESS"));
}

#[test]
fn a_job_that_is_stepped_pauses_after_each_interaction() {
    let mut job = job(1);
    tell(&mut job, "activate");
    job.apply(Event::Paced(Some(0))).unwrap();
    assert_eq!((job.wants(), job.status()), (Wants::Pause, JobStatus::Pending));
    job.apply(Event::Paced(Some(1))).unwrap();
    tell(&mut job, "claim wC");
    assert_eq!((job.wants(), job.status()), (Wants::Pause, JobStatus::Reviewing));
    job.apply(Event::Paced(Some(1))).unwrap();
    tell(&mut job, "sC");
    // What is no interaction is done all the same.
    assert_eq!(job.wants(), Wants::Accept);
}

#[test]
fn a_restored_job_begins_the_phase_anew() {
    let mut job = job(2);
    tell(&mut job, "activate claim wC sC accept claim wR");
    job.apply(Event::Restored { at: 0 }).unwrap();
    assert_eq!((job.at, job.stand, job.retries), (0, Stand::Pending { reset: true }, 0));
    assert_eq!((job.reason.clone(), job.interactions), (None, 3));
    assert!(job.apply(Event::Restored { at: 3 }).is_err());
    job.apply(Event::Restored { at: 2 }).unwrap();
    assert_eq!(job.stand, Stand::Done);
}

#[test]
fn every_action_says_where_it_would_lead() {
    let leads = |job: &Job, role| {
        [Action::Completed, Action::Retry, Action::Stuck]
            .map(|action| job.leads_to(role, action).as_str())
    };
    let mut job = job(1);
    tell(&mut job, "activate claim");
    assert_eq!(leads(&job, Role::Worker), ["REVIEWING", "PENDING", "INTERVENTION_REQUIRED"]);
    assert_eq!(leads(&job, Role::Supervisor), ["SUCCESS", "PENDING", "INTERVENTION_REQUIRED"]);
    job.require_approval = true;
    assert_eq!(leads(&job, Role::Supervisor)[0], "REVIEWING");
    job.phases[0].supervisor = None;
    job.phases[0].check = Some(vec!["true".to_owned()]);
    job.retries = MOST_RETRIES;
    assert_eq!(leads(&job, Role::Worker)[..2], ["REVIEWING", "INTERVENTION_REQUIRED"]);
    job.require_approval = false;
    assert_eq!(leads(&job, Role::Worker)[0], "SUCCESS");
}

#[test]
fn what_cannot_happen_is_refused_and_changes_nothing() {
    for (story, event) in [
        ("", Event::Claimed),
        ("", Event::Approved),
        ("activate", Event::Activated),
        ("activate claim wC", Event::Halted),
        ("activate claim wC sC accept", Event::Canceled),
        ("activate claim wC sC accept", Event::Activated),
        ("activate claim wS", acted(Action::Completed)),
    ] {
        let mut job = job(1);
        tell(&mut job, story);
        let before = job.clone();
        assert!(job.apply(event.clone()).is_err(), "{event:?} after {story:?}");
        assert_eq!(job, before);
    }
    let mut job = job(1);
    let told = job.apply(Event::Approved).unwrap_err().to_string();
    assert_eq!(told, "the job is DRAFT, and cannot be approved there");
}

proptest::proptest! {
    /// Whatever is tried, a job never leaves its end, never counts an interaction twice, and always says what it wants.
    #[test]
    fn any_row_of_events_leaves_a_job_in_order(events in proptest::collection::vec(0..13_u8, 0..60)) {
        let mut job = job(3);
        let (mut taken, mut over) = (0, false);
        for event in events {
            let event = match event {
                0 => Event::Activated,
                1 | 2 => Event::Claimed,
                3 | 4 => acted(Action::Completed),
                5 => acted(Action::Retry),
                6 => acted(Action::Stuck),
                7 => Event::Accepted,
                8 => Event::Advised { text: String::new(), reset: true },
                9 => Event::Halted,
                10 => Event::Approved,
                11 => Event::Rejected { why: String::new() },
                _ => Event::Checked,
            };
            let acts = matches!(event, Event::Acted { .. });
            let applied = job.apply(event).is_ok();
            proptest::prop_assert!(!(over && applied), "a job that is over changes no more");
            taken += u64::from(applied && acts);
            proptest::prop_assert_eq!(job.interactions, taken);
            proptest::prop_assert!(job.retries <= MOST_RETRIES);
            over = matches!(job.stand, Stand::Done | Stand::Canceled);
            proptest::prop_assert_eq!(over, job.wants() == Wants::Nothing);
        }
    }
}
