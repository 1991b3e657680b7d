//! GitHub over REST, against the double.

use std::{sync::Arc, time::Duration};

use consign_repositories::{
    Base, Error, Expected, OwnerRepo, PullRequest, Repository, Secret,
    github::{
        GitHub,
        rest::{Options, Rest},
    },
};

use crate::{
    conformance::{self, Stage, branch, change, request},
    double::{Double, Fault, TOKEN},
};

fn options(double: &Double) -> Options {
    Options { base_url: double.url.clone(), allow_private: true, ..Options::default() }
}

fn client(double: &Double) -> Arc<Rest> {
    let token = Secret::new(TOKEN.to_owned());
    Arc::new(Rest::new(&options(double), Some(token)).unwrap())
}

fn stage(double: &Double, name: &str) -> Stage {
    let git = double.add(name);
    let name = OwnerRepo::parse(name).unwrap();
    let repository = Arc::new(GitHub::over_rest(client(double), name));
    Stage { repository, git, has_pulls: true }
}

#[tokio::test]
async fn github_is_read_as_it_was_committed() {
    let double = Double::start().await;
    conformance::reading(&stage(&double, "octo/sample")).await;
    assert!(double.writes().is_empty());
}

#[tokio::test]
async fn github_is_published_to_once() {
    let double = Double::start().await;
    conformance::publishing(&stage(&double, "octo/sample")).await;
    let pulls = double.pulls("octo/sample");
    assert_eq!(pulls.len(), 1);
    assert_eq!((pulls[0].title.as_str(), pulls[0].base.as_str()), ("Documentation", "main"));
}

#[tokio::test]
async fn github_refuses_what_somebody_else_changed() {
    let double = Double::start().await;
    conformance::conflicts(&stage(&double, "octo/sample")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn several_may_publish_to_github_at_once() {
    let double = Double::start().await;
    conformance::at_once(&stage(&double, "octo/sample")).await;
}

#[tokio::test]
async fn a_lost_answer_at_any_call_makes_nothing_twice() {
    let double = Double::start().await;
    let whole = conformance::publish(&stage(&double, "octo/whole")).await;
    assert_eq!(whole.files.len(), 2);
    let calls = double.calls().len();
    assert_eq!(double.writes().len(), 4);
    for nth in 1..=calls {
        let name = format!("octo/lost-{nth}");
        let stage = stage(&double, &name);
        double.fault(nth, Fault::LoseAnswer);
        let before = double.calls().len();
        conformance::publish(&stage).await;
        conformance::is_published_once(&stage);
        assert!(double.calls().len() - before > calls, "nothing was lost at call {nth}");
        assert_eq!(double.pulls(&name).len(), 1, "call {nth}");
    }
}

#[tokio::test]
async fn failures_that_pass_are_told_apart() {
    let double = Double::start().await;
    let it = stage(&double, "octo/sample").repository;
    double.fault(1, Fault::RateLimit);
    let limited = it.describe().await.unwrap_err();
    assert_eq!(limited.retry_after(), Some(Duration::from_secs(1)));
    assert!(limited.is_transient());
    double.fault(1, Fault::Status(502, "Bad Gateway"));
    assert!(it.describe().await.unwrap_err().is_transient());
    double.fault(1, Fault::Status(403, "You have exceeded a secondary rate limit"));
    let limited = it.describe().await.unwrap_err();
    assert_eq!(limited.retry_after(), Some(Duration::from_secs(60)));
    double.fault(1, Fault::Status(403, "Resource not accessible by personal access token"));
    assert!(matches!(it.describe().await, Err(Error::Forbidden { .. })));
    assert!(it.describe().await.is_ok());

    let patient = options(&double);
    let hasty = Options { timeout: Duration::from_millis(300), ..patient.clone() };
    let name = OwnerRepo::parse("octo/sample").unwrap();
    let token = || Some(Secret::new(TOKEN.to_owned()));
    let hasty = GitHub::over_rest(Arc::new(Rest::new(&hasty, token()).unwrap()), name.clone());
    double.fault(1, Fault::Slow(Duration::from_secs(30)));
    let late = hasty.describe().await.unwrap_err();
    assert!(matches!(late, Error::Unreachable { .. }), "{late}");

    let wrong = Secret::new("ghp_wrong_token".to_owned());
    let wrong = Rest::new(&patient, Some(wrong)).unwrap();
    let wrong = GitHub::over_rest(Arc::new(wrong), name.clone());
    let error = wrong.describe().await.unwrap_err();
    assert!(matches!(error, Error::BadCredentials), "{error}");
    assert!(!format!("{error:?} {wrong:?}").contains("ghp_wrong"));

    let nowhere = GitHub::over_rest(client(&double), OwnerRepo::parse("octo/none").unwrap());
    assert!(matches!(nowhere.describe().await, Err(Error::NotFound { .. })));
    drop(double);
    let gone = Options { base_url: "http://127.0.0.1:1".to_owned(), ..patient };
    let gone = GitHub::over_rest(Arc::new(Rest::new(&gone, token()).unwrap()), name);
    let error = gone.describe().await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }) && !error.to_string().contains("ghp_"));
}

