//! A journal without what differs from one run to the next: ids, times, durations, actors and salts.

use serde_json::{Map, Value, json};

use super::surface::World;

/// The entries of a run's journal that can be compared with those of another run.
pub(super) fn journal(world: &World, run: &str) -> Vec<Value> {
    let entries = world.run(&["runs", "show", run, "--events", "--json"]).exits(0).json_lines();
    let created = &entries[0]["body"]["input"]["envelope"];
    let mut ids = vec![run.to_owned()];
    for name in ["envelope_id", "request_id", "session_id"] {
        ids.extend(created[name].as_str().map(str::to_owned));
    }
    // A fork names its parent, and the hash of an event there.
    if let Some(forked) = entries.get(1).filter(|entry| entry["kind"] == "forked") {
        for name in ["run", "head"] {
            ids.extend(forked["body"][name].as_str().map(str::to_owned));
        }
    }
    let comparable = |entry: &Value| {
        let mut body = entry["body"].clone();
        strip(&mut body, &ids);
        json!({"seq": entry["seq"], "kind": entry["kind"], "body": body})
    };
    entries.iter().map(comparable).collect()
}

/// What happened, without how.
pub(super) fn kinds(journal: &[Value]) -> Vec<&str> {
    journal.iter().filter_map(|entry| entry["kind"].as_str()).collect()
}

fn strip(value: &mut Value, ids: &[String]) {
    match value {
        Value::String(text) => {
            // The run of an envelope is called after it, so longer names come first.
            for id in ids {
                *text = text.replace(id.as_str(), "ID");
            }
            if is_instant(text) {
                "TIME".clone_into(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| strip(item, ids)),
        Value::Object(members) => {
            strip_members(members);
            members.values_mut().for_each(|member| strip(member, ids));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn strip_members(members: &mut Map<String, Value>) {
    for name in ["by", "worker"] {
        if members.get(name).is_some_and(Value::is_string) {
            members.insert(name.to_owned(), json!("ACTOR"));
        }
    }
    for name in ["at", "duration_ms"] {
        if members.get(name).is_some_and(Value::is_number) {
            members.insert(name.to_owned(), json!("TIME"));
        }
    }
    // An envelope that was sent to a server names its run.
    if let Some(Value::Object(metadata)) = members.get_mut("metadata") {
        metadata.remove("run");
        if metadata.is_empty() {
            members.remove("metadata");
        }
    }
}

/// Whether a text is an instant, such as `2025-01-31T12:00:00.000Z`.
fn is_instant(text: &str) -> bool {
    let pattern = "0000-00-00T00:00:00";
    let fits = |(letter, wanted): (u8, u8)| match wanted {
        b'0' => letter.is_ascii_digit(),
        wanted => letter == wanted,
    };
    text.len() >= pattern.len() && text.bytes().zip(pattern.bytes()).all(fits)
}
