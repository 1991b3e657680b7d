//! Keys from end to end, on a vault in memory and a home of their own.

use std::{
    collections::BTreeMap,
    fs,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use consign_engine::{
    FaultClass, store,
    vault::{Reseal, Resealed, Sealed},
};
use consign_testkit::memory::MemoryStore;
use tempfile::TempDir;

use super::*;

const KEY: &str = "sk-test-51Hc9-do-not-print";

/// A home, its vault, and variables that can be set.
struct House {
    folder: TempDir,
    vault: Arc<Troubled>,
    variables: Arc<Mutex<BTreeMap<String, String>>>,
}

impl House {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        Self { folder, vault: Arc::default(), variables: Arc::default() }
    }

    /// With a sealing key in its file.
    async fn sealed() -> Self {
        let house = Self::new();
        house.keys().init().await.expect("there is none yet");
        house
    }

    fn keys(&self) -> Keys {
        let variables = self.variables.clone();
        let look = move |name: &str| variables.lock().unwrap().get(name).map(OsString::from);
        Keys::new(self.vault.clone(), self.folder.path(), Arc::new(look))
    }

    fn set_variable(&self, name: &str, value: &str) {
        self.variables.lock().unwrap().insert(name.to_owned(), value.to_owned());
    }

    fn unset(&self, name: &str) {
        self.variables.lock().unwrap().remove(name);
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("sealing.key")
    }

    async fn gives(&self, owner: &str, provider: Provider, key: &str) {
        let key = Secret::new(key.to_owned());
        self.keys().set(&owner.into(), provider, &key, At(5), false).await.expect("it is kept");
    }

    /// `source key`, or the code of the fault.
    async fn finds(&self, owner: &str, provider: Provider) -> String {
        match self.keys().key_for(&owner.into(), provider).await {
            Ok(Some((key, source))) => format!("{} {}", source.as_str(), key.reveal()),
            Ok(None) => "none".to_owned(),
            Err(fault) => {
                assert!(!fault.to_string().contains(KEY), "{fault}");
                assert_eq!(fault.class, FaultClass::Permanent, "{fault}");
                fault.code.into_owned()
            }
        }
    }

    /// How the keys stand, one word for each.
    async fn standings(&self) -> Vec<&'static str> {
        let all = self.keys().list().await.expect("a list");
        all.iter().map(|one| one.standing().as_str()).collect()
    }

    /// Changes what is kept for ada at OpenAI.
    async fn spoils(&self, change: impl FnOnce(&mut Sealed)) {
        let mut sealed = self.vault.kept.sealed(&"ada".into(), "openai").await.unwrap().unwrap();
        change(&mut sealed);
        self.vault.kept.keep(sealed, true).await.unwrap();
    }
}

/// A vault whose process dies, or which shows what was there before.
#[derive(Default)]
struct Troubled {
    kept: MemoryStore,
    dies_before_reseal: AtomicBool,
    dies_after_reseal: AtomicBool,
    stale: Mutex<Option<Sealed>>,
}

fn dead() -> store::Error {
    store::Error::Unavailable("the process is dead".to_owned())
}

#[async_trait]
impl Vault for Troubled {
    async fn keep(&self, secret: Sealed, replace: bool) -> Result<Kept, store::Error> {
        // Others get their turn between any two writes.
        tokio::task::yield_now().await;
        self.kept.keep(secret, replace).await
    }

    async fn sealed(&self, owner: &Owner, name: &str) -> Result<Option<Sealed>, store::Error> {
        let stale = self.stale.lock().unwrap().take();
        match stale {
            Some(stale) => Ok(Some(stale)),
            None => self.kept.sealed(owner, name).await,
        }
    }

    async fn all_sealed(&self) -> Result<Vec<Sealed>, store::Error> {
        tokio::task::yield_now().await;
        self.kept.all_sealed().await
    }

    async fn drop_sealed(&self, owner: &Owner, name: &str) -> Result<bool, store::Error> {
        self.kept.drop_sealed(owner, name).await
    }

    async fn reseal(&self, all: Vec<Reseal>) -> Result<Resealed, store::Error> {
        tokio::task::yield_now().await;
        if self.dies_before_reseal.swap(false, Ordering::Relaxed) {
            return Err(dead());
        }
        let answer = self.kept.reseal(all).await;
        if self.dies_after_reseal.swap(false, Ordering::Relaxed) { Err(dead()) } else { answer }
    }
}