#[tokio::test]
async fn what_did_not_change_is_not_sent_again() {
    let double = Double::start().await;
    let it = stage(&double, "octo/sample").repository;
    let at = it.commit_of("main").await.unwrap().unwrap();
    let first = it.tree(&at).await.unwrap();
    assert_eq!(it.tree(&at).await.unwrap(), first);
    let statuses: Vec<_> = double.calls().iter().map(|call| call.status).collect();
    assert_eq!(statuses, [200, 200, 304]);
}

#[tokio::test]
async fn a_redirect_is_followed_to_the_same_place_only() {
    let (double, other) = (Double::start().await, Double::start().await);
    let it = stage(&double, "octo/sample").repository;
    other.add("octo/sample");
    double.fault(1, Fault::Redirect("/repos/octo/sample".to_owned()));
    assert_eq!(it.describe().await.unwrap().default_branch, "main");
    double.fault(1, Fault::Redirect(format!("{}/repos/octo/sample", other.url)));
    assert!(matches!(it.describe().await, Err(Error::Refused { .. })));
    assert!(other.calls().is_empty(), "the token went to another host");
    for nth in 1..=4 {
        double.fault(nth, Fault::Redirect("/repos/octo/sample".to_owned()));
    }
    assert!(matches!(it.describe().await, Err(Error::Refused { .. })));
}

#[tokio::test]
async fn a_private_address_needs_the_operators_word() {
    for (url, allow_private, is_good) in [
        ("http://127.0.0.1:9", false, false),
        ("http://127.0.0.1:9", true, true),
        ("http://localhost:9", true, true),
        ("http://10.0.0.1", true, false),
        ("http://github.example.com", true, false),
        ("https://10.0.0.1/api/v3", true, true),
        ("https://10.0.0.1/api/v3", false, false),
        ("https://user:hunter2@github.example.com", true, false),
        ("ftp://github.example.com", true, false),
    ] {
        let options = Options { base_url: url.to_owned(), allow_private, ..Options::default() };
        // A machine without certificates can make no client for https.
        let made = Rest::new(&options, None).map(|_| ());
        assert!(made.is_ok() == is_good || url.starts_with("https"), "{url}: {made:?}");
        assert!(made.is_err() || is_good, "{url}");
        if let Err(error) = made {
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
    // A name is checked where it leads to.
    let options = Options { base_url: "http://localhost:9".to_owned(), ..Options::default() };
    let it = Rest::new(&options, None).unwrap();
    let it = GitHub::over_rest(Arc::new(it), OwnerRepo::parse("octo/sample").unwrap());
    let error = it.describe().await.unwrap_err();
    assert!(matches!(error, Error::Refused { .. }), "{error:?}");
    let two_lines = Some(Secret::new("a\nb".to_owned()));
    assert!(matches!(Rest::new(&Options::default(), two_lines), Err(Error::BadCredentials)));
}

#[tokio::test]
async fn a_base_address_may_have_a_path_and_names_stay_names() {
    let double = Double::start().await;
    double.add("octo/sample");
    let base_url = format!("{}/api/v3/", double.url);
    let options = Options { base_url, ..options(&double) };
    let it = Rest::new(&options, Some(Secret::new(TOKEN.to_owned()))).unwrap();
    let it = GitHub::over_rest(Arc::new(it), OwnerRepo::parse("octo/sample").unwrap());
    let _ = it.commit_of("a#b%2e&c").await;
    assert_eq!(double.calls()[0].path, "/api/v3/repos/octo/sample/git/ref/heads/a%23b%252e&c");
}

#[tokio::test]
async fn a_large_file_and_one_that_is_not_text_are_read() {
    let double = Double::start().await;
    let on = stage(&double, "octo/sample");
    let git = git2::Repository::open(&on.git).unwrap();
    let large: Vec<u8> = (0..3_000_000_u32).map(|it| (it % 251) as u8).collect();
    crate::sample::edit(&git, "main", "large.bin", &large);
    let at = on.repository.commit_of("main").await.unwrap().unwrap();
    assert_eq!(on.repository.read(&at, "large.bin", 4 << 20).await.unwrap().unwrap(), large);
    let error = on.repository.read(&at, "large.bin", 1 << 20).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { size: 3_000_000, .. }), "{error:?}");
}

