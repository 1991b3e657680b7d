//! Reads facts about a project from its manifest: dependencies, licence, versions.
//!
//! Manifests are read line by line, so that each fact has its line number. What is written in an
//! unusual way is skipped rather than guessed.

/// Something that a manifest says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    pub(super) about: About,
    pub(super) text: String,
    /// From 1.
    pub(super) line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Dependency,
    /// For tests and builds only.
    Development,
    Licence,
    /// The version of the language that it needs.
    Needs,
    Feature,
}

/// Manifests that are understood.
pub(super) const FILES: &[&str] =
    &["Cargo.toml", "pyproject.toml", "setup.cfg", "package.json", "go.mod", "pom.xml"];

/// What a manifest says, in its order.
pub(super) fn facts(path: &str, text: &str) -> Vec<Fact> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut found = Found::default();
    for (at, line) in text.lines().enumerate() {
        found.line = at + 1;
        let bare = line.trim();
        match name {
            "Cargo.toml" => found.cargo(bare),
            "pyproject.toml" => found.pyproject(bare),
            "setup.cfg" => found.setup_cfg(line),
            "package.json" => found.package_json(bare),
            "go.mod" => found.go_mod(bare),
            "pom.xml" => found.pom(bare),
            _ => {}
        }
    }
    found.facts
}

#[derive(Default)]
struct Found {
    facts: Vec<Fact>,
    line: usize,
    section: String,
    /// A list that goes on over lines.
    list: Option<About>,
}

impl Found {
    fn add(&mut self, about: About, text: &str) {
        let text = text.trim();
        let inner =
            ['"', '\''].iter().find_map(|mark| text.strip_prefix(*mark)?.strip_suffix(*mark));
        let text = inner.unwrap_or(text);
        let known = |fact: &Fact| fact.about == about && fact.text == text;
        if !text.is_empty() && !self.facts.iter().any(known) {
            self.facts.push(Fact { about, text: text.to_owned(), line: self.line });
        }
    }

    /// Opens a section of TOML; says whether the line is one.
    fn opens(&mut self, line: &str) -> bool {
        let name = line.strip_prefix('[').and_then(|rest| rest.split(']').next());
        if let Some(name) = name.filter(|_| self.list.is_none()) {
            self.section = name.trim_matches(['[', ' ']).to_owned();
        }
        name.is_some() && self.list.is_none()
    }

    fn cargo(&mut self, line: &str) {
        let of = |section: &str| match section.rsplit('.').next().unwrap_or_default() {
            "dependencies" => Some(About::Dependency),
            "dev-dependencies" | "build-dependencies" => Some(About::Development),
            _ => None,
        };
        if self.opens(line) {
            // `[dependencies.serde]` is a table of its own.
            let (above, own) = self.section.rsplit_once('.').unwrap_or_default();
            if let (Some(about), own) = (of(above), own.to_owned()) {
                self.add(about, &own);
            }
            return;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
            return;
        };
        let key = key.trim();
        let section = self.section.clone();
        if let Some(about) = of(&section) {
            // `serde.workspace = true`.
            self.add(about, key.split('.').next().unwrap_or(key));
        } else if section == "features" && self.list.is_none() {
            self.add(About::Feature, key);
        } else if matches!(section.as_str(), "package" | "workspace.package") {
            match key {
                "license" => self.add(About::Licence, value),
                "license-file" => self.add(About::Licence, value),
                "rust-version" => self.add(About::Needs, &format!("Rust {}", unquoted(value))),
                _ => {}
            }
        }
    }

    fn pyproject(&mut self, line: &str) {
        if let Some(about) = self.list {
            if line.starts_with(']') {
                self.list = None;
            } else if let Some(text) = quoted(line) {
                self.add(about, &text);
            }
            return;
        }
        if self.opens(line) {
            return;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
            return;
        };
        let (key, value) = (key.trim(), value.trim());
        match (self.section.as_str(), key) {
            ("project", "requires-python") | ("tool.poetry.dependencies", "python") => {
                self.add(About::Needs, &format!("Python {}", unquoted(value)));
            }
            ("project" | "tool.poetry", "license") => {
                let text = quoted(value).unwrap_or_else(|| value.to_owned());
                self.add(About::Licence, &text);
            }
            ("project", "dependencies") => self.begin(About::Dependency, value),
            ("project.optional-dependencies", _) => self.add(About::Feature, key),
            ("tool.poetry.dependencies", _) => self.add(About::Dependency, key),
            _ => {}
        }
    }

