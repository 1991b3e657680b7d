//! `pyproject.toml` (PEP 621, PEP 735, Poetry), `requirements*.txt`, `setup.cfg`, `setup.py` and `Pipfile`.
//!
//! Facts: `tool` (`poetry`, `uv`, `pipenv`, `pip`), `scripts`, `pytest`.

use toml::{Table, Value};

use super::{
    kind::{Lines, Manifest, Use, line_of},
    pep508::{canonical, requirement},
    setup_py,
};

/// Groups of dependencies that are for development only.
const LENT: &[&str] = &["dev", "test", "tests", "lint", "docs", "doc", "typing", "development"];

pub(super) fn read(name: &str, text: &str, manifest: &mut Manifest) {
    match name {
        "pyproject.toml" => pyproject(text, manifest),
        "Pipfile" => pipfile(text, manifest),
        "setup.cfg" => setup_cfg(text, manifest),
        "setup.py" => setup_py::read(text, manifest),
        _ => requirements(name, text, manifest),
    }
}

fn pyproject(text: &str, manifest: &mut Manifest) {
    let Ok(file) = text.parse::<Table>() else { return };
    let (quoted, keys) = (Lines::of_quoted(text), Lines::of_keys(text));
    let project = file.get("project").and_then(Value::as_table);
    let tool = file.get("tool").and_then(Value::as_table);
    let poetry = tool.and_then(|tool| tool.get("poetry")).and_then(Value::as_table);
    for table in [project, poetry].into_iter().flatten() {
        manifest.call(table.get("name").and_then(Value::as_str).unwrap_or_default());
        for author in list(table.get("authors")) {
            let name = author.as_str().or_else(|| author.get("name").and_then(Value::as_str));
            manifest.author(name.unwrap_or_default());
        }
        if table.contains_key("scripts") {
            manifest.facts.insert("scripts", "true".to_owned());
        }
    }
    if let Some(project) = project {
        require_all(list(project.get("dependencies")), Use::Runtime, &quoted, manifest);
        let groups = project.get("optional-dependencies").and_then(Value::as_table);
        grouped(groups, &quoted, manifest);
    }
    grouped(file.get("dependency-groups").and_then(Value::as_table), &quoted, manifest);
    if let Some(poetry) = poetry {
        manifest.facts.insert("tool", "poetry".to_owned());
        keyed(poetry.get("dependencies"), Use::Runtime, &keys, manifest);
        keyed(poetry.get("dev-dependencies"), Use::Development, &keys, manifest);
        let groups = poetry.get("group").and_then(Value::as_table);
        for (_, group) in groups.into_iter().flatten() {
            keyed(group.get("dependencies"), Use::Development, &keys, manifest);
        }
    } else if tool.is_some_and(|tool| tool.contains_key("uv"))
        || file.contains_key("dependency-groups")
    {
        manifest.facts.insert("tool", "uv".to_owned());
    }
    if tool.is_some_and(|tool| tool.contains_key("pytest")) {
        manifest.facts.insert("pytest", line_of(text, "[tool.pytest").to_string());
    }
}

fn grouped(groups: Option<&Table>, lines: &Lines<'_>, manifest: &mut Manifest) {
    for (group, wanted) in groups.into_iter().flatten() {
        let from = manifest.dependencies.len();
        let lent = LENT.contains(&group.as_str());
        let used = if lent { Use::Development } else { Use::Runtime };
        require_all(list(Some(wanted)), used, lines, manifest);
        manifest.dependencies.iter_mut().skip(from).for_each(|one| one.optional = !lent);
    }
}

fn require_all(wanted: &[Value], used: Use, lines: &Lines<'_>, manifest: &mut Manifest) {
    for said in wanted.iter().filter_map(Value::as_str) {
        if let Some((name, version)) = requirement(said) {
            manifest.depend(&name, version.as_deref(), used, lines.line(said));
        }
    }
}

/// `name = "^1.2"` or `name = { version = "^1.2" }`
fn keyed(table: Option<&Value>, used: Use, lines: &Lines<'_>, manifest: &mut Manifest) {
    for (name, value) in table.and_then(Value::as_table).into_iter().flatten() {
        let version = value.as_str().or_else(|| value.get("version").and_then(Value::as_str));
        if name != "python" {
            let version = version.filter(|version| *version != "*");
            manifest.depend(&canonical(name), version, used, lines.line(name));
        }
    }
}

fn pipfile(text: &str, manifest: &mut Manifest) {
    let Ok(file) = text.parse::<Table>() else { return };
    manifest.facts.insert("tool", "pipenv".to_owned());
    let lines = Lines::of_keys(text);
    keyed(file.get("packages"), Use::Runtime, &lines, manifest);
    keyed(file.get("dev-packages"), Use::Development, &lines, manifest);
}

fn requirements(name: &str, text: &str, manifest: &mut Manifest) {
    manifest.facts.insert("tool", "pip".to_owned());
    let lent = LENT.iter().any(|word| name.contains(word));
    let used = if lent { Use::Development } else { Use::Runtime };
    for (at, line) in text.lines().enumerate() {
        if let Some((name, version)) = requirement(line) {
            manifest.depend(&name, version.as_deref(), used, at + 1);
        }
    }
}

fn setup_cfg(text: &str, manifest: &mut Manifest) {
    let (mut section, mut key) = (String::new(), String::new());
    for (at, line) in text.lines().enumerate() {
        let said = line.trim();
        if said.starts_with('[') {
            section = said.trim_matches(['[', ']']).to_owned();
            key.clear();
            continue;
        }
        let mut value = said;
        if !line.starts_with([' ', '\t'])
            && let Some((name, rest)) = said.split_once('=')
        {
            key = name.trim().to_owned();
            value = rest.trim();
        }
        match (section.as_str(), key.as_str()) {
            ("metadata", "name") => manifest.call(value),
            ("metadata", "author") => manifest.author(value),
            ("options", "install_requires") => require(value, Use::Runtime, at + 1, manifest),
            ("options.extras_require", group) => {
                let lent = LENT.contains(&group);
                let used = if lent { Use::Development } else { Use::Runtime };
                require(value, used, at + 1, manifest);
            }
            ("tool:pytest", _) => {
                manifest.facts.insert("pytest", (at + 1).to_string());
            }
            _ => {}
        }
    }
}

pub(super) fn require(said: &str, used: Use, line: usize, manifest: &mut Manifest) {
    if let Some((name, version)) = requirement(said) {
        manifest.depend(&name, version.as_deref(), used, line);
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
