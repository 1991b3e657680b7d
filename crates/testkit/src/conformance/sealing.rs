//! Cases about sealed secrets: they are kept, replaced, dropped and sealed anew, each for its
//! owner.

use std::sync::Arc;

use consign_engine::{
    At, Owner,
    vault::{Kept, Reseal, Resealed, Sealed, Vault},
};
use tokio::task::JoinSet;

use super::VaultPlace;

fn secret(owner: &str, name: &str, bytes: &[u8]) -> Sealed {
    Sealed { owner: owner.into(), name: name.to_owned(), bytes: bytes.to_vec(), at: At(7) }
}

async fn keeps(vault: &dyn Vault, owner: &str, name: &str, bytes: &[u8]) {
    let kept = vault.keep(secret(owner, name, bytes), false).await.expect("it can be kept");
    assert_eq!(kept, Kept::Done);
}

/// Everything, as `owner name bytes`.
async fn contents(vault: &dyn Vault) -> Vec<String> {
    let all = vault.all_sealed().await.expect("it can be read");
    let line = |one: &Sealed| format!("{} {} {:?}", one.owner, one.name, one.bytes);
    all.iter().map(line).collect()
}

/// Each secret's bytes with one more at the end.
async fn longer(vault: &dyn Vault) -> Vec<Reseal> {
    let all = vault.all_sealed().await.expect("it can be read");
    let change = |Sealed { owner, name, bytes, .. }| {
        let to = [&bytes[..], &[99]].concat();
        Reseal { owner, name, from: bytes, to }
    };
    all.into_iter().map(change).collect()
}

pub async fn an_empty_vault_has_nothing(place: &dyn VaultPlace) {
    let vault = place.open_vault().await;
    assert_eq!(vault.sealed(&Owner::from("ada"), "openai").await.expect("it can be read"), None);
    assert!(contents(&*vault).await.is_empty());
    assert!(!vault.drop_sealed(&"ada".into(), "openai").await.expect("nothing to drop"));
    assert_eq!(vault.reseal(Vec::new()).await.expect("nothing to seal"), Resealed::Done);
}

pub async fn a_secret_comes_back_byte_for_byte(place: &dyn VaultPlace) {
    let vault = place.open_vault().await;
    let every: Vec<u8> = (0..=255).collect();
    let given = Sealed { at: At(1_800_000_000_000_001), ..secret("ada", "openai", &every) };
    vault.keep(given.clone(), false).await.expect("it can be kept");
    let found = vault.sealed(&"ada".into(), "openai").await.expect("it can be read");
    assert_eq!(found, Some(given));
}

pub async fn each_owner_and_name_has_a_secret_of_its_own(place: &dyn VaultPlace) {
    let vault = place.open_vault().await;
    keeps(&*vault, "bob", "xai", &[3]).await;
    keeps(&*vault, "ada", "xai", &[2]).await;
    keeps(&*vault, "ada", "openai", &[1]).await;
    assert_eq!(contents(&*vault).await, ["ada openai [1]", "ada xai [2]", "bob xai [3]"]);
    assert!(vault.drop_sealed(&"ada".into(), "xai").await.expect("it can be dropped"));
    assert!(!vault.drop_sealed(&"bob".into(), "openai").await.expect("there is none"));
    assert_eq!(contents(&*vault).await, ["ada openai [1]", "bob xai [3]"]);
}

pub async fn a_secret_is_replaced_only_if_that_is_wished(place: &dyn VaultPlace) {
    let vault = place.open_vault().await;
    keeps(&*vault, "ada", "openai", &[1]).await;
    let other = Sealed { at: At(8), ..secret("ada", "openai", &[2]) };
    let kept = vault.keep(other.clone(), false).await.expect("an answer");
    assert_eq!((kept, contents(&*vault).await.join("")), (Kept::Exists, "ada openai [1]".into()));
    assert_eq!(vault.keep(other.clone(), true).await.expect("an answer"), Kept::Done);
    let found = vault.sealed(&"ada".into(), "openai").await.expect("it can be read");
    assert_eq!(found, Some(other));
    let first = vault.keep(secret("bob", "openai", &[3]), true).await.expect("an answer");
    assert_eq!(first, Kept::Done, "there need not be one to replace");
}

pub async fn all_are_sealed_anew_and_keep_their_age(place: &dyn VaultPlace) {
    let vault = place.open_vault().await;
    keeps(&*vault, "ada", "openai", &[1]).await;
    keeps(&*vault, "bob", "openai", &[2]).await;
    let mut all = longer(&*vault).await;
    all[1].to = all[1].from.clone();
    assert_eq!(vault.reseal(all).await.expect("an answer"), Resealed::Done);
    assert_eq!(contents(&*vault).await, ["ada openai [1, 99]", "bob openai [2]"]);
    let found = vault.sealed(&"ada".into(), "openai").await.expect("it can be read");
    assert_eq!(found.map(|secret| secret.at), Some(At(7)));
}

/// Whoever throws a key away after this must not have missed anything.
pub async fn nothing_is_sealed_anew_if_anything_changed_meanwhile(place: &dyn VaultPlace) {
    let vault = place.open_vault().await;
    keeps(&*vault, "ada", "openai", &[1]).await;
    keeps(&*vault, "bob", "openai", &[2]).await;
    let seen = longer(&*vault).await;
    let refuses = async |why: &str| {
        let before = contents(&*vault).await;
        let answer = vault.reseal(seen.clone()).await.expect("an answer");
        assert_eq!((answer, contents(&*vault).await), (Resealed::Moved, before), "{why}");
    };
    keeps(&*vault, "cy", "openai", &[3]).await;
    refuses("one came").await;
    vault.drop_sealed(&"cy".into(), "openai").await.expect("it is there");
    vault.keep(secret("bob", "openai", &[4]), true).await.expect("it can be replaced");
    refuses("one was replaced").await;
    vault.drop_sealed(&"bob".into(), "openai").await.expect("it is there");
    refuses("one went").await;
    keeps(&*vault, "bob", "xai", &[2]).await;
    refuses("one has another name").await;
    vault.drop_sealed(&"bob".into(), "xai").await.expect("it is there");
    keeps(&*vault, "bob", "openai", &[2]).await;
    assert_eq!(vault.reseal(seen.clone()).await.expect("an answer"), Resealed::Done);
    refuses("it was done already").await;
}

pub async fn of_many_who_bring_one_secret_one_wins(place: &dyn VaultPlace) {
    let (here, there) = (place.open_vault().await, place.open_vault().await);
    let mut all = JoinSet::new();
    for number in 0..20 {
        let vault: Arc<dyn Vault> = if number % 2 == 0 { here.clone() } else { there.clone() };
        all.spawn(async move { vault.keep(secret("ada", "openai", &[number]), false).await });
    }
    let answers = all.join_all().await;
    let done = answers.iter().filter(|answer| matches!(answer, Ok(Kept::Done))).count();
    assert_eq!((done, answers.iter().filter(|answer| answer.is_err()).count()), (1, 0));
    assert_eq!(contents(&*here).await, contents(&*there).await);
}

pub async fn secrets_are_there_when_the_vault_is_opened_again(place: &dyn VaultPlace) {
    let vault = place.open_vault().await;
    keeps(&*vault, "ada", "openai", &[1]).await;
    keeps(&*vault, "bob", "openai", &[2]).await;
    vault.reseal(longer(&*vault).await).await.expect("an answer");
    vault.drop_sealed(&"bob".into(), "openai").await.expect("it is there");
    drop(vault);
    assert_eq!(contents(&*place.open_vault().await).await, ["ada openai [1, 99]"]);
}
