//! The scaffold: what is made of the requirements, and what is said about it.

use super::needs::Needs;
use super::stack::Stack;
use super::text::one_line;
use super::{Refused, axum, express, fallback, fastapi, page, refused};

/// A file of a scaffold, relative to the project's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Where it belongs, with `/` between its parts.
    pub path: String,
    /// What is in it.
    pub content: String,
}

/// What the files come from. `metadata.source` of the result is its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The minimal scaffold: no known stack was asked for.
    Fallback,
    /// The scaffold of a known stack.
    Stack,
}

impl Source {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fallback => "fallback",
            Self::Stack => "stack",
        }
    }
}

/// A project skeleton. The same text gives the same scaffold, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scaffold {
    /// The files; `README.md` comes first.
    pub artifacts: Vec<Artifact>,
    /// What they come from.
    pub source: Source,
    /// What was made, and why not more, in one or two sentences.
    pub message: String,
    /// The steps that were taken, in words.
    pub plan: Vec<String>,
    /// The project's name, as people write it.
    pub name: String,
}

/// Makes a scaffold. `stack` is a hint; without one the requirements may name a known framework.
/// Refuses only what [`check`](super::check) refuses.
pub fn generate(
    requirements: Option<&str>,
    goal: Option<&str>,
    stack: Option<&str>,
) -> Result<Scaffold, Refused> {
    let asked = refused::asked(requirements, goal)?;
    let needs = Needs::read(&asked);
    let known = Stack::read(stack, &asked);
    let (artifacts, source) = match known {
        Some(Stack::Express) => (express::files(&needs, &asked), Source::Stack),
        Some(Stack::FastApi) => (fastapi::files(&needs, &asked), Source::Stack),
        Some(Stack::Axum) => (axum::files(&needs, &asked), Source::Stack),
        None => (fallback::files(&needs, &asked), Source::Fallback),
    };
    let message = match known {
        Some(known) => made(known, &needs),
        None => minimal(stack),
    };
    let plan = plan(known, &needs, artifacts.len());
    Ok(Scaffold { artifacts, source, message, plan, name: needs.title })
}

fn made(stack: Stack, needs: &Needs) -> String {
    let auth = if needs.auth { ", with sign-up and log-in" } else { "" };
    let names = resources(needs);
    let assumed = if needs.entities_found {
        ""
    } else {
        " The text names no entity, so `item` stands for one."
    };
    let storage = if needs.postgres {
        "Storage is in memory; PostgreSQL has its tables in schema.sql and is not connected."
    } else {
        "Storage is in memory."
    };
    format!("Made a service with {} for {names}{auth}. {storage}{assumed}", stack.name())
}

fn minimal(stack: Option<&str>) -> String {
    match stack.map(|stack| one_line(stack, 80)).filter(|stack| !stack.is_empty()) {
        Some(stack) => format!(
            "Made a minimal Node.js project: the stack \"{stack}\" is none of Express + TypeScript, FastAPI and axum."
        ),
        None => "Made a minimal Node.js project. A `stack` such as Express + TypeScript, FastAPI or axum gives a service."
            .into(),
    }
}

fn plan(stack: Option<Stack>, needs: &Needs, files: usize) -> Vec<String> {
    let mut steps = vec![if needs.entities_found {
        format!("Read the requirements: \"{}\" is about {}.", needs.title, resources(needs))
    } else {
        "Read the requirements: they name no entity.".to_owned()
    }];
    match stack {
        None => steps.push("No known stack is asked for: take the minimal Node.js project.".into()),
        Some(stack) => {
            steps.push(format!("Take the stack {}.", stack.name()));
            let mut operations = vec!["create".to_owned(), "read".into(), "list".into()];
            operations.extend(needs.update.then(|| "update".into()));
            operations.extend(needs.delete.then(|| "delete".into()));
            steps.push(format!(
                "Write routes to {} {}, with validation.",
                page::and(&operations),
                resources(needs)
            ));
            if needs.auth {
                steps.push(
                    "Write sign-up, log-in and log-out; records belong to their user.".into(),
                );
            }
            steps.push("Keep records in memory behind a repository interface.".into());
            if needs.postgres {
                steps.push("Write the tables for PostgreSQL as schema.sql.".into());
            }
            steps.push(
                "Write tests for every route, and a README that names what is a placeholder."
                    .into(),
            );
        }
    }
    steps.push(format!("Check the {files} files: entities and operations covered, everything parses, nothing missing."));
    steps
}

fn resources(needs: &Needs) -> String {
    page::and(&needs.entities.iter().map(|entity| entity.many.spoken()).collect::<Vec<_>>())
}
