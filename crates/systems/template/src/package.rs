//! What a template consists of before it is written down.

use std::borrow::Cow;

use base64::{Engine, engine::general_purpose::STANDARD as BASE64};
use serde::{Deserialize, Serialize};

use super::{
    Source,
    manifest::Manifest,
    placeholders::{Placeholder, Subject},
    settings::Settings,
};

/// Everything that phase 9 writes down.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Package {
    pub manifest: Manifest,
    pub settings: Settings,
    /// `CLAUDE.md`
    pub documentation: String,
    pub templates: Templates,
    pub agents: Vec<AgentFile>,
}

/// Phase 4: the files of a template, and what is missing among them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Templates {
    pub files: Vec<TemplateFile>,
    pub completeness: Completeness,
    /// The gaps that the files have, with what the project had there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placeholders: Vec<Placeholder>,
    /// What of the project did not come into the template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// How many more there are than are named in `left_out`.
    #[serde(default, skip_serializing_if = "is_none")]
    pub left_out_unnamed: usize,
}

impl Templates {
    /// What there is to warn of where no name is replaced, or not the one that was `named`.
    #[must_use]
    pub fn replaces_nothing(&self, named: Option<&str>) -> Option<String> {
        match named {
            Some(name) if !self.placeholders.iter().any(|it| it.subject == Subject::Project) => {
                Some(format!(
                    "the name {name} (--project-name) is not replaced: no file has it, or a dependency has the \
                     same name"
                ))
            }
            Some(_) | None => self.placeholders.is_empty().then(|| {
                "the template has no placeholder, so every project made of it has the names of this one; name \
                 what is to be replaced with --project-name NAME"
                    .to_owned()
            }),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives it so")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// A file that was not taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub path: String,
    /// Such as `it holds a key`.
    pub why: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateFile {
    /// Where it is in the new project, placeholders included, without `.template`.
    pub path: String,
    /// Where it came from in the project.
    pub origin: String,
    pub layer: String,
    /// With placeholders, if it is a text.
    pub content: String,
    #[serde(default, skip_serializing_if = "Encoding::is_text")]
    pub encoding: Encoding,
    /// It is run, not only read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

/// How a file's content is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    #[default]
    Text,
    /// A picture, a font: its bytes, which have no gaps and are written as they are.
    Base64,
}

impl Encoding {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives it so")]
    fn is_text(&self) -> bool {
        *self == Self::Text
    }

    /// How bytes are held. Whoever reads a template tells texts from others by the same rule.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        if bytes.contains(&0) || std::str::from_utf8(bytes).is_err() {
            Self::Base64
        } else {
            Self::Text
        }
    }
}

impl TemplateFile {
    /// The content, if it is a text.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        (self.encoding == Encoding::Text).then_some(&self.content)
    }

    /// What is written down. Nothing if the content is not what its encoding says.
    #[must_use]
    pub fn bytes(&self) -> Option<Cow<'_, [u8]>> {
        match self.encoding {
            Encoding::Text => Some(Cow::Borrowed(self.content.as_bytes())),
            Encoding::Base64 => BASE64.decode(&self.content).ok().map(Cow::Owned),
        }
    }

    /// Bytes as the content of a file.
    #[must_use]
    pub(super) fn encoded(bytes: &[u8]) -> String {
        BASE64.encode(bytes)
    }
}

/// What a team that uses the template would look for in vain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Completeness {
    /// From 0 to 1.
    pub score: f64,
    pub missing: Vec<Missing>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// `operation`, `implementation`, `test`, `import`.
    pub kind: String,
    /// The file, type or layer to which it belongs.
    pub of: String,
    /// A sentence.
    pub what: String,
}

/// Phase 5: an agent that knows part of the project's stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentSpec {
    /// Lower case with hyphens.
    pub name: String,
    pub description: String,
    /// Why this project wants it.
    pub reason: String,
    /// What it is about: `react`, `repository`, `testing`.
    pub technologies: Vec<String>,
    /// From 1 (nice to have) to 10.
    pub priority: u8,
    pub source: Source,
}

/// Phases 6 and 7: an agent's file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AgentFile {
    pub name: String,
    /// Markdown with YAML front matter.
    pub content: String,
    /// Who wrote its body.
    pub source: Source,
}

/// The agents that are there already, by where they come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExistingAgents {
    pub user_custom: Vec<String>,
    pub template: Vec<String>,
    pub global: Vec<String>,
}
