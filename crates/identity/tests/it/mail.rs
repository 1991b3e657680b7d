//! Codes go out over SMTP, as safely as the URL says, and what fails is said without any secret.

use std::time::Duration;

use base64::{Engine, prelude::BASE64_STANDARD};
use consign_accounts::{Mailer, Purpose, Secret};
use consign_identity::mail::{Outbox, Problem, Settings, SmtpMailer};

use crate::mail_double::{MailDouble, Manner};

fn settings(url: String) -> Settings {
    Settings { url: Secret::new(url), from: "Consign <consign@example.com>".to_owned() }
}

/// A mailer that logs in at the double, and trusts it.
fn mailer(double: &MailDouble, scheme: &str, options: &str) -> SmtpMailer {
    let url = format!("{scheme}://ann%40x:hush@{}{options}", double.address);
    SmtpMailer::trusting(&settings(url), &[double.certificate.as_bytes()]).unwrap()
}

fn has_mail(mail: &str) {
    for part in [
        "From: Consign <consign@example.com>",
        "To: bob@example.com",
        "Subject: Your Consign password reset code",
        "Content-Type: text/plain; charset=utf-8",
        "Message-ID: <",
        "    123456",
    ] {
        assert!(mail.contains(part), "{part}: {mail}");
    }
}

#[tokio::test]
async fn a_code_is_sent_in_plain_text_where_the_url_says_so() {
    let double = MailDouble::start(Manner::Plain).await;
    let mailer = mailer(&double, "smtp", "?tls=none");
    mailer.send_code("bob@example.com", "123456", Purpose::Reset).await.unwrap();
    drop(mailer);
    let heard = double.heard.await.unwrap();
    has_mail(&heard.mail);
    let login = BASE64_STANDARD.encode("\0ann@x\0hush");
    let commands = heard.commands.join("\n");
    assert!(commands.contains(&format!("AUTH PLAIN {login}")), "{commands}");
    assert!(commands.contains("MAIL FROM:<consign@example.com>"), "{commands}");
    assert!(commands.contains("RCPT TO:<bob@example.com>"), "{commands}");
}

#[tokio::test]
async fn with_tls_nothing_but_the_wish_for_it_is_said_before() {
    for (manner, scheme, options) in [
        (Manner::StartTls, "smtp", "?tls=required"),
        (Manner::StartTls, "smtp", ""),
        (Manner::Implicit, "smtps", ""),
    ] {
        let double = MailDouble::start(manner).await;
        let mailer = mailer(&double, scheme, options);
        mailer.send_code("bob@example.com", "123456", Purpose::Reset).await.unwrap();
        drop(mailer);
        let heard = double.heard.await.unwrap();
        has_mail(&heard.mail);
        for command in &heard.commands {
            let is_open = command.starts_with("EHLO ") || command == "STARTTLS";
            assert!(command.starts_with("tls ") || is_open, "{manner:?}: {command}");
        }
        assert!(heard.commands.iter().any(|command| command.starts_with("tls AUTH")));
    }
}

#[tokio::test]
async fn a_server_without_tls_or_with_a_certificate_of_its_own_gets_neither_login_nor_mail() {
    let double = MailDouble::start(Manner::Plain).await;
    let careful = mailer(&double, "smtp", "");
    let refused = careful.send_code("bob@x.org", "123456", Purpose::Verify).await;
    let why = refused.unwrap_err().to_string();
    assert!(why.contains("does not offer"), "{why}");
    let heard = double.heard.await.unwrap();
    assert!(heard.commands.iter().all(|command| command.starts_with("EHLO") || command == "QUIT"));

    for (manner, scheme) in [(Manner::StartTls, "smtp"), (Manner::Implicit, "smtps")] {
        let double = MailDouble::start(manner).await;
        let strange =
            SmtpMailer::new(&settings(format!("{scheme}://a:hush@{}", double.address))).unwrap();
        strange.send_code("bob@x.org", "123456", Purpose::Verify).await.unwrap_err();
        let heard = double.heard.await.unwrap();
        assert!(heard.mail.is_empty() && !heard.commands.join("\n").contains("AUTH"), "{heard:?}");
    }
}

