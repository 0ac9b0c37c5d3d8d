//! TLS from a certificate chain and a key: anything wrong with either is an error, never a session in clear text.

use crate::config::Tls;
use crate::error::Error;
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// The acceptor of a certificate chain and its key.
pub(crate) fn acceptor(files: &Tls) -> Result<TlsAcceptor, Error> {
    let certificate = || Error::Tls {
        what: "certificate",
    };
    let key = || Error::Tls { what: "key" };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&files.certificate)
        .and_then(Iterator::collect)
        .map_err(|_| certificate())?;
    if chain.is_empty() {
        return Err(certificate());
    }
    let private = PrivateKeyDer::from_pem_file(&files.key).map_err(|_| key())?;
    let provider = Arc::new(ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| Error::Tls { what: "protocol" })?
        .with_no_client_auth()
        // also checks that the key belongs to the certificate
        .with_single_cert(chain, private)
        .map_err(|_| key())?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
