//! The test file: every case is there, skipped, with its steps as comments. It runs as it is.
//!
//! Names and steps are text of a stranger. In a file they are only ever a comment that ends with
//! its line ([`comment_lines`]) or a quoted string ([`quoted`]); names of functions are made of
//! letters and digits of ids. Everything that could end a line, hide text or upset a compiler is
//! written as an escape.

mod golang;
mod javascript;
mod python;
mod rust;

use std::collections::HashSet;

use super::{Framework, output::PlannedCase};

/// Why the cases are skipped, in every framework's own place for it.
const REASON: &str = "not written yet";

/// A file must have a test, or some frameworks call it broken.
const NO_SCENARIOS: &str = "The specification has no scenarios";

/// A case as a file needs it.
struct Stub<'a> {
    id: &'a str,
    name: &'a str,
    steps: &'a [String],
}

pub(super) fn write(framework: Framework, title: &str, cases: &[&PlannedCase<'_>]) -> String {
    let stubs = cases.iter().map(|case| Stub { id: &case.id, name: case.name, steps: case.steps });
    let mut stubs: Vec<Stub<'_>> = stubs.collect();
    if stubs.is_empty() {
        stubs.push(Stub { id: "no-scenarios", name: NO_SCENARIOS, steps: &[] });
    }
    match framework {
        Framework::Vitest | Framework::Default => javascript::write(title, &stubs, true),
        Framework::Jest => javascript::write(title, &stubs, false),
        Framework::Pytest => python::write(title, &stubs),
        Framework::CargoTest => rust::write(title, &stubs),
        Framework::GoTest => golang::write(title, &stubs),
    }
}

/// The text as lines of comments behind `mark`, which has its indentation with it.
fn comment_lines(text: &str, mark: &str) -> String {
    let mut out = String::new();
    for line in text.split(ends_line) {
        let line: String = line.chars().map(visible).collect();
        // A test runner obeys this comment wherever it stands.
        let line = line.replace("@vitest-", "@ vitest-").replace("@jest-", "@ jest-");
        out.push_str(format!("{mark} {line}").trim_end());
        out.push('\n');
    }
    out
}

/// A string in double quotes, with the escapes that `escape` has for what is not printable.
fn quoted(text: &str, escape: fn(char) -> String) -> String {
    let mut out = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            c if is_hidden(c) => out.push_str(&escape(c)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Some language ends a line, and with it a comment, at each of these.
fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Control characters, marks that turn the direction of text, and what compilers refuse.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{ffff}')
}

fn visible(c: char) -> String {
    match c {
        '\t' => "    ".to_owned(),
        c if is_hidden(c) => format!("\\u{{{:x}}}", u32::from(c)),
        c => c.to_string(),
    }
}

/// Names of functions, each of them new.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    /// `login-happy-path` becomes `login_happy_path`. What is not ASCII is left out.
    fn snake(&mut self, id: &str) -> String {
        let words = ascii_words(id);
        let name = words.join("_");
        let name = if name.starts_with(|c: char| c.is_ascii_digit()) {
            format!("case_{name}")
        } else {
            name
        };
        self.unique(name, "_")
    }

    /// `login-happy-path` becomes `LoginHappyPath`.
    fn camel(&mut self, id: &str) -> String {
        let words = ascii_words(id);
        let name = words.iter().map(|word| word[..1].to_ascii_uppercase() + &word[1..]).collect();
        self.unique(name, "_")
    }

    fn unique(&mut self, name: String, joint: &str) -> String {
        let mut tried = name.clone();
        let mut number = 2;
        while !self.0.insert(tried.clone()) {
            tried = format!("{name}{joint}{number}");
            number += 1;
        }
        tried
    }
}

fn ascii_words(id: &str) -> Vec<String> {
    let words = id.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect()
}

/// The steps as comments, or that there are none.
fn steps_as_comments(stub: &Stub<'_>, mark: &str) -> String {
    if stub.steps.is_empty() {
        return comment_lines("The specification gives no steps.", mark);
    }
    stub.steps.iter().map(|step| comment_lines(step, mark)).collect()
}
