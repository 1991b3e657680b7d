//! A picture of a pipeline's routing, as Mermaid text.

use super::{
    Does, Pipeline, Stage, Target, Who,
    transitions::{Kind, transitions},
};

/// What does the work of a stage, in a word: its agent, its model or a person.
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
        Does::Person(person) => format!("a person: {}", person.ask.as_str()),
        Does::Parallel(_) => "at once".to_owned(),
    };
    match &stage.model {
        Some(model) if who.is_empty() => model.clone(),
        Some(model) => format!("{who}, {model}"),
        None => who,
    }
}

/// The picture as Mermaid text, which many pages and editors draw. Those that run at once are in a box of
/// their own, between the stage that has them run and the place where all have ended.
#[must_use]
pub fn mermaid(pipeline: &Pipeline) -> String {
    let mut text = String::from("flowchart TD\n    start([\"start\"])\n");
    let node = |at: usize| {
        let stage = &pipeline.stages[at];
        let worker = worker(stage);
        let below = if worker.is_empty() {
            String::new()
        } else {
            format!("<br/><small>{}</small>", quoted(&worker))
        };
        format!("s{at}[\"{}{below}\"]\n", quoted(&stage.name))
    };
    for (at, stage) in pipeline.stages.iter().enumerate() {
        match &stage.does {
            Does::Agent(_) | Does::Person(_) if pipeline.turn_of(at) != at => {}
            Does::Agent(_) | Does::Person(_) => text.push_str(&format!("    {}", node(at))),
            Does::Parallel(members) => {
                text.push_str(&format!("    subgraph g{at}[\" \"]\n        {}", node(at)));
                for member in members {
                    text.push_str(&format!("        {}", node(*member)));
                }
                text.push_str(&format!("        j{at}((\" \"))\n"));
                for member in members {
                    text.push_str(&format!("        s{at} ==> s{member} ==> j{at}\n"));
                }
                text.push_str("    end\n");
            }
        }
    }
    text.push_str("    finish([\"end\"])\n    start --> s0\n");
    for way in transitions(pipeline) {
        let from = match pipeline.stages[way.from].does {
            Does::Agent(_) | Does::Person(_) => format!("s{}", way.from),
            Does::Parallel(_) => format!("j{}", way.from),
        };
        let to = match way.to {
            Target::Stage(at) => format!("s{at}"),
            Target::End => "finish".to_owned(),
        };
        let arrow = match way.kind {
            Kind::Usual => "-->",
            Kind::Error | Kind::Asked => "-.->",
        };
        let label = if way.when.is_empty() {
            String::new()
        } else {
            format!("|\"{}\"|", quoted(&way.label()))
        };
        text.push_str(&format!("    {from} {arrow}{label} {to}\n"));
    }
    text
}

/// Text that is nothing but text in Mermaid: no entity, no tag, no Markdown.
fn quoted(text: &str) -> String {
    let mut quoted = String::new();
    for letter in text.chars() {
        match letter {
            '#' | '&' | '"' | '<' | '>' | '`' | '*' | '~' | '\\' | '$' => {
                quoted.push_str(&format!("#{};", u32::from(letter)));
            }
            letter if letter.is_control() => quoted.push(' '),
            letter => quoted.push(letter),
        }
    }
    quoted
}
