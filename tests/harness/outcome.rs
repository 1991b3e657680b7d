//! What a process left behind.

use std::{
    os::unix::process::ExitStatusExt,
    process::{ExitStatus, Output},
};

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

    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("what we print is UTF-8");
        Self::new(output.status, text(output.stdout), text(output.stderr))
    }

    /// Demands this exit code, and shows everything where it is another.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Demands one of these exit codes.
    #[track_caller]
    pub(crate) fn exits_with(self, codes: &[i32]) -> Self {
        assert!(self.code.is_some_and(|code| codes.contains(&code)), "not {codes:?}: {self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        self.exits(0)
    }

    /// Demands an error: its code on standard error, nothing on standard output.
    #[track_caller]
    pub(crate) fn fails(self, exit: i32, code: &str) -> Self {
        let this = self.exits(exit).naming(code);
        assert_eq!(this.stdout, "");
        this
    }

    /// Demands a well-formed error with one of these codes and a hint, nothing on standard output.
    #[track_caller]
    pub(crate) fn fails_with(self, codes: &[&str]) -> Self {
        let this = self.ends_with(codes);
        assert_eq!(this.stdout, "", "{this:#?}");
        this
    }

    /// Demands a well-formed error with one of these codes and a hint, after whatever was printed.
    #[track_caller]
    pub(crate) fn ends_with(self, codes: &[&str]) -> Self {
        let this = self.exits(1);
        let code = this.error_code().unwrap_or_else(|| panic!("no error[CODE]: {this:#?}"));
        assert!(codes.contains(&code), "not {codes:?}: {this:#?}");
        let hinted = ["\nhint: ", "\"hint\":\""].iter().any(|hint| this.stderr.contains(hint));
        assert!(hinted, "no hint: {this:#?}");
        assert!(!this.stderr.contains("panicked"), "{this:#?}");
        this
    }

    /// Demands this error first on standard error, whatever there is on standard output.
    #[track_caller]
    pub(crate) fn naming(self, code: &str) -> Self {
        assert!(self.names(code), "not {code}: {self:#?}");
        self
    }

    /// Whether standard error begins with this error, in words or as an object.
    #[must_use]
    pub(crate) fn names(&self, code: &str) -> bool {
        self.stderr.starts_with(&format!("error[{code}]: "))
            || self.stderr.starts_with(&format!("{{\"error\":{{\"code\":\"{code}\","))
    }

    /// The error of a command that was given `--json`: all that is on standard error.
    #[track_caller]
    pub(crate) fn error(&self) -> Value {
        let told: Value = serde_json::from_str(&self.stderr)
            .unwrap_or_else(|_| panic!("not a JSON value on standard error: {self:#?}"));
        assert_eq!((keys(&told), self.stderr.lines().count()), (vec!["error"], 1), "{self:#?}");
        let error = told["error"].clone();
        let known = ["code", "details", "hint", "message"];
        assert!(keys(&error).iter().all(|key| known.contains(key)), "{self:#?}");
        assert!(!text(&error, "code").is_empty() && !text(&error, "message").is_empty());
        error
    }

    /// Demands words on standard error.
    #[track_caller]
    pub(crate) fn telling(self, words: &str) -> Self {
        assert!(self.stderr.contains(words), "{words:?} is not said: {self:#?}");
        self
    }

    /// The CODE of `error[CODE]: …`, or of the object that it is with `--json`.
    pub(crate) fn error_code(&self) -> Option<&str> {
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

/// The names of an object's members, in the order of the alphabet.
#[track_caller]
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap_or_else(|| panic!("not an object: {value}"));
    let mut keys: Vec<_> = object.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The text of a member.
#[track_caller]
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_else(|| panic!("{key} is not text in {value}"))
}
