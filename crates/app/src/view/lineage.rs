//! The runs that a run was forked from.

use consign_contracts::json::Object;
use consign_engine::{
    Engine, Nanos, RunId, Seq,
    journal::Body,
    store::{Error, Row},
};

use super::scalar::{number, object, text, usd};

/// Longer lines are cut: a run that was forked this often is the work of a program.
const MOST: usize = 100;

/// A run that another one was forked from.
#[derive(Clone, Debug)]
pub struct Ancestor {
    pub run: RunId,
    /// The event after which the fork begins.
    pub seq: Seq,
    /// What it spent, if it is still here.
    pub spent: Option<Nanos>,
}

impl Ancestor {
    #[must_use]
    pub fn view(&self) -> Object<'static> {
        let mut view = object([("run", text(&self.run)), ("seq", number(self.seq.0))]);
        if let Some(spent) = self.spent {
            view.set("spent_usd", usd(spent));
        }
        view
    }
}

/// The runs that a run was forked from, the nearest first.
pub async fn lineage(engine: &Engine, row: &Row) -> Result<Vec<Ancestor>, Error> {
    let (mut ancestors, mut run) = (Vec::new(), row.id.clone());
    while ancestors.len() < MOST {
        let second = match engine.store().events(&run, Seq(1), 1).await {
            Err(Error::NotFound(_)) => break,
            events => events?.pop(),
        };
        let second = second.filter(|record| record.kind == "forked");
        let Some(Ok(Some(Body::Forked(forked)))) = second.map(|record| record.body()) else {
            break;
        };
        let spent = match engine.store().row(&forked.run).await {
            Ok(row) => Some(row.figures.spent),
            Err(Error::NotFound(_)) => None,
            Err(error) => return Err(error),
        };
        ancestors.push(Ancestor { run: forked.run.clone(), seq: forked.seq, spent });
        run = forked.run;
    }
    Ok(ancestors)
}
