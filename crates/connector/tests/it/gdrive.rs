//! Google Drive, over its double.

use std::time::Duration;

use consign_connector::{Credential, Fetch, Limit, Past, Secret};
use serde_json::json;

use crate::{
    drive::{Double, TOKEN, refused},
    site::Answer,
    world::{World, done},
};

const DOC: &str = "application/vnd.google-apps.document";

fn with(double: &Double) -> World {
    let mut world = World::new();
    world.allow(&[&double.site.place()]);
    world.options.gdrive_base_url = double.site.url("");
    world.options.gdrive_token_url = double.site.url("/token");
    world.bearer("mine", TOKEN);
    world
}

fn of(id: &str) -> Fetch {
    let fetch = Fetch::of_word(&format!("gdrive:{id}")).unwrap();
    fetch.with_credentials(Some("mine".to_owned()))
}

#[tokio::test]
async fn a_file_comes_as_it_is() {
    let double = Double::start().await;
    double.text("f1", "root", "Notes.txt", "abc");
    let world = with(&double);
    let got = world.get(of("f1")).await;
    let one = got.one();
    assert_eq!(one.identifier, "f1");
    assert_eq!(std::fs::read(&one.file).unwrap(), b"abc");
    assert_eq!(one.source_url.as_deref(), Some("https://drive.google.com/file/d/f1/view"));
    assert_eq!(one.source_metadata["owners"][0]["emailAddress"], "ada@a.example");
    assert_eq!(one.hint.file_name.as_deref(), Some("Notes.txt"));
    assert!(one.file.to_str().unwrap().ends_with(".txt"));
}

#[tokio::test]
async fn googles_own_documents_are_exported() {
    let double = Double::start().await;
    let office = "application/vnd.openxmlformats-officedocument";
    let check = async |kind: &str, exported: &str, ending: &str| {
        let kind = format!("application/vnd.google-apps.{kind}");
        double.add("d1", "root", json!({ "name": "A plan", "mimeType": kind }), b"plan");
        let world = with(&double);
        let got = world.get(of("d1")).await;
        let one = got.one();
        assert_eq!(std::fs::read(&one.file).unwrap(), format!("{exported}:plan").as_bytes());
        assert_eq!(one.source_metadata["exported_as"], exported);
        assert_eq!(one.hint.content_type.as_deref(), Some(exported));
        assert!(one.file.to_str().unwrap().ends_with(ending), "{:?}", one.file);
    };
    check("document", &format!("{office}.wordprocessingml.document"), ".docx").await;
    check("spreadsheet", &format!("{office}.spreadsheetml.sheet"), ".xlsx").await;
    check("presentation", &format!("{office}.presentationml.presentation"), ".pptx").await;
    check("drawing", "application/pdf", ".pdf").await;
    let form = json!({ "name": "F", "mimeType": "application/vnd.google-apps.form" });
    double.add("f1", "root", form, b"");
    assert_eq!(with(&double).get(of("f1")).await.code(), "ERR_PARSER_UNSUPPORTED");
}

#[tokio::test]
async fn a_folder_is_listed_page_by_page_and_comes_in_order() {
    let double = Double::start().await;
    double.pages_of(2);
    double.folder("top", "root", "Top");
    for (id, name) in [("i1", "c.txt"), ("i2", "a.txt"), ("i3", "e.txt"), ("i4", "b.txt")] {
        double.text(id, "top", name, name);
    }
    double.folder("sub", "top", "Sub");
    double.text("i5", "sub", "d.txt", "d");
    let shortcut = "application/vnd.google-apps.shortcut";
    let to = |id: &str, kind: &str| {
        json!({ "name": "z", "mimeType": shortcut,
            "shortcutDetails": { "targetId": id, "targetMimeType": kind } })
    };
    double.text("i6", "elsewhere", "far.txt", "far");
    double.add("s1", "top", to("i6", "text/plain"), b"");
    double.add("s2", "sub", to("i2", "text/plain"), b"");
    double.add("s3", "sub", to("top", "application/vnd.google-apps.folder"), b"");
    let world = with(&double);
    let got = world.get(of("top")).await;
    assert_eq!(got.story(), ["i2", "i4", "i1", "i3", "i6"]);
    assert_eq!(got.summary.folders_not_entered, 1);
    let got = world.get(of("top").recursive(true)).await;
    assert_eq!(got.story(), ["i2", "i4", "i1", "i3", "i6", "i5"], "each file once, and no circle");
    assert_eq!(got.summary.duplicates, 2);
    let deep = got.fetched()[5];
    assert_eq!(deep.source_metadata["path"], "Top/Sub/d.txt");
}

