//! `[broker]` of a policy: how to come in at brokers that do not take everybody.

use std::path::PathBuf;

use denym_data::events::Mechanism;

use crate::KeySource;
use crate::reader::Node;

/// How to come in at the brokers of a policy; the password is read when the stream starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerSpec {
    /// A name, and where its password is.
    pub user: Option<(String, KeySource)>,
    /// How a Kafka broker checks the password.
    pub mechanism: Mechanism,
    /// Whether connections are encrypted.
    pub tls: bool,
    /// Certificates to believe in; those of the system if none.
    pub authority: Option<PathBuf>,
}

/// What `[broker]` says.
pub(super) fn broker_section(node: &Node<'_, '_>) -> Option<BrokerSpec> {
    let keys = &[
        "user",
        "password-file",
        "password-env",
        "mechanism",
        "tls",
        "ca",
    ];
    let example = "{ user = \"denym\", password-file = \"broker.password\", tls = true }";
    let section = node.section(keys, example)?;
    let user = match section.get("user") {
        None => None,
        Some(node) => Some(node.string("denym")?.to_owned()),
    };
    let password = match (section.get("password-file"), section.get("password-env")) {
        (Some(file), None) => {
            let path = file.string("broker.password")?;
            Some(KeySource::File(PathBuf::from(path)))
        }
        (None, Some(name)) => {
            let name = name.string("DENYM_BROKER_PASSWORD")?;
            Some(KeySource::Environment(name.to_owned()))
        }
        (None, None) => None,
        (Some(_), Some(second)) => {
            second.mistake(
                "policy-broker",
                "the password is in a file or in the environment, not in both",
                "leave one of them out",
            );
            return None;
        }
    };
    if user.is_some() != password.is_some() {
        node.mistake(
            "policy-broker",
            "a login is a user and a password",
            format!("write for example `broker = {example}`"),
        );
        return None;
    }
    let mechanism = match section.get("mechanism") {
        None => Mechanism::default(),
        Some(node) => node.choice(&[
            ("plain", Mechanism::Plain),
            ("scram-sha-256", Mechanism::ScramSha256),
            ("scram-sha-512", Mechanism::ScramSha512),
        ])?,
    };
    let authority = match section.get("ca") {
        None => None,
        Some(node) => Some(PathBuf::from(node.string("ca.pem")?)),
    };
    let tls = match section.get("tls") {
        None => authority.is_some(),
        Some(node) => {
            let tls = node.boolean()?;
            if !tls && authority.is_some() {
                node.mistake(
                    "policy-broker",
                    "`ca` means nothing where `tls = false`",
                    "leave one of them out",
                );
                return None;
            }
            tls
        }
    };
    Some(BrokerSpec {
        user: user.zip(password),
        mechanism,
        tls,
        authority,
    })
}
