//! What is in `deploy/`: the container recipe, the units and the compose file, read as far as a machine without any of
//! those programs can. Whatever they call must be a command of ours, with these options.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use serde_json::Value;

use crate::{
    home::Home,
    support::{Consign, Folder, consign, root},
};

fn file(name: &str) -> String {
    fs::read_to_string(root().join("deploy").join(name)).expect("it is in deploy/")
}

/// Whether a program is on this machine. Where it is not, what it would check is not checked, and that is said.
#[expect(clippy::print_stderr, reason = "it tells what was not tested")]
fn is_here(program: &str) -> bool {
    let here = Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success());
    if !here {
        eprintln!("SKIPPED: no {program} here, so this was not tested");
    }
    here
}

/// An instruction of a container recipe: its word, its options, and the rest.
#[derive(Debug)]
struct Instruction {
    word: String,
    options: BTreeMap<String, String>,
    rest: String,
}

impl Instruction {
    /// The rest as a list of JSON.
    fn list(&self) -> Vec<String> {
        serde_json::from_str(&self.rest).unwrap_or_else(|why| panic!("{self:?}: {why}"))
    }

    fn words(&self) -> Vec<&str> {
        self.rest.split_whitespace().collect()
    }
}

/// Every instruction that builders know and that a recipe of ours may use.
const INSTRUCTIONS: [&str; 13] = [
    "ARG",
    "CMD",
    "COPY",
    "ENTRYPOINT",
    "ENV",
    "EXPOSE",
    "FROM",
    "HEALTHCHECK",
    "RUN",
    "STOPSIGNAL",
    "USER",
    "VOLUME",
    "WORKDIR",
];

/// Reads a recipe, strictly: comments and empty lines stand alone, a line that goes on ends with a backslash.
fn recipe(text: &str) -> Vec<Instruction> {
    let mut instructions = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut whole = line.to_owned();
        while whole.ends_with('\\') {
            whole.pop();
            whole += lines.next().expect("a line that goes on has a next one").trim_start();
        }
        let (word, mut rest) = whole.split_once(' ').expect("an instruction says something");
        assert!(INSTRUCTIONS.contains(&word), "{line:?}");
        let mut options = BTreeMap::new();
        while let Some((option, more)) = rest.strip_prefix("--").and_then(|it| it.split_once(' ')) {
            let (name, value) = option.split_once('=').expect("an option has a value");
            options.insert(name.to_owned(), value.to_owned());
            rest = more;
        }
        instructions.push(Instruction { word: word.to_owned(), options, rest: rest.to_owned() });
    }
    instructions
}

/// The instructions of each stage, which begin with its FROM.
fn stages() -> Vec<Vec<Instruction>> {
    let mut stages: Vec<Vec<Instruction>> = Vec::new();
    for instruction in recipe(&file("Containerfile")) {
        if instruction.word == "FROM" {
            stages.push(Vec::new());
        }
        stages.last_mut().expect("a recipe begins with FROM").push(instruction);
    }
    stages
}

/// The one instruction of this word in a stage.
#[track_caller]
fn only<'s>(stage: &'s [Instruction], word: &str) -> &'s Instruction {
    let all: Vec<_> = stage.iter().filter(|one| one.word == word).collect();
    assert_eq!(all.len(), 1, "{word}: {all:?}");
    all[0]
}

