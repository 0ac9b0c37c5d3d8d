//! Where events come from and windows go to: a broker's address, or a file.

use std::fmt;

use super::login::Login;

/// Which protocol a broker speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// NATS JetStream.
    Nats,
    /// Kafka, or anything that speaks its protocol.
    Kafka,
}

/// `nats://host:port/STREAM?subject=a.b` or `kafka://host:port,host:port/topic`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Which protocol.
    pub protocol: Protocol,
    /// Servers to ask first, as `host:port`.
    pub servers: Vec<String>,
    /// The JetStream stream, or the Kafka topic.
    pub name: String,
    /// The NATS subject: which messages to read, or the beginning of the subjects to write to.
    pub subject: Option<String>,
    /// How to come in; never written out.
    pub login: Login,
}

/// What is wrong with an address, and what to do about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressMistake {
    /// What is wrong.
    pub what: &'static str,
    /// What to do about it.
    pub help: &'static str,
}

impl Address {
    /// Whether a text is meant as an address rather than as a path.
    pub fn is_meant(text: &str) -> bool {
        text.contains("://")
    }

    /// Reads an address.
    pub fn parse(text: &str) -> Result<Self, AddressMistake> {
        let mistake = |what, help| Err(AddressMistake { what, help });
        let (protocol, rest) = match text.split_once("://") {
            Some(("nats", rest)) => (Protocol::Nats, rest),
            Some(("kafka", rest)) => (Protocol::Kafka, rest),
            _ => {
                return mistake(
                    "an address begins with `nats://` or `kafka://`",
                    "write for example `nats://localhost:4222/EVENTS` or `kafka://localhost:9092/events`",
                );
            }
        };
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let Some((hosts, name)) = rest.split_once('/') else {
            return mistake(
                "the address names no stream or topic",
                "add `/NAME` after the port",
            );
        };
        if hosts.contains('@') {
            return mistake(
                "an address must not hold a password",
                "write `[broker]` with `user` and `password-file` in the policy",
            );
        }
        let default = match protocol {
            Protocol::Nats => 4222,
            Protocol::Kafka => 9092,
        };
        let mut servers = Vec::new();
        for server in hosts.split(',') {
            let (host, port) = match server.rsplit_once(':') {
                Some((host, port)) => (host, port.parse::<u16>().ok()),
                None => (server, Some(default)),
            };
            let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-_[]:".contains(letter);
            match port {
                Some(port) if !host.is_empty() && host.chars().all(plain) => {
                    servers.push(format!("{host}:{port}"));
                }
                _ => {
                    return mistake(
                        "the server is not `host:port`",
                        "write for example `localhost:4222`",
                    );
                }
            }
        }
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        let named = !name.is_empty() && name.len() <= 200 && name.chars().all(plain);
        if !named || (protocol == Protocol::Nats && name.contains('.')) {
            return mistake(
                "the name of the stream or topic has a letter that it cannot have",
                "use letters, digits, `-` and `_`; a topic may have `.` as well",
            );
        }
        let subject = match query.map(|query| query.split_once('=')) {
            None => None,
            Some(Some(("subject", subject)))
                if protocol == Protocol::Nats && is_subject(subject) =>
            {
                Some(subject.to_owned())
            }
            Some(Some(("subject", _))) if protocol == Protocol::Nats => {
                return mistake(
                    "the subject is not one of NATS",
                    "write words with dots between them, such as `gates.north`",
                );
            }
            _ => {
                return mistake(
                    "the part after `?` is not known",
                    "write `?subject=NAME` after a NATS stream, nothing after a Kafka topic",
                );
            }
        };
        Ok(Self {
            protocol,
            servers,
            name: name.to_owned(),
            subject,
            login: Login::default(),
        })
    }
}

fn is_subject(text: &str) -> bool {
    let word = |word: &str| {
        let plain = |l: char| !l.is_whitespace() && !l.is_control() && !"*>".contains(l);
        word == "*" || word == ">" || (!word.is_empty() && word.chars().all(plain))
    };
    !text.is_empty() && text.split('.').all(word)
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.protocol {
            Protocol::Nats => "nats",
            Protocol::Kafka => "kafka",
        };
        write!(f, "{scheme}://{}/{}", self.servers.join(","), self.name)?;
        match &self.subject {
            Some(subject) => write!(f, "?subject={subject}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (text, whole) in [
            ("nats://localhost/GATES", "nats://localhost:4222/GATES"),
            (
                "nats://a:1,b:2/GATES?subject=north.*.>",
                "nats://a:1,b:2/GATES?subject=north.*.>",
            ),
            (
                "kafka://10.0.0.1/gates.v1",
                "kafka://10.0.0.1:9092/gates.v1",
            ),
            ("kafka://[::1]:9/g", "kafka://[::1]:9/g"),
        ] {
            let address = Address::parse(text).expect("an address");
            assert_eq!(address.to_string(), whole);
            assert_eq!(Address::parse(whole), Ok(address));
        }
    }

    #[test]
    fn every_mistake_has_words() {
        for (text, part) in [
            ("amqp://localhost/x", "begins with"),
            ("nats://localhost:4222", "names no stream"),
            ("nats://me:secret@localhost/x", "password"),
            ("nats://localhost:99999/x", "host:port"),
            ("nats:///x", "host:port"),
            ("kafka://a,/x", "host:port"),
            ("nats://localhost/a.b", "letter"),
            ("kafka://localhost/", "letter"),
            ("nats://localhost/x?subject=", "subject"),
            ("nats://localhost/x?subject=a..b", "subject"),
            ("kafka://localhost/x?subject=a", "after `?`"),
            ("nats://localhost/x?queue=a", "after `?`"),
        ] {
            let mistake = Address::parse(text).expect_err(text);
            assert!(mistake.what.contains(part), "{text}: {}", mistake.what);
        }
    }
}
