//! `consign budget`: what each owner has spent and may spend.

use clap::Subcommand;
use consign_contracts::json::Json;
use consign_engine::{
    Nanos, Owner, Placement, Status,
    store::{Account, RunQuery},
};

use super::runs::{amount_arg, form, owner_arg};
use crate::{
    engine::{Session, session},
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, printable, styled},
    text::amount,
};

const HELP: &str = "\
An owner is the account that a run is paid from (`runs start --owner`; `local` if left out). Before each call \
the most that it can cost is held back, from the run's own limit and from the owner's budget, so \
that no number of runs at once can spend more. Runs that reach it wait, and go on when it is raised.

Examples:
  consign budget
  consign budget set local --cost 50
  consign budget set alice --unlimited";

const SHOW_HELP: &str = "\
In a pipe the fields are owner, spent, held back and cap, separated by tabs; no cap is empty.

Examples:
  consign budget show
  consign budget show --json | jq .spent_usd";

const SET_HELP: &str = "\
Examples:
  consign budget set local --cost 50
  consign budget set alice --unlimited";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// What each owner has spent, holds back and may spend
    #[command(after_help = SHOW_HELP)]
    Show,
    /// Set what an owner may spend over all runs
    #[command(after_help = SET_HELP)]
    Set(Set),
}

#[derive(clap::Args)]
struct Set {
    /// Whose budget
    #[arg(value_parser = owner_arg)]
    owner: Owner,

    /// All that they may spend, in US dollars, what is spent already included
    #[arg(long, value_name = "USD", value_parser = amount_arg, required_unless_present = "unlimited")]
    cost: Option<Nanos>,

    /// No bound
    #[arg(long, conflicts_with = "cost")]
    unlimited: bool,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| match &args.command {
        Some(Command::Set(set)) => change(session, set, output).await,
        Some(Command::Show) | None => {
            let accounts = session.store().accounts().await?;
            print(&accounts, output)?;
            Ok(Exit::Done)
        }
    })
}

async fn change(session: &Session, set: &Set, output: &mut Output) -> Result<Exit, Error> {
    let store = session.store();
    store.set_cap(&set.owner, set.cost).await?;
    let account = store.account(&set.owner).await?;
    print(&[(set.owner.clone(), account)], output)?;
    // Workers take theirs by themselves.
    let (status, owner) = (Some(Status::Queued), Some(set.owner.clone()));
    let query = RunQuery { status, owner, most: 20, ..RunQuery::default() };
    let queued = store.runs(&query).await?;
    for row in queued.iter().filter(|row| row.placement == Placement::Foreground) {
        let elsewhere = session.engine.goes_on_with(row).await.ok().flatten();
        let go_on = elsewhere.unwrap_or_else(|| format!("consign runs resume {}", row.id));
        output.tell(styled(FAINT, format!("go on with: {}", printable(&go_on))));
    }
    Ok(Exit::Done)
}

fn print(accounts: &[(Owner, Account)], output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Program => {
            for (owner, account) in accounts {
                output.object(object([
                    ("owner", form::text(owner)),
                    ("spent_usd", form::usd(account.spent)),
                    ("reserved_usd", form::usd(account.reserved)),
                    ("cap_usd", account.cap.map_or(Json::Null, form::usd)),
                ]))?;
            }
        }
        Audience::Pipe => {
            let row = |(owner, account): &(Owner, Account)| {
                let cap = account.cap.map_or(String::new(), |cap| cap.to_string());
                let (spent, reserved) = (account.spent.to_string(), account.reserved.to_string());
                vec![owner.to_string(), spent, reserved, cap]
            };
            output.rows(&[], accounts.iter().map(row).collect())?;
        }
        Audience::Person if accounts.is_empty() => {
            output.line(styled(FAINT, "nothing was spent yet, and no budget is set"))?;
        }
        Audience::Person => {
            let row = |(owner, account): &(Owner, Account)| {
                let dollars = |nanos: Nanos| format!("${nanos}");
                let (spent, reserved) = (dollars(account.spent), dollars(account.reserved));
                vec![owner.to_string(), spent, reserved, amount(account.cap)]
            };
            output.rows(
                &["owner", "spent", "held back", "may spend"],
                accounts.iter().map(row).collect(),
            )?;
        }
    }
    Ok(())
}