#[tokio::test]
async fn a_folder_of_a_shared_drive_is_found() {
    let double = Double::start().await;
    let folder =
        json!({ "name": "T", "mimeType": "application/vnd.google-apps.folder", "driveId": "0AB" });
    double.add("top", "0AB", folder, b"");
    double.add(
        "f1",
        "top",
        json!({ "name": "a.txt", "mimeType": "text/plain", "driveId": "0AB" }),
        b"a",
    );
    assert_eq!(with(&double).get(of("top")).await.story(), ["f1"]);
}

#[tokio::test]
async fn refusals_have_their_codes() {
    let double = Double::start().await;
    double.text("f1", "root", "a.txt", "a");
    let world = with(&double);
    assert_eq!(world.get(of("none")).await.code(), "ERR_CONNECTOR_NOT_FOUND");
    assert_eq!(world.get(of("f1").with_credentials(None)).await.code(), "ERR_CONNECTOR_AUTH");
    let unknown = of("f1").with_credentials(Some("other".to_owned()));
    assert_eq!(world.get(unknown).await.code(), "ERR_CONNECTOR_AUTH");
    double.fault(refused(403, "insufficientFilePermissions"));
    assert_eq!(world.get(of("f1")).await.code(), "ERR_CONNECTOR_AUTH");
    world.bearer("mine", "an old one");
    let got = world.get(of("f1")).await;
    assert_eq!(got.code(), "ERR_CONNECTOR_AUTH");
    assert!(!format!("{:?}", got.items).contains("an old one"));
    world.bearer("mine", TOKEN);
    double.add("big", "root", json!({ "name": "B", "mimeType": DOC }), b"");
    let about = double.site.paths().len();
    assert!(about > 0);
    double.add(
        "own",
        "root",
        json!({ "name": "B", "mimeType": "text/plain",
        "capabilities": { "canDownload": false } }),
        b"x",
    );
    assert_eq!(world.get(of("own")).await.code(), "ERR_CONNECTOR_AUTH");
    double.add(
        "bin",
        "root",
        json!({ "name": "B", "mimeType": "text/plain", "trashed": true }),
        b"x",
    );
    assert_eq!(world.get(of("bin")).await.code(), "ERR_CONNECTOR_NOT_FOUND");
    double.text("huge", "root", "h.txt", &"x".repeat(100));
    let mut world = with(&double);
    world.options.max_bytes = 99;
    let got = world.get(of("huge")).await;
    assert_eq!(got.skipped()[0].error.limit, Some(Limit::Bytes));
}

#[tokio::test]
async fn an_export_that_google_finds_too_large_is_said_so() {
    let double = Double::start().await;
    double.add("big", "top", json!({ "name": "B", "mimeType": DOC }), b"x");
    double.folder("top", "root", "T");
    let world = with(&double);
    let mut session = world.connector().open(of("top"), world.destination());
    // The folder and its list are answered, and the export is not.
    let double_ref = &double;
    let known = consign_connector::Nothing;
    double_ref.fault(Answer::of(
        "application/json",
        json!({ "id": "top", "name": "T",
        "mimeType": "application/vnd.google-apps.folder" })
        .to_string()
        .as_bytes(),
    ));
    double_ref.fault(Answer::of(
        "application/json",
        json!({ "files": [{ "id": "big", "name": "B",
        "mimeType": DOC }] })
        .to_string()
        .as_bytes(),
    ));
    double_ref.fault(refused(403, "exportSizeLimitExceeded"));
    let item = session.next(&known).await.unwrap().unwrap();
    let consign_connector::Item::Skipped(skipped) = item else { panic!("{item:?}") };
    assert_eq!(skipped.error.code.as_str(), "SOURCE_TOO_LARGE");
    assert_eq!(skipped.identifier, "big");
}

