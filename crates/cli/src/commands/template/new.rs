//! `consign template new --from DIR --to DIR --set name=…`: makes a project of a template.

use std::path::PathBuf;

use consign_app::templates;
use consign_contracts::json::Json;
use consign_template::new::{Origin, Report};

use crate::{
    commands::runs::form,
    error::{Error, Exit},
    output::{Audience, FAINT, GOOD, Output, object, printable, styled},
    text::count,
};

const HELP: &str = "\
Makes a project of a template: its placeholders are filled in with your names, in the casing that each \
place wants. `my-shop`, `MyShop` and `my shop` are the same name. What is not set keeps the template's own \
name, and the command says so; a namespace that was called after the project follows its new name. Where project and \
namespace are two names, such as a project of Django and its application, each is set by itself.

The template's CLAUDE.md comes along unless its files have one, and its agents go to .claude/agents.

Settings: name, namespace, entity, author, author-email. A name has to be legal in the template's language. The target \
has to be empty or not there; it is written beside its place and moved there in one step.

Examples:
  consign template new --from acme-service --to ~/code/billing --set name=billing
  consign template new --from acme-service --to billing --set name=billing --set namespace=com.acme.billing";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(super) struct Args {
    /// The template's folder
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// The new project's folder: empty, or not there yet
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// A name for the new project: name=…, namespace=…, entity=…, author=… or author-email=…
    #[arg(long = "set", value_name = "SETTING=VALUE", value_parser = setting)]
    set: Vec<(String, String)>,
    /// Leave out the template's agents
    #[arg(long)]
    no_agents: bool,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (setting, value) =
        text.split_once('=').ok_or("expected SETTING=VALUE, such as name=my-shop")?;
    Ok((setting.trim().to_owned(), value.trim().to_owned()))
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    let report = templates::new(&args.from, &args.to, &args.set, !args.no_agents)?;
    for setting in &report.unused {
        output.warn(format!(
            "the template has no place for {setting}: its project had a name that is too common to be replaced; \
             `consign template create --project-name` names another"
        ));
    }
    if output.reader == Audience::Program {
        output.object(shown(&report))?;
        return Ok(Exit::Done);
    }
    let to = args.to.display().to_string();
    let made = count(u64::try_from(report.files.len()).unwrap_or(u64::MAX), "file");
    output.line(format!("{} {made} in {}", styled(GOOD, "made"), printable(&to)))?;
    for used in &report.values {
        let (setting, value) = (printable(&used.setting), printable(&used.value));
        let whence = match used.origin {
            Origin::Set => String::new(),
            Origin::Default => format!("  {}", styled(FAINT, "the template's own")),
            Origin::Derived => format!("  {}", styled(FAINT, "after the new name")),
        };
        output.line(format!("  {setting}: {value}{whence}"))?;
    }
    Ok(Exit::Done)
}

fn shown(report: &Report) -> consign_contracts::json::Object<'static> {
    let values = report.values.iter().map(|used| {
        let origin = match used.origin {
            Origin::Set => "set",
            Origin::Default => "default",
            Origin::Derived => "derived",
        };
        Json::Object(object([
            ("setting", form::text(&used.setting)),
            ("value", form::text(&used.value)),
            ("origin", form::text(origin)),
        ]))
    });
    object([
        ("files", Json::Array(report.files.iter().map(|it| form::text(it)).collect())),
        ("values", Json::Array(values.collect())),
        ("unused", Json::Array(report.unused.iter().map(|it| form::text(it)).collect())),
    ])
}
