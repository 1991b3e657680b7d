//! Entry points that manifests and the like name, line by line. What is written in an unusual way is
//! skipped rather than guessed.

use super::Start;

/// What a manifest says.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) starts: Vec<Start>,
    /// Files of binaries, as they are written in it, and the names of these.
    pub(super) names: Vec<(String, String)>,
}

pub(super) fn is_known(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let known = ["Cargo.toml", "package.json", "pyproject.toml", "setup.cfg", "setup.py"];
    known.contains(&name) || ["Procfile", "Makefile"].contains(&name) || is_dockerfile(name)
}

fn is_dockerfile(name: &str) -> bool {
    ["Dockerfile", "Containerfile"].iter().any(|it| name.starts_with(it))
        || name.ends_with(".dockerfile")
}

pub(super) fn said(path: &str, text: &str) -> Said {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut said = Said::default();
    match name {
        "Cargo.toml" => said.cargo(text),
        "package.json" => said.package_json(text),
        "pyproject.toml" => said.pyproject(text),
        "setup.cfg" | "setup.py" => said.setup(text),
        "Procfile" => said.procfile(text),
        "Makefile" => said.makefile(text),
        _ => said.dockerfile(text),
    }
    said
}

impl Said {
    fn add(&mut self, at: usize, rank: u8, what: String) {
        self.starts.push(Start { line: at + 1, what, rank });
    }

    fn cargo(&mut self, text: &str) {
        let mut section = "";
        let mut package = None;
        let mut bin: Option<(usize, Option<String>, Option<String>)> = None;
        // A last section ends the one before it.
        for (at, line) in text.lines().chain(["[end]"]).enumerate() {
            let line = line.trim();
            if line.starts_with('[') {
                if let Some((at, name, path)) = bin.take() {
                    self.binary(at, name, path);
                }
                section = line.split('#').next().unwrap_or_default().trim();
                bin = (section == "[[bin]]").then_some((at, None, None));
                continue;
            }
            let Some((key, value)) = pair(line) else { continue };
            match (section, key, &mut bin) {
                ("[package]", "name", _) => package = Some(value),
                (_, "name", Some(bin)) => (bin.0, bin.1) = (at, Some(value)),
                (_, "path", Some(bin)) => bin.2 = Some(value),
                _ => {}
            }
        }
        // It may have a binary of its own without a word about it; a name that is written comes later.
        if let Some(package) = package {
            self.names.insert(0, ("src/main.rs".to_owned(), package));
        }
    }

    fn binary(&mut self, at: usize, name: Option<String>, path: Option<String>) {
        let what = match (&name, &path) {
            (Some(name), Some(path)) => format!("names the binary `{name}`, from `{path}`"),
            (Some(name), None) => format!("names the binary `{name}`"),
            (None, _) => "names a binary".to_owned(),
        };
        self.add(at, 1, what);
        if let (Some(name), Some(path)) = (name, path) {
            self.names.push((path, name));
        }
    }

    fn package_json(&mut self, text: &str) {
        let (mut depth, mut section) = (0_usize, String::new());
        for (at, line) in text.lines().enumerate() {
            let bare = line.trim().trim_start_matches('{').trim_start();
            let own = depth + usize::from(line.trim().starts_with('{'));
            let key = quoted(bare).filter(|_| bare.starts_with('"')).unwrap_or_default();
            let rest = bare.split_once("\":").map(|(_, rest)| rest.trim()).unwrap_or_default();
            let value = quoted(rest).filter(|_| rest.starts_with('"'));
            match (own, section.as_str(), key.as_str(), value) {
                (1, _, "bin", Some(file)) => self.add(at, 1, format!("the command, from `{file}`")),
                (1, _, "main", Some(file)) => {
                    self.add(at, 2, format!("what an import loads: `{file}`"));
                }
                (2, "bin", name, Some(file)) if !name.is_empty() => {
                    self.add(at, 1, format!("the command `{name}`, from `{file}`"));
                }
                (2, "scripts", "start", Some(command)) => {
                    self.add(at, 1, format!("`npm start` runs `{command}`"));
                }
                _ => {}
            }
            if own == 1 && !key.is_empty() {
                section = key;
            }
            depth = deeper(depth, line);
        }
    }

