//! Every row, each in three ways, with the same expectations and the same envelope in the end.

use std::collections::BTreeSet;

use crate::{
    drive::{Came, by_hand, carried, durable},
    row::{Row, same},
};

/// Holds what came of a row against it.
fn check(row: &Row, came: &Came) -> Result<(), String> {
    match (came, &row.refused) {
        (Ok(trip), None) => {
            row.check(&trip.envelope)?;
            same("unsaid", &trip.unsaid, &Vec::new())
        }
        (Err(why), Some(expected)) if why.contains(expected.as_str()) => Ok(()),
        (Err(why), _) => Err(format!("it was refused: {why}")),
        (Ok(_), Some(expected)) => Err(format!("expected a refusal: {expected}")),
    }
}

/// Whether two ways came to the same.
fn agree(row: &Row, one: &Came, other: &Came) -> Result<(), String> {
    let (Ok(one), Ok(other)) = (one, other) else { return Ok(()) };
    same("the envelope", &row.normal(&other.envelope), &row.normal(&one.envelope))?;
    // Those that run at once are called in any order.
    let sorted = |calls: &[String]| calls.iter().cloned().collect::<BTreeSet<_>>();
    same("the calls", &sorted(&other.calls), &sorted(&one.calls))
}

fn report(failures: &[String], of: usize) {
    assert!(failures.is_empty(), "{} of {of} failed:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_row_holds_by_hand() {
    let rows = Row::all();
    let failed = rows.iter().filter_map(|row| {
        check(row, &by_hand(row)).err().map(|why| format!("{}: {why}", row.name))
    });
    report(&failed.collect::<Vec<_>>(), rows.len());
    assert!(rows.len() >= 200, "there are only {} rows", rows.len());
}

#[tokio::test(start_paused = true)]
async fn every_row_holds_in_memory() {
    let (rows, mut failed) = (Row::all(), Vec::new());
    for row in &rows {
        let came = carried(row).await;
        let held = check(row, &came).and_then(|()| agree(row, &by_hand(row), &came));
        failed.extend(held.err().map(|why| format!("{}: {why}", row.name)));
    }
    report(&failed, rows.len());
}

#[tokio::test(start_paused = true)]
async fn every_row_holds_as_a_durable_run() {
    let (rows, mut failed) = (Row::all(), Vec::new());
    for row in &rows {
        let came = durable(row).await;
        let held = check(row, &came).and_then(|()| agree(row, &by_hand(row), &came));
        failed.extend(held.err().map(|why| format!("{}: {why}", row.name)));
    }
    report(&failed, rows.len());
}

#[test]
fn every_row_has_a_name_of_its_own() {
    let rows = Row::all();
    let names: BTreeSet<_> = rows.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names.len(), rows.len());
}

/// Every reason of the document is what some row comes to.
#[test]
fn every_terminal_reason_has_a_row() {
    let rows = Row::all();
    for reason in [
        "nothing",
        "completed_successfully",
        "clarification_required",
        "confirmation_required",
        "denied_by_policy",
        "tool_failed_recoverably",
        "tool_failed_fatally",
        "max_critic_fires_exceeded",
        "max_iterations_exceeded",
        "max_llm_calls_exceeded",
        "max_agent_hops_exceeded",
    ] {
        let has = rows.iter().any(|row| row.ends.starts_with(&format!("{reason} at ")));
        assert!(has, "no row ends {reason}");
    }
}
