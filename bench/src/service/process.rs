//! A home with two users who have a token each, and the server on it.

use std::{
    error::Error,
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::client::{Client, Request};

pub(super) const ANNA: &str = "anna@example.com";
pub(super) const PASSWORD: &str = "correct horse battery staple";

/// A home that is ready to be served.
pub(super) struct Prepared {
    program: PathBuf,
    pub(super) home: PathBuf,
    /// The tokens of the two users.
    pub(super) anna: String,
    pub(super) ben: String,
}

/// A server, which ends with this value.
pub(super) struct Service {
    child: Child,
    pub(super) address: String,
}

impl Service {
    /// Makes a home with two users.
    pub(super) fn home(program: &Path, folder: &Path) -> Result<Prepared, Box<dyn Error>> {
        let mut prepared = Prepared {
            program: program.to_owned(),
            home: folder.join("home"),
            anna: String::new(),
            ben: String::new(),
        };
        prepared.anna = prepared.user(ANNA)?;
        prepared.ben = prepared.user("ben@example.com")?;
        Ok(prepared)
    }

    /// Seconds of CPU that the server has used.
    pub(super) fn cpu(&self) -> Result<f64, Box<dyn Error>> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let fields: Vec<&str> =
            stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let ticks =
            |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
        Ok((ticks(11) + ticks(12)) / 100.0)
    }

    pub(super) fn client(&self) -> Result<Client, Box<dyn Error>> {
        Client::connect(&self.address)
    }

    /// A completed Trace job of the user with this token.
    pub(super) fn completed_job(&self, token: &str) -> Result<String, Box<dyn Error>> {
        let mut client = self.client()?;
        let made = client.send(&Request::post(&self.address, token, JOBS, &trace_job()), 201)?;
        let id = made["jobId"].as_str().ok_or("no job")?.to_owned();
        let begun = Instant::now();
        loop {
            let job = client.send(&self.show(token, &id), 200)?;
            match job["state"].as_str() {
                Some("completed") => return Ok(id),
                Some("pending" | "running") if begun.elapsed() < Duration::from_secs(30) => {
                    sleep(Duration::from_millis(5));
                }
                _ => return Err(format!("the job does not complete: {job}").into()),
            }
        }
    }

    /// Waits until all jobs of the user with this token are done.
    pub(super) fn wait_for_jobs(&self, token: &str) -> Result<(), Box<dyn Error>> {
        let mut client = self.client()?;
        for state in ["pending", "running"] {
            let path = format!("{JOBS}?state={state}&limit=1");
            let list = Request::get(&self.address, token, &path);
            let is_any =
                |page: &Value| page["items"].as_array().is_none_or(|jobs| !jobs.is_empty());
            while is_any(&client.send(&list, 200)?) {
                sleep(Duration::from_millis(20));
            }
        }
        Ok(())
    }

    /// The process of the server.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The request for a job.
    pub(super) fn show(&self, token: &str, id: &str) -> Request {
        Request::get(&self.address, token, &format!("{JOBS}/{id}"))
    }

    pub(super) fn submission(&self, token: &str) -> Request {
        Request::post(&self.address, token, JOBS, &trace_job())
    }
}

pub(super) const JOBS: &str = "/api/agents/jobs";

/// A specification of the usual size.
fn trace_job() -> Value {
    let spec = "Feature: Orders\n\nScenario: A customer places an order\n  Given a cart with two items\n  When the \
                customer pays\n  Then the order is confirmed\n  And the stock is reduced\n\nScenario: The card is \
                declined\n  Given a cart with two items\n  When the payment fails\n  Then an error is shown\n";
    json!({"type": "trace", "payload": {"spec": spec}})
}

impl Prepared {
    /// Another home of the same kind.
    pub(super) fn beside(&self, folder: &Path) -> Result<Self, Box<dyn Error>> {
        Service::home(&self.program, folder)
    }

    fn user(&self, email: &str) -> Result<String, Box<dyn Error>> {
        self.run(&["users", "add", email, "--password-stdin"])?;
        Ok(self.run(&["tokens", "create", "--user", email])?.trim().to_owned())
    }

    fn run(&self, args: &[&str]) -> Result<String, Box<dyn Error>> {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        child.stdin.take().ok_or("no input")?.write_all(PASSWORD.as_bytes())?;
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err(format!("consign {} failed", args.join(" ")).into());
        }
        Ok(String::from_utf8(output.stdout)?)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args).env("CONSIGN_HOME", &self.home).env_remove("CONSIGN_LOG");
        command
    }

    /// Starts the server, with these arguments besides.
    pub(super) fn serve(&self, more: &[&str]) -> Result<Service, Box<dyn Error>> {
        let mut command = self.command(&["serve", "--accounts", "--listen", "127.0.0.1:0"]);
        // Each log-in of the bench comes from an address of its own.
        command.args(["--json", "--trusted-proxy", "127.0.0.1"]).args(more);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let out = child.stdout.take().ok_or("no output")?;
        let mut service = Service { child, address: String::new() };
        let mut said = String::new();
        BufReader::new(out).read_line(&mut said)?;
        let said: Value = serde_json::from_str(&said)?;
        let url = said["url"].as_str().ok_or("no address")?;
        service.address = url.trim_start_matches("http://").to_owned();
        Ok(service)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