/// What a recipe copies from the source tree.
fn copied() -> Vec<String> {
    let stages = stages();
    let copies = stages.iter().flatten().filter(|one| one.word == "COPY");
    let ours = copies.filter(|one| !one.options.contains_key("from"));
    ours.flat_map(|one| {
        let mut words = one.words();
        words.pop().expect("the place to copy to");
        assert!(!words.is_empty(), "{one:?}");
        words.into_iter().map(str::to_owned).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn the_image_is_small_runs_without_rights_and_keeps_its_home_in_a_volume() {
    let stages = stages();
    let [build, image] = &stages[..] else { panic!("two stages: one builds, one is the image") };
    for stage in &stages {
        let from = only(stage, "FROM").words()[0];
        let (_, tag) = from.split_once(':').expect("an image has a tag");
        assert!(tag.contains("slim") && !from.contains('/'), "{from}");
    }
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("ours");
    let rust =
        manifest.lines().find_map(|line| line.strip_prefix("rust-version = ")).expect("it is set");
    let wanted = format!("rust:{}-slim", rust.trim_matches('"'));
    assert!(build[0].rest.starts_with(&wanted), "{} is not {wanted}…", build[0].rest);
    let from_build: Vec<_> = image.iter().filter(|one| one.options.contains_key("from")).collect();
    assert_eq!(from_build.len(), 1);
    assert_eq!(build[0].words()[1..], ["AS", from_build[0].options["from"].as_str()]);
    let user = only(image, "USER").rest.split(':').map(|id| id.parse::<u32>().expect("a number"));
    assert!(user.into_iter().all(|id| id >= 1000), "nobody's image runs as root");
    let home = only(image, "ENV").rest.strip_prefix("CONSIGN_HOME=").expect("it names the home");
    assert_eq!(only(image, "VOLUME").list(), [home]);
    assert_eq!(only(image, "ENTRYPOINT").list(), ["consign"]);
    assert_eq!(only(image, "STOPSIGNAL").rest, "SIGTERM");
    let check = only(image, "HEALTHCHECK").rest.strip_prefix("CMD ").expect("a command").to_owned();
    let check: Vec<String> = serde_json::from_str(&check).expect("a list");
    let port = &only(image, "EXPOSE").rest;
    assert_eq!(check, ["consign-probe", port.as_str()]);
    let probe = image.iter().any(|one| one.word == "COPY" && one.rest.ends_with("/consign-probe"));
    assert!(probe && only(image, "CMD").list().contains(&format!("0.0.0.0:{port}")));
    let setup = &only(image, "RUN").rest;
    assert!(
        setup.contains("--no-install-recommends") && setup.contains("rm -rf /var/lib/apt/lists")
    );
    // Rights that only the root can give are given before the user changes.
    let place = |word: &str| image.iter().position(|one| one.word == word);
    assert!(place("RUN") < place("USER"));
}

#[test]
fn a_linter_finds_no_fault_in_the_recipe() {
    if is_here("hadolint") {
        let recipe = root().join("deploy/Containerfile");
        let found =
            Consign::of("hadolint", ["--no-color", recipe.to_str().expect("a plain name")]).run();
        assert_eq!((found.code, found.stdout.as_str()), (Some(0), ""), "{found:#?}");
    }
}

#[test]
fn all_that_the_recipe_copies_is_there_and_is_enough_to_build() {
    let folder = Folder::new();
    for name in copied() {
        let source = root().join(&name);
        assert!(source.exists(), "{name} is not there");
        let above = folder.path().join(&name);
        fs::create_dir_all(above.parent().expect("a folder")).expect("it can be made");
        Consign::of(
            "cp",
            ["-r", source.to_str().expect("a plain name"), above.to_str().expect("plain")],
        )
        .run()
        .exits(0);
    }
    let manifest = folder.path().join("Cargo.toml");
    let cargo = option_env!("CARGO").unwrap_or("cargo");
    let resolved = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1", "--manifest-path"])
        .arg(&manifest)
        .output()
        .expect("cargo runs");
    assert!(resolved.status.success(), "{}", String::from_utf8_lossy(&resolved.stderr));
    let resolved: Value = serde_json::from_slice(&resolved.stdout).expect("JSON");
    let packages = resolved["packages"].as_array().expect("a list");
    assert!(packages.iter().any(|package| package["name"] == "consign-cli"));
    // What sources take in from elsewhere, when they are compiled.
    let mut taken = 0;
    walk(&folder.path().join("crates"), &mut |path| {
        if path.extension().is_none_or(|kind| kind != "rs") {
            return;
        }
        let text = fs::read_to_string(path).expect("a source of ours");
        // What is only for tests is not built.
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for part in
            text.split("include_str!(\"").skip(1).chain(text.split("include_bytes!(\"").skip(1))
        {
            // What is beside a source is copied with it.
            let name = part.split_once('"').map_or("", |(name, _)| name);
            if name.starts_with("../") {
                let wanted = path.parent().expect("a folder").join(name);
                assert!(wanted.exists(), "{}: {name} is not copied", path.display());
                taken += 1;
            }
        }
    });
    assert!(taken > 10, "the pattern of this test finds only {taken}");
}

fn walk(folder: &Path, look: &mut dyn FnMut(&Path)) {
    for entry in fs::read_dir(folder).expect("a folder of ours") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            // Tests take in files of their own, and are not built.
            true if path.ends_with("tests") => {}
            true => walk(&path, look),
            false => look(&path),
        }
    }
}

/// A unit: the values of each key, by section.
fn unit(name: &str) -> BTreeMap<(String, String), Vec<String>> {
    let (text, mut section, mut values) = (file(name), String::new(), BTreeMap::new());
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(named) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            section = named.to_owned();
            continue;
        }
        let (key, value) = line.split_once('=').unwrap_or_else(|| panic!("{name}: {line:?}"));
        assert!(!section.is_empty(), "{name}: {line:?} is in no section");
        let key = (section.clone(), key.to_owned());
        values.entry(key).or_insert_with(Vec::new).push(value.to_owned());
    }
    values
}

