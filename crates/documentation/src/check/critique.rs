//! What is wrong with a document.

use std::{collections::BTreeSet, fmt};

macro_rules! kinds {
    ($($variant:ident $word:literal $text:literal;)*) => {
        /// What an issue is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(rename_all = "snake_case")]
        pub enum IssueKind { $(#[doc = $text] $variant,)* }

        impl IssueKind {
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// As in JSON.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            fn sentence(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }
    };
}

kinds! {
    Command "command" "command is not in the repository";
    Option "option" "option is not in the code";
    Path "path" "path is not in the repository";
    Environment "environment" "environment variable is not in the code";
    Name "name" "name is not in the code";
    Endpoint "endpoint" "endpoint is not in the code";
    Version "version" "version is not the repository's";
    Licence "licence" "licence is not the repository's";
    Link "link" "link leads nowhere";
    Block "block" "block of code does not parse";
    Section "section" "required section is missing";
}

impl fmt::Display for IssueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Issue {
    /// Of the document, from 1; 0 for the document as a whole.
    pub line: usize,
    pub kind: IssueKind,
    /// What the document says, such as `npm run biuld`.
    pub reference: String,
    /// For people: what is wrong, and what may be meant.
    pub text: String,
    /// What may be meant.
    pub fix: Option<String>,
}

impl Issue {
    pub(super) fn new(kind: IssueKind, line: usize, reference: &str, fix: Option<String>) -> Self {
        let reference: String = reference.chars().take(200).collect();
        let meant = fix.as_ref().map(|fix| format!("; did you mean `{fix}`?")).unwrap_or_default();
        let place = if line == 0 { String::new() } else { format!("line {line}: ") };
        let text = format!("{place}{}: `{reference}`{meant}", kind.sentence());
        Self { line, kind, reference, text, fix }
    }

    /// A reference that was not found, and may be in what was not read.
    pub(super) fn unknown(kind: IssueKind, line: usize, reference: &str) -> Self {
        let reference: String = reference.chars().take(200).collect();
        let place = if line == 0 { String::new() } else { format!("line {line}: ") };
        let text = format!("{place}not looked up: the {kind} `{reference}`");
        Self { line, kind, reference, text, fix: None }
    }
}

/// The result of checking one document.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Critique {
    /// By line.
    pub issues: Vec<Issue>,
    /// References that may be in files that were not read: they count neither as found nor as wrong.
    pub not_looked_up: Vec<Issue>,
    pub suggestions: Vec<String>,
    /// From 0 to 100.
    pub score: u32,
    /// References that were looked up, and those that were found.
    pub checked: usize,
    pub verified: usize,
    /// Sections that the contract wants, and those that are there.
    pub required: usize,
    pub present: usize,
}

impl Critique {
    pub(super) fn new(
        issues: BTreeSet<Issue>,
        unknown: BTreeSet<Issue>,
        suggestions: Vec<String>,
        checked: usize,
        required: usize,
        present: usize,
    ) -> Self {
        let issues: Vec<Issue> = issues.into_iter().collect();
        let not_looked_up = unknown.into_iter().collect();
        let wrong = issues.iter().filter(|issue| issue.kind != IssueKind::Section).count();
        let verified = checked.saturating_sub(wrong);
        let share = |part: usize, all: usize| if all == 0 { 1.0 } else { part as f64 / all as f64 };
        let score = 60.0 * share(verified, checked) + 40.0 * share(present, required);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is between 0 and 100"
        )]
        let score = score.floor() as u32;
        Self { issues, not_looked_up, suggestions, score, checked, verified, required, present }
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.issues.is_empty()
    }

    /// The issues of one kind.
    pub fn of(&self, kind: IssueKind) -> impl Iterator<Item = &Issue> {
        self.issues.iter().filter(move |issue| issue.kind == kind)
    }
}
