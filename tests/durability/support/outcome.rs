//! What a process left behind.

use std::{os::unix::process::ExitStatusExt, process::ExitStatus};

use serde_json::Value;

#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// `None` where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    pub(crate) fn new(status: ExitStatus, stdout: String, stderr: String) -> Self {
        Self { code: status.code(), signal: status.signal(), stdout, stderr }
    }

    /// Demands one of these exit codes, and shows everything where it is another.
    #[track_caller]
    pub(crate) fn exits(self, codes: &[i32]) -> Self {
        assert!(self.code.is_some_and(|code| codes.contains(&code)), "not {codes:?}: {self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        self.exits(&[0])
    }

    /// Demands a well-formed error with one of these codes and a hint, nothing on standard output.
    #[track_caller]
    pub(crate) fn fails(self, codes: &[&str]) -> Self {
        let this = self.ends_with(codes);
        assert_eq!(this.stdout, "", "{this:#?}");
        this
    }

    /// Demands a well-formed error with one of these codes and a hint, after whatever was printed.
    #[track_caller]
    pub(crate) fn ends_with(self, codes: &[&str]) -> Self {
        let this = self.exits(&[1]);
        let code = this.error().unwrap_or_else(|| panic!("no error[CODE]: {this:#?}"));
        assert!(codes.contains(&code), "not {codes:?}: {this:#?}");
        let hinted = ["\nhint: ", "\"hint\":\""].iter().any(|hint| this.stderr.contains(hint));
        assert!(hinted, "no hint: {this:#?}");
        assert!(!this.stderr.contains("panicked"), "{this:#?}");
        this
    }

    /// Demands words on standard error.
    #[track_caller]
    pub(crate) fn telling(self, words: &str) -> Self {
        assert!(self.stderr.contains(words), "{words:?} is not said: {self:#?}");
        self
    }

    /// The CODE of `error[CODE]: …`, or of the object that it is with `--json`.
    pub(crate) fn error(&self) -> Option<&str> {
        let forms = [("error[", "]: "), ("{\"error\":{\"code\":\"", "\"")];
        self.stderr.lines().find_map(|line| {
            forms.iter().find_map(|(before, after)| {
                line.strip_prefix(before)?.split_once(after).map(|(code, _)| code)
            })
        })
    }

    /// The one JSON object that was printed.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let mut lines = self.json_lines();
        assert_eq!(lines.len(), 1, "{self:#?}");
        lines.remove(0)
    }

    /// The JSON objects that were printed, one to a line.
    #[track_caller]
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let parse = |line| match serde_json::from_str::<Value>(line) {
            Ok(value) if value.is_object() => value,
            Ok(_) | Err(_) => panic!("not a JSON object: {line:?} in {self:#?}"),
        };
        self.stdout.lines().map(parse).collect()
    }

    /// The objects of whole lines: what a process that was killed had come to say.
    pub(crate) fn said(&self) -> Vec<Value> {
        let whole = self.stdout.rsplit_once('\n').map_or("", |(whole, _)| whole);
        whole.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}
