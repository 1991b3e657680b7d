//! What a mail with a code says.
//!
//! A mail is plain text and holds the code once, in a line of its own. It says what the code is for, how
//! long it is valid, and what to do if one did not ask for it. It has no link, so nobody learns to follow
//! one.

use consign_accounts::Purpose;
use lettre::{
    Address, Message,
    message::{
        Mailbox,
        header::{ContentType, HeaderName, HeaderValue},
    },
};

/// The mail, ready to be sent. `None` if `to` is not an address.
pub(super) fn compose(from: &Mailbox, to: &str, code: &str, purpose: Purpose) -> Option<Message> {
    let to: Address = to.parse().ok()?;
    // Asks programs that answer mails by themselves to leave this one alone.
    let automatic = HeaderValue::new(
        HeaderName::new_from_ascii_str("Auto-Submitted"),
        "auto-generated".to_owned(),
    );
    Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, to))
        .subject(subject(purpose))
        .message_id(None)
        .raw_header(automatic)
        .header(ContentType::TEXT_PLAIN)
        .body(text(code, purpose))
        .ok()
}

fn subject(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Verify => "Your Consign sign-up code",
        Purpose::Reset => "Your Consign password reset code",
    }
}

fn text(code: &str, purpose: Purpose) -> String {
    let (what, otherwise) = match purpose {
        Purpose::Verify => (
            "Use this code to confirm your email address and finish signing up for Consign:",
            "If you did not sign up, ignore this mail. Without the code the account cannot be used.",
        ),
        Purpose::Reset => (
            "Use this code to choose a new password for your Consign account:",
            "If you did not ask for it, ignore this mail. Your password has not changed.",
        ),
    };
    format!(
        "Hello,\n\n{what}\n\n    {code}\n\nThe code is valid for 15 minutes. Do not share it with \
         anyone: nobody from Consign will ask you for it.\n\n{otherwise}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(to: &str, purpose: Purpose) -> Option<String> {
        let from = "Consign <consign@example.com>".parse().unwrap();
        let mail = compose(&from, to, "123456", purpose)?;
        Some(String::from_utf8(mail.formatted()).unwrap())
    }

    #[test]
    fn a_mail_says_what_its_code_is_for_how_long_and_what_else_to_do() {
        for (purpose, about, otherwise) in [
            (Purpose::Verify, "confirm your email address", "If you did not sign up, ignore"),
            (Purpose::Reset, "choose a new password", "If you did not ask for it, ignore"),
        ] {
            let mail = mail("ann@example.com", purpose).unwrap();
            let (head, body) = mail.split_once("\r\n\r\n").unwrap();
            assert!(head.contains("To: ann@example.com"), "{head}");
            assert!(head.contains("Auto-Submitted: auto-generated"), "{head}");
            // The subject is shown on locked screens.
            assert!(!head.contains("123456"), "{head}");
            for part in [about, "    123456\r\n", "valid for 15 minutes", otherwise] {
                assert!(body.contains(part), "{part}: {body}");
            }
            assert!(body.is_ascii() && !body.contains("http"));
        }
    }

    #[test]
    fn what_is_not_an_address_gets_no_mail() {
        for to in ["", "ann", "a@b\r\nBcc: c@d", "a@b, c@d", "a b@c.d"] {
            assert!(mail(to, Purpose::Verify).is_none(), "{to:?}");
        }
    }
}
