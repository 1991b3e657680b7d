//! Connections that are encrypted.

use std::{fs, sync::Arc};

use consign_server::{Options, Tls, Wire};
use rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName};
use serde_json::json;
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tokio_rustls::TlsConnector;

use crate::account_world::{AccountWorld, PASSWORD};

#[tokio::test]
async fn a_session_over_tls_has_a_secure_cookie() {
    let folder = TempDir::new().unwrap();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    fs::write(&certificate, made.cert.pem()).unwrap();
    fs::write(&key, made.signing_key.serialize_pem()).unwrap();
    assert!(Tls::load(&key, &certificate).is_err(), "one for the other");
    let tls = Some(Tls::load(&certificate, &key).unwrap());
    let wire = Wire { tls, ..Wire::default() };
    let world = AccountWorld::with(Options::default(), wire, false, None).await;
    world
        .accounts
        .add_user("anna@example.com", PASSWORD, consign_accounts::Role::Member)
        .await
        .unwrap();

    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(world.world.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = TlsConnector::from(Arc::new(config)).connect(name, stream).await.unwrap();
    let body = json!({"email": "anna@example.com", "password": PASSWORD}).to_string();
    let head = format!(
        "POST /auth/login HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let cookie = answer.lines().find(|line| line.starts_with("set-cookie")).unwrap();
    assert!(
        cookie.contains("__Host-consign_session=cs_") && cookie.contains("; Secure"),
        "{cookie}"
    );

    // What is not encrypted gets nothing.
    let mut plain = TcpStream::connect(world.world.address).await.unwrap();
    plain.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP/1.1 200"));
}
