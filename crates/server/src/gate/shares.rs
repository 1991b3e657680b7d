//! Who may go next while several owners ask: the shares of the machine that their requests get.
//!
//! An owner alone is never held back. While others ask too, a request goes at once if its owner has no other one
//! here, or has used no more than the owner who has used least, or has something left of a small share of the
//! processors that everybody has. What a crowd of requests uses counts several times. Otherwise it waits for one of these. So who asks one thing after the other does not
//! wait for another's flood, and a flood keeps a share, and all that others leave it.
//!
//! What counts as used is the time for which the request kept a thread busy, measured, and an estimate of what follows
//! it elsewhere: the connection's part, and after a change the writer's and the workers'.
//!
//! Nothing here reads a clock other than the caller's, apart from [`Asking::turn`], which sleeps. It knows no request,
//! and refuses none.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::available_parallelism,
    time::Duration,
};

use consign_engine::Owner;
use tokio::time::{Instant, sleep};

/// How long an owner who asks nothing more counts as there.
const THERE: Duration = Duration::from_secs(3);
/// How far an owner may be ahead of the one who has used least.
const LEAD: Duration = Duration::from_millis(2);
/// How much of what an owner has left unused is remembered.
const CREDIT: Duration = Duration::from_millis(500);
/// The most that is kept of an owner's own share.
const BURST: Duration = Duration::from_millis(5);
/// An owner's own share is the time of one thread for so many processors.
const ONE_OF: f64 = 32.0;
/// Whoever has more requests here than this is a crowd.
const MANY: usize = 8;
/// What a crowd uses counts so many times when it is compared with what others use.
const CROWD: f64 = 4.0;
/// How often it is looked who is there, and whether the next may go.
const LOOK: Duration = Duration::from_millis(1);
/// What a request costs outside of its thread: it is read, and its answer written.
const CONNECTION: Duration = Duration::from_micros(40);
/// What a change costs besides: it is written, and a worker goes on with the run.
const AFTER_A_CHANGE: Duration = Duration::from_micros(500);

/// The shares of all owners.
pub(crate) struct Shares {
    /// Seconds of a thread's time for each second, which an owner has in any case.
    own: f64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Of owners who are there.
    accounts: HashMap<Owner, Account>,
    /// The least and the most that one of them has used, in seconds.
    least: f64,
    most: f64,
    looked: Option<Instant>,
}

/// In seconds of a thread's time.
struct Account {
    used: f64,
    /// What is left of the own share. Below zero it has to be made up for first.
    own: f64,
    filled: Instant,
    seen: Instant,
    /// Requests that are here, those that wait included.
    here: usize,
    /// What a request of either kind has cost of late: one that reads, one that changes.
    expected: [f64; 2],
}

/// A request that asks for its turn, or has it, until it is dropped.
pub(super) struct Asking {
    shares: Arc<Shares>,
    owner: Owner,
    changes: bool,
    /// What was counted for it in advance.
    counted: f64,
    /// How many times it counts.
    weight: f64,
    used: Duration,
}

impl Shares {
    pub(crate) fn of_this_machine() -> Arc<Self> {
        let processors = available_parallelism().map_or(1, usize::from);
        Arc::new(Self::new(processors as f64 / ONE_OF))
    }

    fn new(own: f64) -> Self {
        Self { own, state: Mutex::default() }
    }

    /// A request of this owner has come.
    pub(super) fn ask(self: &Arc<Self>, owner: &Owner, changes: bool, now: Instant) -> Asking {
        self.state().came(owner, now);
        let (shares, owner) = (self.clone(), owner.clone());
        Asking { shares, owner, changes, counted: 0.0, weight: 1.0, used: Duration::ZERO }
    }

