//! The mails that carry a code: over SMTP, or into the log of a server that has no SMTP.
//!
//! [`mailer`] takes what the operator set and gives the one or the other.

mod letter;
mod log;
mod outbox;
mod settings;
mod smtp;

use std::sync::Arc;

use consign_accounts::Mailer;

pub use log::LogMailer;
pub use outbox::Outbox;
pub use settings::{Problem, Settings};
pub use smtp::SmtpMailer;

/// The mailer for these settings; without any, codes go to the log.
pub fn mailer(settings: Option<&Settings>) -> Result<Arc<dyn Mailer>, Problem> {
    Ok(match settings {
        Some(settings) => Arc::new(Outbox::new(SmtpMailer::new(settings)?)),
        None => Arc::new(LogMailer),
    })
}
