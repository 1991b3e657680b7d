//! Without a mail server, the operator reads the code in the log.

use std::sync::{Arc, Mutex};

use consign_accounts::Purpose;
use consign_identity::mail;
use tracing::{Event, Level, Subscriber, field::Visit};
use tracing_subscriber::{Layer, Registry, layer::Context, prelude::*};

/// Keeps the level and message of each event.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<(Level, String)>>>);

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        struct Message(String);
        impl Visit for Message {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                assert_eq!(field.name(), "message");
                self.0 = format!("{value:?}");
            }
        }
        let mut message = Message(String::new());
        event.record(&mut message);
        self.0.lock().unwrap().push((*event.metadata().level(), message.0));
    }
}

#[tokio::test]
async fn a_code_is_one_warning_line_when_mail_is_not_configured() {
    let lines = Lines::default();
    let _guard = tracing::subscriber::set_default(Registry::default().with(lines.clone()));
    let mailer = mail::mailer(None).unwrap();
    mailer.send_code("ann@example.com", "123456", Purpose::Verify).await.unwrap();
    mailer.send_code("a\r\nb\u{1b}@x\u{2028}.org", "000001", Purpose::Reset).await.unwrap();
    let expected = [
        "mail is not configured; code for ann@example.com: 123456",
        "mail is not configured; code for ab@x.org: 000001",
    ];
    let expected = expected.map(|line| (Level::WARN, line.to_owned()));
    assert_eq!(*lines.0.lock().unwrap(), expected);
}
