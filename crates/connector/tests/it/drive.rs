//! Google Drive on loopback: files, folders, exports and lists in pages, as the API documents them, with faults
//! on demand.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::site::{Answer, Asked, Site};

pub(crate) const TOKEN: &str = "ya29.of-the-test";

pub(crate) struct Double {
    pub(crate) site: Site,
    state: Arc<Mutex<Inside>>,
}

#[derive(Default)]
struct Inside {
    files: BTreeMap<String, (Value, Vec<u8>)>,
    /// What is answered instead, once each.
    faults: Vec<Answer>,
    token: String,
    refresh: u32,
    page: usize,
}

impl Double {
    pub(crate) async fn start() -> Self {
        let inside = Inside { token: TOKEN.to_owned(), page: 1_000, ..Inside::default() };
        let state = Arc::new(Mutex::new(inside));
        let inside = state.clone();
        let site = Site::start(move |asked| answer(&mut inside.lock().unwrap(), asked)).await;
        Self { site, state }
    }

    /// Adds a file, with what Google says about it besides its id.
    pub(crate) fn add(&self, id: &str, parent: &str, about: Value, bytes: &[u8]) {
        let mut about = about;
        about["id"] = id.into();
        about["kind"] = "drive#file".into();
        about["parents"] = json!([parent]);
        about["webViewLink"] = format!("https://drive.google.com/file/d/{id}/view").into();
        if about["modifiedTime"].is_null() {
            about["modifiedTime"] = "2026-01-02T03:04:05.000Z".into();
        }
        self.state.lock().unwrap().files.insert(id.to_owned(), (about, bytes.to_vec()));
    }

    pub(crate) fn folder(&self, id: &str, parent: &str, name: &str) {
        let kind = "application/vnd.google-apps.folder";
        self.add(id, parent, json!({ "name": name, "mimeType": kind }), b"");
    }

    pub(crate) fn text(&self, id: &str, parent: &str, name: &str, text: &str) {
        let about = json!({ "name": name, "mimeType": "text/plain", "size": text.len().to_string(),
            "md5Checksum": format!("{:032x}", text.len()),
            "owners": [{ "displayName": "Ada", "emailAddress": "ada@a.example" }] });
        self.add(id, parent, about, text.as_bytes());
    }

    pub(crate) fn remove(&self, id: &str) {
        self.state.lock().unwrap().files.remove(id);
    }

    pub(crate) fn fault(&self, fault: Answer) {
        self.state.lock().unwrap().faults.push(fault);
    }

    pub(crate) fn token(&self, token: &str) {
        self.state.lock().unwrap().token = token.to_owned();
    }

    pub(crate) fn pages_of(&self, many: usize) {
        self.state.lock().unwrap().page = many;
    }

    pub(crate) fn refreshes(&self) -> u32 {
        self.state.lock().unwrap().refresh
    }
}

pub(crate) fn refused(status: u16, reason: &str) -> Answer {
    let error = json!({ "error": { "code": status, "message": format!("no: {reason}"),
        "errors": [{ "domain": "usageLimits", "reason": reason, "message": "no" }] } });
    Answer { status, ..Answer::of("application/json", error.to_string().as_bytes()) }
}

fn json_of(value: &Value) -> Answer {
    Answer::of("application/json; charset=UTF-8", value.to_string().as_bytes())
}

fn answer(inside: &mut Inside, asked: &Asked) -> Answer {
    let url = reqwest::Url::parse(&format!("http://double{}", asked.path)).unwrap();
    if url.path() == "/token" {
        inside.refresh += 1;
        return match inside.token.as_str() {
            "gone" => Answer { status: 400, ..json_of(&json!({ "error": "invalid_grant" })) },
            token => json_of(&json!({ "access_token": token, "expires_in": 3599 })),
        };
    }
    if !inside.faults.is_empty() {
        return inside.faults.remove(0);
    }
    let expected = format!("Bearer {}", inside.token);
    if asked.headers.get("authorization") != Some(&expected) {
        return refused(401, "authError");
    }
    let query =
        |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, it)| it.into_owned());
    if query("supportsAllDrives").as_deref() != Some("true") {
        return refused(404, "notFound");
    }
    let segments: Vec<&str> = url.path_segments().unwrap().collect();
    match segments[..] {
        ["drive", "v3", "files"] => list(inside, &query),
        ["drive", "v3", "files", id] => match (inside.files.get(id), query("alt").as_deref()) {
            (None, _) => refused(404, "notFound"),
            (Some((about, _)), None) => json_of(about),
            (Some((about, _)), Some(_)) if is_own(about) => refused(403, "fileNotDownloadable"),
            (Some((_, bytes)), Some(_)) => Answer::of("application/octet-stream", bytes),
        },
        ["drive", "v3", "files", id, "export"] => match inside.files.get(id) {
            Some((about, bytes)) if is_own(about) => {
                let mut exported = format!("{}:", query("mimeType").unwrap()).into_bytes();
                exported.extend(bytes);
                Answer::of("application/octet-stream", &exported)
            }
            Some(_) => refused(403, "fileNotExportable"),
            None => refused(404, "notFound"),
        },
        _ => Answer::status(404),
    }
}

fn is_own(about: &Value) -> bool {
    about["mimeType"].as_str().unwrap().starts_with("application/vnd.google-apps.")
}

fn list(inside: &Inside, query: &dyn Fn(&str) -> Option<String>) -> Answer {
    let wanted = query("q").unwrap();
    let Some((folder, "trashed = false")) =
        wanted.strip_prefix('\'').and_then(|it| it.split_once("' in parents and "))
    else {
        return refused(400, "invalid");
    };
    // Files of a shared drive are only listed to those who ask for them.
    let all = query("includeItemsFromAllDrives").as_deref() == Some("true");
    let drive = query("driveId").filter(|_| query("corpora").as_deref() == Some("drive"));
    let within = |about: &Value| {
        let is_in = about["parents"] == json!([folder]) && about["trashed"] != json!(true);
        is_in
            && (about["driveId"].is_null()
                || (all && about["driveId"].as_str() == drive.as_deref()))
    };
    let files: Vec<&Value> =
        inside.files.values().map(|(about, _)| about).filter(|about| within(about)).collect();
    let from: usize = query("pageToken").map_or(0, |token| token.parse().unwrap());
    let until = (from + inside.page).min(files.len());
    let mut page =
        json!({ "kind": "drive#fileList", "incompleteSearch": false, "files": files[from..until] });
    if until < files.len() {
        page["nextPageToken"] = until.to_string().into();
    }
    json_of(&page)
}
