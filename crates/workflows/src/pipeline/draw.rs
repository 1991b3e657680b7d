//! A picture of a pipeline's routing, as Mermaid text.

use super::{Does, Pipeline, Stage, Target, Who};

/// A way from one stage to another, and when it is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub from: usize,
    pub to: Target,
    pub when: String,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Usual,
    /// When the stage has failed.
    Error,
    /// One of several that run at once.
    Beside,
}

/// Every way of a pipeline.
#[must_use]
pub fn ways(pipeline: &Pipeline) -> Vec<Way> {
    let mut ways = Vec::new();
    for (from, stage) in pipeline.stages.iter().enumerate() {
        if pipeline.turn_of(from) != from {
            continue;
        }
        for route in &stage.routes {
            let when = format!("{} = {}", route.key.join("."), shown(&route.equals));
            ways.push(Way { from, to: route.to, when, kind: Kind::Usual });
        }
        let otherwise = if stage.routes.is_empty() { "" } else { "else" };
        ways.push(Way {
            from,
            to: stage.default_next,
            when: otherwise.to_owned(),
            kind: Kind::Usual,
        });
        if let Some(to) = stage.error_next {
            ways.push(Way { from, to, when: "failed".to_owned(), kind: Kind::Error });
        }
        if let Does::Parallel(members) = &stage.does {
            ways.extend(members.iter().map(|member| {
                let (to, when) = (Target::Stage(*member), String::new());
                Way { from, to, when, kind: Kind::Beside }
            }));
        }
    }
    // A verdict that only says where the rest goes anyway would be drawn twice.
    let mut kept: Vec<Way> = Vec::new();
    for way in ways {
        let twin =
            |other: &&mut Way| (other.from, other.to, other.kind) == (way.from, way.to, way.kind);
        match kept.iter_mut().find(twin) {
            Some(other) if way.when == "else" => other.when.push_str(", else"),
            Some(other) if !way.when.is_empty() => {
                other.when = format!("{}, {}", other.when, way.when);
            }
            _ => kept.push(way),
        }
    }
    kept
}

fn shown(value: &consign_contracts::json::Json<'_>) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Who does a stage's work, in a word.
#[must_use]
pub fn worker(stage: &Stage) -> String {
    let who = match &stage.does {
        Does::Agent(Who::Named(name)) if *name == stage.name => String::new(),
        Does::Agent(Who::Named(name)) => name.clone(),
        Does::Agent(Who::File(path)) => path.display().to_string(),
        Does::Agent(Who::Defined(definition)) => {
            let kinds = ["model", "subprocess", "http", "mcp", "bridge"];
            let kind = kinds.into_iter().find(|kind| definition.get(kind).is_some());
            kind.unwrap_or_default().to_owned()
        }
        Does::Parallel(_) => "at once".to_owned(),
    };
    match &stage.model {
        Some(model) if who.is_empty() => model.clone(),
        Some(model) => format!("{who}, {model}"),
        None => who,
    }
}

/// The picture as Mermaid text, which many pages and editors draw.
#[must_use]
pub fn mermaid(pipeline: &Pipeline) -> String {
    let mut text = String::from("flowchart TD\n    start([start])\n");
    let node = |target: Target| match target {
        Target::Stage(at) => format!("s{at}"),
        Target::End => "finish".to_owned(),
    };
    for (at, stage) in pipeline.stages.iter().enumerate() {
        let worker = worker(stage);
        let below = if worker.is_empty() {
            String::new()
        } else {
            format!("<br/><small>{}</small>", quoted(&worker))
        };
        text.push_str(&format!("    s{at}[\"{}{below}\"]\n", quoted(&stage.name)));
    }
    text.push_str("    finish([end])\n    start --> s0\n");
    for way in ways(pipeline) {
        let (from, to) = (node(Target::Stage(way.from)), node(way.to));
        let arrow = match way.kind {
            Kind::Usual => "-->",
            Kind::Error => "-.->",
            Kind::Beside => "===>",
        };
        let label = if way.when.is_empty() {
            String::new()
        } else {
            format!("|\"{}\"|", quoted(&way.when))
        };
        text.push_str(&format!("    {from} {arrow}{label} {to}\n"));
    }
    text
}

fn quoted(text: &str) -> String {
    let text = text.replace('#', "#35;").replace('&', "&amp;").replace('"', "&quot;");
    text.replace('<', "&lt;").replace('>', "&gt;").replace(char::is_control, " ")
}
