//! Adds excerpts of the template's own files to an agent, without asking an outside agent.

use std::fmt::Write;

use super::{
    about::About,
    draft::{bullets, code},
    excerpt::{excerpt, test_excerpt},
    sample::samples,
};
use crate::{
    Source,
    analysis::Analysis,
    package::{AgentFile, AgentSpec, TemplateFile, Templates},
    plain,
};

const MOST_EXAMPLES: usize = 3;
const MOST_GAPS: usize = 6;

/// The draft with excerpts of files that the agent is about, what to check, and what is missing. A draft
/// to which nothing can be added comes back as it is.
#[must_use]
pub fn enhance(
    draft: &AgentFile,
    spec: &AgentSpec,
    analysis: &Analysis,
    templates: &Templates,
) -> AgentFile {
    let about = About::of(spec);
    let chosen = samples(&about, analysis, &templates.files);
    let mut content = draft.content.clone();
    let examples = chosen.into_iter().filter_map(example).take(MOST_EXAMPLES);
    let examples: String = examples.collect();
    if !examples.is_empty() {
        write!(content, "\n## Examples from the project\n\n{}\n", examples.trim_end())
            .expect("writing to a string cannot fail");
    }
    bullets(&mut content, "Checks", checks(analysis));
    bullets(&mut content, "What is missing", gaps(&about, templates));
    AgentFile { name: draft.name.clone(), content, source: Source::Heuristic }
}

fn example(file: &TemplateFile) -> Option<String> {
    let content = file.text()?;
    let is_test = consign_code::Class::of(&file.origin) == consign_code::Class::Test;
    let (text, lines) = if is_test { test_excerpt(content)? } else { excerpt(content)? };
    let fence = plain::fence(&text);
    let (first, last) = (lines.start, lines.end - 1);
    Some(format!(
        "From {}, lines {first} to {last}:\n\n{fence}{}\n{text}\n{fence}\n\n",
        code(&file.origin),
        language(&file.origin),
    ))
}

/// The word behind a fence.
fn language(path: &str) -> &'static str {
    let ending = path.rsplit('.').next().unwrap_or_default();
    match ending {
        "cs" => "csharp",
        "css" => "css",
        "go" => "go",
        "html" => "html",
        "java" => "java",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "jsx",
        "kt" | "kts" => "kotlin",
        "php" => "php",
        "py" => "python",
        "rb" => "ruby",
        "rs" => "rust",
        "svelte" => "svelte",
        "ts" => "typescript",
        "tsx" => "tsx",
        "vue" => "vue",
        "xaml" | "xml" => "xml",
        _ => "",
    }
}

fn checks(analysis: &Analysis) -> Vec<String> {
    let commands = &analysis.commands;
    let build = commands.build.as_deref().map(|build| format!("{} succeeds.", code(build)));
    let test = commands.test.as_deref().map(|test| format!("{} passes.", code(test)));
    let naming = analysis.conventions.names().into_iter().filter(|count| count.is_rule());
    let naming =
        naming.map(|count| format!("New {} are named in {}.", count.of, code(&count.value)));
    build.into_iter().chain(test).chain(naming).collect()
}

fn gaps(about: &About, templates: &Templates) -> Vec<String> {
    let layer = |of: &str| {
        let file = templates.files.iter().find(|file| file.origin == of || file.path == of);
        file.is_some_and(|file| about.covers(&file.layer))
    };
    let missing = templates.completeness.missing.iter().filter(|missing| {
        about.covers(&missing.of)
            || layer(&missing.of)
            || missing.kind == "test" && about.is_about_tests()
    });
    missing.take(MOST_GAPS).map(|missing| missing.what.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::Commands,
        package::{Completeness, Missing},
    };

    const REPOSITORY: &str = "using System;\n\npublic class OrderRepository : IOrderRepository\n{\n    \
                              private readonly Db db;\n    public Order Find(int id) => db.Find(id);\n}\n";

    fn file(origin: &str, layer: &str, content: &str) -> TemplateFile {
        TemplateFile {
            path: origin.to_owned(),
            origin: origin.to_owned(),
            layer: layer.to_owned(),
            content: content.to_owned(),
            executable: false,
            ..TemplateFile::default()
        }
    }

    fn enhanced(technologies: &[&str]) -> String {
        let spec = AgentSpec {
            name: "a".to_owned(),
            technologies: technologies.iter().map(|word| (*word).to_owned()).collect(),
            ..AgentSpec::default()
        };
        let analysis = Analysis {
            commands: Commands { test: Some("dotnet test".to_owned()), ..Commands::default() },
            ..super::super::recommend::tests::shop()
        };
        let missing = |kind: &str, of: &str, what: &str| Missing {
            kind: kind.to_owned(),
            of: of.to_owned(),
            what: what.to_owned(),
        };
        let templates = Templates {
            files: vec![
                file("src/mail/Mailer.cs", "mail", "class Mailer\n{\n  ```\n  b\n  c\n}\n"),
                file("src/data/OrderRepository.cs", "data", REPOSITORY),
                file("tests/OrderTests.cs", "tests", "class OrderTests\n{\n  a\n  b\n  c\n}\n"),
            ],
            completeness: Completeness {
                score: 0.5,
                missing: vec![
                    missing("operation", "src/data/OrderRepository.cs", "There is no update."),
                    missing("test", "mail", "The layer mail has no test."),
                ],
            },
            ..Templates::default()
        };
        let draft = AgentFile {
            name: "a".to_owned(),
            content: "DRAFT\n".to_owned(),
            ..AgentFile::default()
        };
        enhance(&draft, &spec, &analysis, &templates).content
    }

    #[test]
    fn examples_are_excerpts_of_files_that_the_agent_is_about() {
        let content = enhanced(&["Repository"]);
        let expected = "DRAFT\n\n## Examples from the project\n\nFrom `src/data/OrderRepository.cs`, lines 3 to \
                        7:\n\n```csharp\npublic class OrderRepository : IOrderRepository\n{\n";
        assert!(content.starts_with(expected), "{content}");
        assert!(!content.contains("Mailer"), "{content}");
        assert!(content.contains("\n## Checks\n\n- `dotnet test` passes.\n"), "{content}");
        assert!(!content.contains("What is missing"), "{content}");
    }

    #[test]
    fn what_is_missing_is_told_to_whom_it_concerns() {
        let content = enhanced(&["data"]);
        assert!(content.contains("## What is missing\n\n- There is no update.\n"), "{content}");
        let content = enhanced(&["xUnit", "testing"]);
        assert!(content.contains("class OrderTests"), "{content}");
        assert!(
            content.contains("## What is missing\n\n- The layer mail has no test.\n"),
            "{content}"
        );
        let content = enhanced(&["mail"]);
        assert!(content.contains("````csharp\nclass Mailer"), "the fence holds: {content}");
    }

    #[test]
    fn a_draft_to_which_nothing_can_be_added_stays() {
        let draft = AgentFile { content: "DRAFT\n".to_owned(), ..AgentFile::default() };
        let (spec, analysis) = (AgentSpec::default(), Analysis::default());
        assert_eq!(enhance(&draft, &spec, &analysis, &Templates::default()), draft);
    }
}
