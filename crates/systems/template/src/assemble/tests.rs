use std::{fs, os::unix::fs::symlink};

use super::*;
use crate::{
    analysis::Analysis,
    manifest::manifest,
    package::{AgentFile, TemplateFile, Templates},
    placeholders::{Scheme, Stack, Subject},
    settings::settings,
};

fn package() -> Package {
    let scheme = Scheme::new(Stack::Snake).named(Subject::Project, "acme-shop");
    let file = |path: &str, text: &str| TemplateFile {
        path: scheme.generalise_path(path),
        origin: path.to_owned(),
        layer: "source".to_owned(),
        content: scheme.generalise(path, text),
        executable: path.ends_with(".sh"),
        ..TemplateFile::default()
    };
    let analysis = Analysis { primary_language: "Rust".to_owned(), ..Analysis::default() };
    Package {
        manifest: manifest("acme", &analysis),
        settings: settings(&analysis),
        documentation: "# acme\n".to_owned(),
        templates: Templates {
            files: vec![file("src/acme_shop.rs", "struct AcmeShop;"), file("run.sh", "acme-shop")],
            placeholders: scheme.placeholders().to_vec(),
            ..Templates::default()
        },
        agents: vec![AgentFile {
            name: "rust-expert".to_owned(),
            content: "---\nname: rust-expert\ndescription: d\n---\n".to_owned(),
            ..AgentFile::default()
        }],
    }
}

#[test]
fn a_package_is_there_whole_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("deep/out");
    let files = assemble(&output, &package(), "run-1").unwrap();
    for file in &files {
        assert!(output.join(file).is_file(), "{file}");
    }
    assert_eq!(files.len(), 6);
    let template = output.join("templates/src/{{project_name}}.rs.template");
    assert_eq!(fs::read_to_string(template).unwrap(), "struct {{ProjectName}};");
    let script = fs::metadata(output.join("templates/run.sh.template")).unwrap();
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&script.permissions()) & 0o111, 0o111);
    assert_eq!(fs::read_dir(folder.path().join("deep")).unwrap().count(), 1, "no staging is left");
}

#[test]
fn the_same_run_finds_its_own_work_and_another_one_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    let files = assemble(&output, &package(), "run-1").unwrap();
    fs::write(output.join("CLAUDE.md"), "edited since").unwrap();
    assert_eq!(assemble(&output, &package(), "run-1").unwrap(), files);
    assert_eq!(fs::read_to_string(output.join("CLAUDE.md")).unwrap(), "edited since");
    assert!(matches!(assemble(&output, &package(), "run-2"), Err(Error::Occupied { .. })));
}

#[test]
fn what_a_crash_left_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join(".out.run-1.staging");
    fs::create_dir_all(left.join("templates")).unwrap();
    fs::write(left.join("manifest.json"), "half").unwrap();
    let output = folder.path().join("out");
    assemble(&output, &package(), "run-1").unwrap();
    assert!(!left.exists());
    assert!(fs::read_to_string(output.join("manifest.json")).unwrap().contains("run-1"));
}

#[test]
fn somebody_elses_folder_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    fs::create_dir(&output).unwrap();
    assemble(&output, &package(), "run-1").unwrap();
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("mine.txt"), "mine").unwrap();
    assert!(matches!(assemble(&other, &package(), "run-1"), Err(Error::Occupied { .. })));
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
    let link = folder.path().join("link");
    symlink(&other, &link).unwrap();
    assert!(matches!(assemble(&link, &package(), "run-1"), Err(Error::Unfit { .. })));
    fs::write(folder.path().join("file"), "").unwrap();
    let file = assemble(&folder.path().join("file"), &package(), "run-1");
    assert!(matches!(file, Err(Error::Unfit { .. })));
}

#[test]
fn no_part_of_a_package_leads_out_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out");
    for path in ["../../evil", "/etc/evil", "a/../../../evil", ".git/hooks/post-checkout"] {
        let mut package = package();
        path.clone_into(&mut package.templates.files[0].path);
        assert!(matches!(assemble(&output, &package, "r"), Err(Error::OutOfPlace(_))), "{path}");
    }
    for name in ["../evil", "", "a/b", "Évil"] {
        let mut package = package();
        name.clone_into(&mut package.agents[0].name);
        assert!(matches!(assemble(&output, &package, "r"), Err(Error::OutOfPlace(_))), "{name}");
    }
    for run in ["", "../x", "a/b"] {
        assert!(matches!(assemble(&output, &package(), run), Err(Error::Run { .. })), "{run}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was begun");
}

#[test]
fn a_report_takes_points_for_each_fault() {
    let points = |package: &Package, check: &str| {
        let report = report(package);
        assert_eq!(report.out_of, 100);
        assert_eq!(report.points, report.checks.iter().map(|it| it.points).sum::<u32>());
        let found = report.checks.into_iter().find(|it| it.name == check).unwrap();
        (found.points, found.why.join(" "))
    };
    let good = package();
    for check in ["placeholders", "syntax", "names", "agents"] {
        let (points, why) = points(&good, check);
        assert!(points >= 10, "{check}: {why}");
    }
    let mut unknown = package();
    unknown.templates.placeholders.retain(|it| it.name != "ProjectName");
    assert!(points(&unknown, "placeholders").1.contains("{{ProjectName}}"));
    let mut broken = package();
    // A hyphen where only an identifier can be.
    broken.templates.files[0].content = "struct {{project-name}};".to_owned();
    broken.templates.placeholders.iter_mut().for_each(|it| {
        if it.name == "project-name" {
            it.default = "shop".to_owned();
        }
    });
    assert_eq!(
        points(&broken, "syntax").1,
        "src/acme_shop.rs no longer parses under another name."
    );
    let mut left = package();
    left.templates.files[0].content = "struct AcmeShop;".to_owned();
    assert!(points(&left, "names").1.contains("still has AcmeShop"));
    let mut bare = package();
    bare.agents[0].content = "no front matter".to_owned();
    assert_eq!(points(&bare, "agents").0, 0);
}
