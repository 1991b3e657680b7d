//! Finds the commit that each line of a file comes from.
//!
//! libgit2 has a blame of its own, which cannot be stopped. This one goes back from the file on disk
//! commit by commit, hands lines that did not change on to the parent, and gives the others to the
//! commit they changed in. It ends when all lines are given, or at a limit; what is left then is at
//! least as old as the commit it has come to.

use std::collections::{BTreeMap, BinaryHeap, HashMap};

use git2::{DiffOptions, Oid, Patch};

use super::{BlameLine, History, Origin, author, date, fault, subject};
use crate::{Error, Repository, root, text, words};

/// Lines of one answer.
const MOST_LINES: usize = 2_000;
const WIDTH: usize = 400;

impl Repository {
    /// Who wrote lines `from` to `to` of a file as it is on disk, both from 1 and included. Renames are
    /// not followed.
    ///
    /// # Errors
    /// [`Error::NoHistory`] if there is none that may be read, and those of reading.
    pub fn git_blame(&self, path: &str, from: usize, to: usize) -> Result<Vec<BlameLine>, Error> {
        let path = root::clean(path)?;
        let bytes = self.read_text(&path, self.limits.file_bytes)?;
        let from = from.max(1);
        let wanted: Vec<(usize, &[u8])> = text::lines(&bytes)
            .enumerate()
            .map(|(at, line)| (at + 1, line))
            .skip(from - 1)
            .take(to.saturating_sub(from - 1).min(MOST_LINES))
            .collect();
        let numbers = wanted.iter().map(|(line, _)| *line).collect();
        let history = self.history()?;
        let path = history.path(&path);
        let origins = self.trace(&history, &path, &bytes, numbers).map_err(fault("blame"))?;
        self.cancel.check()?;
        let mut known = HashMap::new();
        Ok(wanted
            .into_iter()
            .map(|(line, text)| BlameLine {
                line,
                text: words::excerpt(text, 0, WIDTH),
                origin: origins.get(&line).and_then(|&(id, or_older)| {
                    let origin =
                        known.entry(id).or_insert_with(|| self.origin(&history, id)).clone();
                    origin.map(|origin| Origin { or_older, ..origin })
                }),
            })
            .collect())
    }

    /// The commit of each line, and whether it may be older.
    fn trace(
        &self,
        history: &History,
        path: &str,
        bytes: &[u8],
        lines: Vec<usize>,
    ) -> Result<BTreeMap<usize, (Oid, bool)>, git2::Error> {
        let mut origins = BTreeMap::new();
        let Some(head) = history.newest()? else { return Ok(origins) };
        let committed = history.at(&head, path).and_then(|blob| self.committed(history, blob));
        let Some(committed) = committed else { return Ok(origins) };
        let mut waiting = Waiting::default();
        let own = lines.into_iter().map(|line| (line, line)).collect();
        // Files are often checked out with other line ends than they were committed with.
        let (kept, _) = split(committed.content(), bytes, own, true)?;
        waiting.add(&head, kept);
        let mut seen = 0;
        while let Some((id, lines)) = waiting.next() {
            seen += 1;
            if seen > self.limits.commits || self.cancel.is_over() {
                origins.extend(lines.into_iter().map(|(_, line)| (line, (id, true))));
                for (id, lines) in waiting.lines.drain() {
                    origins.extend(lines.into_iter().map(|(_, line)| (line, (id, true))));
                }
                break;
            }
            let rest = self.hand_on(history, path, id, lines, &mut waiting, &mut origins)?;
            origins.extend(rest.into_iter().map(|(_, line)| (line, (id, false))));
        }
        Ok(origins)
    }