#[tokio::test]
async fn an_owners_own_key_counts_before_the_machines() {
    let house = House::sealed().await;
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "none");
    house.set_variable("OPENAI_API_KEY", "sk-machine\n");
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "environment sk-machine");
    house.gives("ada", Provider::OpenAi, KEY).await;
    assert_eq!(house.finds("ada", Provider::OpenAi).await, format!("user {KEY}"));
    assert_eq!(house.finds("bob", Provider::OpenAi).await, "environment sk-machine");
    assert_eq!(house.finds("ada", Provider::Xai).await, "none");
    assert!(house.keys().remove(&"ada".into(), Provider::OpenAi).await.unwrap());
    assert!(!house.keys().remove(&"ada".into(), Provider::OpenAi).await.unwrap());
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "environment sk-machine");
}

#[tokio::test]
async fn the_first_variable_that_is_set_counts() {
    let house = House::new();
    house.set_variable("GOOGLE_API_KEY", "second");
    assert_eq!(house.finds("ada", Provider::Google).await, "environment second");
    house.set_variable("GEMINI_API_KEY", "");
    assert_eq!(house.finds("ada", Provider::Google).await, "environment second");
    house.set_variable("GEMINI_API_KEY", "first");
    assert_eq!(house.finds("ada", Provider::Google).await, "environment first");
    house.set_variable("GEMINI_API_KEY", "two words");
    assert_eq!(house.finds("ada", Provider::Google).await, "INVALID_KEY");
}

#[tokio::test]
async fn a_key_that_cannot_be_opened_is_a_fault_and_not_the_machines() {
    let house = House::sealed().await;
    house.set_variable("OPENAI_API_KEY", "sk-machine");
    house.gives("ada", Provider::OpenAi, KEY).await;
    let kept = house.vault.kept.sealed(&"ada".into(), "openai").await.unwrap().unwrap();
    let file = fs::read(house.file()).unwrap();

    house.spoils(|sealed| *sealed.bytes.last_mut().unwrap() ^= 1).await;
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "KEY_DAMAGED");
    house.spoils(|sealed| sealed.bytes.clear()).await;
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "KEY_DAMAGED");
    for (owner, provider) in [("bob", Provider::OpenAi), ("ada", Provider::Xai)] {
        let name = provider.as_str().to_owned();
        let moved = Sealed { owner: owner.into(), name, ..kept.clone() };
        house.vault.keep(moved, true).await.unwrap();
        assert_eq!(house.finds(owner, provider).await, "KEY_DAMAGED");
    }

    house.vault.keep(kept, true).await.unwrap();
    fs::remove_file(house.file()).unwrap();
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "ENCRYPTION_NOT_CONFIGURED");
    house.keys().init().await.unwrap();
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "SEALING_KEY_WRONG");
    fs::write(house.file(), "hunter2").unwrap();
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "SEALING_KEY_REFUSED");
    fs::write(house.file(), file).unwrap();
    assert_eq!(house.finds("ada", Provider::OpenAi).await, format!("user {KEY}"));
}

#[tokio::test]
async fn the_fault_of_a_missing_sealing_key_is_the_documents() {
    let house = House::sealed().await;
    house.gives("ada", Provider::OpenAi, KEY).await;
    fs::remove_file(house.file()).unwrap();
    let fault = house.keys().key_for(&"ada".into(), Provider::OpenAi).await.unwrap_err();
    assert_eq!(fault.code, "ENCRYPTION_NOT_CONFIGURED");
    assert_eq!(fault.dialect.as_deref(), Some("authoring"));
    assert!(fault.message.contains("AI_KEY_ENCRYPTION_KEY"), "{fault}");
}

#[tokio::test]
async fn a_second_key_is_refused_unless_it_replaces_the_first() {
    let house = House::sealed().await;
    house.gives("ada", Provider::OpenAi, KEY).await;
    let other = Secret::new("sk-other".to_owned());
    let owner = Owner::from("ada");
    let set =
        async |replace| house.keys().set(&owner, Provider::OpenAi, &other, At(6), replace).await;
    assert_eq!(set(false).await.unwrap_err().code(), "DUPLICATE_KEY");
    assert_eq!(house.finds("ada", Provider::OpenAi).await, format!("user {KEY}"));
    set(true).await.unwrap();
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "user sk-other");
}

