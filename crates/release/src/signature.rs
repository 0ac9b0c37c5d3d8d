//! Signatures by Ed25519: over certificates, and over entries of a ledger.
//!
//! # Guarantee
//!
//! Whoever has the public key knows that the holder of the other one signed exactly these bytes, as what they are: a signature over a
//! certificate is none over an entry. That the key is the publisher's, the recipient must know from elsewhere.
//!
//! # Reference
//!
//! RFC 8032, by `ring`.

use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

use crate::ledger::chain::hex;

/// The file with the signature of a certificate, beside it.
pub const FILE: &str = "certificate.sig";

/// What is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signed {
    /// A certificate, byte for byte.
    Certificate,
    /// The hash of an entry of a ledger.
    Entry,
}

impl Signed {
    /// What stands before the bytes, so that no signature is good for anything else.
    fn prefix(self) -> &'static [u8] {
        match self {
            Signed::Certificate => b"denym certificate\0",
            Signed::Entry => b"denym ledger entry\0",
        }
    }

    fn message(self, bytes: &[u8]) -> Vec<u8> {
        [self.prefix(), bytes].concat()
    }
}

/// A key that signs.
pub struct SigningKey(Ed25519KeyPair);

/// A key that signatures are checked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

/// What a file with a secret key begins with.
const SECRET: &str = "denym-signing-key";
/// What a file with a public key begins with.
const PUBLIC: &str = "denym-public-key";

impl SigningKey {
    /// The key that these random bytes are.
    pub fn from_seed(seed: &[u8; 32]) -> Option<SigningKey> {
        Ed25519KeyPair::from_seed_unchecked(seed)
            .ok()
            .map(SigningKey)
    }

    /// The text of a file with the key of these random bytes; nobody else may read it.
    pub fn text(seed: &[u8; 32]) -> String {
        format!("{SECRET} {}\n", hex(seed))
    }

    /// Reads such a text.
    pub fn read(text: &str) -> Option<SigningKey> {
        SigningKey::from_seed(&bytes(text.strip_prefix(SECRET)?.trim())?)
    }

    /// The key that others check with.
    pub fn public(&self) -> PublicKey {
        let mut public = [0; 32];
        public.copy_from_slice(self.0.public_key().as_ref());
        PublicKey(public)
    }

    /// The signature, in hexadecimal digits.
    pub fn sign(&self, what: Signed, bytes: &[u8]) -> String {
        hex(self.0.sign(&what.message(bytes)).as_ref())
    }
}

impl PublicKey {
    /// The text of a file with the key.
    pub fn text(&self) -> String {
        format!("{PUBLIC} {}\n", hex(&self.0))
    }

    /// Reads such a text.
    pub fn read(text: &str) -> Option<PublicKey> {
        bytes(text.strip_prefix(PUBLIC)?.trim()).map(PublicKey)
    }

    /// Whether `signature` is one of the other key over exactly this.
    pub fn confirms(&self, what: Signed, signed: &[u8], signature: &str) -> bool {
        let Some(signature) = bytes::<64>(signature.trim()) else {
            return false;
        };
        let key = UnparsedPublicKey::new(&ED25519, self.0);
        key.verify(&what.message(signed), &signature).is_ok()
    }
}

/// The bytes that hexadecimal digits stand for, if they are so many.
fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.is_ascii() {
        return None;
    }
    let mut found = [0; N];
    for (at, byte) in found.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8032, section 7.1, test 1: the public key of this seed.
    #[test]
    fn the_keys_are_those_of_the_standard() {
        let seed: [u8; 32] =
            bytes("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60").unwrap();
        let key = SigningKey::from_seed(&seed).unwrap();
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(key.public().text(), format!("denym-public-key {public}\n"));
        assert!(SigningKey::read(&SigningKey::text(&seed)).is_some());
        assert_eq!(PublicKey::read(&key.public().text()), Some(key.public()));
        assert_eq!(PublicKey::read(&SigningKey::text(&seed)), None);
    }

    #[test]
    fn a_signature_is_good_for_one_thing_only() {
        let key = SigningKey::from_seed(&[7; 32]).unwrap();
        let other = SigningKey::from_seed(&[8; 32]).unwrap();
        let signature = key.sign(Signed::Certificate, b"{}");
        let confirms = |key: &SigningKey, what, bytes: &[u8], signature: &str| {
            key.public().confirms(what, bytes, signature)
        };
        assert!(confirms(&key, Signed::Certificate, b"{}", &signature));
        assert!(!confirms(&key, Signed::Entry, b"{}", &signature));
        assert!(!confirms(&key, Signed::Certificate, b"{ }", &signature));
        assert!(!confirms(&other, Signed::Certificate, b"{}", &signature));
        for wrong in ["", "00", &signature[2..], &"é".repeat(64)] {
            assert!(!confirms(&key, Signed::Certificate, b"{}", wrong));
        }
    }
}
