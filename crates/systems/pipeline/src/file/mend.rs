//! Reads a file that breaks its contract as far as possible, so that all of its faults can be reported at
//! once.
//!
//! Unknown members are taken for the known ones that they resemble, and values that cannot be read are left
//! out. What would only follow from such a guess is a [doubt](Doubts), and is not reported.

use std::collections::BTreeSet;

use consign_contracts::{
    Breach,
    engine::{Pipeline as Written, PipelinePerson, PipelineRoute, PipelineStage},
    json::{Json, Object},
    suggest::{ask, meant},
    wire::{Message, Wire},
};

use super::{Source, Wrong, read::DURATION, source::escaped};
use crate::pipeline::END;

/// What cannot be said of a file that breaks its contract, because it had to be guessed.
#[derive(Default)]
pub(super) struct Doubts {
    /// Where stages lead to.
    pub(super) ways: bool,
    /// Names that are no stage's and near none, with their lines.
    pub(super) unknown: Vec<(String, Option<usize>)>,
    /// What stages write.
    pub(super) outputs: bool,
    /// The bounds whose value could not be read.
    pub(super) bounds: BTreeSet<String>,
    /// The routes, each by its stage and its place there, whose condition could not be read.
    pub(super) routes: BTreeSet<(usize, usize)>,
    /// The stages of which neither name nor agent can be relied on.
    pub(super) stages: BTreeSet<usize>,
}

pub(super) struct Mended {
    pub(super) source: Source,
    pub(super) wrong: Vec<Wrong>,
    pub(super) doubts: Doubts,
    /// There are no stages to speak of, or too many.
    pub(super) lost: bool,
}

/// Mending a name makes the members below it readable, and they may be wrong too. The deepest such name is
/// a route's, in a stage, in a list of them.
const ROUNDS: usize = 5;

/// The members of an agent's definition that are no stage's.
const DEFINING: [&str; 8] =
    ["effect", "timeout_seconds", "contract", "limits", "subprocess", "http", "mcp", "bridge"];

/// Says what is wrong with the form of a file. What is left can be read if there is enough of it.
pub(super) fn mend(source: &Source) -> Mended {
    let schema = Written::contract().schema();
    let (source, wrong) = (source.clone(), source.twice.clone());
    // With two lists of stages, it is unknown which has the first stage.
    let doubts = Doubts { ways: !wrong.is_empty(), ..Doubts::default() };
    let mut mended = Mended { source, wrong, doubts, lost: false };
    for _ in 0..ROUNDS {
        let breaches = schema.check(&mended.source.tree).breaches;
        // What is missing may be there under another name.
        let (strange, other): (Vec<_>, Vec<_>) =
            breaches.iter().partition(|breach| breach.keyword == "additionalProperties");
        strange.iter().for_each(|breach| mended.strangers(&breach.pointer));
        if strange.is_empty() {
            other.iter().for_each(|breach| mended.take(breach));
        }
    }
    mended
}

impl Mended {
    fn take(&mut self, breach: &Breach) {
        let pointer = breach.pointer.as_str();
        let is_duration = breach.keyword == "pattern" && pointer.ends_with("/deadline");
        self.tell(
            pointer,
            if is_duration { format!("{pointer}: {DURATION}") } else { breach.to_string() },
        );
        match pointer.split('/').skip(1).collect::<Vec<_>>()[..] {
            ["stages"] => self.lost = true,
            ["stages", stage, "routes", route, ..] => {
                self.doubts.routes.extend(stage.parse().ok().zip(route.parse().ok()));
            }
            [bound, ..] if bound.starts_with("max_") => {
                self.doubts.bounds.insert(bound.to_owned());
            }
            _ => {}
        }
        match breach.keyword.as_str() {
            "required" => self.fill(pointer),
            "type" | "maxItems" => self.leave_out(pointer),
            "enum" if pointer.ends_with("/person/ask") => self.leave_out(pointer),
            "pattern" if is_duration => {
                self.remove(pointer.trim_end_matches("/deadline"), "deadline")
            }
            _ => {}
        }
    }

    fn tell(&mut self, pointer: &str, what: String) {
        let wrong = Wrong { line: self.source.line(pointer), what };
        if !self.wrong.contains(&wrong) {
            self.wrong.push(wrong);
        }
    }

    /// Members that the contract does not know, each in its line.
    fn strangers(&mut self, pointer: &str) {
        let schema = match pointer.split('/').count() {
            1 => Written::schema(),
            3 => PipelineStage::schema(),
            _ if pointer.ends_with("/person") => PipelinePerson::schema(),
            _ => PipelineRoute::schema(),
        };
        let known = schema.get("properties").and_then(Json::as_object);
        let known: Vec<_> = known.into_iter().flat_map(Object::keys).collect();
        let Some(Json::Object(object)) = at(&mut self.source.tree, pointer) else { return };
        let strange = object.keys().filter(|name| !known.contains(name));
        let strange: Vec<_> = strange.map(str::to_owned).collect();
        for name in strange {
            let place = if pointer.is_empty() { "the document" } else { pointer };
            let own = format!("{pointer}/{}", escaped(&name));
            let defines = pointer.split('/').count() == 3 && DEFINING.contains(&name.as_str());
            let near = meant(&name, &known).filter(|_| !defines);
            let instead = match defines {
                true => format!("; it belongs into the agent's definition: `agent.{name}`"),
                false => ask(near, '`'),
            };
            self.tell(&own, format!("{place}: unknown field `{name}`{instead}"));
            let Some(Json::Object(object)) = at(&mut self.source.tree, pointer) else { return };
            let Some(value) = object.remove(&name) else { continue };
            let is = match near {
                Some(near) if object.get(near).is_none() => {
                    object.set(near.to_owned(), value);
                    near.to_owned()
                }
                None if defines && define(object, &name, value) => format!("agent/{name}"),
                Some(_) | None => continue,
            };
            self.source.call(&own, &format!("{pointer}/{is}"));
        }
    }

