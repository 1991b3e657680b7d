//! Envelopes over HTTP: `POST /api/v1/process` with a stage that passes everything on.

use std::{
    error::Error,
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Instant,
};

use serde_json::{Value, json};

use crate::{
    clock::{median, rounded},
    ground::beside,
    pipe::{PASS, envelope},
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The program; by default the `consign` beside this one
    #[arg(long)]
    program: Option<PathBuf>,

    /// Rounds
    #[arg(long, default_value_t = 7)]
    rounds: u32,

    /// Requests in each, one after the other on one connection
    #[arg(long, default_value_t = 5000)]
    requests: u32,
}

const TOKEN: &str = "bench-token-0123456789";

pub(crate) fn run(args: &Args) -> Result<Value, Box<dyn Error>> {
    let program = beside(args.program.as_ref())?;
    let dir = tempfile::tempdir()?;
    fs::write(dir.path().join("pass.toml"), PASS)?;
    let mut server = Killed(
        Command::new(&program)
            .args(["serve", "--listen", "127.0.0.1:0", "--json", "--pipeline"])
            .arg(dir.path().join("pass.toml"))
            .env("CONSIGN_HOME", dir.path().join("home"))
            .env("CONSIGN_TOKEN", TOKEN)
            .stdout(Stdio::piped())
            .spawn()?,
    );
    let mut said = String::new();
    let out = server.0.stdout.take().ok_or("no output")?;
    BufReader::new(out).read_line(&mut said)?;
    let said: Value = serde_json::from_str(&said)?;
    let url = said["url"].as_str().ok_or("no address")?.trim_start_matches("http://").to_owned();
    let body = envelope()?;
    let request = format!(
        "POST /api/v1/process HTTP/1.1\r\nHost: {url}\r\nAuthorization: Bearer {TOKEN}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = BufReader::new(TcpStream::connect(&url)?);
    stream.get_ref().set_nodelay(true)?;
    exchange(&mut stream, &request)?;
    let (mut cpu, mut wall) = (Vec::new(), Vec::new());
    for _ in 0..args.rounds {
        let (before, began) = (used(server.0.id())?, Instant::now());
        for _ in 0..args.requests {
            exchange(&mut stream, &request)?;
        }
        let each = f64::from(args.requests);
        cpu.push((used(server.0.id())? - before) * 1000.0 / each);
        wall.push(began.elapsed().as_secs_f64() * 1000.0 / each);
    }
    Ok(json!({
        "bench": "web",
        "envelope_bytes": body.len(),
        "server_cpu_ms": rounded(median(cpu)),
        "wall_ms": rounded(median(wall)),
    }))
}

fn exchange(stream: &mut BufReader<TcpStream>, request: &str) -> Result<(), Box<dyn Error>> {
    stream.get_mut().write_all(request.as_bytes())?;
    let mut length = 0;
    let mut first = String::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        if first.is_empty() {
            first.clone_from(&line);
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    if !first.starts_with("HTTP/1.1 200") {
        return Err(format!("{first}{}", String::from_utf8_lossy(&body)).into());
    }
    Ok(())
}

/// Seconds of CPU that a process has used.
fn used(pid: u32) -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks =
        |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    Ok((ticks(11) + ticks(12)) / 100.0)
}

struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