    fn pyproject(&mut self, text: &str) {
        let mut section = "";
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.starts_with('[') {
                section = line;
            } else if ["[project.scripts]", "[project.gui-scripts]", "[tool.poetry.scripts]"]
                .contains(&section)
                && let Some((name, target)) = pair(line)
            {
                self.add(at, 1, format!("the command `{name}` calls `{target}`"));
            }
        }
    }

    /// `console_scripts` of `setup.cfg` and `setup.py`: `name = package.module:function`, each on a line.
    fn setup(&mut self, text: &str) {
        let mut scripts = false;
        for (at, line) in text.lines().enumerate() {
            let bare = line.trim();
            if bare.contains("console_scripts") || bare.contains("gui_scripts") {
                scripts = true;
            } else if scripts && (bare.starts_with(['[', ']', '}']) || bare.is_empty()) {
                scripts = false;
            }
            let script =
                quoted(bare.rsplit('[').next().unwrap_or(bare)).unwrap_or_else(|| bare.to_owned());
            if scripts
                && let Some((name, target)) = script.split_once('=')
                && target.contains(':')
                && !name.contains("scripts")
            {
                let (name, target) = (name.trim(), target.trim());
                self.add(at, 1, format!("the command `{name}` calls `{target}`"));
            }
        }
    }

    /// Of several stages the last one is run.
    fn dockerfile(&mut self, text: &str) {
        for (word, what) in [
            ("ENTRYPOINT", "what the container runs"),
            ("CMD", "what the container runs by default"),
        ] {
            let last = text.lines().enumerate().filter(|(_, line)| {
                let first = line.split_whitespace().next().unwrap_or_default();
                first.eq_ignore_ascii_case(word)
            });
            if let Some((at, _)) = last.last() {
                self.add(at, 4, what.to_owned());
            }
        }
    }

    fn procfile(&mut self, text: &str) {
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            if let Some((name, _)) = line.split_once(':') {
                self.add(at, 4, format!("the process `{}`", name.trim()));
            }
        }
    }

    fn makefile(&mut self, text: &str) {
        for (at, line) in text.lines().enumerate() {
            for target in ["run", "start", "serve"] {
                let rest =
                    line.strip_prefix(target).and_then(|rest| rest.trim_start().strip_prefix(':'));
                if rest.is_some_and(|rest| !rest.starts_with('=')) {
                    self.add(at, 5, format!("`make {target}`"));
                }
            }
        }
    }
}

/// A key and its text, of TOML.
fn pair(line: &str) -> Option<(&str, String)> {
    let (key, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
    Some((key.trim().trim_matches('"'), quoted(value)?))
}

/// The first text in quotes.
fn quoted(text: &str) -> Option<String> {
    let start = text.find(['"', '\''])?;
    let mark = text[start..].chars().next()?;
    let rest = &text[start + 1..];
    rest.find(mark).map(|end| rest[..end].to_owned())
}

/// How many brackets are open after a line of JSON.
fn deeper(mut depth: usize, line: &str) -> usize {
    let (mut inside, mut escaped) = (false, false);
    for letter in line.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            '{' | '[' if !inside => depth += 1,
            '}' | ']' if !inside => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_manifest_names_its_entry_points() {
        for (path, text, expected) in [
            (
                "a/Cargo.toml",
                "[package]\nname = \"a\"\n\n[[bin]]\nname = \"tool\"\npath = \"src/tool.rs\"\n\n[dependencies]\nname = \"1\"\n",
                &["5 names the binary `tool`, from `src/tool.rs`"][..],
            ),
            (
                "package.json",
                "{\n  \"name\": \"a\",\n  \"main\": \"lib/index.js\",\n  \"bin\": {\n    \"a\": \"cli.js\"\n  },\n  \"scripts\": {\n    \"test\": \"mocha\",\n    \"start\": \"node server.js\"\n  },\n  \"config\": {\n    \"main\": \"x\",\n    \"start\": \"y\"\n  }\n}\n",
                &[
                    "3 what an import loads: `lib/index.js`",
                    "5 the command `a`, from `cli.js`",
                    "9 `npm start` runs `node server.js`",
                ],
            ),
            (
                "package.json",
                "{ \"bin\": \"./cli.js\",\n  \"x\": 1 }\n",
                &["1 the command, from `./cli.js`"],
            ),
            (
                "pyproject.toml",
                "[project]\nname = \"a\"\n[project.scripts]\n# old = \"x:y\"\nrun-a = \"a.cli:main\"\n[tool.x]\nb = \"c\"\n",
                &["5 the command `run-a` calls `a.cli:main`"],
            ),
            (
                "setup.cfg",
                "[options.entry_points]\nconsole_scripts =\n    a = a.cli:main\n    b = a.b:run\n\n[x]\nc = d:e\n",
                &["3 the command `a` calls `a.cli:main`", "4 the command `b` calls `a.b:run`"],
            ),
            (
                "setup.py",
                "setup(\n    entry_points={\n        \"console_scripts\": [\n            \"a = a.cli:main\",\n        ],\n    },\n)\n",
                &["4 the command `a` calls `a.cli:main`"],
            ),
            (
                "Dockerfile",
                "FROM a AS build\nCMD [\"x\"]\nFROM b\nENTRYPOINT [\"/app\"]\ncmd [\"--help\"]\n",
                &["4 what the container runs", "5 what the container runs by default"],
            ),
            ("Procfile", "web: gunicorn a\n# b\n", &["1 the process `web`"]),
            ("Makefile", "run := 1\nbuild:\n\tmake run\nrun: build\n\t./a\n", &["4 `make run`"]),
        ] {
            let starts = said(path, text).starts;
            let found: Vec<String> =
                starts.iter().map(|start| format!("{} {}", start.line, start.what)).collect();
            assert_eq!(found, expected, "{path}");
            assert!(is_known(path));
        }
    }
}
