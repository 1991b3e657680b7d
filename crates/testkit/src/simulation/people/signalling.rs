//! Signals: good ones, and ones that must be refused.

use consign_engine::{Data, RunId, Speaker};

use super::People;
use crate::simulation::{
    model::About,
    program::{GO, ORDER},
    world::short,
};

impl People {
    /// Somebody sends a signal to a run, or tries to.
    pub(super) fn signal(&self, run: RunId) {
        let random = &self.world.random;
        let (number, person) = (random.below(20), true);
        match random.below(10) {
            0 => self.send(run, GO, &Data::of(random.pick(&["no", "-1"])), (person, true)),
            1 => self.send(run, "nonsense", &Data::of(&number), (person, true)),
            2 => self.send(run, ORDER, &Data::of("go home"), (!person, true)),
            3 | 4 => self.send(run, ORDER, &Data::of("go on"), (person, false)),
            5 | 6 => self.send(run, GO, &Data::of(&number), (random.chance(500), false)),
            _ => {
                let awaited = self.awaited(&run);
                let number = if awaited.is_empty() { number } else { *random.pick(&awaited) };
                self.send(run, GO, &Data::of(&number), (person, false));
            }
        }
    }

    /// Everything that runs wait for is sent to them.
    pub(super) fn send_awaited(&self) {
        let runs: Vec<_> = self.world.model().books.keys().cloned().collect();
        for run in runs {
            for number in self.awaited(&run) {
                if !self.world.model().is_being_signalled(&run, number) {
                    self.send(run.clone(), GO, &Data::of(&number), (true, false));
                }
            }
        }
    }

    fn awaited(&self, run: &RunId) -> Vec<u64> {
        self.world.model().books.get(run).map(|book| book.awaited()).unwrap_or_default()
    }

    fn send(&self, run: RunId, name: &'static str, value: &Data, (person, wrong): (bool, bool)) {
        let value = value.clone();
        let what = format!("sends {} {name} {value:?}", short(&run));
        let about = match value.to::<u64>() {
            Ok(number) => About::Signal(run.clone(), number),
            Err(_) => About::Anything,
        };
        self.say(what, (about, wrong), |engine, who| async move {
            let by = if person { Speaker::person(who) } else { Speaker::agent(who) };
            engine.signal(&run, name, &value, &by).await
        });
    }
}