const UNITS: [&str; 3] = ["consign.service", "consign-backup.service", "consign-backup.timer"];

#[test]
fn the_units_are_valid_and_give_the_server_few_rights() {
    for name in ["consign.service", "consign-backup.service"] {
        let unit = unit(name);
        let value = |key: &str| {
            let values = unit.get(&("Service".to_owned(), key.to_owned()));
            values.map(|values| values.join(" ")).unwrap_or_else(|| panic!("{name} has no {key}"))
        };
        assert_eq!(
            (value("User"), value("NoNewPrivileges")),
            ("consign".to_owned(), "yes".to_owned())
        );
        assert_eq!(
            (value("ProtectSystem"), value("CapabilityBoundingSet")),
            ("strict".to_owned(), String::new())
        );
        assert_eq!(value("Environment"), "CONSIGN_HOME=/var/lib/consign");
    }
    if !is_here("systemd-analyze") {
        return;
    }
    // It looks whether the programs are there, so they are: this test's own.
    let folder = Folder::new();
    for name in UNITS {
        folder.file(
            name,
            file(name).replace("/usr/local/bin/consign", env!("CARGO_BIN_EXE_consign")),
        );
    }
    let paths = UNITS.map(|name| folder.path().join(name).display().to_string());
    let verified =
        Consign::of("systemd-analyze", ["verify", "--man=no", &paths[0], &paths[1], &paths[2]]);
    let verified = verified.run().exits(0);
    let ours: Vec<_> = verified.stderr.lines().filter(|line| line.contains("consign")).collect();
    assert!(ours.is_empty(), "{ours:?}");
    for path in &paths[..2] {
        // From 0 (safe) to 100, ten times what is printed.
        let judge = ["security", "--no-pager", "--offline=true", "--threshold=20", path.as_str()];
        let judged = Consign::of("systemd-analyze", judge).run();
        assert_eq!(judged.code, Some(0), "{path}: {}", judged.stdout);
    }
}

/// The lines of a compose file as paths and values: `services.consign.ports.0` is `127.0.0.1:4020:4020`. It reads what
/// our file uses, and refuses the rest: maps, lists of quoted texts, lists on a line, and plain words.
fn compose(text: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    // The open keys, each with its indentation.
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut items: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let indent = line.len() - line.trim_start().len();
        assert!(indent % 2 == 0 && !line.contains('\t'), "{line:?}");
        open.retain(|(depth, _)| *depth < indent);
        let path = |open: &[(usize, String)]| {
            open.iter().map(|(_, key)| key.as_str()).collect::<Vec<_>>().join(".")
        };
        let line = line.trim_start();
        if let Some(item) = line.strip_prefix("- ") {
            let list = path(&open);
            let number = items.entry(list.clone()).or_default();
            let text: String = serde_json::from_str(item).expect("an item is in quotes");
            found.insert(format!("{list}.{number}"), text);
            *number += 1;
            continue;
        }
        let (key, value) = line.split_once(':').unwrap_or_else(|| panic!("{line:?}"));
        open.push((indent, key.to_owned()));
        let at = path(&open);
        assert!(found.insert(at.clone(), String::new()).is_none(), "{at} stands twice");
        match value.trim() {
            list if list.starts_with('[') => {
                let list: Vec<String> = serde_json::from_str(list).expect("a list of texts");
                for (number, item) in list.into_iter().enumerate() {
                    found.insert(format!("{at}.{number}"), item);
                }
            }
            plain => {
                assert!(!plain.contains([':', '#', '{', '"', '\'']), "{plain:?} needs quotes");
                found.insert(at, plain.to_owned());
            }
        }
    }
    found
}