#[tokio::test]
async fn a_long_history_is_read_page_by_page() {
    let double = Double::start().await;
    let on = stage(&double, "octo/sample");
    let git = git2::Repository::open(&on.git).unwrap();
    for number in 0..130_u8 {
        crate::sample::edit(&git, "main", "n", &[number]);
    }
    let at = on.repository.commit_of("main").await.unwrap().unwrap();
    assert_eq!(on.repository.log(&at, 500).await.unwrap().len(), 132);
    assert_eq!(on.repository.log(&at, 110).await.unwrap().len(), 110);
    assert_eq!(on.repository.log(&at, 3).await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_repository_without_commits_has_no_branch() {
    let double = Double::start().await;
    double.add_empty("octo/empty");
    let it = GitHub::over_rest(client(&double), OwnerRepo::parse("octo/empty").unwrap());
    assert_eq!(it.commit_of("main").await.unwrap(), None);
}

#[tokio::test]
async fn a_closed_pull_request_is_found_and_an_empty_one_refused() {
    let double = Double::start().await;
    let on = stage(&double, "octo/sample");
    let it = on.repository.as_ref();
    let commit = it.commit_of("main").await.unwrap().unwrap();
    let from = Base { branch: "main".to_owned(), commit };
    it.create_branch(&branch("work"), &from).await.unwrap();
    let empty = it.open_pull_request(&request("work")).await.unwrap_err();
    assert!(matches!(&empty, Error::Refused { why } if why.contains("No commits")), "{empty:?}");
    let readme = change("README.md", "x", Expected::Anything);
    it.commit_file(&branch("work"), &readme).await.unwrap();
    let opened = it.open_pull_request(&request("work")).await.unwrap();
    assert!(!opened.was_there && opened.value.is_open);
    assert_eq!(opened.value.url, "https://github.test/octo/sample/pull/1");
    double.close_pulls();
    let found = it.open_pull_request(&request("work")).await.unwrap();
    assert!(found.was_there && !found.value.is_open);
    assert_eq!(found.value.number, opened.value.number);
    assert_eq!(double.pulls("octo/sample").len(), 1);
    // A closed one is another job's past: it opens its own, once.
    for was_there in [false, true] {
        let other = PullRequest { key: "job-2/pull".to_owned(), ..request("work") };
        let own = it.open_pull_request(&other).await.unwrap();
        assert_eq!((own.was_there, own.value.number, own.value.is_open), (was_there, 2, true));
    }
    let first = it.pull_request_for(&branch("work"), "job-1/pull").await.unwrap().unwrap();
    assert_eq!((first.number, first.is_open), (1, false));
    double.close_pulls();
    assert_eq!(it.pull_request_for(&branch("work"), "job-3/pull").await.unwrap(), None);
    let body = double.pulls("octo/sample").remove(1).body;
    assert_eq!(body, "Written by Scribe.\n\n<!-- consign-key: job-2/pull -->\n");
    let base = it.open_pull_request(&request("main")).await.unwrap_err();
    assert!(matches!(base, Error::Name(_)), "{base:?}");
}
