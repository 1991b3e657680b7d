//! The mailer of a server that has no mail: it tells the operator the code.
//!
//! The line is a warning, so it is in the log of every server unless its operator turned that off. A code
//! in a log is a secret for 15 minutes: this is for one's own machine and for trying Consign out.

use async_trait::async_trait;
use consign_accounts::{MailError, Mailer, Purpose};

/// Writes each code into the log, in one line.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogMailer;

#[async_trait]
impl Mailer for LogMailer {
    async fn send_code(&self, to: &str, code: &str, _purpose: Purpose) -> Result<(), MailError> {
        // The code is in the message and not in a field: people and scripts look for this exact line.
        tracing::warn!("mail is not configured; code for {}: {code}", printable(to));
        Ok(())
    }
}

/// The address without anything that could begin a new line or reorder this one.
fn printable(address: &str) -> String {
    let hidden =
        |c: char| c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    address.chars().filter(|c| !hidden(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_cannot_break_its_line() {
        let check = |address: &str, expected: &str| assert_eq!(printable(address), expected);
        check("ann@example.com", "ann@example.com");
        check("a\r\n\u{1b}[31m@b\u{2028}\u{202e}\u{85}\0", "a[31m@b");
        check("größe@example.com", "größe@example.com");
    }
}
