//! Finds what has no effect in a pipeline: routes that are never taken, keys that are never read, places
//! that cannot be filled. A journey would get past all of it, but the author meant something else.

use consign_contracts::{
    json::Json,
    suggest::{ask, nearest},
};

use super::{
    Draft, Source, Wrong,
    check::leads_itself,
    mend::Doubts,
    places::{Found, places},
};
use crate::{
    Does, Person, Pipeline, Route, Stage, Target,
    journey::same,
    person::{APPROVED, BY, WHY},
    pipeline::{CRITIC, VERDICTS, Who},
};

/// Adds to a draft what is in vain, and what probably is.
pub(super) fn vain(draft: &mut Draft, source: &Source, doubts: &Doubts) {
    let (wrong, doubtful) = {
        let pipeline = &draft.pipeline;
        let mut look = Look { pipeline, source, wrong: Vec::new(), doubtful: Vec::new() };
        for (at, stage) in pipeline.stages.iter().enumerate() {
            look.member(at, stage);
            look.routes(at, stage, doubts);
            look.circle(at, stage);
            look.input(at, stage, doubts);
        }
        (look.wrong, look.doubtful)
    };
    draft.wrong.extend(wrong);
    draft.doubtful.extend(doubtful);
}

struct Look<'a> {
    pipeline: &'a Pipeline,
    source: &'a Source,
    wrong: Vec<Wrong>,
    doubtful: Vec<Wrong>,
}

