//! SCRAM-SHA-256 on the server's side, with salted verifiers: the file of users is of no use to log in with.
//!
//! # Idea
//! The server keeps, per user, a salt, an iteration count, `StoredKey` and `ServerKey`. The client proves that it knows the password
//! without sending it; the server proves that it knows the verifier. An unknown user gets a made-up salt that stays the same, so
//! that nobody can ask which users exist.
//!
//! # Guarantee
//! A stolen verifier does not let anyone log in (unlike the salted password itself, which pgwire's own handler stores).
//! Each exchange is a value; nothing is shared between connections.
//!
//! # Reference
//! RFC 5802 and RFC 7677; the verifier is written as PostgreSQL writes it.
//!
//! # Departures
//! Channel binding is not offered. Passwords are used as their UTF-8 bytes, without `SASLprep` (the same for ASCII).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// Iterations of new verifiers, as PostgreSQL has them.
pub const ITERATIONS: u32 = 4096;

type Bytes = [u8; 32];

/// What a verifier looks like to whoever begins an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// Iterations.
    pub iterations: u32,
    /// Bytes of the salt.
    pub salt: usize,
}

/// What the server keeps of a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Verifier {
    iterations: u32,
    salt: Vec<u8>,
    stored_key: Bytes,
    server_key: Bytes,
}

impl std::fmt::Debug for Verifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Verifier(..)")
    }
}

impl Verifier {
    /// From a password and a salt from the operating system's random source.
    pub fn new(password: &str, salt: &[u8], iterations: u32) -> Self {
        let salted = salted_password(password, salt, iterations);
        let client_key = hmac(&salted, b"Client Key");
        Self {
            iterations,
            salt: salt.to_vec(),
            stored_key: Sha256::digest(client_key).into(),
            server_key: hmac(&salted, b"Server Key"),
        }
    }

    /// A verifier nobody can fulfil, for a user who does not exist: its salt depends on the name and the server's secret only. It looks like
    /// one of `shapes`, those of the real ones, else like a new one.
    pub fn decoy(name: &str, secret: &[u8], shapes: &BTreeSet<Shape>) -> Self {
        // each name draws among the shapes by itself, so that one that comes or goes changes no other name's
        let shape = shapes.iter().copied().max_by_key(|shape| {
            let drawn = format!("{}:{}:{name}", shape.iterations, shape.salt);
            hmac(secret, drawn.as_bytes())
        });
        let shape = shape.unwrap_or(Shape {
            iterations: ITERATIONS,
            salt: 16,
        });
        let mut salt = Vec::new();
        let mut block = hmac(secret, name.as_bytes());
        while salt.len() < shape.salt {
            salt.extend_from_slice(&block[..(shape.salt - salt.len()).min(16)]);
            block = hmac(secret, &block);
        }
        Self {
            iterations: shape.iterations,
            salt,
            stored_key: hmac(secret, b"no client has this key"),
            server_key: hmac(secret, b"no server shows this key"),
        }
    }

    /// What everybody who asks sees of it.
    pub fn shape(&self) -> Shape {
        Shape {
            iterations: self.iterations,
            salt: self.salt.len(),
        }
    }

    /// `SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey`.
    pub fn to_text(&self) -> String {
        format!(
            "SCRAM-SHA-256${}:{}${}:{}",
            self.iterations,
            STANDARD.encode(&self.salt),
            STANDARD.encode(self.stored_key),
            STANDARD.encode(self.server_key)
        )
    }

    /// Reads what [`to_text`](Self::to_text) writes.
    pub fn from_text(text: &str) -> Option<Self> {
        let rest = text.strip_prefix("SCRAM-SHA-256$")?;
        let (head, keys) = rest.split_once('$')?;
        let (iterations, salt) = head.split_once(':')?;
        let (stored, server) = keys.split_once(':')?;
        let key = |text: &str| STANDARD.decode(text).ok()?.try_into().ok();
        Some(Self {
            iterations: iterations.parse().ok().filter(|count| *count >= 1)?,
            salt: STANDARD.decode(salt).ok()?,
            stored_key: key(stored)?,
            server_key: key(server)?,
        })
    }
}

/// An exchange after the client's first message.
pub struct Exchange {
    verifier: Verifier,
    client_first_bare: String,
    header: String,
    server_first: String,
    nonce: String,
}

impl Exchange {
    /// Answers the client's first message; `None` when it is no such message. `nonce` comes from the operating system's random source.
    pub fn start(verifier: Verifier, client_first: &[u8], nonce: &str) -> Option<Self> {
        let text = std::str::from_utf8(client_first).ok()?;
        // gs2 header: no channel binding ("n" or "y"), optional authorization identity
        let mut parts = text.splitn(3, ',');
        let (flag, identity, bare) = (parts.next()?, parts.next()?, parts.next()?);
        if !matches!(flag, "n" | "y") || !(identity.is_empty() || identity.starts_with("a=")) {
            return None;
        }
        let client_nonce = bare.split(',').find_map(|part| part.strip_prefix("r="))?;
        if client_nonce.is_empty() || bare.starts_with("m=") {
            return None;
        }
        let nonce = format!("{client_nonce}{nonce}");
        let server_first = format!(
            "r={nonce},s={},i={}",
            STANDARD.encode(&verifier.salt),
            verifier.iterations
        );
        Some(Self {
            verifier,
            client_first_bare: bare.to_owned(),
            header: format!("{flag},{identity},"),
            server_first,
            nonce,
        })
    }

    /// The server's first message.
    pub fn server_first(&self) -> &str {
        &self.server_first
    }

