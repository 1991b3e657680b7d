//! A server with accounts: users that sign up, log in and have tokens, and the codes that were mailed to them.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use consign_accounts::{Accounts, MailError, Mailer, Passwords, Purpose, Role, Scopes};
use consign_app::{accounts::OauthClients, machine::Machine};
use consign_server::{AccountsParts, Options, SignIn, Token, Wire};
use hyper::{Request, http::request};
use serde_json::{Value, json};

use crate::{client::Answer, world::World};

pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) struct AccountWorld {
    pub(crate) world: World,
    pub(crate) accounts: Accounts,
    mails: Arc<Mutex<Vec<(String, String)>>>,
}

/// A user with a session.
#[derive(Clone)]
pub(crate) struct LoggedIn {
    pub(crate) cookie: String,
    pub(crate) csrf: String,
    pub(crate) id: String,
}

struct Mails(Arc<Mutex<Vec<(String, String)>>>);

#[async_trait]
impl Mailer for Mails {
    async fn send_code(&self, to: &str, code: &str, _purpose: Purpose) -> Result<(), MailError> {
        self.0.lock().unwrap().push((to.to_owned(), code.to_owned()));
        Ok(())
    }
}

impl AccountWorld {
    pub(crate) async fn new() -> Self {
        Self::with(Options::default(), Wire::default(), false, None).await
    }

    pub(crate) async fn discreet() -> Self {
        Self::with(Options::default(), Wire::default(), true, None).await
    }

    pub(crate) async fn with(
        options: Options,
        wire: Wire,
        is_discreet: bool,
        oauth: Option<OauthClients>,
    ) -> Self {
        let mails = Arc::new(Mutex::new(Vec::new()));
        let (sent, made) = (mails.clone(), Arc::new(Mutex::new(None)));
        let kept = made.clone();
        let world = World::made(options, wire, Token::random(), move |home, address| {
            let machine = || Arc::new(Machine::new());
            let accounts = Accounts::with_passwords(
                home.account_store.clone(),
                Arc::new(Mails(sent)),
                machine(),
                machine(),
                consign_accounts::Options { is_discreet },
                // Hundreds of log-ins at the true cost would take minutes.
                Arc::new(Passwords::weak(machine())),
            );
            *kept.lock().unwrap() = Some(accounts.clone());
            let oauth = oauth.unwrap_or_else(|| OauthClients::new(None, None));
            let public_url = format!("http://{address}");
            let (oauth, may_first_sign_up) = (Arc::new(oauth), true);
            SignIn::Accounts(AccountsParts { accounts, oauth, may_first_sign_up, public_url })
        })
        .await;
        let accounts = made.lock().unwrap().take().unwrap();
        Self { world, accounts, mails }
    }

    /// The last code that was mailed to an address.
    pub(crate) fn code(&self, email: &str) -> String {
        let mails = self.mails.lock().unwrap();
        let last = mails.iter().rev().find(|(to, _)| to.eq_ignore_ascii_case(email));
        last.expect("a code was mailed").1.clone()
    }

    pub(crate) fn mailed(&self, email: &str) -> usize {
        let mails = self.mails.lock().unwrap();
        mails.iter().filter(|(to, _)| to.eq_ignore_ascii_case(email)).count()
    }

    /// A request of a stranger.
    pub(crate) fn stranger(&self, method: &str, target: &str) -> request::Builder {
        Request::builder().method(method).uri(target).header("host", self.world.address.to_string())
    }

    pub(crate) async fn post(&self, target: &str, body: &Value) -> Answer {
        let request = self.stranger("POST", target).header("content-type", "application/json");
        self.world.ask(request, body.to_string()).await
    }

    /// Adds a verified user and logs in.
    pub(crate) async fn user(&self, email: &str) -> LoggedIn {
        self.accounts.add_user(email, PASSWORD, Role::Member).await.unwrap();
        self.log_in(email).await
    }

    pub(crate) async fn log_in(&self, email: &str) -> LoggedIn {
        let answer = self.post("/auth/login", &json!({"email": email, "password": PASSWORD})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        LoggedIn::of(&answer)
    }

    pub(crate) async fn token(&self, user: &LoggedIn, scopes: Option<&str>) -> String {
        let id = consign_accounts::UserId::from_word(&user.id).unwrap();
        let scopes = scopes.map(|words| Scopes::from_words(words).unwrap());
        let (_, secret) = self.accounts.create_token(&id, None, scopes).await.unwrap();
        secret.reveal().to_owned()
    }

    pub(crate) fn as_user(&self, user: &LoggedIn, method: &str, target: &str) -> request::Builder {
        let request = self.stranger(method, target).header("cookie", &user.cookie);
        match method {
            "GET" => request,
            _ => request
                .header("x-csrf-token", &user.csrf)
                .header("content-type", "application/json"),
        }
    }

    pub(crate) async fn ask(
        &self,
        user: &LoggedIn,
        method: &str,
        target: &str,
        body: &Value,
    ) -> Answer {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.world.ask(self.as_user(user, method, target), body).await
    }

    pub(crate) async fn with_token(
        &self,
        token: &str,
        method: &str,
        target: &str,
        body: &Value,
    ) -> Answer {
        let request = self
            .stranger(method, target)
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "application/json");
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.world.ask(request, body).await
    }
}

impl LoggedIn {
    pub(crate) fn of(answer: &Answer) -> Self {
        let cookie = answer.headers.get_all("set-cookie").iter().find_map(|cookie| {
            let cookie = cookie.to_str().unwrap();
            cookie
                .contains("consign_session=")
                .then(|| cookie.split(';').next().unwrap().to_owned())
        });
        let told = answer.json();
        Self {
            cookie: cookie.expect("a log-in sets a cookie"),
            csrf: told["csrfToken"].as_str().unwrap().to_owned(),
            id: told["user"]["id"].as_str().unwrap().to_owned(),
        }
    }
}
