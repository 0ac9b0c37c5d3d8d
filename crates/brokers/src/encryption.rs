//! How a client comes in: certificates it believes in, and what it says of itself.

use std::sync::Arc;

use denym_engine::BrokerMistake;
use denym_engine::events::{Login, Mechanism, certificates};
use rskafka::client::{Credentials, SaslConfig};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::patience::Failure;

/// What a client needs to encrypt.
pub(crate) fn encryption(login: &Login) -> Result<Arc<ClientConfig>, Failure> {
    let refused = || Failure::Lasting(BrokerMistake::Certificate);
    let mut roots = RootCertStore::empty();
    match &login.authority {
        Some(path) => {
            for certificate in certificates(path).ok_or_else(refused)? {
                roots.add(certificate).map_err(|_| refused())?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| refused())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// What a Kafka client says of itself.
pub(crate) fn credentials(login: &Login) -> Option<SaslConfig> {
    let user = login.user.clone()?;
    let credentials = Credentials::new(user.name, user.password);
    Some(match login.mechanism {
        Mechanism::Plain => SaslConfig::Plain(credentials),
        Mechanism::ScramSha256 => SaslConfig::ScramSha256(credentials),
        Mechanism::ScramSha512 => SaslConfig::ScramSha512(credentials),
    })
}

/// Whether the text of a failed connection says that encryption failed; the kinds of these errors are not public.
pub(crate) fn no_trust(text: &str) -> bool {
    ["certificate", "corrupt message", "HandshakeFailure"]
        .iter()
        .any(|sign| text.contains(sign))
}