    /// A list of texts that is on this line, or begins on it.
    fn begin(&mut self, about: About, value: &str) {
        if value.ends_with(']') {
            let inside = value.trim_matches(['[', ']']);
            inside.split(',').filter_map(quoted).for_each(|text| self.add(about, &text));
        } else if value.starts_with('[') {
            self.list = Some(about);
        }
    }

    fn setup_cfg(&mut self, line: &str) {
        let bare = line.trim();
        if self.opens(bare) {
            self.list = None;
            return;
        }
        if let Some(about) = self.list.filter(|_| line.starts_with([' ', '\t'])) {
            return self.add(about, bare);
        }
        self.list = None;
        let Some((key, value)) = bare.split_once('=') else { return };
        match (self.section.as_str(), key.trim()) {
            ("metadata", "license") => self.add(About::Licence, value),
            ("options", "python_requires") => {
                self.add(About::Needs, &format!("Python {}", value.trim()));
            }
            ("options", "install_requires") => {
                self.add(About::Dependency, value);
                self.list = Some(About::Dependency);
            }
            ("options.extras_require", key) if !key.is_empty() => self.add(About::Feature, key),
            _ => {}
        }
    }

    fn package_json(&mut self, line: &str) {
        let key = quoted(line).unwrap_or_default();
        let value = line.split_once(':').map(|(_, value)| value.trim()).unwrap_or_default();
        if value.starts_with('{') && !value.contains('}') {
            self.section = key;
            return;
        }
        if line.starts_with('}') {
            return self.section.clear();
        }
        let value = quoted(value).unwrap_or_default();
        match (self.section.as_str(), key.as_str()) {
            ("dependencies", name) if !name.is_empty() => {
                self.add(About::Dependency, &format!("{name} {value}"));
            }
            ("devDependencies", name) if !name.is_empty() => {
                self.add(About::Development, &format!("{name} {value}"));
            }
            ("engines", "node") => self.add(About::Needs, &format!("Node.js {value}")),
            ("", "license") => self.add(About::Licence, &value),
            _ => {}
        }
    }

    fn go_mod(&mut self, line: &str) {
        let bare = line.split("//").next().unwrap_or_default().trim();
        let about = match line.contains("// indirect") {
            true => None,
            false => Some(About::Dependency),
        };
        if let Some(version) = bare.strip_prefix("go ") {
            self.add(About::Needs, &format!("Go {version}"));
        } else if bare == "require (" {
            "require".clone_into(&mut self.section);
        } else if bare == ")" {
            self.section.clear();
        } else if let Some(about) = about {
            match bare.strip_prefix("require ") {
                Some(one) => self.add(about, one),
                None if self.section == "require" => self.add(about, bare),
                None => {}
            }
        }
    }

    fn pom(&mut self, line: &str) {
        let inside = |tag: &str| {
            let (_, rest) = line.split_once(&format!("<{tag}>"))?;
            rest.split_once(&format!("</{tag}>")).map(|(text, _)| text.trim().to_owned())
        };
        for tag in ["dependency", "license", "dependencyManagement", "plugin"] {
            if line == format!("<{tag}>") {
                tag.clone_into(&mut self.section);
            } else if line == format!("</{tag}>") {
                self.section.clear();
            }
        }
        let section = self.section.clone();
        if let Some(name) = inside("artifactId").filter(|_| section == "dependency") {
            self.add(About::Dependency, &name);
        }
        if let Some(name) = inside("name").filter(|_| section == "license") {
            self.add(About::Licence, &name);
        }
        for tag in ["maven.compiler.release", "maven.compiler.source", "java.version"] {
            if let Some(version) = inside(tag).filter(|version| !version.contains('$')) {
                self.add(About::Needs, &format!("Java {version}"));
            }
        }
    }
}

