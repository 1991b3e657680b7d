//! Mails on their way: whoever asks for a code does not wait for the mail server.
//!
//! An account that exists gets a mail and another does not. If the answer came after the mail, the time
//! would tell them apart. So a mail is handed over at once and sent by a task of its own; what fails is
//! said in the log, and the user asks for another code. Mails that are not sent when the process ends are
//! lost.

use std::sync::Arc;

use async_trait::async_trait;
use consign_accounts::{MailError, Mailer, Purpose, Secret};
use tokio::{runtime::Handle, sync::Semaphore};

use super::SmtpMailer;

/// How many mails may be on their way. Each is a connection to the mail server.
const MOST: usize = 32;

/// Sends codes through a mail server, later than it says.
#[derive(Debug)]
pub struct Outbox {
    mailer: Arc<SmtpMailer>,
    places: Arc<Semaphore>,
}

impl Outbox {
    #[must_use]
    pub fn new(mailer: SmtpMailer) -> Self {
        Self { mailer: Arc::new(mailer), places: Arc::new(Semaphore::new(MOST)) }
    }
}

#[async_trait]
impl Mailer for Outbox {
    async fn send_code(&self, to: &str, code: &str, purpose: Purpose) -> Result<(), MailError> {
        let failed = |why: &str| MailError(why.to_owned());
        let runtime =
            Handle::try_current().map_err(|_| failed("nothing runs that could send it"))?;
        let place = self.places.clone().try_acquire_owned();
        let place = place.map_err(|_| failed("too many mails are on their way"))?;
        let (mailer, to, code) = (self.mailer.clone(), to.to_owned(), Secret::new(code));
        runtime.spawn(async move {
            let _place = place;
            if let Err(error) = mailer.send_code(&to, code.reveal(), purpose).await {
                tracing::warn!(purpose = purpose.as_str(), %error, "a code could not be mailed");
            }
        });
        Ok(())
    }
}