#[tokio::test]
async fn too_many_requests_and_faults_that_pass_are_tried_again() {
    let double = Double::start().await;
    double.text("f1", "root", "a.txt", "a");
    let world = with(&double);
    double.fault(refused(403, "userRateLimitExceeded"));
    double.fault(refused(429, "rateLimitExceeded").with("retry-after", "9"));
    double.fault(refused(503, "backendError"));
    assert_eq!(world.get(of("f1")).await.story(), ["f1"]);
    assert!(world.time.passed() >= Duration::from_secs(1 + 9 + 4), "{:?}", world.time.waits());
    for _ in 0..5 {
        double.fault(refused(500, "internalError"));
    }
    let got = world.get(of("f1")).await;
    assert_eq!(got.code(), "SOURCE_UNREACHABLE");
    assert!(got.skipped()[0].error.recoverable);
}

#[tokio::test]
async fn a_refresh_token_gives_access_tokens_as_they_are_needed() {
    let double = Double::start().await;
    double.text("f1", "root", "a.txt", "a");
    let world = with(&double);
    let oauth = Credential::OAuth {
        client_id: "client".to_owned(),
        client_secret: Some(Secret::new("hush-hush".to_owned())),
        refresh_token: Secret::new("1//refresh".to_owned()),
    };
    world.credentials.0.lock().unwrap().insert("mine".to_owned(), oauth);
    assert_eq!(world.get(of("f1")).await.story(), ["f1"]);
    assert_eq!(double.refreshes(), 1, "one token serves both requests");
    let mut session = world.connector().open(of("f1"), world.destination());
    double.fault(refused(401, "authError"));
    assert!(session.next(&consign_connector::Nothing).await.unwrap().is_some());
    assert_eq!(double.refreshes(), 3, "it was refused once, and renewed");
    double.token("gone");
    let got = world.get(of("f1")).await;
    assert_eq!(got.code(), "ERR_CONNECTOR_AUTH");
    let told = format!("{:?}", got.items);
    assert!(told.contains("invalid_grant") && !told.contains("hush"), "{told}");
}

#[tokio::test]
async fn only_what_has_changed_is_fetched_again() {
    let double = Double::start().await;
    double.folder("top", "root", "T");
    double.text("f1", "top", "a.txt", "a");
    double.text("f2", "top", "b.txt", "b");
    double.add("f3", "top", json!({ "name": "c", "mimeType": DOC }), b"x");
    let world = with(&double);
    let first = world.get(of("top")).await;
    let asked = double.site.asked().len();
    let again = world.get_knowing(of("top"), &first.known(Past::Before)).await;
    assert_eq!(again.story(), ["=f1", "=f2", "=f3"]);
    assert_eq!(double.site.asked().len() - asked, 2, "the folder and its list, and no file");
    double.text("f1", "top", "a.txt", "another");
    double.remove("f2");
    let changed =
        json!({ "name": "c", "mimeType": DOC, "modifiedTime": "2026-02-02T00:00:00.000Z" });
    double.add("f3", "top", changed, b"y");
    let third = world.get_knowing(of("top"), &again.known(Past::Before)).await;
    assert_eq!(third.story(), ["f1", "f3"]);
    let rest = world.get_knowing(of("top"), &third.known(done)).await;
    assert_eq!(rest.story(), Vec::<String>::new());
    assert_eq!(rest.summary.done_before, 2);
}

#[tokio::test]
async fn bytes_that_are_not_the_files_are_not_taken() {
    let double = Double::start().await;
    let about = json!({ "name": "a.txt", "mimeType": "text/plain", "sha256Checksum": "00" });
    double.add("f1", "root", about, b"other");
    let world = with(&double);
    let got = world.get(of("f1")).await;
    assert_eq!(got.code(), "SOURCE_UNREACHABLE");
    assert_eq!(world.copies(), Vec::<String>::new());
}

#[tokio::test]
async fn a_drive_that_is_not_public_has_to_be_allowed() {
    let double = Double::start().await;
    double.text("f1", "root", "a.txt", "a");
    let mut world = with(&double);
    world.allow(&[]);
    assert_eq!(world.get(of("f1")).await.code(), "ADDRESS_NOT_ALLOWED");
    world.options.gdrive_base_url = "http://www.example.com".to_owned();
    assert_eq!(world.get(of("f1")).await.code(), "ADDRESS_NOT_ALLOWED", "no token over plain http");
    assert!(double.site.asked().is_empty());
}
