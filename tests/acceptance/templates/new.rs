//! `consign template new`: what people and programs are told, and what is refused.

use std::fs;

use serde_json::json;

use crate::{
    escapes::tame,
    support::{Folder, consign, keys},
};

/// A template of two files, as `template create` would leave it.
fn template() -> (Folder, String, String) {
    let folder = Folder::new();
    let template = folder.path().join("t");
    fs::create_dir_all(template.join("templates/src")).expect("it can be made");
    let placeholder = |name: &str, subject: &str, casing: &str, default: &str| json!({"name": name, "subject": subject, "casing": casing, "default": default, "description": "."});
    let manifest = json!({
        "schema_version": "1.0", "name": "t", "language": "Python",
        "created_by": {"consign": "0.1.0", "run": "r"},
        "placeholders": [
            placeholder("project_name", "project", "snake", "acme_shop"),
            placeholder("ProjectName", "project", "pascal", "AcmeShop"),
            placeholder("AuthorName", "author", "as-is", "Jane Doe"),
        ],
    });
    fs::write(template.join("manifest.json"), manifest.to_string()).expect("it can be written");
    let file = template.join("templates/src/{{project_name}}.py.template");
    fs::write(file, "class {{ProjectName}}: # {{AuthorName}} {{ shop }}\n")
        .expect("it can be written");
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (from, to) = (at("t"), at("new"));
    (folder, from, to)
}

#[test]
fn names_are_filled_in_and_what_was_kept_is_told() {
    let (_folder, from, to) = template();
    let args = ["template", "new", "--from", &from, "--to", &to, "--set", "name=Tea House"];
    let told = consign(args).exits(0).stdout;
    for line in ["1 file in", "name: Tea House", "author: Jane Doe  the template's own"] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let text = fs::read_to_string(format!("{to}/src/tea_house.py")).expect("it was made");
    assert_eq!(text, "class TeaHouse: # Jane Doe {{ shop }}\n");
}

#[test]
fn a_program_gets_one_object() {
    let (_folder, from, to) = template();
    let args = ["template", "new", "--json", "--from", &from, "--to", &to, "--set", "author=A B"];
    let made = consign(args).exits(0).json();
    assert_eq!(keys(&made), ["files", "unused", "values"]);
    assert_eq!(made["files"], json!(["src/acme_shop.py"]));
    assert_eq!(
        made["values"],
        json!([
            {"setting": "author", "value": "A B", "origin": "set"},
            {"setting": "name", "value": "acme_shop", "origin": "default"},
        ])
    );
}

#[test]
fn mistakes_are_told_with_what_was_expected_and_leave_nothing() {
    let (folder, from, to) = template();
    let new = |from: &str, to: &str, set: &str| {
        consign(["template", "new", "--from", from, "--to", to, "--set", set])
    };
    new(&from, &to, "name=1st").fails(2, "VALUE_INVALID").telling("begins with a digit");
    new(&from, &to, "name=class").fails(2, "VALUE_INVALID").telling("a reserved word in Python");
    new(&from, &to, "entity=Order")
        .fails(2, "VALUE_INVALID")
        .telling("the template has author, name");
    new(&from, &to, "size=3").fails(2, "VALUE_INVALID").telling("the template has author, name");
    new(&to, &to, "name=tea").fails(1, "TEMPLATE_UNREADABLE");
    new(&from, &from, "name=tea").fails(1, "TARGET_NOT_EMPTY").telling("empty");
    assert_eq!(new(&from, &to, "name").code, Some(2));
    assert_eq!(folder.names(), ["t"]);
}

#[test]
fn a_hostile_template_neither_writes_nor_forges_lines() {
    let (folder, from, to) = template();
    let manifest = format!("{from}/manifest.json");
    let good = fs::read_to_string(&manifest).expect("it is there");
    for (default, code) in [
        ("../../evil", "TEMPLATE_UNREADABLE"),
        ("/etc/evil", "TEMPLATE_INVALID"),
        (r"\u001b[2Jevil", "TEMPLATE_UNREADABLE"),
    ] {
        fs::write(&manifest, good.replace("acme_shop", default)).expect("it can be written");
        let refused = consign(["template", "new", "--from", &from, "--to", &to]).fails(1, code);
        tame([refused]);
        assert_eq!(folder.names(), ["t"], "{default}");
    }
}
