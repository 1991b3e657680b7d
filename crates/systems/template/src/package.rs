//! The parts of a template before they are written to disk.

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
    /// The placeholders of the files, with the names that the project had there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub placeholders: Vec<Placeholder>,
    /// Files of the project that are not in the template.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// How many more there are than are named in `left_out`.
    #[serde(default, skip_serializing_if = "is_none")]
    pub left_out_unnamed: usize,
}

impl Templates {
    /// A warning if no name is replaced, or not the one that was `named`.
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

/// A file of the project that is not in the template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    pub path: String,
    /// The reason, such as `it holds a key`.
    pub why: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateFile {
    /// Its path in the new project, placeholders included, without `.template`.
    pub path: String,
    /// Its path in the original project.
    pub origin: String,
    pub layer: String,
    /// Its content: text with placeholders, or encoded bytes.
    pub content: String,
    #[serde(default, skip_serializing_if = "Encoding::is_text")]
    pub encoding: Encoding,
    /// Whether it is executable.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

/// How the content of a file is encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    #[default]
    Text,
    /// Bytes as Base64, such as of a picture or a font. They have no placeholders.
    Base64,
}

impl Encoding {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives it so")]
    fn is_text(&self) -> bool {
        *self == Self::Text
    }

    /// The encoding for some bytes. Reading a template uses the same rule to recognise text.
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

    /// The bytes to write. `None` if the content does not match its encoding.
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

/// How complete a template is: what its users would miss.
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
    /// Why the project needs it.
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

/// The agents that already exist, by where they come from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExistingAgents {
    pub user_custom: Vec<String>,
    pub template: Vec<String>,
    pub global: Vec<String>,
}
