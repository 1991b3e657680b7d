//! What a process asked of the kernel, as `strace -f -y -x` writes it down.
//!
//! With several threads a call may be written in two parts, `<unfinished ...>` and `resumed`, with
//! others in between. Here it is one [`Call`] that knows at which line it began and at which it
//! ended.

use std::{collections::HashMap, fs, path::Path, time::Duration};

use super::until;

#[derive(Clone, Debug)]
pub(crate) struct Trace {
    /// In the order in which they began.
    pub(crate) calls: Vec<Call>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) args: String,
    /// What came back. `None` if the process ended before.
    pub(crate) result: Option<String>,
    /// Line numbers.
    pub(crate) begun: usize,
    pub(crate) ended: usize,
}

impl Trace {
    /// The words that put a command under trace of these calls.
    pub(crate) fn of(calls: &str, file: &Path) -> Vec<String> {
        let file = file.to_str().expect("a plain path");
        // The tracer is the grandchild, so that the process we started is the one that is traced.
        [
            "strace",
            "-D",
            "-f",
            "-y",
            "-x",
            "-s",
            "5000",
            "-e",
            &format!("trace={calls}"),
            "-o",
            file,
        ]
        .map(str::to_owned)
        .into()
    }

    /// Reads a trace once the tracer has written all of it.
    pub(crate) fn read(file: &Path, pid: u32) -> Self {
        let ends = |line: &str| {
            let of = line.split_whitespace().next().and_then(|pid| pid.parse().ok());
            of == Some(pid) && line.contains(" +++ ")
        };
        let text = until(Duration::from_secs(20), "the trace is written", || {
            let text = fs::read_to_string(file).ok()?;
            text.lines().any(ends).then_some(text)
        });
        Self::parse(&text)
    }

    pub(crate) fn parse(text: &str) -> Self {
        let mut calls: Vec<Call> = Vec::new();
        // The call in which each thread is.
        let mut inside: HashMap<&str, usize> = HashMap::new();
        for (place, line) in text.lines().enumerate() {
            let Some((pid, rest)) = line.split_once(char::is_whitespace) else { continue };
            let rest = rest.trim_start();
            if rest.starts_with("+++") || rest.starts_with("---") {
                continue;
            }
            if let Some(resumed) = rest.strip_prefix("<... ") {
                let Some(call) = inside.remove(pid).and_then(|call| calls.get_mut(call)) else {
                    panic!("line {place} resumes what was not begun: {line}")
                };
                let (_, rest) = resumed.split_once("resumed>").expect("strace writes it so");
                let (args, result) = ending(rest);
                call.args += args;
                (call.result, call.ended) = (Some(result.to_owned()), place);
                continue;
            }
            let Some((name, rest)) = rest.split_once('(') else { continue };
            let mut call = Call {
                name: name.to_owned(),
                args: String::new(),
                result: None,
                begun: place,
                ended: usize::MAX,
            };
            if let Some(args) = rest.strip_suffix("<unfinished ...>") {
                call.args = args.trim_end().to_owned();
                inside.insert(pid, calls.len());
            } else {
                let (args, result) = ending(rest);
                call.args = args.to_owned();
                (call.result, call.ended) = (Some(result.to_owned()), place);
            }
            calls.push(call);
        }
        Self { calls }
    }
}

/// Splits `ARGS) = RESULT`. A result has no such text in it; a string in the arguments may.
fn ending(rest: &str) -> (&str, &str) {
    let (args, result) = rest.rsplit_once(" = ").unwrap_or((rest, "?"));
    (args.trim_end().strip_suffix(')').unwrap_or(args), result.trim())
}

impl Call {
    /// The file that its first argument is open on: `5</path>, …`.
    pub(crate) fn file(&self) -> Option<&str> {
        let (handle, rest) = self.args.split_once('<')?;
        handle.parse::<u32>().ok()?;
        rest.split_once('>').map(|(path, _)| path)
    }

    /// The paths it names, in order.
    pub(crate) fn paths(&self) -> Vec<&str> {
        self.args.split('"').skip(1).step_by(2).collect()
    }

    /// The paths it names, in order, with the folder that each is seen from: `5</folder>, "name"`.
    pub(crate) fn whole_paths(&self) -> Vec<String> {
        let mut parts = self.args.split('"');
        let mut paths = Vec::new();
        while let (Some(before), Some(path)) = (parts.next(), parts.next()) {
            let folder = before.rsplit_once('<').and_then(|(_, it)| it.split_once('>'));
            match folder {
                Some((folder, _)) if !path.starts_with('/') => {
                    paths.push(format!("{folder}/{path}"))
                }
                Some(_) | None => paths.push(path.to_owned()),
            }
        }
        paths
    }

    pub(crate) fn succeeded(&self) -> bool {
        let result = self.result.as_deref().unwrap_or("?");
        !result.starts_with('-') && !result.starts_with('?')
    }

    pub(crate) fn writes(&self) -> bool {
        ["write", "pwrite64", "writev", "pwritev", "pwritev2"].contains(&self.name.as_str())
    }

    pub(crate) fn syncs(&self) -> bool {
        ["fsync", "fdatasync"].contains(&self.name.as_str())
    }

    pub(crate) fn renames(&self) -> bool {
        self.name.starts_with("rename")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_that_were_interrupted_are_put_together() {
        let trace = Trace::parse(
            "7 pwrite64(5</h/consign.db-wal>, \"\\x01 = )\", 4, 0) = 4\n\
             7 fdatasync(5</h/consign.db-wal> <unfinished ...>\n\
             8 write(1</dev/null>, \"done\\n\", 5) = 5\n\
             7 <... fdatasync resumed>)         = 0\n\
             8 rename(\"/h/.a\", \"/h/b\" <unfinished ...>\n\
             8 <... rename resumed>) = -1 ENOENT (No such file or directory)\n\
             8 fsync(4</h> <unfinished ...>\n\
             8 --- SIGTERM {si_signo=SIGTERM} ---\n\
             8 +++ killed by SIGKILL +++\n",
        );
        let told: Vec<_> =
            trace.calls.iter().map(|call| (call.name.as_str(), call.begun, call.ended)).collect();
        assert_eq!(
            told,
            [
                ("pwrite64", 0, 0),
                ("fdatasync", 1, 3),
                ("write", 2, 2),
                ("rename", 4, 5),
                ("fsync", 6, usize::MAX)
            ]
        );
        let works: Vec<_> = trace.calls.iter().map(Call::succeeded).collect();
        assert_eq!(works, [true, true, true, false, false]);
        assert_eq!(trace.calls[1].file(), Some("/h/consign.db-wal"));
        assert_eq!(trace.calls[3].paths(), ["/h/.a", "/h/b"]);
        assert_eq!(trace.calls[3].whole_paths(), ["/h/.a", "/h/b"]);
        let renamed = Trace::parse("8 renameat(4</h>, \".a\", 4</h>, \"b\") = 0\n");
        assert_eq!(renamed.calls[0].whole_paths(), ["/h/.a", "/h/b"]);
    }
}
