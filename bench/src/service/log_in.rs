//! Log-ins: what one costs beside the one hash in it, and what a storm of them costs somebody who asks for a job.

use std::{error::Error, sync::Arc};

use serde_json::{Value, json};

use super::{
    Args,
    client::{Flood, Request},
    process::{ANNA, PASSWORD, Prepared},
};
use crate::{
    clock::{here, median, rounded, share},
    ground,
};

/// Clients that log in without a pause.
const CLIENTS: u32 = 32;

pub(super) fn measure(args: &Args, prepared: &Prepared) -> Result<Value, Box<dyn Error>> {
    let service = prepared.serve(&[])?;
    let job = service.completed_job(&prepared.ben)?;
    let show = service.show(&prepared.ben, &job);
    let mut client = service.client()?;
    client.timed(&show, 200, args.looks)?;
    let address = service.address.clone();
    let log_in = move |turn: u32| log_in(&address, turn);
    let (mut cpu, mut idle, mut under, mut rates) = (vec![], vec![], vec![], vec![]);
    let mut turn = 0xff_0000;
    for _ in 0..args.rounds {
        let before = service.cpu()?;
        for _ in 0..args.log_ins {
            client.send(&log_in(turn), 200)?;
            turn += 1;
        }
        cpu.push((service.cpu()? - before) * 1e3 / f64::from(args.log_ins));
        idle.push(share(client.timed(&show, 200, args.looks)?, 0.99));
        let next = log_in.clone();
        let from = turn;
        let flood = Flood::begin(
            &service.address,
            CLIENTS,
            200,
            Arc::new(move |at| next(from.wrapping_add(at))),
        );
        under.push(share(client.timed(&show, 200, args.looks)?, 0.99));
        rates.push(flood.end()?.0);
        turn += 0x1_0000;
    }
    drop(service);
    let (cpu, idle, under) = (median(cpu), median(idle), median(under));
    let hash = hash_cpu(args, prepared)?;
    Ok(json!({
        "cpu_ms": rounded(cpu),
        "hash_cpu_ms": rounded(hash),
        "ratio": rounded(cpu / hash),
        "get_idle_p99_ms": rounded(idle),
        "get_under_log_ins_p99_ms": rounded(under),
        "get_under_log_ins_ratio": rounded(under / idle),
        "log_ins_per_second": rounded(median(rates)),
    }))
}

/// A log-in from an address of its own.
fn log_in(address: &str, turn: u32) -> Request {
    let [_, a, b, c] = turn.to_be_bytes();
    let lines = format!("X-Forwarded-For: 10.{a}.{b}.{c}\r\n");
    Request::with(address, "/auth/login", &lines, &json!({"email": ANNA, "password": PASSWORD}))
}

/// The CPU of adding a user in this process: one hash at the same cost, and one commit.
fn hash_cpu(args: &Args, prepared: &Prepared) -> Result<f64, Box<dyn Error>> {
    let runtime = ground::runtime()?;
    let home = runtime.block_on(consign_app::Home::open(prepared.home.clone()))?;
    let accounts = consign_app::accounts::open(&home)?;
    let users = runtime.block_on(accounts.users())?;
    let role = users.first().ok_or("no user")?.role;
    let mut each = Vec::new();
    for number in 0..args.rounds * 4 {
        let mut made = None;
        let email = format!("user-{number}@example.com");
        let cost = here(|| {
            made = Some(runtime.block_on(accounts.add_user(&email, PASSWORD, role)));
        });
        made.ok_or("no user")??;
        each.push(cost.cpu.as_secs_f64() * 1e3);
    }
    Ok(median(each))
}