    /// Gives an object the members that it must have.
    fn fill(&mut self, pointer: &str) {
        let Some(Json::Object(object)) = at(&mut self.source.tree, pointer) else { return };
        let lacks = |object: &Object<'_>, name: &str| object.get(name).is_none();
        match pointer.split('/').skip(1).collect::<Vec<_>>()[..] {
            [] if lacks(object, "name") => object.set("name", Json::from("unnamed")),
            ["stages", at] if lacks(object, "name") => {
                object.set("name", nameless(at));
                self.doubt(at, "name");
            }
            ["stages", _, "person"] => {
                let usual = [("ask", Json::from("approval")), ("prompt", Json::from("?"))];
                let usual: Object<'_> =
                    usual.into_iter().map(|(name, value)| (name.into(), value)).collect();
                *object = usual.followed_by(std::mem::take(object));
            }
            ["stages", at, "routes", _] => {
                let leads = !lacks(object, "to");
                *object = route().followed_by(std::mem::take(object));
                if !leads {
                    self.doubt(at, "routes");
                }
            }
            _ => {}
        }
    }

    /// Takes away a value that cannot be read.
    fn leave_out(&mut self, pointer: &str) {
        match pointer.split('/').skip(1).collect::<Vec<_>>()[..] {
            ["stages"] | [] => {}
            ["stages", at] => {
                let stage = [("name".into(), nameless(at)), ("agent".into(), Json::from("pass"))];
                self.replace(pointer, Json::Object(stage.into_iter().collect()));
                self.doubt(at, "name");
            }
            ["stages", at, "routes", _] => {
                self.replace(pointer, Json::Object(route()));
                self.doubt(at, "routes");
            }
            ["stages", at, "routes", _, member] => {
                let usual = route().get(member).cloned().unwrap_or(Json::Null);
                self.replace(pointer, usual);
                if member == "to" {
                    self.doubt(at, "routes");
                }
            }
            ["stages", at, "name"] => {
                self.replace(pointer, nameless(at));
                self.doubt(at, "name");
            }
            // Of a list that has something else in it nothing is left.
            ["stages", at, member, ..] => {
                self.remove(&format!("/stages/{at}"), member);
                self.doubt(at, member);
            }
            ["name", ..] => self.replace("/name", Json::from("unnamed")),
            [member, ..] => self.remove("", member),
        }
    }

    fn replace(&mut self, pointer: &str, with: Json<'static>) {
        if let Some(value) = at(&mut self.source.tree, pointer) {
            *value = with;
        }
    }

    fn remove(&mut self, pointer: &str, member: &str) {
        if let Some(Json::Object(object)) = at(&mut self.source.tree, pointer) {
            object.remove(member);
        }
    }

    /// What a stage without this member leaves open.
    fn doubt(&mut self, stage: &str, member: &str) {
        let doubts = &mut self.doubts;
        doubts.ways |= ["name", "default_next", "error_next", "person", "parallel", "routes"]
            .contains(&member);
        doubts.outputs |= ["name", "output_key"].contains(&member);
        if ["name", "agent", "person", "parallel"].contains(&member) {
            doubts.stages.extend(stage.parse::<usize>());
        }
    }
}

/// Gives a member to the definition of a stage's agent, where there is one or can be one.
fn define(stage: &mut Object<'static>, name: &str, value: Json<'static>) -> bool {
    let taken = ["agent", "person", "parallel"];
    if taken.iter().all(|name| stage.get(name).is_none()) {
        stage.set("agent", Json::Object(Object::new()));
    }
    match stage.get_mut("agent") {
        Some(Json::Object(definition)) if definition.get(name).is_none() => {
            definition.set(name.to_owned(), value);
            true
        }
        Some(_) | None => false,
    }
}

/// A name that keeps the contract, and that no author will have written.
fn nameless(at: &str) -> Json<'static> {
    Json::String(format!("stage-{at}-without-a-name").into())
}

fn route() -> Object<'static> {
    let members = [("key", Json::from("?")), ("equals", Json::Null), ("to", Json::from(END))];
    members.into_iter().map(|(name, value)| (name.into(), value)).collect()
}

fn at<'t>(tree: &'t mut Json<'static>, pointer: &str) -> Option<&'t mut Json<'static>> {
    pointer.split('/').skip(1).try_fold(tree, |value, name| match value {
        Json::Object(object) => object.get_mut(&name.replace("~1", "/").replace("~0", "~")),
        Json::Array(items) => items.get_mut(name.parse::<usize>().ok()?),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    })
}
