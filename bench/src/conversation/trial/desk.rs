//! The program with a home of its own.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

use serde_json::{Value, json};

use super::Trouble;

#[derive(Clone, Debug)]
pub(crate) struct Desk {
    program: PathBuf,
    home: PathBuf,
    /// The folder of models; one that is not there leaves words alone.
    models: Option<PathBuf>,
}

/// A message in a session.
pub(crate) struct Said<'a> {
    pub(crate) session: &'a str,
    pub(crate) message: &'a str,
    pub(crate) collection: Option<&'a str>,
}

impl Desk {
    pub(crate) fn new(program: &Path, home: &Path, models: Option<&Path>) -> Self {
        let models = models.map(Path::to_owned);
        Self { program: program.to_owned(), home: home.to_owned(), models }
    }

    /// A command that is given nothing of the person who runs it.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(args);
        let provider = |name: &str| name.ends_with("_API_KEY") || name.ends_with("_BASE_URL");
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            if provider(&name) || name.starts_with("CONSIGN_") && name != "CONSIGN_MODELS" {
                command.env_remove(&*name);
            }
        }
        command.env("CONSIGN_HOME", &self.home);
        if let Some(models) = &self.models {
            command.env("CONSIGN_MODELS", models);
        }
        command
    }

    /// Runs to the end, and gives the output. The program may end with 1 where it has refused something.
    pub(crate) fn run(&self, args: &[&str], input: &str) -> Result<String, Trouble> {
        finished(self.command(args), input)
    }

    /// Takes in a folder; with all its vectors where there is a model.
    pub(crate) fn ingest(&self, folder: &Path, more: &[&str]) -> Result<(), Trouble> {
        let folder = folder.to_str().ok_or("a folder has a plain name")?;
        let told =
            self.run(&[&["ingest", folder, "--json", "--wait-vectors"], more].concat(), "")?;
        let counts: Value = serde_json::from_str(told.lines().last().unwrap_or("null"))?;
        match counts["failed"].as_u64().zip(counts["skipped"].as_u64()) {
            Some((0, 0)) => Ok(()),
            _ => Err(format!("not everything was taken in: {told}").into()),
        }
    }

    /// The answers to some messages, asked one after the other by one process.
    pub(crate) fn ask(
        &self,
        said: &[Said<'_>],
        more: &[&str],
        environment: &[(&str, &str)],
    ) -> Result<Vec<Value>, Trouble> {
        let line = |said: &Said<'_>| {
            let mut line = json!({"session_id": said.session, "user_id": "local", "user_message": said.message});
            if let Some(collection) = said.collection {
                line["collection"] = json!(collection);
            }
            format!("{line}\n")
        };
        let input: String = said.iter().map(line).collect();
        let mut command = self.command(&["ask", "--stream"]);
        command.args(more).envs(environment.iter().copied());
        let told = finished(command, &input)?;
        let answers: Vec<Value> =
            told.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        if answers.len() != said.len() {
            return Err(format!("{} messages, {} answers", said.len(), answers.len()).into());
        }
        Ok(answers)
    }

    /// The sources that there are.
    pub(crate) fn sources(&self) -> Result<Vec<Value>, Trouble> {
        let told = self.run(&["sources", "list", "--json", "--all"], "")?;
        Ok(told.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
    }

    /// The stored text of a source.
    pub(crate) fn text(&self, source: &str) -> Result<String, Trouble> {
        self.run(&["sources", "show", source, "--text"], "")
    }
}

/// The double of the providers, until it is dropped.
pub(crate) struct Double {
    process: Child,
    pub(crate) url: String,
}

impl Double {
    /// Answers by a script.
    pub(crate) fn start(desk: &Desk, script: &Path) -> Result<Self, Trouble> {
        let mut command = desk.command(&["models", "double", "--json", "--listen", "127.0.0.1:0"]);
        command.arg("--script").arg(script);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        let told = process.stdout.take().ok_or("it is a pipe")?;
        let mut double = Self { process, url: String::new() };
        let mut line = String::new();
        BufReader::new(told).read_line(&mut line)?;
        let line: Value = serde_json::from_str(&line)?;
        let address = line["listening"].as_str().ok_or("it does not say where it is")?;
        double.url = format!("{address}/openai/v1");
        Ok(double)
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        // It keeps nothing, and may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn finished(mut command: Command, input: &str) -> Result<String, Trouble> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().ok_or("standard input is a pipe")?;
    let bytes = input.as_bytes().to_vec();
    // It may end without reading everything.
    let writer = thread::spawn(move || drop(stdin.write_all(&bytes)));
    let output = child.wait_with_output()?;
    writer.join().map_err(|_| "writing has failed")?;
    match output.status.code() {
        Some(0 | 1) => Ok(String::from_utf8(output.stdout)?),
        _ => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}
