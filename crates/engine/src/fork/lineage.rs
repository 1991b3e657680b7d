//! The runs that a run was forked from: their recovery points are its own too.
//!
//! A fork at a point that an earlier run reached is a fork of that run, with the input, the agents and the limits of
//! the run that was named.

use super::{Fork, ForkAt, Parent, RecoveryPoint};
use crate::{
    Engine, Error, Fault, Limits, RunId, Seq,
    journal::{Body, Created, Keeps},
    store,
};

/// More runs before a run are the work of a program.
const MOST: usize = 1000;

/// Part of a journal.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub(super) run: RunId,
    /// The event at which the next run begins: points up to it are the next run's too.
    pub(super) until: Seq,
    /// The last event of which the next run keeps something: a retry keeps all that was finished.
    pub(super) kept: Seq,
}

/// A fork whose parent has the place where it begins.
pub(super) struct Resolved {
    pub(super) fork: Fork,
    /// Whether the caller wants other limits than those of the run that was named.
    pub(super) sets_limits: bool,
    /// The journals that led to the parent, oldest first, without its own.
    pub(super) before: Vec<Section>,
    /// The journals that led on from the parent to the run that was named, without the parent's.
    pub(super) after: Vec<Section>,
}

impl Engine {
    /// The recovery points of a run and of those that it was forked from, oldest first. An ancestor that is redacted
    /// has none.
    pub async fn points(&self, of: &RunId) -> Result<Vec<RecoveryPoint>, Error> {
        let mut points = Vec::new();
        for Section { run, until, .. } in self.lineage(of).await? {
            let own = match self.parent(&run, Some(until)).await {
                Ok(parent) => parent.points,
                Err(Error::Store(store::Error::Redacted(erased))) if erased != *of => continue,
                Err(error) => return Err(error),
            };
            // A fork writes down once more at which point it begins.
            points.truncate(points.len() - usize::from(is_same_point(&points, &own)));
            points.extend(own);
        }
        Ok(points)
    }

    /// Finds the run that has the place where a fork is to begin.
    pub(super) async fn resolve(&self, fork: Fork) -> Result<Resolved, Error> {
        let sets_limits = fork.limits != Limits::default();
        let mut before = self.lineage(&fork.parent).await?;
        let mut after = Vec::new();
        let named = before.pop();
        let ForkAt::Point(name) = fork.at.clone() else {
            return Ok(Resolved { fork, sets_limits, before, after });
        };
        let mut section = named.clone();
        while let Some(own) = section {
            let parent = match self.parent(&own.run, Some(own.until)).await {
                Err(Error::Store(store::Error::Redacted(run))) if run != fork.parent => {
                    after.insert(0, own);
                    section = before.pop();
                    continue;
                }
                parent => parent?,
            };
            let Parent { points, created, .. } = parent;
            match points.into_iter().rfind(|point| point.name == name) {
                Some(_) if own.run == fork.parent => {
                    return Ok(Resolved { fork, sets_limits, before, after });
                }
                Some(point) => {
                    let fork = self.of_ancestor(fork, &created, &point).await?;
                    return Ok(Resolved { fork, sets_limits, before, after });
                }
                None => after.insert(0, own),
            }
            section = before.pop();
        }
        Err(self.no_point(&fork.parent, &name).await?.into())
    }

    /// A fork of the run that reached the point, as the run that was named would go on from there.
    async fn of_ancestor(
        &self,
        fork: Fork,
        ancestor: &Created,
        point: &RecoveryPoint,
    ) -> Result<Fork, Error> {
        let named = self.parent(&fork.parent, None).await?.created;
        let refitted = (named.input != ancestor.input).then_some(named.input);
        Ok(Fork {
            parent: point.run.clone(),
            at: ForkAt::Event(point.seq),
            limits: named.limits.raised(&fork.limits),
            settings: fork.settings.or(Some(named.settings)),
            input: fork.input.or(refitted),
            ..fork
        })
    }

    /// The journals that led to a run, oldest first, with its own.
    async fn lineage(&self, run: &RunId) -> Result<Vec<Section>, Error> {
        let last = self.store.row(run).await?.seq;
        let mut sections = vec![Section { run: run.clone(), until: last, kept: last }];
        while sections.len() < MOST {
            let second = match self.store.events(&sections[0].run, Seq(1), 1).await {
                Err(store::Error::NotFound(_)) if sections.len() > 1 => break,
                events => events?.pop(),
            };
            let second = second.filter(|record| record.kind == "forked");
            let Some(Ok(Some(Body::Forked(forked)))) = second.map(|record| record.body()) else {
                break;
            };
            let kept = match forked.keeps {
                Keeps::UnderWay => forked.seq,
                Keeps::Finished => forked.until,
            };
            sections.insert(0, Section { run: forked.run, until: forked.seq, kept });
        }
        // A run that is no longer here has no points.
        let oldest = self.store.row(&sections[0].run).await;
        if matches!(oldest, Err(store::Error::NotFound(_))) {
            sections.remove(0);
        }
        Ok(sections)
    }

    async fn no_point(&self, run: &RunId, name: &str) -> Result<Fault, Error> {
        let points = self.points(run).await?;
        let known: Vec<_> = points.iter().rev().map(|point| point.name.as_str()).collect();
        let shown = known.iter().take(10).copied().collect::<Vec<_>>().join(", ");
        let text = format!("run {run} has no recovery point {name:?}; it has {shown}");
        Ok(Fault::permanent("POINT_NOT_FOUND", text))
    }
}

/// Whether a journal begins with the point that the one before ended with.
fn is_same_point(before: &[RecoveryPoint], own: &[RecoveryPoint]) -> bool {
    match (before.last(), own.first()) {
        (Some(last), Some(first)) => last.name == first.name,
        _ => false,
    }
}
