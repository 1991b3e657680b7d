//! Chooses the files of the template that show how an agent's work is done.
//!
//! A sample that has nothing to do with the agent's subject is worse than none.

use consign_code::Class;

use super::{about::About, dependencies, recommend::shipping};
use crate::{
    analysis::{Analysis, is_page, is_program},
    import_lines::{import_lines, words},
    package::TemplateFile,
};

/// Shorter names are part of too many others.
const TELLING: usize = 4;

/// The files to show, the most telling first.
pub(super) fn samples<'a>(
    about: &About,
    analysis: &Analysis,
    files: &'a [TemplateFile],
) -> Vec<&'a TemplateFile> {
    let mut fit: Vec<&TemplateFile> =
        files.iter().filter(|file| fits(about, analysis, file)).collect();
    // Pages count where the subject has no code.
    if fit.iter().any(|file| is_program(&file.origin)) {
        fit.retain(|file| is_program(&file.origin));
    }
    // Stable: files of one weight stay in the template's order.
    fit.sort_by_cached_key(|file| std::cmp::Reverse(about.weight(file, analysis)));
    fit
}

fn fits(about: &About, analysis: &Analysis, file: &TemplateFile) -> bool {
    if about.covers("containers") || about.covers("ci") {
        return shipping(&file.origin).is_some_and(|(tool, _)| about.covers(tool));
    }
    let is_test = Class::of(&file.origin) == Class::Test;
    if about.is_about_tests() {
        return is_test && is_program(&file.origin);
    }
    if is_test {
        return false;
    }
    let packages = packages(about, analysis);
    if !packages.is_empty() {
        let brings = |text: &str| brings_in(text, &packages);
        return is_program(&file.origin) && file.text().is_some_and(brings);
    }
    (is_program(&file.origin) || is_page(&file.origin)) && about.weight(file, analysis) > 0
}

/// The names, in words, of the dependencies that the agent is about.
fn packages(about: &About, analysis: &Analysis) -> Vec<String> {
    let own = analysis.dependencies.iter().filter_map(|dependency| {
        let (usual, trade) = dependencies::known(&dependency.name)?;
        let own = about.covers(usual) && about.covers(trade.technology);
        own.then(|| [words(&dependency.name).collect(), words(usual).collect()])
    });
    own.flatten().collect()
}

fn brings_in(content: &str, packages: &[String]) -> bool {
    import_lines(content).any(|line| {
        let line: Vec<String> = words(line).collect();
        let whole = line.concat();
        packages.iter().any(|package| {
            line.contains(package) || package.len() >= TELLING && whole.contains(package.as_str())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        analysis::{Dependency, Layer},
        package::AgentSpec,
    };

    fn analysis() -> Analysis {
        let dependency = |name: &str| Dependency { name: name.to_owned(), ..Dependency::default() };
        let layer = |name: &str| Layer {
            name: name.to_owned(),
            folders: vec![format!("src/{name}")],
            files: 3,
            tests: 0,
        };
        Analysis {
            primary_language: "Python".to_owned(),
            dependencies: vec![dependency("SQLAlchemy"), dependency("celery")],
            layers: vec![layer("views"), layer("pages")],
            ..Analysis::default()
        }
    }

    fn chosen(technologies: &[&str]) -> Vec<String> {
        let file = |(origin, content): (&str, &str)| TemplateFile {
            origin: origin.to_owned(),
            content: content.to_owned(),
            ..TemplateFile::default()
        };
        let files = [
            ("Dockerfile", "FROM python\n"),
            ("requirements/views.txt", "celery\n"),
            ("src/views/notes.txt", "x\n"),
            ("src/views/list.html", "<p>\n"),
            ("src/views/list.py", "import os\n"),
            ("src/pages/a.html", "<p>\n"),
            ("src/models.py", "from sqlalchemy.orm import Session\n"),
            ("src/python.py", "x = 'celery'\n"),
            ("tests/test_views.py", "import celery\n"),
        ];
        let files = files.map(file);
        let spec = AgentSpec {
            technologies: technologies.iter().map(|word| (*word).to_owned()).collect(),
            ..AgentSpec::default()
        };
        let chosen = samples(&About::of(&spec), &analysis(), &files);
        chosen.iter().map(|file| file.origin.clone()).collect()
    }

    #[test]
    fn a_sample_fits_its_subject_or_there_is_none() {
        for (technologies, files) in [
            (&["pytest", "testing", "Python"][..], &["tests/test_views.py"][..]),
            (&["Docker", "containers"], &["Dockerfile"]),
            (&["GitHub Actions", "ci"], &[]),
            (&["SQLAlchemy", "database", "Python"], &["src/models.py"]),
            (&["Celery", "messaging", "Python"], &[]),
            (&["views", "Python"], &["src/views/list.py"]),
            (&["pages", "Python"], &["src/pages/a.html"]),
            (&["Python", "conventions"], &[]),
        ] {
            assert_eq!(chosen(technologies), files, "{technologies:?}");
        }
    }
}