#[tokio::test]
async fn without_a_sealing_key_nothing_is_kept() {
    let house = House::new();
    let key = Secret::new(KEY.to_owned());
    let set = async || {
        let set = house.keys().set(&"ada".into(), Provider::OpenAi, &key, At(0), false).await;
        set.unwrap_err()
    };
    assert_eq!(set().await.code(), "ENCRYPTION_NOT_CONFIGURED");
    for wrong in ["hunter2hunter2", &"0".repeat(63), "\u{1b}[2J"] {
        house.set_variable(NEW_KEY, wrong);
        let error = set().await;
        assert_eq!(error.code(), "SEALING_KEY_REFUSED");
        assert!(!format!("{error} {error:?}").contains(wrong), "{error:?}");
    }
    assert!(house.standings().await.is_empty());
}

#[tokio::test]
async fn the_sealing_key_of_the_environment_counts_before_the_file() {
    let house = House::new();
    house.set_variable(NEW_KEY, &format!(" {}\n", "ab".repeat(32)));
    house.gives("ada", Provider::OpenAi, KEY).await;
    assert_eq!(house.keys().init().await.unwrap_err().code(), "SEALING_KEY_EXISTS");
    house.unset(NEW_KEY);
    house.keys().init().await.unwrap();
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "SEALING_KEY_WRONG");
    // The same thirty-two bytes in another form.
    house.set_variable(NEW_KEY, "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=");
    assert_eq!(house.finds("ada", Provider::OpenAi).await, format!("user {KEY}"));
    assert_eq!(house.keys().init().await.unwrap_err().code(), "SEALING_KEY_EXISTS");
}

#[tokio::test]
async fn a_list_says_how_each_key_stands_and_nothing_of_it() {
    let house = House::sealed().await;
    house.gives("ada", Provider::OpenAi, KEY).await;
    house.gives("bob", Provider::Xai, KEY).await;
    house.set_variable("ANTHROPIC_API_KEY", KEY);
    house.set_variable("XAI_API_KEY", "two words");
    assert_eq!(house.standings().await, ["ready", "ready", "ready", "damaged"]);
    let with = house.keys().sealing_key().unwrap();
    let all = house.keys().list().await.unwrap();
    let first = Listed::Sealed {
        owner: "ada".into(),
        name: "openai".to_owned(),
        at: At(5),
        with: Some(with),
        standing: Standing::Ready,
    };
    assert_eq!(all[0], first);
    assert!(!format!("{all:?}").contains("do-not-print"));
    house.spoils(|sealed| sealed.bytes.truncate(9)).await;
    assert_eq!(house.standings().await, ["damaged", "ready", "ready", "damaged"]);
    fs::remove_file(house.file()).unwrap();
    assert_eq!(house.standings().await, ["locked", "locked", "ready", "damaged"]);
}

#[tokio::test]
async fn a_new_sealing_key_opens_everything_and_the_old_one_nothing() {
    let house = House::sealed().await;
    house.gives("ada", Provider::OpenAi, KEY).await;
    house.gives("bob", Provider::Xai, "xai-1").await;
    let (old, file) = (house.keys().sealing_key().unwrap(), fs::read(house.file()).unwrap());
    let rotated = house.keys().rotate().await.unwrap();
    assert_eq!((rotated.resealed, rotated.how), (2, How::New));
    assert_ne!(rotated.sealing_key, old);
    assert_eq!(house.keys().sealing_key().unwrap(), rotated.sealing_key);
    assert_eq!(fs::read(house.file()).unwrap().len(), file.len(), "the old one is gone");
    assert_eq!(house.finds("ada", Provider::OpenAi).await, format!("user {KEY}"));
    assert_eq!(house.finds("bob", Provider::Xai).await, "user xai-1");
    fs::write(house.file(), file).unwrap();
    assert_eq!(house.standings().await, ["locked", "locked"]);
}

