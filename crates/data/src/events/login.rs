//! How to come in at a broker that does not take everybody: a name with a password, and an encrypted connection.
//!
//! A password goes over the network only encrypted, or in a form that does not reveal it (SCRAM); to a NATS server on this machine
//! itself also as it is.

use std::fmt;
use std::path::PathBuf;

/// How a Kafka broker checks passwords; NATS has one way of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mechanism {
    /// The password itself.
    Plain,
    /// SCRAM-SHA-256.
    ScramSha256,
    /// SCRAM-SHA-512.
    #[default]
    ScramSha512,
}

/// A name and its password; never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: String,
    /// The password.
    pub password: String,
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("User").finish_non_exhaustive()
    }
}

/// How to come in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Login {
    /// Who comes; nobody in particular if none.
    pub user: Option<User>,
    /// How a Kafka broker is to check the password.
    pub mechanism: Mechanism,
    /// Whether the connection is encrypted.
    pub tls: bool,
    /// Certificates to believe in, PEM; those of the system if none.
    pub authority: Option<PathBuf>,
}

impl Login {
    /// Whether the password could cross a network in a form that anybody on the way can read.
    ///
    /// A NATS client talks to the servers it was given, and to no other that these name. A Kafka broker tells which brokers
    /// have a partition, and the client goes there and logs in: even one on this machine may send it elsewhere.
    pub fn bares_password(&self, servers: &[String], is_kafka: bool) -> bool {
        let stays = if is_kafka {
            self.mechanism != Mechanism::Plain
        } else {
            servers.iter().all(|server| is_here(server))
        };
        self.user.is_some() && !self.tls && !stays
    }
}

/// Whether a server is this machine.
fn is_here(server: &str) -> bool {
    let host = server.rsplit_once(':').map_or(server, |(host, _)| host);
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_bare_on_a_network() {
        let user = || {
            Some(User {
                name: "denym".into(),
                password: "secret".into(),
            })
        };
        let far = ["broker.example:9092".to_owned()];
        let near = ["127.0.0.1:9092".to_owned(), "[::1]:9092".to_owned()];
        let mixed = [near[0].clone(), far[0].clone()];
        for (login, kafka, servers, bare) in [
            (Login::default(), true, &far[..], false),
            (
                Login {
                    user: user(),
                    ..Login::default()
                },
                true,
                &far,
                false,
            ),
            (
                Login {
                    user: user(),
                    ..Login::default()
                },
                false,
                &far,
                true,
            ),
            (
                Login {
                    user: user(),
                    ..Login::default()
                },
                false,
                &near,
                false,
            ),
            (
                Login {
                    user: user(),
                    ..Login::default()
                },
                false,
                &mixed,
                true,
            ),
            (
                Login {
                    user: user(),
                    tls: true,
                    ..Login::default()
                },
                false,
                &far,
                false,
            ),
            (
                Login {
                    user: user(),
                    mechanism: Mechanism::Plain,
                    ..Login::default()
                },
                true,
                &far,
                true,
            ),
            // A broker on this machine may name another one as the leader of a partition.
            (
                Login {
                    user: user(),
                    mechanism: Mechanism::Plain,
                    ..Login::default()
                },
                true,
                &near,
                true,
            ),
            (
                Login {
                    user: user(),
                    mechanism: Mechanism::Plain,
                    tls: true,
                    ..Login::default()
                },
                true,
                &near,
                false,
            ),
        ] {
            assert_eq!(
                login.bares_password(servers, kafka),
                bare,
                "{login:?} {servers:?}"
            );
        }
        assert!(!format!("{:?}", user()).contains("secret"));
    }
}
