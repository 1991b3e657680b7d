//! Providers as everybody reaches them: over TLS, with a certificate that somebody vouches for, and by
//! way of a proxy where the environment names one.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, copy_bidirectional},
    net::{TcpListener, TcpStream},
    runtime::Builder,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer},
    },
};

use crate::{
    home::Home,
    models::Double,
    support::{Consign, Folder, text},
};

/// The double behind TLS, and whoever vouches for it.
struct Provider {
    double: Double,
    at: SocketAddr,
    folder: Folder,
    authority: String,
}

impl Provider {
    /// With a certificate for this name.
    fn named(name: &str) -> Self {
        let mut authority = CertificateParams::default();
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority =
            CertifiedIssuer::self_signed(authority, KeyPair::generate().expect("a key"))
                .expect("an authority");
        let key = KeyPair::generate().expect("a key");
        let certificate = CertificateParams::new([name.to_owned()]).expect("a name");
        let certificate = certificate.signed_by(&key, &authority).expect("a certificate");
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a server");
        let double = Double::start(None);
        let behind = double.url.strip_prefix("http://").expect("it is plain").to_owned();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let at = serve(move |stream| {
            let (acceptor, behind) = (acceptor.clone(), behind.clone());
            async move {
                let mut inside = acceptor.accept(stream).await?;
                let mut double = TcpStream::connect(behind).await?;
                copy_bidirectional(&mut inside, &mut double).await.map(drop)
            }
        });
        let (folder, authority) = (Folder::new(), authority.pem());
        Self { double, at, folder, authority }
    }

    /// Asks it for something, as it is called here.
    fn asked(&self, home: &Home, more: &[&str]) -> Consign {
        let url = format!("https://localhost:{}/openai/v1", self.at.port());
        let args = ["models", "test", "openai/gpt-5-mini", "--base-url", &url, "--json"];
        let args = [&args[..], more].concat();
        home.consign(&args).env("OPENAI_API_KEY", "sk-over-tls-0123456789")
    }

    fn vouched(&self, home: &Home, more: &[&str]) -> Consign {
        let authority = self.folder.file("authority.pem", &self.authority);
        self.asked(home, more).env("SSL_CERT_FILE", authority)
    }
}

/// Lets everybody in who comes to a new port, until the tests are over.
fn serve<F>(mut meet: impl FnMut(TcpStream) -> F + Send + 'static) -> SocketAddr
where
    F: Future<Output = std::io::Result<()>> + 'static,
{
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a listener");
    let at = listener.local_addr().expect("a port");
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let guests = tokio::task::LocalSet::new();
        guests.block_on(&runtime, async move {
            let listener = TcpListener::from_std(listener).expect("a listener");
            while let Ok((stream, _)) = listener.accept().await {
                tokio::task::spawn_local(meet(stream));
            }
        });
    });
    at
}

/// A proxy that passes on whatever it is asked to, and counts.
fn proxy() -> (String, Arc<AtomicUsize>) {
    let passed = Arc::new(AtomicUsize::new(0));
    let count = passed.clone();
    let at = serve(move |stream| tunnel(stream, count.clone()));
    (format!("http://{at}"), passed)
}

async fn tunnel(stream: TcpStream, count: Arc<AtomicUsize>) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut first = String::new();
    stream.read_line(&mut first).await?;
    let mut line = first.clone();
    while !line.trim().is_empty() {
        line.clear();
        stream.read_line(&mut line).await?;
    }
    let place = first.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next());
    let mut there = TcpStream::connect(place.unwrap_or_default()).await?;
    count.fetch_add(1, Ordering::SeqCst);
    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
    copy_bidirectional(&mut stream, &mut there).await.map(drop)
}

#[test]
fn a_provider_is_reached_over_tls() {
    let (home, provider) = (Home::new(), Provider::named("localhost"));
    for more in [&[][..], &["--stream"]] {
        let told = provider.vouched(&home, more).run().exits(0).json();
        assert!(!text(&told, "text").is_empty());
    }
    assert_eq!(provider.double.seen().len(), 2);
}

#[test]
fn nothing_is_sent_to_whom_nobody_vouches_for() {
    let home = Home::new();
    let stranger = Provider::named("localhost");
    let told = stranger.asked(&home, &[]).run().fails(1, "AI_NETWORK_ERROR");
    told.telling("certificate");
    let other = Provider::named("somebody-else.example");
    let told = other.vouched(&home, &[]).run().fails(1, "AI_NETWORK_ERROR");
    told.telling("certificate");
    assert!(stranger.double.seen().is_empty() && other.double.seen().is_empty());
}

#[test]
fn a_proxy_that_the_environment_names_is_used_for_tls_alone() {
    let (home, provider) = (Home::new(), Provider::named("localhost"));
    let (proxy, passed) = proxy();
    let through = |consign: Consign| {
        let names = ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy", "ALL_PROXY"];
        names.iter().fold(consign, |consign, name| consign.env(name, &proxy)).env("NO_PROXY", "")
    };
    through(provider.vouched(&home, &[])).run().exits(0);
    assert_eq!((passed.load(Ordering::SeqCst), provider.double.seen().len()), (1, 1));
    let plain = format!("{}/openai/v1", provider.double.url);
    let args = ["models", "test", "openai/gpt-5-mini", "--base-url", &plain, "--json"];
    let consign = home.consign(&args).env("OPENAI_API_KEY", "sk-in-the-clear-0123456789");
    through(consign).run().exits(0);
    assert_eq!((passed.load(Ordering::SeqCst), provider.double.seen().len()), (1, 2));
}
