//! Signing in with GitHub and Google over the real routes, and every way of misusing it.

use consign_accounts::Role;
use consign_server::{Options, Wire};
use hyper::Request;
use serde_json::json;

use crate::{
    account_world::{AccountWorld, LoggedIn, PASSWORD},
    client::Answer,
    oauth_double::{OauthDouble, Person, pairs},
};

const PROVIDERS: [&str; 2] = ["github", "google"];
const ANN: Person = Person { id: 42, email: "ann@example.com", is_verified: true };

async fn worlds() -> (AccountWorld, OauthDouble) {
    let double = OauthDouble::start().await;
    let options =
        Options { allowed_hosts: vec!["elsewhere.example".to_owned()], ..Options::default() };
    let world = AccountWorld::with(options, Wire::default(), false, Some(double.clients())).await;
    world.accounts.add_user("admin@example.com", PASSWORD, Role::Admin).await.unwrap();
    (world, double)
}

/// What a browser has after its first step.
struct Begun {
    location: String,
    state: String,
    cookie: String,
}

fn begun(answer: &Answer) -> Begun {
    assert_eq!(answer.status, 302, "{}", answer.text);
    let location = answer.header("location").unwrap().to_owned();
    let state = pairs(location.split_once('?').unwrap().1)["state"].clone();
    let cookie = answer.header("set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = cookie.split(';').next().unwrap().to_owned();
    assert!(!location.contains(cookie.split_once('=').unwrap().1));
    Begun { location, state, cookie }
}

async fn begin(world: &AccountWorld, provider: &str) -> Begun {
    let request = world.stranger("GET", &format!("/auth/oauth/{provider}"));
    begun(&world.world.ask(request, "").await)
}

async fn come_back(world: &AccountWorld, provider: &str, query: &str, cookie: &str) -> Answer {
    let request = world.stranger("GET", &format!("/auth/oauth/{provider}/callback?{query}"));
    world.world.ask(request.header("cookie", cookie), "").await
}

/// The whole way of one person.
async fn sign_in(
    world: &AccountWorld,
    double: &OauthDouble,
    provider: &str,
    person: Person,
) -> Answer {
    let begun = begin(world, provider).await;
    let code = double.visit(&begun.location, person);
    come_back(world, provider, &format!("code={code}&state={}", begun.state), &begun.cookie).await
}

#[tokio::test]
async fn both_services_sign_in_and_a_verified_address_is_one_account() {
    let (world, double) = worlds().await;
    let local = world.accounts.add_user("Ann@Example.com", PASSWORD, Role::Member).await.unwrap();
    for provider in PROVIDERS {
        let answer = sign_in(&world, &double, provider, ANN).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let user = LoggedIn::of(&answer);
        assert_eq!(user.id, local.id.to_string());
        let me = world.ask(&user, "GET", "/auth/me", &serde_json::Value::Null).await.json();
        assert_eq!((&me["email"], &me["role"]), (&json!("Ann@Example.com"), &json!("member")));
        // The same person with another address there is the same user here.
        let moved = Person { email: "new@example.com", ..ANN };
        let again = LoggedIn::of(&sign_in(&world, &double, provider, moved).await);
        assert_eq!(again.id, user.id);
        // A session is new at each sign-in.
        assert_ne!(again.cookie, user.cookie);
    }
    let ben = Person { id: 7, email: "ben@example.com", is_verified: true };
    let made = sign_in(&world, &double, "github", ben).await;
    assert_eq!((made.status, &made.json()["user"]["role"]), (200, &json!("member")));
    // Who came from outside has no password that could be tried.
    let login = json!({"email": "ben@example.com", "password": PASSWORD});
    world.post("/auth/login", &login).await.is(401, "INVALID_CREDENTIALS");
}

#[tokio::test]
async fn a_state_belongs_to_one_attempt_one_browser_and_one_service() {
    let (world, double) = worlds().await;
    for (provider, other) in [("github", "google"), ("google", "github")] {
        let back = async |to: &str, query: String, cookie: &str| {
            come_back(&world, to, &query, cookie).await.is(403, "FORBIDDEN");
        };
        let of = |begun: &Begun| {
            let code = double.visit(&begun.location, ANN);
            format!("code={code}&state={}", begun.state)
        };
        // Missing, empty and invented.
        let first = begin(&world, provider).await;
        let code = double.visit(&first.location, ANN);
        back(provider, format!("code={code}"), &first.cookie).await;
        back(provider, format!("code={code}&state="), &first.cookie).await;
        back(provider, format!("code={code}&state=invented"), &first.cookie).await;
        // Of another browser, of none, of another service: each uses the state up.
        let (mine, hers) = (begin(&world, provider).await, begin(&world, provider).await);
        back(provider, of(&hers), &mine.cookie).await;
        back(provider, of(&hers), &hers.cookie).await;
        back(provider, of(&mine), "consign_session=x").await;
        let third = begin(&world, provider).await;
        back(other, of(&third), &third.cookie).await;
        back(provider, of(&third), &third.cookie).await;
        // Used.
        let begun = begin(&world, provider).await;
        let query = of(&begun);
        assert_eq!(come_back(&world, provider, &query, &begun.cookie).await.status, 200);
        back(provider, query, &begun.cookie).await;
        back(provider, of(&begun), &begun.cookie).await;
    }
}

#[tokio::test]
async fn the_way_back_is_the_servers_own_address_whatever_a_request_says() {
    let (world, double) = worlds().await;
    for provider in PROVIDERS {
        let own = format!("http://{}/auth/oauth/{provider}/callback", world.world.address);
        let target = format!("/auth/oauth/{provider}");
        let forged = || Request::builder().uri(&target).header("host", "elsewhere.example");
        for request in [
            world.stranger("GET", &target),
            forged(),
            forged()
                .header("x-forwarded-host", "evil.example")
                .header("x-forwarded-proto", "https"),
            forged().header("forwarded", "host=evil.example;proto=https"),
        ] {
            let begun = begun(&world.world.ask(request, "").await);
            let asked = pairs(begun.location.split_once('?').unwrap().1);
            assert_eq!(asked["redirect_uri"], own);
            // The exchange names the same address, so a code that was got for another one is worth nothing.
            let elsewhere = begun.location.replace("%2Fcallback", "%2Fcallback%2F..%2Fevil");
            assert_ne!(elsewhere, begun.location);
            let code = double.visit(&elsewhere, ANN);
            let query = format!("code={code}&state={}", begun.state);
            come_back(&world, provider, &query, &begun.cookie).await.is(401, "UNAUTHORIZED");
        }
        // Nor can it be asked for.
        let wished = world.stranger("GET", &format!("{target}?redirect_uri=https://evil.example"));
        world.world.ask(wished, "").await.is(400, "VALIDATION_ERROR");
    }
    let evil = Request::builder().uri("/auth/oauth/github").header("host", "evil.example");
    world.world.ask(evil, "").await.is(421, "MISDIRECTED");
}

#[tokio::test]
async fn a_code_works_once_and_only_for_the_attempt_that_it_was_given_to() {
    let (world, double) = worlds().await;
    for provider in PROVIDERS {
        let first = begin(&world, provider).await;
        let code = double.visit(&first.location, ANN);
        let back = async |begun: &Begun, code: &str| {
            let query = format!("code={code}&state={}", begun.state);
            come_back(&world, provider, &query, &begun.cookie).await
        };
        assert_eq!(back(&first, &code).await.status, 200);
        let refused = back(&begin(&world, provider).await, &code).await;
        refused.is(401, "UNAUTHORIZED");
        assert!(refused.headers.get("set-cookie").is_none());
        // A code that somebody else's browser got does not fit this one's verifier.
        let theirs = begin(&world, provider).await;
        let stolen = double.visit(&theirs.location, Person { id: 66, ..ANN });
        back(&begin(&world, provider).await, &stolen).await.is(401, "UNAUTHORIZED");
        back(&begin(&world, provider).await, "invented").await.is(401, "UNAUTHORIZED");
    }
}

#[tokio::test]
async fn no_account_is_got_through_an_address_that_one_side_has_not_verified() {
    let (world, double) = worlds().await;
    world.accounts.add_user(ANN.email, PASSWORD, Role::Member).await.unwrap();
    let ben = Person { id: 7, email: "ben@example.com", is_verified: true };
    let signup = json!({"email": ben.email, "password": PASSWORD});
    assert_eq!(world.post("/auth/signup", &signup).await.status, 201);
    for provider in PROVIDERS {
        // Not verified there, and there is an account here; and where there is none.
        for email in [ANN.email, "new@example.com"] {
            let unverified = Person { id: 99, email, is_verified: false };
            let refused = sign_in(&world, &double, provider, unverified).await;
            refused.is(403, "EMAIL_NOT_VERIFIED");
            assert!(refused.headers.get("set-cookie").is_none());
        }
        // Verified there, but whoever signed up here has not shown that the address is theirs.
        let refused = sign_in(&world, &double, provider, ben).await;
        refused.is(409, "EMAIL_IN_USE");
        assert!(refused.headers.get("set-cookie").is_none());
    }
    assert_eq!(world.accounts.users().await.unwrap().len(), 3);
    let ann = world.log_in(ANN.email).await;
    // Nothing was linked: once it is verified, it is still another account's.
    let now = Person { id: 99, email: "new@example.com", is_verified: true };
    let made = LoggedIn::of(&sign_in(&world, &double, "github", now).await);
    assert_ne!(made.id, ann.id);
}

#[tokio::test]
async fn who_was_refused_there_or_is_disabled_here_is_not_signed_in() {
    let (world, double) = worlds().await;
    for provider in PROVIDERS {
        let begun = begin(&world, provider).await;
        let code = double.visit(&begun.location, ANN);
        let query = format!("error=access_denied&error_description=no&state={}", begun.state);
        let refused = come_back(&world, provider, &query, &begun.cookie).await;
        refused.is(401, "UNAUTHORIZED");
        assert!(refused.headers.get("set-cookie").is_none());
        // The attempt is over.
        let late = format!("code={code}&state={}", begun.state);
        come_back(&world, provider, &late, &begun.cookie).await.is(403, "FORBIDDEN");
        // An error counts, whatever else is there.
        let begun = self::begin(&world, provider).await;
        let code = double.visit(&begun.location, ANN);
        let both = format!("code={code}&error=access_denied&state={}", begun.state);
        come_back(&world, provider, &both, &begun.cookie).await.is(401, "UNAUTHORIZED");
    }
    let ann = LoggedIn::of(&sign_in(&world, &double, "github", ANN).await);
    let id = consign_accounts::UserId::from_word(&ann.id).unwrap();
    world.accounts.set_disabled(&id, true).await.unwrap();
    for provider in PROVIDERS {
        sign_in(&world, &double, provider, ANN).await.is(403, "USER_DISABLED");
    }
}

#[tokio::test]
async fn a_service_that_is_unknown_or_not_set_up_is_said_to_be_so() {
    let world = AccountWorld::new().await;
    for end in ["", "/callback"] {
        for (provider, status, code) in
            [("github", 503, "OAUTH_NOT_CONFIGURED"), ("gitlab", 400, "INVALID_PROVIDER")]
        {
            let request = world.stranger("GET", &format!("/auth/oauth/{provider}{end}"));
            world.world.ask(request, "").await.is(status, code);
        }
    }
}