impl Look<'_> {
    fn at(&self, pointer: &str, what: String) -> Wrong {
        Wrong { line: self.source.line(pointer), what }
    }

    fn refuse(&mut self, pointer: &str, what: String) {
        self.wrong.push(self.at(pointer, what));
    }

    /// A member of a parallel stage leads nowhere, not even to the end.
    fn member(&mut self, at: usize, stage: &Stage) {
        let group = self.pipeline.turn_of(at);
        let pointer = format!("/stages/{at}/default_next");
        let says = self.source.tree.at(&pointer).is_some();
        // Where else it leads to has been told.
        if group != at && says && stage.default_next == Target::End {
            let group = &self.pipeline.stages[group];
            self.refuse(&pointer, leads_itself(stage, group, "default_next"));
        }
    }

    fn routes(&mut self, at: usize, stage: &Stage, doubts: &Doubts) {
        let clear = |index: usize| !doubts.routes.contains(&(at, index));
        for (index, route) in stage.routes.iter().enumerate().filter(|(index, _)| clear(*index)) {
            let here = format!("/stages/{at}/routes/{index}");
            if let Some(why) = malformed(&route.key).or_else(|| self.nobodys(at, stage, &route.key))
            {
                self.refuse(&format!("{here}/key"), why);
                continue;
            }
            if stage.person().is_some_and(Person::is_approval)
                && route.key == [APPROVED]
                && route.equals.as_bool().is_none()
            {
                let what = "this route is never taken: `approved` is true or false, without quotes";
                self.refuse(&format!("{here}/equals"), what.to_owned());
                continue;
            }
            if let Some(why) = self.nearly_verdict(at, route) {
                self.doubtful.push(self.at(&format!("{here}/equals"), why));
            }
            let twin = |other: &Route| other.key == route.key && same(&other.equals, &route.equals);
            let twin = |first: &usize| clear(*first) && twin(&stage.routes[*first]);
            if let Some(first) = (0..index).find(twin) {
                let line = self.source.line(&format!("/stages/{at}/routes/{first}/equals"));
                let line = line.map_or_else(String::new, |line| format!(" in line {line}"));
                let what = format!(
                    "this route is never taken: the one{line} asks {} for the same value",
                    route.key.join(".")
                );
                self.refuse(&format!("{here}/equals"), what);
            }
        }
    }

    /// Why a key leads into no output. Where several ran, its first word says whose is meant.
    fn nobodys(&self, at: usize, stage: &Stage, key: &[String]) -> Option<String> {
        if let Some(person) = stage.person() {
            return person.is_approval().then(|| strange(key)).flatten();
        }
        let Does::Parallel(members) = &stage.does else { return None };
        let own = |member: &usize| self.pipeline.stages[*member].output_key.as_str();
        let named = key.first()?;
        if members.iter().any(|member| own(member) == named) {
            return (key.len() == 1).then(|| {
                format!(
                    "this route is never taken: {named:?} is a whole output. Write {named}.MEMBER"
                )
            });
        }
        let by_name = self.pipeline.find(named).filter(|stage| members.contains(stage));
        let meant = by_name.as_ref().map(own).or_else(|| nearest(named, members.iter().map(own)));
        let known: Vec<_> = members.iter().map(own).collect();
        let which = match meant {
            Some(_) => ask(meant, '"'),
            None => format!("; they write {}", known.join(", ")),
        };
        let stage = &self.pipeline.stages[at].name;
        Some(format!(
            "this route is never taken: no stage that {stage:?} has run writes the output {named:?}{which}"
        ))
    }

    /// A critic may say any word, and one that is nearly a verdict is probably meant to be one.
    fn nearly_verdict(&self, at: usize, route: &Route) -> Option<String> {
        let critic = self.pipeline.writer(CRITIC).filter(|it| self.pipeline.turn_of(*it) == at)?;
        let key: &[&str] = if critic == at { &["verdict"] } else { &[CRITIC, "verdict"] };
        let word = route.equals.as_str().filter(|word| !VERDICTS.contains(word))?;
        let near = nearest(word, VERDICTS).filter(|_| route.key == key)?;
        Some(format!("{word:?} is no verdict of a critic{}", ask(Some(near), '"')))
    }

    /// A stage that keeps failing would run until a bound stops it, and the bound would be reported instead.
    fn circle(&mut self, at: usize, stage: &Stage) {
        if stage.error_next == Some(Target::Stage(at)) {
            let again = match self.pipeline.members(at).iter().any(|member| self.is_risky(*member))
            {
                true => {
                    ". Outside a run an `unsafe` or `keyed` agent is called again although it is not known what it did"
                }
                false => "",
            };
            let what = format!(
                "a failure of {:?} leads back to it: one that stays ends with max_agent_hops_exceeded, and \
                 its cause is in `errors` only. `tries` tries again{again}",
                stage.name
            );
            self.doubtful.push(self.at(&format!("/stages/{at}/error_next"), what));
        }
    }

    /// Whether a stage's agent must not be called twice, or might be such a one: what is defined elsewhere is not
    /// known here.
    fn is_risky(&self, stage: usize) -> bool {
        let stage = &self.pipeline.stages[stage];
        match &stage.does {
            Does::Agent(Who::Defined(definition)) => {
                match definition.get("effect").and_then(Json::as_str) {
                    Some(effect) => !["pure", "idempotent"].contains(&effect),
                    // An agent with a model is pure unless it says otherwise; no other agent is.
                    None => definition.get("model").is_none(),
                }
            }
            Does::Agent(Who::Named(_)) => stage.built_in().is_none(),
            Does::Agent(Who::File(_)) => true,
            Does::Person(_) | Does::Parallel(_) => false,
        }
    }

    fn input(&mut self, at: usize, stage: &Stage, doubts: &Doubts) {
        if let Some(person) = stage.person() {
            let prompt = Json::String(person.prompt.as_str().into());
            self.places(places(self.pipeline, doubts, at, (&prompt, "person/prompt")));
            if person.default.is_some() && person.deadline.is_none() {
                let what = format!(
                    "the default of {:?} is never taken: there is no deadline at which it would be",
                    stage.name
                );
                self.refuse(&format!("/stages/{at}/person/default"), what);
            }
            return;
        }
        let Some(input) = &stage.input else { return };
        if let Some(name) = stage.built_in() {
            let what = format!("{name:?} reads the envelope itself: it takes no input");
            return self.refuse(&format!("/stages/{at}/input"), what);
        }
        self.places(places(self.pipeline, doubts, at, (input, "input")));
    }

    fn places(&mut self, found: Vec<(String, Found)>) {
        for (pointer, found) in found {
            match found {
                Found::Never(what) => self.refuse(&pointer, what),
                Found::Hardly(what) => self.doubtful.push(self.at(&pointer, what)),
            }
        }
    }
}

/// Why a key leads into nothing of what an approval gives.
fn strange(key: &[String]) -> Option<String> {
    const GIVEN: [&str; 3] = [APPROVED, WHY, BY];
    let named = key.first()?;
    let which = match GIVEN.contains(&named.as_str()) {
        true if key.len() == 1 => return None,
        true => format!("; {named:?} has no members"),
        false => {
            let near = nearest(named, GIVEN);
            near.map_or("; it has approved, why and by".to_owned(), |_| ask(near, '"'))
        }
    };
    Some(format!("this route is never taken: an approval gives no {:?}{which}", key.join(".")))
}

/// What is wrong with a key as such.
fn malformed(key: &[String]) -> Option<String> {
    let whole = key.join(".");
    if key.iter().any(|name| name.trim().is_empty()) {
        return Some(format!("the key {whole:?} has a point with nothing beside it"));
    }
    if key.iter().any(|name| name.trim() != name) {
        return Some(format!("the key {whole:?} has a space at the edge of a name"));
    }
    let braces = whole.contains("{{") || whole.contains("}}");
    braces.then(|| {
        format!(
            "the key {whole:?} has braces: it names a member of the stage's own output, as in `a.b`"
        )
    })
}
