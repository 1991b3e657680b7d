//! Cases about what owners have set: each name has one value, each owner their own.
//!
//! `consign_testkit::settings_conformance!` makes a test of each, at a new, empty [`SettingsPlace`].

use std::sync::Arc;

use async_trait::async_trait;
use consign_accounts::{Setting, SettingsStore};
use consign_engine::{At, Data};

/// Where an adapter under test keeps what owners have set. Empty at first.
#[async_trait]
pub trait SettingsPlace: Send + Sync {
    async fn open_settings(&self) -> Arc<dyn SettingsStore>;
}

/// Makes one test of each case for settings, at a new, empty
/// [`SettingsPlace`](crate::conformance::setting::SettingsPlace) each time.
#[macro_export]
macro_rules! settings_conformance {
    ($place:expr) => {
        $crate::conformance_cases! { $place;
            setting {
                a_value_comes_back_as_it_was_written,
                a_new_value_takes_the_place_of_the_old,
                each_owner_has_their_own,
                values_are_there_when_the_store_is_opened_again,
            }
        }
    };
}

fn setting(name: &str, value: &str, at: i64) -> Setting {
    Setting { name: name.to_owned(), value: Data::parse(value).expect("JSON"), at: At(at) }
}

async fn puts(store: &dyn SettingsStore, owner: &str, name: &str, value: &str, at: i64) {
    store.put_setting(&owner.into(), setting(name, value, at)).await.expect("it can be set");
}

/// The settings of an owner, as `name value at`.
async fn contents(store: &dyn SettingsStore, owner: &str) -> Vec<String> {
    let all = store.settings(&owner.into()).await.expect("it can be read");
    let line = |one: &Setting| format!("{} {} {}", one.name, one.value.as_str(), one.at.0);
    all.iter().map(line).collect()
}

pub async fn a_value_comes_back_as_it_was_written(place: &dyn SettingsPlace) {
    let store = place.open_settings().await;
    assert_eq!(store.setting(&"ada".into(), "agents/trace").await.expect("an answer"), None);
    let given = setting("agents/trace", r#"{"b":1.50,"a":["Ä",null]}"#, 1_800_000_000_000_001);
    store.put_setting(&"ada".into(), given.clone()).await.expect("it can be set");
    let found = store.setting(&"ada".into(), "agents/trace").await.expect("an answer");
    assert_eq!(found, Some(given));
}

pub async fn a_new_value_takes_the_place_of_the_old(place: &dyn SettingsPlace) {
    let store = place.open_settings().await;
    puts(&*store, "ada", "agents/trace", "1", 1).await;
    puts(&*store, "ada", "agents/trace", "2", 2).await;
    assert_eq!(contents(&*store, "ada").await, ["agents/trace 2 2"]);
}

pub async fn each_owner_has_their_own(place: &dyn SettingsPlace) {
    let store = place.open_settings().await;
    puts(&*store, "ada", "b", "1", 1).await;
    puts(&*store, "bob", "b", "2", 2).await;
    puts(&*store, "ada", "a", "3", 3).await;
    assert_eq!(contents(&*store, "ada").await, ["a 3 3", "b 1 1"]);
    assert_eq!(contents(&*store, "bob").await, ["b 2 2"]);
    assert!(contents(&*store, "ad").await.is_empty());
    assert!(store.remove_setting(&"ada".into(), "b").await.expect("an answer"));
    assert!(!store.remove_setting(&"ada".into(), "b").await.expect("an answer"));
    assert!(!store.remove_setting(&"bob".into(), "a").await.expect("an answer"));
    assert_eq!(contents(&*store, "ada").await, ["a 3 3"]);
    assert_eq!(contents(&*store, "bob").await, ["b 2 2"]);
}

pub async fn values_are_there_when_the_store_is_opened_again(place: &dyn SettingsPlace) {
    let store = place.open_settings().await;
    puts(&*store, "ada", "kept", "1", 1).await;
    puts(&*store, "ada", "gone", "2", 2).await;
    store.remove_setting(&"ada".into(), "gone").await.expect("it is there");
    drop(store);
    assert_eq!(contents(&*place.open_settings().await, "ada").await, ["kept 1 1"]);
}
