//! The five document contracts: which sections a document must have.
//!
//! Headings are matched tolerantly: any level, any case, without numbers, signs and emoji, and by the
//! synonyms that [`Section::synonyms`] lists. `docs/scribe.md` repeats the list for users; a test compares both.

use super::markdown::Document;

/// Which sections a document must have (the document's section 2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Contract {
    Readme,
    Guide,
    Changelog,
    Adr,
    Api,
}

/// A required section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub name: &'static str,
    /// Other headings that count as it.
    pub synonyms: &'static [&'static str],
}

const fn section(name: &'static str, synonyms: &'static [&'static str]) -> Section {
    Section { name, synonyms }
}

const README: &[Section] = &[
    section("Title", &[]),
    section(
        "Features",
        &["highlights", "key features", "why", "what it does", "about", "overview"],
    ),
    section(
        "Installation",
        &[
            "install",
            "installing",
            "getting started",
            "quick start",
            "quickstart",
            "setup",
            "download",
        ],
    ),
    section(
        "Usage",
        &[
            "how to use",
            "using",
            "examples",
            "example",
            "quick start",
            "quickstart",
            "getting started",
            "basic usage",
            "command line",
            "api",
            "documentation",
        ],
    ),
    section(
        "Configuration",
        &[
            "configuring",
            "config",
            "options",
            "settings",
            "environment variables",
            "environment",
            "customization",
        ],
    ),
    section(
        "Contributing",
        &[
            "contribute",
            "contribution",
            "contributions",
            "contributors",
            "development",
            "developing",
            "hacking",
        ],
    ),
    section("License", &["licence", "licensing", "license and copyright", "copyright"]),
];
const GUIDE: &[Section] = &[
    section("Overview", &["introduction", "about", "summary"]),
    section(
        "Prerequisites",
        &["requirements", "before you begin", "before you start", "dependencies", "what you need"],
    ),
    section("Main Content", &[]),
    section("Examples", &["example", "usage", "sample", "samples"]),
    section(
        "Troubleshooting",
        &["problems", "common problems", "common issues", "known issues", "debugging"],
    ),
    section(
        "Next Steps",
        &["what next", "whats next", "further reading", "see also", "where to go from here"],
    ),
];
const CHANGELOG: &[Section] = &[
    section("Unreleased", &["next", "upcoming", "in progress", "tbd"]),
    section("Versions", &[]),
    section(
        "Breaking Changes",
        &["breaking", "breaking change", "incompatible changes", "backwards incompatible changes"],
    ),
];
const ADR: &[Section] = &[
    section("Status", &["state"]),
    section("Context", &["context and problem statement", "background", "problem"]),
    section("Decision", &["decision outcome", "decisions"]),
    section("Consequences", &["consequence", "what it costs", "implications"]),
];
const API: &[Section] = &[
    section("Overview", &["introduction", "about", "summary"]),
    section("Authentication", &["authorization", "auth", "security"]),
    section(
        "Endpoints",
        &["routes", "resources", "reference", "public api", "methods", "functions"],
    ),
    section("Examples", &["example", "usage"]),
    section("Error Handling", &["errors", "error codes", "error responses", "exceptions"]),
];

impl Contract {
    pub const ALL: [Self; 5] = [Self::Readme, Self::Guide, Self::Changelog, Self::Adr, Self::Api];

    /// The contract of a target, by its path.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let path = path.to_lowercase();
        let mut folders: Vec<&str> = path.split('/').collect();
        let name = folders.pop().unwrap_or("");
        let stem = name.split('.').next().unwrap_or(name);
        let is_adr = folders.iter().any(|folder| ["adr", "adrs", "decisions"].contains(folder));
        match stem {
            "readme" => Self::Readme,
            "changelog" | "changes" | "history" | "releases" | "news" | "release-notes"
            | "release_notes" | "releasenotes" | "whats_new" => Self::Changelog,
            "api" => Self::Api,
            _ if is_adr => Self::Adr,
            _ => Self::Guide,
        }
    }

    #[must_use]
    pub fn sections(self) -> &'static [Section] {
        match self {
            Self::Readme => README,
            Self::Guide => GUIDE,
            Self::Changelog => CHANGELOG,
            Self::Adr => ADR,
            Self::Api => API,
        }
    }

    /// The required sections that a document does not have.
    #[must_use]
    pub fn missing(self, document: &Document) -> Vec<&'static str> {
        let lacks = |section: &&Section| !self.has(document, section);
        self.sections().iter().filter(lacks).map(|section| section.name).collect()
    }

    fn has(self, document: &Document, section: &Section) -> bool {
        let headings = &document.headings;
        match section.name {
            // A logo may stand in place of the words.
            "Title" => headings.iter().any(|heading| heading.level == 1),
            "Versions" => headings
                .iter()
                .any(|heading| is_version(&heading.text) || section.is(&heading.text)),
            "Main Content" => headings.iter().any(|heading| {
                let others = self.sections().iter().filter(|other| other.name != "Main Content");
                heading.level > 1 && !others.into_iter().any(|other| other.is(&heading.text))
            }),
            _ => headings.iter().any(|heading| section.is(&heading.text)),
        }
    }
}

impl Section {
    /// Whether a heading is this section.
    #[must_use]
    pub fn is(&self, heading: &str) -> bool {
        let heading = folded(heading);
        let name = folded(self.name);
        let fits = |word: &str| {
            heading == word
                || heading.strip_prefix(word).is_some_and(|rest| {
                    rest.starts_with(' ')
                        && [
                            "and", "with", "from", "via", "on", "for", "in", "the", "guide", "of",
                            "using", "notes",
                        ]
                        .contains(&rest.trim_start().split(' ').next().unwrap_or(""))
                })
                || heading.strip_suffix(word).is_some_and(|rest| {
                    rest.ends_with(' ')
                        && rest.len() < 24
                        && (rest.trim_end().ends_with("and") || !rest.contains("no "))
                })
        };
        fits(&name) || self.synonyms.iter().any(|synonym| fits(synonym))
    }
}

/// Small letters and single blanks; no digits in front, no signs.
pub(super) fn folded(heading: &str) -> String {
    let kept: String = heading
        .chars()
        .map(|c| {
            if c.is_alphanumeric() {
                c
            } else if matches!(c, '\'' | '’') {
                '\u{0}'
            } else {
                ' '
            }
        })
        .filter(|c| *c != '\u{0}')
        .collect();
    let kept = kept.to_lowercase();
    let words: Vec<&str> = kept.split_whitespace().collect();
    let numbered = words.first().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
        && words.len() > 1;
    words.get(usize::from(numbered)..).unwrap_or_default().join(" ")
}

/// `1.2.0`, `[v1.2.0] - 2026-01-31`, `Version 3.1`, `name 14.1.1 (…)`.
#[must_use]
pub fn is_version(heading: &str) -> bool {
    heading.split([' ', '[', ']', '(', ')', '/', '@']).take(4).any(|word| {
        let word = word.trim_start_matches(['v', 'V']).trim_end_matches([':', ',']);
        word.starts_with(|c: char| c.is_ascii_digit())
            && word.split('.').count() >= 2
            && word.split('.').take(2).all(|part| part.starts_with(|c: char| c.is_ascii_digit()))
    })
}
