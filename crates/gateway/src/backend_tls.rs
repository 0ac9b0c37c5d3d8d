//! How the connection to a PostgreSQL server is protected: by a socket of this machine, by TLS with a checked certificate, or not at all
//! where the steward says so in words.
//!
//! # Guarantee
//! A connection that is to be encrypted is encrypted and its server's certificate and name are checked, or there is none. One that leaves
//! this machine in clear text is never made by leaving something out.

use crate::config::Protection;
use crate::error::Error;
use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Makes encrypted connections; without an authority the connection's mode must be `disable`, and it makes none.
#[derive(Clone)]
pub(crate) struct Protect {
    client: Option<Arc<ClientConfig>>,
}

impl Protect {
    /// Settles how a server is reached: changes the mode of `config` to what is done, or refuses.
    pub(crate) fn settle(config: &mut Config, protection: &Protection) -> Result<Self, Error> {
        let refused = |what, help| Err(Error::Backend { what, help });
        let asked = config.get_ssl_mode();
        let stays = stays_here(config);
        if let Protection::Authority(path) = protection {
            if asked == SslMode::Disable {
                return refused(
                    "sslmode=disable contradicts the certificate authority",
                    "leave one of them out",
                );
            }
            if config
                .get_hosts()
                .iter()
                .any(|host| matches!(host, Host::Unix(_)))
            {
                return refused(
                    "a socket of this machine is not encrypted",
                    "name the server's host, or leave the certificate authority out",
                );
            }
            config.ssl_mode(SslMode::Require);
            return Ok(Self {
                client: Some(client(path)?),
            });
        }
        if asked == SslMode::Require {
            return refused(
                "sslmode=require, and no certificate authority is given",
                "give the authority's certificate with --postgres-ca: a server that is not checked can be anyone's",
            );
        }
        if !stays && *protection != Protection::ClearText {
            return refused(
                "answers would cross the network in clear text",
                "give --postgres-ca and sslmode=require; or, through an encrypted tunnel, --postgres-clear-text",
            );
        }
        config.ssl_mode(SslMode::Disable);
        Ok(Self { client: None })
    }
}

/// Whether every server of a connection string is this machine.
fn stays_here(config: &Config) -> bool {
    let addresses = config.get_hostaddrs();
    if !addresses.is_empty() {
        return addresses.iter().all(IpAddr::is_loopback);
    }
    config.get_hosts().iter().all(|host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
        }
    })
}

fn client(authority: &Path) -> Result<Arc<ClientConfig>, Error> {
    let unusable = || Error::Tls {
        what: "certificate authority of the PostgreSQL server",
    };
    let mut roots = RootCertStore::empty();
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(authority)
        .and_then(Iterator::collect)
        .map_err(|_| unusable())?;
    for certificate in certificates {
        roots.add(certificate).map_err(|_| unusable())?;
    }
    if roots.is_empty() {
        return Err(unusable());
    }
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|_| unusable())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

type Wrapped<S> = tokio_rustls::client::TlsStream<S>;

impl<S> MakeTlsConnect<S> for Protect
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type TlsConnect = Named;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> Result<Named, io::Error> {
        Ok(Named {
            client: self.client.clone(),
            name: domain.to_owned(),
        })
    }
}

/// The same for a server of that name.
pub(crate) struct Named {
    client: Option<Arc<ClientConfig>>,
    name: String,
}

impl<S> TlsConnect<S> for Named
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let client = self.client.ok_or(io::ErrorKind::Unsupported)?;
            let name = ServerName::try_from(self.name).map_err(|_| io::ErrorKind::InvalidInput)?;
            let stream = TlsConnector::from(client).connect(name, stream).await?;
            Ok(Encrypted(stream))
        })
    }
}

/// An encrypted connection.
pub(crate) struct Encrypted<S>(Wrapped<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, into)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        from: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, from)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(connection: &str, protection: &Protection) -> Result<SslMode, &'static str> {
        let mut config: Config = connection.parse().expect(connection);
        match Protect::settle(&mut config, protection) {
            Ok(_) => Ok(config.get_ssl_mode()),
            Err(error) => Err(error.code()),
        }
    }

    #[test]
    fn nothing_crosses_the_network_unprotected_by_omission() {
        let plain = Protection::Local;
        for connection in [
            "host=/run/postgresql user=a",
            "host=localhost user=a",
            "host=127.0.0.1,::1 user=a sslmode=prefer",
            "host=db.example hostaddr=127.0.0.1 user=a",
            "user=a",
        ] {
            assert_eq!(
                settled(connection, &plain),
                Ok(SslMode::Disable),
                "{connection}"
            );
        }
        for connection in [
            "host=db.example user=a",
            "host=10.0.0.3 user=a sslmode=prefer",
            "host=10.0.0.3 user=a sslmode=disable",
            "host=localhost,db.example user=a",
            "host=localhost hostaddr=10.0.0.3 user=a",
            "postgresql://a@db.example/x",
            "host=db.example user=a sslmode=require",
            "host=localhost user=a sslmode=require",
        ] {
            assert_eq!(
                settled(connection, &plain),
                Err("backend-unprotected"),
                "{connection}"
            );
        }
        let open = Protection::ClearText;
        assert_eq!(
            settled("host=db.example user=a", &open),
            Ok(SslMode::Disable)
        );
        assert_eq!(
            settled("host=db.example user=a sslmode=require", &open),
            Err("backend-unprotected")
        );
        let authority = Protection::Authority("no-such-file.pem".into());
        for connection in [
            "host=db.example user=a sslmode=disable",
            "host=/run/postgresql user=a",
        ] {
            assert_eq!(
                settled(connection, &authority),
                Err("backend-unprotected"),
                "{connection}"
            );
        }
        assert_eq!(
            settled("host=db.example user=a sslmode=require", &authority),
            Err("tls-unusable")
        );
    }
}
