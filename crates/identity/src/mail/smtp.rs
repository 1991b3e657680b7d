//! Mails over SMTP, one connection for each.
//!
//! A code is worth nothing after 15 minutes, and whoever waits for it asks again: nothing is queued and
//! nothing is tried twice. The server is the operator's own choice, so an address of this machine or of a
//! private network is as good as any.

use std::{error::Error as _, fmt, time::Duration};

use consign_accounts::{MailError, Purpose};
use lettre::{
    AsyncSmtpTransport, AsyncTransport, Tokio1Executor,
    message::Mailbox,
    transport::smtp::{
        Error,
        authentication::Credentials,
        client::{Certificate, Tls, TlsParameters},
    },
};

use super::{
    letter,
    settings::{Problem, Security, Server, Settings, sender},
};

/// How long a connection may take to come about.
const CONNECTING: Duration = Duration::from_secs(10);
/// How long sending a mail may take in all. Somebody waits for the code meanwhile.
const SENDING: Duration = Duration::from_secs(20);

/// Sends codes through a mail server.
pub struct SmtpMailer {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    /// Host and port, for errors.
    place: String,
    sending: Duration,
}

impl SmtpMailer {
    /// A mailer for these settings, which trusts the certificates that this system trusts. Nothing is
    /// connected yet.
    pub fn new(settings: &Settings) -> Result<Self, Problem> {
        Self::trusting(settings, &[])
    }

    /// A mailer that also trusts these certificates (PEM), for a server with a certificate of its own.
    pub fn trusting(settings: &Settings, certificates: &[&[u8]]) -> Result<Self, Problem> {
        let from = sender(&settings.from)?;
        let server = Server::read(settings.url.reveal())?;
        let tls = match server.security {
            Security::Implicit => Tls::Wrapper(parameters(&server.host, certificates)?),
            Security::StartTls => Tls::Required(parameters(&server.host, certificates)?),
            Security::Plain => Tls::None,
        };
        let place = format!("{}:{}", server.host, server.port);
        let mut transport = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(server.host)
            .port(server.port)
            .tls(tls)
            .timeout(Some(CONNECTING));
        if let Some((user, password)) = server.login {
            let password = password.reveal().to_owned();
            transport = transport.credentials(Credentials::new(user, password));
        }
        Ok(Self { transport: transport.build(), from, place, sending: SENDING })
    }

    /// The same mailer with another limit of time for a whole mail.
    #[must_use]
    pub fn within(self, sending: Duration) -> Self {
        Self { sending, ..self }
    }

    /// Sends a code, and waits until the mail server has taken it.
    ///
    /// The time that it takes says that there was something to send. Where a stranger asks, put an
    /// [`Outbox`](super::Outbox) in between.
    pub async fn send_code(&self, to: &str, code: &str, purpose: Purpose) -> Result<(), MailError> {
        let mail = letter::compose(&self.from, to, code, purpose).ok_or_else(|| {
            self.failed("the recipient is not an address that mail can be sent to")
        })?;
        match tokio::time::timeout(self.sending, self.transport.send(mail)).await {
            Ok(Ok(_accepted)) => Ok(()),
            Ok(Err(error)) => Err(self.failed(&reasons(&error))),
            Err(_elapsed) => Err(self.failed("it took too long")),
        }
    }

    fn failed(&self, why: &str) -> MailError {
        MailError(format!("{}: {why}", self.place))
    }
}

fn parameters(host: &str, certificates: &[&[u8]]) -> Result<TlsParameters, Problem> {
    let tls = |error: Error| Problem::Tls(reasons(&error));
    let mut builder = TlsParameters::builder(host.to_owned());
    for pem in certificates {
        builder = builder.add_root_certificate(Certificate::from_pem(pem).map_err(tls)?);
    }
    builder.build_rustls().map_err(tls)
}

impl fmt::Debug for SmtpMailer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmtpMailer").field("place", &self.place).finish_non_exhaustive()
    }
}

/// What went wrong, in one line. Of what the server says only its status: its words may repeat the mail.
fn reasons(error: &Error) -> String {
    if let Some(status) = error.status() {
        return format!("the mail server refused with status {status}");
    }
    let what = match error {
        _ if error.is_timeout() => return "it took too long".to_owned(),
        _ if error.is_tls() => "TLS failed",
        _ if error.is_response() => "the mail server's answer could not be read",
        _ if error.is_client() => "the mail server does not offer what is needed",
        _ => "the connection failed",
    };
    let words = match error.source() {
        Some(cause) => format!("{what}: {cause}"),
        None => what.to_owned(),
    };
    words.chars().filter(|c| !c.is_control()).take(300).collect()
}