#[tokio::test]
async fn wherever_a_rotation_dies_no_key_is_lost_and_the_next_one_finishes_it() {
    for before in [true, false] {
        let house = House::sealed().await;
        house.gives("ada", Provider::OpenAi, KEY).await;
        house.gives("bob", Provider::Xai, "xai-1").await;
        let dies = [&house.vault.dies_after_reseal, &house.vault.dies_before_reseal];
        dies[usize::from(before)].store(true, Ordering::Relaxed);
        house.keys().rotate().await.unwrap_err();
        let meant = house.keys().sealing_key().unwrap();

        assert_eq!(house.standings().await, ["ready", "ready"]);
        // Life goes on meanwhile.
        house.gives("cy", Provider::OpenAi, "sk-cy").await;
        fs::write(house.folder.path().join("sealing.key.new"), "half a k").unwrap();

        let rotated = house.keys().rotate().await.unwrap();
        assert_eq!((rotated.sealing_key, rotated.how), (meant, How::Finished));
        assert_eq!(rotated.resealed, if before { 2 } else { 0 });
        assert_eq!(fs::read(house.file()).unwrap().len(), 65, "one key is left");
        assert!(!house.folder.path().join("sealing.key.new").exists());
        assert_eq!(house.standings().await, ["ready", "ready", "ready"]);
        assert_eq!(house.finds("ada", Provider::OpenAi).await, format!("user {KEY}"));
        assert_eq!(house.keys().rotate().await.unwrap().how, How::New);
    }
}

#[tokio::test]
async fn a_rotation_that_would_lose_a_key_is_not_begun() {
    let house = House::sealed().await;
    house.gives("ada", Provider::OpenAi, KEY).await;
    let file = fs::read(house.file()).unwrap();
    let refuses = async |code: &str| {
        assert_eq!(house.keys().rotate().await.unwrap_err().code(), code);
        assert_eq!(fs::read(house.file()).unwrap(), file);
    };
    let kept = house.vault.kept.sealed(&"ada".into(), "openai").await.unwrap().unwrap();
    house.spoils(|sealed| sealed.bytes[45] ^= 1).await;
    refuses("KEY_DAMAGED").await;
    house.spoils(|sealed| sealed.bytes[6] ^= 1).await;
    refuses("SEALING_KEY_WRONG").await;
    house.vault.keep(kept, true).await.unwrap();
    house.keys().rotate().await.unwrap();
}

#[tokio::test]
async fn with_the_environment_the_old_key_is_named_until_all_is_sealed_anew() {
    let house = House::new();
    let (old, new) = ("ab".repeat(32), "cd".repeat(32));
    house.set_variable(NEW_KEY, &old);
    house.gives("ada", Provider::OpenAi, KEY).await;
    assert_eq!(house.keys().rotate().await.unwrap_err().code(), "INVALID_STATE");
    house.set_variable(NEW_KEY, &new);
    assert_eq!(house.finds("ada", Provider::OpenAi).await, "SEALING_KEY_WRONG");
    house.set_variable(OLD_KEY, &old);
    assert_eq!(house.finds("ada", Provider::OpenAi).await, format!("user {KEY}"));
    for resealed in [1, 0] {
        let rotated = house.keys().rotate().await.unwrap();
        assert_eq!((rotated.resealed, rotated.how), (resealed, How::Environment));
    }
    house.unset(OLD_KEY);
    assert_eq!(house.finds("ada", Provider::OpenAi).await, format!("user {KEY}"));
    assert!(!house.file().exists());
}

#[tokio::test]
async fn whoever_looks_while_the_sealing_key_changes_looks_again() {
    let house = House::sealed().await;
    house.gives("ada", Provider::OpenAi, KEY).await;
    let stale = house.vault.kept.sealed(&"ada".into(), "openai").await.unwrap();
    house.keys().rotate().await.unwrap();
    *house.vault.stale.lock().unwrap() = stale;
    assert_eq!(house.finds("ada", Provider::OpenAi).await, format!("user {KEY}"));
}

#[tokio::test(start_paused = true)]
async fn keys_that_come_while_the_sealing_key_changes_are_not_lost() {
    let house = House::sealed().await;
    let mut all = tokio::task::JoinSet::new();
    for number in 0..20 {
        let keys = house.keys();
        all.spawn(async move {
            if number % 4 == 0 {
                keys.rotate().await.unwrap();
            }
            let owner = Owner::from(format!("owner-{number:02}"));
            let key = Secret::new(format!("sk-{number}"));
            keys.set(&owner, Provider::OpenAi, &key, At(0), false).await.unwrap();
        });
    }
    all.join_all().await;
    assert_eq!(house.standings().await, ["ready"; 20]);
    assert_eq!(house.finds("owner-07", Provider::OpenAi).await, "user sk-7");
}

