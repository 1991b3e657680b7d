//! Encryption of connections, with a certificate and a key from files.
//!
//! [`Tls::load`] reads both once, at the start of the server. A new certificate needs a restart. Neither is printed.

use std::{fmt, path::Path, sync::Arc};

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio_rustls::TlsAcceptor;

/// A certificate with its key.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

/// Why connections cannot be encrypted.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("the certificate {path}: {cause}")]
    Certificate { path: String, cause: String },
    #[error("the key {path}: {cause}")]
    Key { path: String, cause: String },
    #[error("certificate and key do not go together: {0}")]
    Together(rustls::Error),
}

impl Tls {
    /// Reads a chain of certificates and its private key, both as PEM.
    pub fn load(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let path = certificate.display().to_string();
        let chain = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|cause| TlsError::Certificate {
                path: path.clone(),
                cause: cause.to_string(),
            })?;
        if chain.is_empty() {
            let cause = "there is none in the file".to_owned();
            return Err(TlsError::Certificate { path, cause });
        }
        let key = PrivateKeyDer::from_pem_file(key).map_err(|cause| TlsError::Key {
            path: key.display().to_string(),
            cause: cause.to_string(),
        })?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(TlsError::Together)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(TlsError::Together)?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(config))))
    }

    pub(super) fn acceptor(&self) -> &TlsAcceptor {
        &self.0
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls(***)")
    }
}
