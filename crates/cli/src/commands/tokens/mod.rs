//! `consign tokens …`: the tokens with which programs of a user sign in.

use clap::{Subcommand, ValueEnum};
use consign_accounts::{Scope, Scopes, TokenInfo};
use consign_contracts::json::Json;

use super::{
    runs::form,
    users::{accounts, refused},
};
use crate::{
    engine::session,
    error::{Error, Exit},
    output::{Audience, FAINT, Output, object, styled},
};

const HELP: &str = "\
A token is sent as `Authorization: Bearer TOKEN`, never in an address. Only its hash is kept: it is printed once. \
Without --scope it has runs, jobs and answer, and may change its user's settings; with scopes it has these alone.

Examples:
  TOKEN=$(consign tokens create --user anna@example.com)
  consign tokens create --user anna@example.com --scope jobs --name ci
  consign tokens list
  consign tokens revoke 4f0c2f63-0d5a-4c62-9d5c-0b7f0a2f3c11";

#[derive(clap::Args)]
#[command(after_help = HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make a token, and print it alone
    Create(CreateArgs),
    /// Tokens, of one user or of all
    List(ListArgs),
    /// Revoke a token, at once
    Revoke(RevokeArgs),
}

const CREATE_HELP: &str = "\
Examples:
  TOKEN=$(consign tokens create --user anna@example.com)
  consign tokens create --user anna@example.com --scope jobs --scope answer --name ci";

#[derive(clap::Args)]
#[command(after_help = CREATE_HELP)]
struct CreateArgs {
    /// Whose token it is, by address
    #[arg(long, value_name = "EMAIL")]
    user: String,

    /// What it may do; may be repeated
    #[arg(long, value_name = "SCOPE")]
    scope: Vec<ScopeArg>,

    /// What it is for
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ScopeArg {
    /// Runs, inbox, pipelines, process
    Runs,
    /// The job API
    Jobs,
    /// Answers, approve, reject, raise
    Answer,
    /// Users; of an admin only
    Admin,
}

const LIST_HELP: &str = "\
Examples:
  consign tokens list
  consign tokens list --user anna@example.com --json";

#[derive(clap::Args)]
#[command(after_help = LIST_HELP)]
struct ListArgs {
    /// Only this user's, by address
    #[arg(long, value_name = "EMAIL")]
    user: Option<String>,
}

const REVOKE_HELP: &str = "\
Examples:
  consign tokens revoke 4f0c2f63-0d5a-4c62-9d5c-0b7f0a2f3c11";

#[derive(clap::Args)]
#[command(after_help = REVOKE_HELP)]
struct RevokeArgs {
    /// The token's id, as `list` shows it
    id: String,
}

pub(super) fn run(args: &Args, output: &mut Output) -> Result<Exit, Error> {
    match &args.command {
        Command::Create(args) => create(args, output),
        Command::List(args) => list(args, output),
        Command::Revoke(args) => revoke(args, output),
    }
}

fn create(args: &CreateArgs, output: &mut Output) -> Result<Exit, Error> {
    let scopes: Scopes = args.scope.iter().map(|scope| scope.meant()).collect();
    let scopes = (!scopes.is_empty()).then_some(scopes);
    session(async |session| {
        let accounts = accounts(session)?;
        let user = accounts.find_user(&args.user).await.map_err(refused)?;
        let made = accounts.create_token(&user.id, args.name.as_deref(), scopes).await;
        let (token, secret) = made.map_err(refused)?;
        match output.reader {
            Audience::Program => output.object(object([
                ("id", form::text(&token.id)),
                ("user", form::text(&user.email)),
                ("scopes", scopes_json(&token)),
                ("token", form::text(secret.reveal())),
            ]))?,
            Audience::Person | Audience::Pipe => output.line(secret.reveal())?,
        }
        Ok(Exit::Done)
    })
}

fn list(args: &ListArgs, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        let accounts = accounts(session)?;
        let users = match &args.user {
            Some(email) => vec![accounts.find_user(email).await.map_err(refused)?],
            None => accounts.users().await.map_err(refused)?,
        };
        let mut found = Vec::new();
        for user in users {
            let tokens = accounts.tokens(&user.id).await.map_err(refused)?;
            found.extend(tokens.into_iter().map(|token| (user.email.clone(), token)));
        }
        print(&found, output)?;
        Ok(Exit::Done)
    })
}

fn revoke(args: &RevokeArgs, output: &mut Output) -> Result<Exit, Error> {
    session(async |session| {
        if !accounts(session)?.revoke_token(None, &args.id).await.map_err(refused)? {
            let told = format!("there is no token {:?}", args.id);
            return Err(Error::new("NOT_FOUND", told).hint("`consign tokens list` shows all"));
        }
        match output.reader {
            Audience::Program => output
                .object(object([("id", form::text(&args.id)), ("revoked", Json::Bool(true))]))?,
            Audience::Person | Audience::Pipe => {
                output.tell(format!("the token {} is revoked", args.id));
            }
        }
        Ok(Exit::Done)
    })
}

fn print(found: &[(String, TokenInfo)], output: &mut Output) -> Result<(), Error> {
    match output.reader {
        Audience::Program => {
            for (email, token) in found {
                output.object(object([
                    ("id", form::text(&token.id)),
                    ("user", form::text(email)),
                    ("name", token.name.as_ref().map_or(Json::Null, form::text)),
                    ("scopes", scopes_json(token)),
                    ("created_at", form::at(token.created_at)),
                ]))?;
            }
        }
        Audience::Person if found.is_empty() => {
            output
                .line(styled(FAINT, "no tokens; `consign tokens create --user EMAIL` makes one"))?;
        }
        Audience::Person | Audience::Pipe => {
            let row = |(email, token): &(String, TokenInfo)| {
                let scopes = token.scopes.map_or("all but admin".to_owned(), Scopes::to_words);
                let name = token.name.clone().unwrap_or_default();
                vec![token.id.clone(), email.clone(), name, scopes, token.created_at.to_string()]
            };
            let head = ["id", "user", "name", "scopes", "since"];
            let head: &[&str] = if output.reader == Audience::Pipe { &[] } else { &head };
            output.rows(head, found.iter().map(row).collect())?;
        }
    }
    Ok(())
}

fn scopes_json(token: &TokenInfo) -> Json<'static> {
    let words =
        |scopes: Scopes| Json::Array(scopes.iter().map(|s| Json::from(s.as_str())).collect());
    token.scopes.map_or(Json::Null, words)
}

impl ScopeArg {
    fn meant(self) -> Scope {
        match self {
            Self::Runs => Scope::Runs,
            Self::Jobs => Scope::Jobs,
            Self::Answer => Scope::Answer,
            Self::Admin => Scope::Admin,
        }
    }
}