#[tokio::test]
async fn an_owner_sees_the_own_keys_by_a_fingerprint_only() {
    let house = House::sealed().await;
    house.set_variable("XAI_API_KEY", "of-this-machine");
    house.gives("ada", Provider::Anthropic, KEY).await;
    house.gives("ada", Provider::OpenAi, KEY).await;
    house.gives("bob", Provider::OpenAi, KEY).await;
    let seen = async |owner: &str| house.keys().of_owner(&owner.into()).await.expect("a list");
    let adas = seen("ada").await;
    let names: Vec<_> = adas.iter().map(|key| key.provider.as_str()).collect();
    assert_eq!(names, ["openai", "anthropic"]);
    let prints: Vec<_> = adas.iter().chain(&seen("bob").await).map(fingerprint_of).collect();
    assert!(prints[0] != prints[1] && prints[0] != prints[2], "{prints:?}");
    let key = Secret::new(KEY.to_owned());
    assert_eq!(adas[0], OwnKey::of(&"ada".into(), Provider::OpenAi, &key, At(5)));

    house.keys().rotate().await.expect("another sealing key");
    assert_eq!(seen("ada").await, adas, "the sealing key is no part of it");
    house.spoils(|sealed| sealed.bytes[45] ^= 1).await;
    assert_eq!(seen("ada").await[0].fingerprint, None);
    let xai = house.keys().own_key(&"ada".into(), Provider::Xai).await.expect("an answer");
    assert!(xai.is_none(), "a key of the environment is nobody's own");
}

fn fingerprint_of(key: &OwnKey) -> String {
    key.fingerprint.clone().expect("it can be opened")
}

#[tokio::test]
async fn a_token_for_github_is_the_owners_before_the_machines() {
    let house = House::sealed().await;
    let (keys, ada, bob) = (house.keys(), Owner::from("ada"), Owner::from("bob"));
    assert!(keys.github_token(&ada).await.expect("it looks").is_none());
    house.set_variable(GITHUB_TOKEN, "ghp-machine");
    let kept = keys.set_github_token(&ada, &Secret::new(KEY.to_owned()), At(5), false).await;
    let kept = kept.expect("there is none yet");
    assert_eq!(keys.own_github_token(&ada).await.expect("it looks"), Some(kept.clone()));
    assert_eq!(keys.own_github_token(&bob).await.expect("it looks"), None);
    assert!(!format!("{kept:?}").contains(KEY));
    let found = async |owner: &Owner| {
        let (token, source) = keys.github_token(owner).await.expect("it looks").expect("a token");
        (token.reveal().to_owned(), source)
    };
    assert_eq!(found(&ada).await, (KEY.to_owned(), KeySource::User));
    assert_eq!(found(&bob).await, ("ghp-machine".to_owned(), KeySource::Environment));
    let again = keys.set_github_token(&ada, &Secret::new("other".to_owned()), At(6), false).await;
    assert_eq!(again.err().map(|error| error.code()), Some("DUPLICATE_KEY"));
    // It is no key of a provider, and a new sealing key seals it too.
    assert_eq!(keys.of_owner(&ada).await.expect("it looks"), []);
    assert_eq!(keys.rotate().await.expect("it can be opened").resealed, 1);
    assert_eq!(found(&ada).await.0, KEY);
    assert!(keys.remove_github_token(&ada).await.expect("it is there"));
    assert!(!keys.remove_github_token(&ada).await.expect("it is gone"));
    assert_eq!(found(&ada).await.1, KeySource::Environment);
    house.set_variable(GITHUB_TOKEN, "two words");
    assert_eq!(
        keys.github_token(&ada).await.err().map(|fault| fault.code),
        Some("INVALID_KEY".into())
    );
}

#[tokio::test]
async fn a_token_for_github_that_cannot_be_opened_is_a_fault_and_not_the_machines() {
    let house = House::sealed().await;
    let (keys, ada) = (house.keys(), Owner::from("ada"));
    keys.set_github_token(&ada, &Secret::new(KEY.to_owned()), At(5), false).await.expect("kept");
    house.set_variable(GITHUB_TOKEN, "ghp-machine");
    fs::remove_file(house.file()).expect("it is there");
    keys.init().await.expect("there is none");
    assert_eq!(
        keys.github_token(&ada).await.err().map(|fault| fault.code),
        Some("SEALING_KEY_WRONG".into())
    );
    let shown = keys.own_github_token(&ada).await.expect("it looks").expect("it is there");
    assert_eq!(shown.fingerprint, None);
}