    /// What this owner has used, beyond what counted when it came.
    #[cfg(test)]
    pub(super) fn used(&self, owner: &Owner) -> Duration {
        Duration::from_secs_f64(self.state().accounts[owner].used)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asking {
    /// Whether other owners are there.
    pub(super) fn is_shared(&self, now: Instant) -> bool {
        let mut state = self.shares.state();
        state.look(now);
        state.accounts.len() > 1
    }

    /// Waits until the request may go.
    pub(super) async fn turn(&mut self) {
        while !self.may_go(Instant::now()) {
            sleep(LOOK).await;
        }
    }

    /// Whether it may go. If so, what it will probably cost is counted already: others of its owner come before it is
    /// known.
    fn may_go(&mut self, now: Instant) -> bool {
        let mut state = self.shares.state();
        state.look(now);
        let (least, is_alone) = (state.least, state.accounts.len() < 2);
        let Some(account) = state.accounts.get_mut(&self.owner) else { return true };
        account.fill(now, self.shares.own);
        let may = is_alone
            || account.here < 2
            || account.used <= least + LEAD.as_secs_f64()
            || account.own > 0.0;
        if may {
            self.counted = account.expected[usize::from(self.changes)];
            self.weight = if account.here > MANY { CROWD } else { 1.0 };
            account.take(self.counted, self.weight);
        }
        may
    }

    /// The request has kept a thread busy for so long.
    pub(super) fn spend(&mut self, time: Duration) {
        self.used += time;
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let mut state = self.shares.state();
        let Some(account) = state.accounts.get_mut(&self.owner) else { return };
        account.here = account.here.saturating_sub(1);
        // One that never had its turn has cost nothing worth counting.
        if self.counted > 0.0 {
            let after = if self.changes { AFTER_A_CHANGE } else { Duration::ZERO };
            let cost = (self.used + CONNECTION + after).as_secs_f64();
            account.take(cost - self.counted, self.weight);
            let expected = &mut account.expected[usize::from(self.changes)];
            *expected += (cost - *expected) / 8.0;
        }
    }
}

impl State {
    fn came(&mut self, owner: &Owner, now: Instant) {
        if !self.accounts.contains_key(owner) {
            // Who is new is no further behind than anybody else who is there.
            self.look_again(now);
            let reading = CONNECTION.as_secs_f64();
            let account = Account {
                used: self.least,
                own: BURST.as_secs_f64(),
                filled: now,
                seen: now,
                here: 0,
                expected: [2.0 * reading, 2.0 * reading + AFTER_A_CHANGE.as_secs_f64()],
            };
            self.accounts.insert(owner.clone(), account);
        }
        let furthest_back = self.most - CREDIT.as_secs_f64();
        if let Some(account) = self.accounts.get_mut(owner) {
            account.used = account.used.max(furthest_back);
            account.seen = now;
            account.here += 1;
        }
    }

    /// Finds out anew who is there, if that was long ago.
    fn look(&mut self, now: Instant) {
        if self.looked.is_none_or(|looked| now.duration_since(looked) >= LOOK) {
            self.look_again(now);
        }
    }

    fn look_again(&mut self, now: Instant) {
        self.looked = Some(now);
        self.accounts
            .retain(|_, account| account.here > 0 || now.duration_since(account.seen) < THERE);
        let used = || self.accounts.values().map(|account| account.used);
        (self.least, self.most) = match self.accounts.is_empty() {
            true => (0.0, 0.0),
            false => (used().fold(f64::INFINITY, f64::min), used().fold(0.0, f64::max)),
        };
    }
}

impl Account {
    fn fill(&mut self, now: Instant, share: f64) {
        let since = now.duration_since(self.filled).as_secs_f64();
        self.own = (self.own + since * share).min(BURST.as_secs_f64());
        self.filled = now;
    }

    fn take(&mut self, cost: f64, weight: f64) {
        self.used += cost * weight;
        self.own = (self.own - cost).max(-BURST.as_secs_f64());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Owners who ask, at instants that the test makes up.
    struct Scene {
        shares: Arc<Shares>,
        now: Instant,
    }

    impl Scene {
        fn new() -> Self {
            Self { shares: Arc::new(Shares::new(0.1)), now: Instant::now() }
        }

        fn asks(&self, owner: &str) -> Asking {
            self.shares.ask(&Owner::from(owner), false, self.now)
        }

        /// A flood of `owner` for so many milliseconds, each request of which takes half of one. Gives how many went.
        fn floods(&mut self, owner: &str, milliseconds: u32) -> u32 {
            let _waits = self.asks(owner);
            let mut went = 0;
            for _ in 0..milliseconds * 2 {
                self.now += Duration::from_micros(500);
                went += u32::from(self.goes(owner));
            }
            went
        }

        /// Whether a request goes at once, and then takes half a millisecond.
        fn goes(&self, owner: &str) -> bool {
            let mut asking = self.asks(owner);
            let may = asking.may_go(self.now);
            if may {
                asking.spend(Duration::from_micros(500) - CONNECTION);
            }
            may
        }
    }

    #[test]
    fn an_owner_alone_is_not_held_back() {
        let mut scene = Scene::new();
        assert_eq!(scene.floods("anna", 1_000), 2_000);
    }

    #[test]
    fn beside_others_a_flood_keeps_its_own_share() {
        let mut scene = Scene::new();
        assert!(scene.goes("ben"));
        let went = scene.floods("anna", 2_000);
        // A tenth of two seconds, and what it has to begin with.
        assert!((380..=440).contains(&went), "{went}");
    }

    #[test]
    fn who_asks_one_thing_after_the_other_never_waits() {
        let mut scene = Scene::new();
        for _ in 0..100 {
            scene.floods("anna", 10);
            assert!((0..20).all(|_| scene.goes("ben")));
        }
    }

    #[test]
    fn two_floods_are_served_alike_and_neither_waits_for_nothing() {
        let mut scene = Scene::new();
        let (_anna, _ben) = (scene.asks("anna"), scene.asks("ben"));
        let mut went = [0_u32; 2];
        for step in 0..4_000 {
            scene.now += Duration::from_micros(500);
            // Ben asks half as often, and goes each time; Anna gets as much as he does, and her own share.
            went[0] += u32::from(scene.goes("anna"));
            went[1] += u32::from(step % 2 == 0 && scene.goes("ben"));
        }
        let [anna, ben] = went;
        assert_eq!(ben, 2_000);
        assert!((2_000..=2_450).contains(&anna), "{anna}");
    }

    #[test]
    fn a_crowd_gets_a_part_of_what_others_use() {
        let mut scene = Scene::new();
        let (_ben, _crowd) = (scene.asks("ben"), [(); MANY].map(|()| scene.asks("anna")));
        let mut went = 0_u32;
        for _ in 0..2_000 {
            scene.now += Duration::from_millis(1);
            assert!(scene.goes("ben"));
            went += u32::from(scene.goes("anna"));
        }
        // A quarter of his is more than her own share.
        assert!((490..=540).contains(&went), "{went}");
    }

    #[test]
    fn a_flood_is_free_again_when_the_others_have_gone() {
        let mut scene = Scene::new();
        assert!(scene.goes("ben"));
        assert!(scene.floods("anna", 100) < 100);
        scene.now += THERE;
        assert_eq!(scene.floods("anna", 100), 200);
    }

    #[test]
    fn what_was_left_unused_is_remembered_for_a_while_only() {
        let mut scene = Scene::new();
        let _ben = scene.asks("ben");
        for _ in 0..100 {
            // Ben lets her have all the time that there is.
            assert!(scene.goes("ben"));
            scene.floods("anna", 100);
        }
        let used = |owner: &str| scene.shares.state().accounts[&Owner::from(owner)].used;
        let behind = used("anna") - used("ben");
        assert!(behind <= CREDIT.as_secs_f64() + 0.02, "{behind}");
    }

    #[test]
    fn one_that_gave_up_waiting_is_not_counted() {
        let scene = Scene::new();
        let _ben = scene.asks("ben");
        drop(scene.asks("anna"));
        let state = scene.shares.state();
        let account = &state.accounts[&Owner::from("anna")];
        assert_eq!((account.here, account.used), (0, 0.0));
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_waits_goes_when_its_owners_share_allows_it() {
        let shares = Arc::new(Shares::new(0.1));
        let (anna, ben) = (Owner::from("anna"), Owner::from("ben"));
        let _ben = shares.ask(&ben, false, Instant::now());
        let _another = shares.ask(&anna, false, Instant::now());
        let mut last = shares.ask(&anna, false, Instant::now());
        last.turn().await;
        last.spend(Duration::from_millis(50));
        drop(last);
        let before = Instant::now();
        shares.ask(&anna, false, before).turn().await;
        assert!(before.elapsed() >= Duration::from_millis(40), "{:?}", before.elapsed());
    }
}