/// The items of a list.
fn items(compose: &BTreeMap<String, String>, path: &str) -> Vec<String> {
    (0..).map_while(|number| compose.get(&format!("{path}.{number}")).cloned()).collect()
}

#[test]
fn the_compose_file_says_the_same_as_the_image_and_serves_this_machine_only() {
    let text = file("compose.yaml");
    let compose = compose(&text);
    let value = |path: &str| compose.get(path).unwrap_or_else(|| panic!("no {path}")).as_str();
    let of = |key: &str| items(&compose, &format!("services.consign.{key}"));
    let stages = stages();
    let image = &stages[1];
    assert_eq!(of("command"), only(image, "CMD").list());
    let recipe = root().join("deploy").join(value("services.consign.build.context"));
    assert!(
        recipe.join(value("services.consign.build.dockerfile")).ends_with("deploy/Containerfile")
    );
    assert!(recipe.join(value("services.consign.build.dockerfile")).exists());
    assert!(of("ports").iter().all(|port| port.starts_with("127.0.0.1:")), "{:?}", of("ports"));
    let home = &only(image, "VOLUME").list()[0];
    assert_eq!(of("volumes"), [format!("home:{home}"), "backups:/backup".to_owned()]);
    for volume in ["volumes.home", "volumes.backups"] {
        assert_eq!(value(volume), "");
    }
    assert_eq!(
        (of("cap_drop"), value("services.consign.read_only")),
        (vec!["ALL".to_owned()], "true")
    );
    assert_eq!(of("security_opt"), ["no-new-privileges:true"]);
    // A reader of its own for YAML understands the same.
    let read = "import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))";
    let read = Consign::of("python3", ["-c", read]).stdin(text.as_str()).run();
    if read.code != Some(0) {
        eprintln!("SKIPPED: no python3 with yaml here, so this was not tested");
        return;
    }
    let read: Value = read.json();
    let service = &read["services"]["consign"];
    assert_eq!(service["command"], serde_json::json!(of("command")));
    assert_eq!(service["volumes"], serde_json::json!(of("volumes")));
    assert_eq!(service["build"]["dockerfile"], value("services.consign.build.dockerfile"));
}

/// Demands that a command line is one of ours: a command, and options that its help names.
#[track_caller]
fn is_ours(words: &[&str]) {
    let command = words.first().expect("a command");
    let help = consign([*command, "--help"]).exits(0).stdout;
    let known: BTreeSet<&str> = help
        .split(|letter: char| letter.is_whitespace() || letter == ',' || letter == '=')
        .filter(|word| word.starts_with("--"))
        .collect();
    for option in words.iter().filter(|word| word.starts_with("--")) {
        assert!(known.contains(option), "`consign {command}` has no {option}");
    }
}

#[test]
fn every_command_that_is_called_has_these_options() {
    let stages = stages();
    let list = only(&stages[1], "CMD").list();
    is_ours(&list.iter().map(String::as_str).collect::<Vec<_>>());
    let mut called = 0;
    for name in ["consign.service", "consign-backup.service", "compose.yaml", "README.md"] {
        for line in file(name).lines().filter(|line| !line.starts_with('|')) {
            let Some(at) =
                ["bin/consign ", "consign consign ", "$ consign ", " -u consign consign "]
                    .iter()
                    .find_map(|before| Some(line.find(before)? + before.len()))
            else {
                continue;
            };
            let words: Vec<_> = line[at..].split_whitespace().collect();
            let plain = |word: &&&str| {
                word.chars().all(|letter| letter.is_ascii_alphanumeric() || "-.:/".contains(letter))
            };
            is_ours(&words.iter().take_while(plain).copied().collect::<Vec<_>>());
            called += 1;
        }
    }
    assert!(called >= 5, "the pattern of this test finds only {called}");
}

#[test]
fn the_probe_tells_a_server_that_is_ready_from_none() {
    let home = Home::new();
    let server = home.spawn(&["serve", "--json", "--listen", "127.0.0.1:0"]);
    let server = crate::harness::Server::of(server);
    let probe = root().join("deploy/probe");
    let probe = probe.to_str().expect("a plain name");
    let (_, port) = server.address.rsplit_once(':').expect("a port");
    let port = port.to_owned();
    Consign::of(probe, [port.as_str()]).run().exits(0);
    server.stop();
    Consign::of(probe, [port.as_str()]).run().exits(1);
}