#[tokio::test]
async fn a_mail_that_cannot_be_sent_is_an_error_without_secrets() {
    for (manner, part) in [
        (Manner::RefusesLogin, "status 535"),
        (Manner::RefusesRecipient, "status 550"),
        (Manner::HangsUp, ""),
    ] {
        let double = MailDouble::start(manner).await;
        let mailer = mailer(&double, "smtp", "?tls=none");
        let error =
            mailer.send_code("bob@example.com", "123456", Purpose::Verify).await.unwrap_err();
        let shown = format!("{error} {error:?} {mailer:?}");
        assert!(shown.contains(&double.address.to_string()), "{manner:?}: {shown}");
        assert!(shown.contains(part), "{manner:?}: {shown}");
        let login = BASE64_STANDARD.encode("\0ann@x\0hush");
        for secret in ["hush", "123456", &login] {
            assert!(!shown.contains(secret), "{manner:?}: {shown}");
        }
        drop(mailer);
        assert!(double.heard.await.unwrap().mail.is_empty(), "{manner:?}");
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_or_is_not_there_does_not_hold_anybody_up() {
    let double = MailDouble::start(Manner::Silent).await;
    let mailer = mailer(&double, "smtp", "?tls=none").within(Duration::from_millis(50));
    let error = mailer.send_code("bob@example.com", "123456", Purpose::Verify).await.unwrap_err();
    assert!(error.to_string().contains("took too long"), "{error}");
    double.heard.abort();

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("smtp://{}?tls=none", listener.local_addr().unwrap());
    drop(listener);
    let mailer = SmtpMailer::new(&settings(url)).unwrap();
    let error = mailer.send_code("bob@example.com", "123456", Purpose::Verify).await.unwrap_err();
    assert!(error.to_string().contains("the connection failed"), "{error}");
}

#[tokio::test]
async fn no_mail_goes_to_what_is_not_an_address() {
    let mailer = SmtpMailer::new(&settings("smtp://127.0.0.1:1?tls=none".to_owned())).unwrap();
    for to in ["", "bob", "bob@x.org\r\nRCPT TO:<eve@x.org>", "bob@x.org, eve@x.org"] {
        let error = mailer.send_code(to, "123456", Purpose::Verify).await.unwrap_err();
        assert!(error.to_string().contains("not an address"), "{error}");
    }
}

#[test]
fn settings_that_cannot_work_are_refused_when_they_are_read() {
    let bad_sender = Settings { from: "Consign".to_owned(), ..settings("smtps://h".to_owned()) };
    assert_eq!(SmtpMailer::new(&bad_sender).unwrap_err(), Problem::Sender);
    let bad_url = SmtpMailer::new(&settings("mail.example.com".to_owned())).unwrap_err();
    assert!(matches!(bad_url, Problem::Url(_)), "{bad_url}");
}

#[tokio::test]
async fn whoever_asks_for_a_code_does_not_wait_for_the_mail_server() {
    let double = MailDouble::start(Manner::Plain).await;
    let outbox = Outbox::new(mailer(&double, "smtp", "?tls=none"));
    // The double runs on this thread: it cannot have answered before the first `await` that waits.
    outbox.send_code("bob@example.com", "123456", Purpose::Reset).await.unwrap();
    assert!(!double.heard.is_finished());
    has_mail(&double.heard.await.unwrap().mail);
}

#[tokio::test]
async fn a_mail_server_that_hangs_does_not_pile_up_mails() {
    let double = MailDouble::start(Manner::Silent).await;
    let outbox = Outbox::new(mailer(&double, "smtp", "?tls=none"));
    for _ in 0..32 {
        outbox.send_code("bob@example.com", "123456", Purpose::Verify).await.unwrap();
    }
    let error = outbox.send_code("bob@example.com", "123456", Purpose::Verify).await.unwrap_err();
    assert!(error.to_string().contains("too many mails"), "{error}");
    double.heard.abort();
}
