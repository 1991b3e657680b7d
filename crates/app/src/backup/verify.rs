//! Proves the runs of a home that was restored, as `consign runs verify` does.

use consign_engine::{
    Engine, Error as EngineError,
    store::{Error as StoreError, RunQuery},
};

use crate::error::Error;

/// How many runs are proven.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// Every run, and every owner's account.
    #[default]
    All,
    /// The newest ones.
    Sample,
    None,
}

/// Runs of a sample, and runs that are read at a time.
const SAMPLE: u64 = 200;
const PAGE: usize = 500;

/// What was proven.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Runs that were looked at.
    pub runs: u64,
    pub broken: Vec<Broken>,
}

/// A run or an account that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The id of the run, or the owner of the account.
    pub what: String,
    pub why: String,
}

pub(super) async fn verify(engine: &Engine, how: Verify) -> Result<Verified, Error> {
    let mut verified = Verified::default();
    let most = match how {
        Verify::All => u64::MAX,
        Verify::Sample => SAMPLE,
        Verify::None => return Ok(verified),
    };
    let mut before = None;
    loop {
        let page =
            engine.store().runs(&RunQuery { before, most: PAGE, ..RunQuery::default() }).await?;
        for row in &page {
            if verified.runs == most {
                return Ok(verified);
            }
            verified.runs += 1;
            let why = match engine.verify(&row.id, None).await {
                Ok(Ok(_)) => continue,
                Ok(Err(disproof)) => disproof.to_string(),
                // What cannot be read at all does not hold either.
                Err(EngineError::Store(StoreError::Damaged(why))) => why,
                Err(error) => return Err(error.into()),
            };
            verified.broken.push(Broken { what: row.id.to_string(), why });
        }
        match page.last() {
            Some(last) if page.len() == PAGE => before = Some(last.id.clone()),
            Some(_) | None => break,
        }
    }
    if how == Verify::All {
        for (owner, _) in engine.store().accounts().await? {
            if let Err(disproof) = engine.verify_account(&owner).await? {
                let what = format!("the account of {owner}");
                verified.broken.push(Broken { what, why: disproof.to_string() });
            }
        }
    }
    Ok(verified)
}