    /// Checks the client's proof; the server's final message if it is right.
    pub fn finish(&self, client_final: &[u8]) -> Option<String> {
        let text = std::str::from_utf8(client_final).ok()?;
        let (without_proof, proof) = text.rsplit_once(",p=")?;
        let expected = format!("c={},r={}", STANDARD.encode(&self.header), self.nonce);
        if without_proof != expected {
            return None;
        }
        let proof: Bytes = STANDARD.decode(proof).ok()?.try_into().ok()?;
        let message = format!(
            "{},{},{without_proof}",
            self.client_first_bare, self.server_first
        );
        let signature = hmac(&self.verifier.stored_key, message.as_bytes());
        let mut client_key = proof;
        for (a, b) in client_key.iter_mut().zip(signature) {
            *a ^= b;
        }
        let found: Bytes = Sha256::digest(client_key).into();
        if !equal(&found, &self.verifier.stored_key) {
            return None;
        }
        let answer = hmac(&self.verifier.server_key, message.as_bytes());
        Some(format!("v={}", STANDARD.encode(answer)))
    }
}

fn hmac(key: &[u8], message: &[u8]) -> Bytes {
    // HMAC takes keys of any length, so this never fails
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return [0; 32];
    };
    mac.update(message);
    mac.finalize().into_bytes().into()
}

/// `Hi()` of RFC 5802: PBKDF2 with one block.
fn salted_password(password: &str, salt: &[u8], iterations: u32) -> Bytes {
    let mut message = salt.to_vec();
    message.extend(1u32.to_be_bytes());
    let mut last = hmac(password.as_bytes(), &message);
    let mut out = last;
    for _ in 1..iterations {
        last = hmac(password.as_bytes(), &last);
        for (a, b) in out.iter_mut().zip(last) {
            *a ^= b;
        }
    }
    out
}

/// Compares without stopping at the first difference.
fn equal(a: &Bytes, b: &Bytes) -> bool {
    a.iter().zip(b).fold(0, |all, (x, y)| all | (x ^ y)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 7677, section 3.
    const CLIENT_FIRST: &[u8] = b"n,,n=user,r=rOprNGfwEbeRWgbNEkqO";
    const CLIENT_FINAL: &str = "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=";

    fn exchange(password: &str) -> Exchange {
        let salt = STANDARD.decode("W22ZaJ0SNY7soEsUEjb6gQ==").expect("base64");
        let verifier = Verifier::new(password, &salt, 4096);
        Exchange::start(verifier, CLIENT_FIRST, "%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0")
            .expect("a first message")
    }

    #[test]
    fn the_example_of_rfc_7677() {
        let exchange = exchange("pencil");
        assert_eq!(
            exchange.server_first(),
            "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"
        );
        let answer = exchange.finish(CLIENT_FINAL.as_bytes());
        assert_eq!(
            answer.as_deref(),
            Some("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")
        );
    }

    #[test]
    fn a_wrong_password_or_message_fails() {
        assert_eq!(exchange("pencils").finish(CLIENT_FINAL.as_bytes()), None);
        let right = exchange("pencil");
        for changed in [
            CLIENT_FINAL.replace("biws", "eSws"),
            CLIENT_FINAL.replace("p=dH", "p=dh"),
            CLIENT_FINAL.replace("k0,", "k1,"),
            "c=biws".into(),
            String::new(),
        ] {
            assert_eq!(right.finish(changed.as_bytes()), None, "{changed}");
        }
        let verifier = Verifier::new("x", b"salt", 1);
        for first in [
            "",
            "n",
            "n,,",
            "n,,n=user",
            "n,,n=user,r=",
            "p=tls-unique,,n=u,r=x",
            "n,,m=x,n=u,r=x",
            "q,,n=u,r=x",
        ] {
            assert!(
                Exchange::start(verifier.clone(), first.as_bytes(), "n").is_none(),
                "{first}"
            );
        }
        assert!(Exchange::start(verifier, &[0xff, 0xfe], "n").is_none());
    }

    #[test]
    fn verifiers_read_back_and_hide() {
        let verifier = Verifier::new("secret", b"0123456789abcdef", ITERATIONS);
        assert_eq!(
            Verifier::from_text(&verifier.to_text()),
            Some(verifier.clone())
        );
        assert_eq!(format!("{verifier:?}"), "Verifier(..)");
        for broken in [
            "",
            "md5abc",
            "SCRAM-SHA-256$0:c2FsdA==$x:y",
            "SCRAM-SHA-256$4096:c2FsdA==$c2FsdA==:c2FsdA==",
        ] {
            assert_eq!(Verifier::from_text(broken), None);
        }
    }

    #[test]
    fn a_decoy_looks_like_the_real_ones_and_stays_the_same() {
        let none = BTreeSet::new();
        let decoy =
            |name: &str, shapes: &BTreeSet<Shape>| Verifier::decoy(name, b"server secret", shapes);
        assert_eq!(decoy("nobody", &none), decoy("nobody", &none));
        assert_ne!(decoy("nobody", &none), decoy("somebody", &none));
        let new = Verifier::new("x", &[0; 16], ITERATIONS).shape();
        assert_eq!(decoy("nobody", &none).shape(), new);
        let other = Shape {
            iterations: 10_000,
            salt: 40,
        };
        let (one, both) = (BTreeSet::from([other]), BTreeSet::from([new, other]));
        let mut drawn = [0, 0];
        for number in 0..200 {
            let name = format!("name {number}");
            assert_eq!(decoy(&name, &one).shape(), other);
            let found = decoy(&name, &both);
            drawn[usize::from(found.shape() == other)] += 1;
            let alone = BTreeSet::from([found.shape()]);
            assert_eq!(
                found,
                decoy(&name, &alone),
                "a shape that goes changes others only"
            );
        }
        assert!(drawn[0] > 50 && drawn[1] > 50, "{drawn:?}");
    }
}
