//! The double in a process of its own, so that its CPU time is not taken for ours.
//!
//! Its first line of input is the script, and its first line of output the address. After that each
//! line of input asks what it has used so far, and the end of input ends it.

use std::{
    error::Error,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use serde_json::Value;
use tokio::net::TcpListener;

use crate::{clock::own_cpu, ground};

pub(super) struct Double {
    process: Child,
    asked: Option<ChildStdin>,
    says: BufReader<ChildStdout>,
    pub(super) url: String,
}

impl Double {
    pub(super) fn start(script: &Value) -> Result<Self, Box<dyn Error>> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["models", "--serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let asked = process.stdin.take();
        let says = BufReader::new(process.stdout.take().ok_or("no output")?);
        let mut double = Self { process, asked, says, url: String::new() };
        double.url = double.ask(&script.to_string())?;
        Ok(double)
    }

    /// The CPU time that it has used so far.
    pub(super) fn cpu(&mut self) -> Result<Duration, Box<dyn Error>> {
        Ok(Duration::from_micros(self.ask("cpu")?.parse()?))
    }

    fn ask(&mut self, line: &str) -> Result<String, Box<dyn Error>> {
        writeln!(self.asked.as_mut().ok_or("no input")?, "{line}")?;
        let mut said = String::new();
        if self.says.read_line(&mut said)? == 0 {
            return Err("the double has ended".into());
        }
        Ok(said.trim().to_owned())
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        // Nobody asks any more: it ends by itself.
        drop(self.asked.take());
        let _ = self.process.wait();
    }
}

/// The other side.
pub(super) fn serve() -> Result<Value, Box<dyn Error>> {
    let mut lines = std::io::stdin().lines();
    let script = lines.next().ok_or("no script")??.parse()?;
    let double = consign_double::Double::new(script);
    let runtime = ground::runtime()?;
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
    println!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || runtime.block_on(double.serve(listener, std::future::pending())));
    for line in lines {
        line?;
        println!("{}", own_cpu().as_micros());
    }
    Ok(Value::Null)
}