    /// Gives lines to the parents that had them; those that are left are this commit's.
    fn hand_on(
        &self,
        history: &History,
        path: &str,
        id: Oid,
        mut lines: Lines,
        waiting: &mut Waiting,
        origins: &mut BTreeMap<usize, (Oid, bool)>,
    ) -> Result<Lines, git2::Error> {
        let commit = history.commit(id)?;
        let Some(here) = history.at(&commit, path) else { return Ok(lines) };
        for parent in commit.parent_ids() {
            // The parents of a shallow clone's last commits are not there.
            let Ok(parent) = history.commit(parent) else {
                origins.extend(lines.into_iter().map(|(_, line)| (line, (id, true))));
                return Ok(Vec::new());
            };
            let Some(there) = history.at(&parent, path) else { continue };
            if there == here {
                waiting.add(&parent, lines);
                return Ok(Vec::new());
            }
            let (before, after) = (self.committed(history, there), self.committed(history, here));
            let (Some(before), Some(after)) = (before, after) else { continue };
            let (kept, rest) = split(before.content(), after.content(), lines, false)?;
            waiting.add(&parent, kept);
            lines = rest;
            if lines.is_empty() {
                break;
            }
        }
        Ok(lines)
    }

    fn origin(&self, history: &History, id: Oid) -> Option<Origin> {
        let commit = history.commit(id).ok()?;
        Some(Origin {
            commit: id.to_string(),
            author: author(&commit),
            date: date(&commit),
            subject: subject(&self.message(&commit)),
            or_older: false,
        })
    }

    /// A file as it was; what is large is never unpacked.
    fn committed<'a>(&self, history: &'a History, blob: Oid) -> Option<git2::Blob<'a>> {
        history.blob(blob, self.limits.file_bytes).ok()
    }
}

/// Lines by their number in some commit, with their number in the file on disk.
type Lines = Vec<(usize, usize)>;

/// Commits to look at, the newest first: a commit comes after all of its children, so that it gets
/// their lines together.
#[derive(Default)]
struct Waiting {
    order: BinaryHeap<(i64, Oid)>,
    lines: HashMap<Oid, Lines>,
}

impl Waiting {
    fn add(&mut self, commit: &git2::Commit<'_>, lines: Lines) {
        if lines.is_empty() {
            return;
        }
        let id = commit.id();
        if !self.lines.contains_key(&id) {
            self.order.push((commit.time().seconds(), id));
        }
        self.lines.entry(id).or_default().extend(lines);
    }

    fn next(&mut self) -> Option<(Oid, Lines)> {
        loop {
            let (_, id) = self.order.pop()?;
            if let Some(lines) = self.lines.remove(&id) {
                return Some((id, lines));
            }
        }
    }
}

/// Which of the lines of `after` are in `before`, by their number there, and which are new.
fn split(
    before: &[u8],
    after: &[u8],
    lines: Lines,
    loose: bool,
) -> Result<(Lines, Lines), git2::Error> {
    let mut options = DiffOptions::new();
    options.context_lines(0).force_text(true).ignore_whitespace_eol(loose);
    let patch = Patch::from_buffers(before, None, after, None, Some(&mut options))?;
    // For each change: its first line and the one after it in the new text, and how far what follows
    // has moved.
    let mut changes = Vec::new();
    for index in 0..patch.num_hunks() {
        let (hunk, _) = patch.hunk(index)?;
        let (old, new) = (i64::from(hunk.old_start()), i64::from(hunk.new_start()));
        let (old_count, new_count) = (i64::from(hunk.old_lines()), i64::from(hunk.new_lines()));
        // A hunk without lines on a side stands after the line it names.
        let begin = if new_count == 0 { new + 1 } else { new };
        let old_end = if old_count == 0 { old + 1 } else { old + old_count };
        let end = begin + new_count;
        changes.push((begin, end, old_end - end));
    }
    let (mut kept, mut fresh) = (Vec::new(), Vec::new());
    for (line, own) in lines {
        let number = i64::try_from(line).unwrap_or(i64::MAX);
        let next = changes.partition_point(|(begin, _, _)| *begin <= number);
        match next.checked_sub(1).map(|at| changes[at]) {
            Some((_, end, _)) if number < end => fresh.push((line, own)),
            Some((_, _, moved)) => match usize::try_from(number + moved) {
                Ok(before) => kept.push((before, own)),
                Err(_) => fresh.push((line, own)),
            },
            None => kept.push((line, own)),
        }
    }
    Ok((kept, fresh))
}
