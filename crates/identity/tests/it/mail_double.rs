//! A mail server for one connection. It speaks SMTP as far as a client needs it, and tells what it heard.

use std::{net::SocketAddr, sync::Arc};

use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    },
};

/// What the server offers and does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    Plain,
    StartTls,
    Implicit,
    RefusesLogin,
    RefusesRecipient,
    /// Takes the connection and never says anything.
    Silent,
    /// Hangs up after the greeting.
    HangsUp,
}

/// What one connection was.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// All commands. Those that came through TLS begin with `tls `.
    pub(crate) commands: Vec<String>,
    pub(crate) mail: String,
}

pub(crate) struct MailDouble {
    pub(crate) address: SocketAddr,
    /// What a client has to trust, as PEM.
    pub(crate) certificate: String,
    pub(crate) heard: JoinHandle<Heard>,
}

impl MailDouble {
    pub(crate) async fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let certificate = made.cert.pem();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let heard = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            serve(stream, &acceptor, manner).await
        });
        Self { address, certificate, heard }
    }
}

async fn serve(stream: TcpStream, acceptor: &TlsAcceptor, manner: Manner) -> Heard {
    let mut heard = Heard::default();
    let mut stream = BufReader::new(stream);
    match manner {
        Manner::Silent => std::future::pending().await,
        Manner::Implicit => {
            if let Ok(stream) = acceptor.accept(stream).await {
                let mut stream = BufReader::new(stream);
                say(&mut stream, "220 double").await;
                dialogue(&mut stream, manner, true, &mut heard).await;
            }
        }
        Manner::HangsUp => say(&mut stream, "220 double").await,
        Manner::Plain | Manner::StartTls | Manner::RefusesLogin | Manner::RefusesRecipient => {
            say(&mut stream, "220 double").await;
            if dialogue(&mut stream, manner, false, &mut heard).await == End::StartTls
                && let Ok(stream) = acceptor.accept(stream.into_inner()).await
            {
                dialogue(&mut BufReader::new(stream), manner, true, &mut heard).await;
            }
        }
    }
    heard
}

#[derive(PartialEq, Eq)]
enum End {
    Over,
    StartTls,
}

async fn dialogue<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut BufReader<S>,
    manner: Manner,
    is_tls: bool,
    heard: &mut Heard,
) -> End {
    loop {
        let mut line = String::new();
        if !stream.read_line(&mut line).await.is_ok_and(|read| read > 0) {
            return End::Over;
        }
        let line = line.trim_end();
        heard.commands.push(format!("{}{line}", if is_tls { "tls " } else { "" }));
        let verb = line.split(' ').next().unwrap_or_default();
        match verb {
            "EHLO" if manner == Manner::StartTls && !is_tls => {
                say(stream, "250-double\r\n250 STARTTLS").await;
            }
            "EHLO" => say(stream, "250-double\r\n250-8BITMIME\r\n250 AUTH PLAIN LOGIN").await,
            "STARTTLS" => {
                say(stream, "220 go on").await;
                return End::StartTls;
            }
            "AUTH" if manner == Manner::RefusesLogin => {
                say(stream, &format!("535 not with {line}")).await;
            }
            "AUTH" => say(stream, "235 welcome").await,
            "RCPT" if manner == Manner::RefusesRecipient => say(stream, "550 no such user").await,
            "DATA" => {
                say(stream, "354 go on").await;
                let mut line = String::new();
                while stream.read_line(&mut line).await.unwrap() > 0 && line != ".\r\n" {
                    heard.mail.push_str(&std::mem::take(&mut line));
                }
                say(stream, "250 taken").await;
            }
            "QUIT" => {
                say(stream, "221 bye").await;
                return End::Over;
            }
            _ => say(stream, "250 ok").await,
        }
    }
}

async fn say<S: AsyncWrite + Unpin>(stream: &mut S, line: &str) {
    // The client may be gone; then nobody hears it.
    let _ = stream.write_all(format!("{line}\r\n").as_bytes()).await;
    let _ = stream.flush().await;
}
