//! The steps that need no agent: what is found, chosen and written by rules.

use std::{fmt::Write, path::Path};

use consign_engine::Data;
use serde::de::DeserializeOwned;

use super::{Maker, Stopped, ask::about};
use crate::{
    agents, analysis, assemble,
    creation::{Creation, Step},
    documentation::documentation,
    files,
    manifest::{Manifest, manifest},
    package::Package,
    plain,
    settings::{Settings, settings},
};

impl Maker<'_> {
    pub(super) fn work(&mut self, step: Step, creation: &mut Creation) -> Result<(), Stopped> {
        let found = creation.analysis();
        match step {
            Step::Analyse => self.analyse(creation),
            Step::Manifest => {
                creation.found.manifest = Some(Data::of(&manifest(&creation.order.name, &found)));
                self.done(creation, &format!("manifest.json for {}", about(&found)))
            }
            Step::Settings => {
                creation.found.settings = Some(Data::of(&settings(&found)));
                self.done(creation, "settings.json with the project's conventions")
            }
            Step::Templates => self.choose(creation),
            Step::Recommend => {
                let existing = agents::existing(self.folder.path(), self.user.as_deref());
                creation.found.recommended_agents = agents::recommend(&found, &existing);
                creation.found.existing_agents = Some(existing);
                creation.advance();
                self.commit(creation)
            }
            Step::Draft => {
                let specs = creation.found.recommended_agents.iter();
                let drafts: Vec<_> = specs.map(|spec| agents::draft(spec, &found)).collect();
                let count = plain::count(drafts.len(), "agent");
                creation.found.agents = drafts;
                self.done(creation, &format!("{count} drafted"))
            }
            Step::Document => {
                let (name, agents) = (&creation.order.name, &creation.found.agents);
                let page = documentation(name, &found, &creation.templates(), agents);
                creation.found.documentation = Some(page);
                self.done(creation, "CLAUDE.md")
            }
            Step::Assemble => self.assemble(creation),
            Step::ReviewAnalysis | Step::ReviewAgents | Step::Enhance(_) | Step::Complete => Ok(()),
        }
    }

    fn analyse(&mut self, creation: &mut Creation) -> Result<(), Stopped> {
        let mut found = analysis::analyse(self.folder.path(), &self.cancel)
            .map_err(|error| Stopped::new("PROJECT_UNREADABLE", error.to_string()))?;
        if found.files == 0 || found.languages.is_empty() {
            let text = format!("there is no source in {}", self.folder.path().display());
            return Err(Stopped::new("NOTHING_TO_READ", text)
                .hint(
                    "--path names the root of a project; files that are ignored, vendored or \
                     generated do not count",
                )
                .for_good());
        }
        if let Some(name) = &creation.order.options.project_name {
            found.names.project.clone_from(name);
        }
        creation.found.codebase_analysis = Some(found);
        creation.advance();
        self.commit(creation)
    }

    fn choose(&mut self, creation: &mut Creation) -> Result<(), Stopped> {
        let most = creation.order.options.max_templates;
        let analysis = creation.analysis();
        let templates = files::generate(self.folder.path(), &analysis, most, &self.cancel)
            .map_err(|error| Stopped::new("PROJECT_UNREADABLE", error.to_string()))?;
        let missing = templates.completeness.missing.len();
        let mut summary = plain::count(templates.files.len(), "template file");
        if missing > 0 {
            let _ = write!(summary, ", {} missing", plain::count(missing, "thing"));
        }
        creation.found.templates = Some(templates);
        self.done(creation, &summary)
    }

    fn assemble(&mut self, creation: &mut Creation) -> Result<(), Stopped> {
        let package = package(creation)?;
        if creation.order.options.validate {
            creation.found.validation = Some(assemble::report(&package));
        }
        let files = if self.writes {
            assemble::assemble(Path::new(&creation.order.output), &package, &creation.run).map_err(
                |error| {
                    let cause = std::error::Error::source(&error).map(ToString::to_string);
                    let cause = cause.map(|cause| format!(": {cause}")).unwrap_or_default();
                    Stopped::new("OUTPUT_REFUSED", format!("{error}{cause}"))
                        .hint("fix that, then continue with --resume: no question is asked again")
                },
            )?
        } else {
            assemble::listing(&package)
        };
        let summary = plain::count(files.len(), "file");
        creation.found.files = files;
        self.done(creation, &summary)
    }
}

/// The template as it stands.
fn package(creation: &Creation) -> Result<Package, Stopped> {
    let (found, templates) = (&creation.found, creation.templates());
    let mut manifest: Manifest = part(found.manifest.as_ref(), "manifest")?;
    manifest.complete(&templates);
    let named = creation.order.options.project_name.as_deref();
    manifest.warnings.extend(templates.replaces_nothing(named));
    for note in &creation.notes {
        let key = match (&note.subject, note.phase) {
            (Some(agent), _) => format!("agents/{agent}"),
            (None, 1) => "analysis".to_owned(),
            (None, _) => "agents".to_owned(),
        };
        let part = manifest.sources.entry(key).or_default();
        part.source = note.source;
        part.confidence = note.confidence.or(part.confidence);
        part.why.clone_from(&note.why);
    }
    let mut settings: Settings = part(found.settings.as_ref(), "settings")?;
    settings.complete(&templates);
    Ok(Package {
        manifest,
        settings,
        documentation: found.documentation.clone().unwrap_or_default(),
        templates,
        agents: found.agents.clone(),
    })
}

/// A part that an earlier phase made, perhaps in another process.
fn part<T: DeserializeOwned>(made: Option<&Data>, name: &str) -> Result<T, Stopped> {
    let broken = |why: String| {
        Stopped::new("STATE_REFUSED", format!("phase_data.{name} of the state: {why}"))
            .hint("begin anew with --fresh")
    };
    let made = made.ok_or_else(|| broken("it is missing".to_owned()))?;
    made.to().map_err(|cause| broken(cause.to_string()))
}
