//! How a stream comes in at brokers that do not take everybody: the passwords that its policy names, read when it starts.

use std::path::Path;

use denym_engine::events::{Address, Login, Protocol, User, check_authority};

use crate::policy::Policy;
use crate::policy::stream::{BrokerSpec, StreamSpec};
use crate::pseudonyms::Environment;
use crate::{Error, secret};

/// What `policy` says about a stream, with the passwords read that its brokers ask for.
pub(super) fn with_logins(
    policy: &Policy,
    environment: Option<Environment>,
) -> Result<StreamSpec, Error> {
    let mut spec = super::spec(policy)?;
    if let Some(broker) = &spec.broker {
        let directory = policy.file.parent().unwrap_or(Path::new(""));
        let login = login(broker, directory, environment)?;
        for address in spec.addresses() {
            allow(address, &login)?;
            address.login = login.clone();
        }
    }
    Ok(spec)
}

/// The login, with the password read; paths are relative to `directory`.
fn login(
    spec: &BrokerSpec,
    directory: &Path,
    environment: Option<Environment>,
) -> Result<Login, Error> {
    let user = match &spec.user {
        None => None,
        Some((name, source)) => {
            let (bytes, place) = secret::read(source, directory, environment, "a password")?;
            let password = String::from_utf8(bytes).map_err(|_| Error::Argument {
                what: format!("the password in {place} is not text"),
                help: "write it in UTF-8".into(),
            })?;
            Some(User {
                name: name.clone(),
                password,
            })
        }
    };
    let login = Login {
        user,
        mechanism: spec.mechanism,
        tls: spec.tls,
        authority: spec.authority.as_ref().map(|file| directory.join(file)),
    };
    check_authority(&login)?;
    Ok(login)
}

/// A password that anybody on the way could read is not sent.
fn allow(address: &Address, login: &Login) -> Result<(), Error> {
    if login.bares_password(&address.servers, address.protocol == Protocol::Kafka) {
        return Err(Error::Argument {
            what: format!("the password would go to {address} unencrypted"),
            help: "add `tls = true` to `[broker]`, or with Kafka `mechanism = \"scram-sha-512\"`"
                .into(),
        });
    }
    Ok(())
}