/// The first text in quotes.
fn quoted(text: &str) -> Option<String> {
    let start = text.find(['"', '\''])?;
    let mark = text[start..].chars().next()?;
    let rest = &text[start + 1..];
    rest.find(mark).map(|end| rest[..end].to_owned())
}

fn unquoted(value: &str) -> String {
    quoted(value).unwrap_or_else(|| value.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(path: &str, text: &str) -> Vec<String> {
        let one = |fact: Fact| format!("{:?} {} {}", fact.about, fact.text, fact.line);
        facts(path, text).into_iter().map(one).collect()
    }

    #[test]
    fn each_manifest_says_what_a_project_needs() {
        for (path, text, expected) in [
            (
                "Cargo.toml",
                "[package]\nname = \"a\"\nlicense = \"MIT\"\nrust-version = \"1.80\"\n[features]\ndefault = []\ntls = [\"ring\"]\n[dependencies]\nserde = { version = \"1\" }\ntoml.workspace = true\n# old = \"1\"\n[dependencies.http]\nversion = \"1\"\n[dev-dependencies]\ntempfile = \"3\"\n",
                &[
                    "Licence MIT 3",
                    "Needs Rust 1.80 4",
                    "Feature default 6",
                    "Feature tls 7",
                    "Dependency serde 9",
                    "Dependency toml 10",
                    "Dependency http 12",
                    "Development tempfile 15",
                ][..],
            ),
            (
                "pyproject.toml",
                "[project]\nlicense = { text = \"BSD-3-Clause\" }\nrequires-python = \">=3.10\"\ndependencies = [\n    \"click>=8.1\",\n    \"extra[a]; python_version < '3.10'\",\n]\n[project.optional-dependencies]\nasync = [\"asgiref>=3.2\"]\n",
                &[
                    "Licence BSD-3-Clause 2",
                    "Needs Python >=3.10 3",
                    "Dependency click>=8.1 5",
                    "Dependency extra[a]; python_version < '3.10' 6",
                    "Feature async 9",
                ],
            ),
            (
                "package.json",
                "{\n  \"name\": \"a\",\n  \"license\": \"MIT\",\n  \"dependencies\": {\n    \"qs\": \"^6.1\"\n  },\n  \"devDependencies\": {\n    \"mocha\": \"^10\"\n  },\n  \"engines\": {\n    \"node\": \">= 18\"\n  },\n  \"files\": []\n}\n",
                &[
                    "Licence MIT 3",
                    "Dependency qs ^6.1 5",
                    "Development mocha ^10 8",
                    "Needs Node.js >= 18 11",
                ],
            ),
            (
                "go.mod",
                "module a\n\ngo 1.19\n\nrequire (\n\tgo.uber.org/atomic v1.7.0\n\tb v1 // indirect\n)\nrequire c v2\n",
                &["Needs Go 1.19 3", "Dependency go.uber.org/atomic v1.7.0 6", "Dependency c v2 9"],
            ),
            (
                "setup.cfg",
                "[metadata]\nlicense = MIT\n[options]\npython_requires = >=3.8\ninstall_requires =\n    attrs\n    click>=8\npackages = find:\n",
                &[
                    "Licence MIT 2",
                    "Needs Python >=3.8 4",
                    "Dependency attrs 6",
                    "Dependency click>=8 7",
                ],
            ),
            (
                "pom.xml",
                "<project>\n<licenses>\n<license>\n<name>Apache-2.0</name>\n</license>\n</licenses>\n<java.version>17</java.version>\n<dependency>\n<artifactId>junit</artifactId>\n</dependency>\n</project>\n",
                &["Licence Apache-2.0 4", "Needs Java 17 7", "Dependency junit 9"],
            ),
        ] {
            assert_eq!(said(path, text), expected, "{path}");
        }
    }
}
