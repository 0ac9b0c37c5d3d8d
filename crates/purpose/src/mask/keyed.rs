//! Secret but repeatable draws: HMAC-SHA256 of the cell and the purpose under the caller's key.
//!
//! # Idea
//! A pseudonym or a noise that is drawn afresh for each query averages out. So the draw is a keyed hash of what identifies the cell:
//! the same cell, value and purpose give the same draw for ever, and without the key nobody can repeat it.
//!
//! # Guarantee
//! Fields are length-prefixed, so different cells never feed the same bytes. Pseudonyms and noise of one cell use separate inputs.
//!
//! # Reference
//! RFC 2104 (HMAC); FIPS 180-4 (SHA-256).

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt::Write as _;

/// A secret key for pseudonyms and noise. Its `Debug` does not show it.
#[derive(Clone)]
pub struct MaskKey(Vec<u8>);

impl MaskKey {
    /// From secret bytes: 32 from the operating system's random source is right.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// 32 bytes that depend on the key and every field.
    pub fn draw(&self, fields: &[&str]) -> [u8; 32] {
        // HMAC takes keys of any length, so this never fails
        let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&self.0) else {
            return [0; 32];
        };
        for field in fields {
            mac.update(&(field.len() as u64).to_le_bytes());
            mac.update(field.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }

    /// A number in [0, 1) with 53 bits.
    pub fn unit(&self, fields: &[&str]) -> f64 {
        let bytes = self.draw(fields);
        let mut first = [0; 8];
        first.copy_from_slice(&bytes[..8]);
        (u64::from_le_bytes(first) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// `length` hexadecimal characters, at most 64.
    pub fn hex(&self, fields: &[&str], length: usize) -> String {
        let mut out = String::with_capacity(64);
        for byte in self.draw(fields) {
            let _ = write!(out, "{byte:02x}");
        }
        out.truncate(length);
        out
    }
}

impl std::fmt::Debug for MaskKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MaskKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_field_is_plain_hmac_of_a_prefixed_message() {
        // Computed with Python: hmac.new(b"key", (3).to_bytes(8,"little") + b"abc", "sha256").hexdigest()
        let key = MaskKey::new(b"key".to_vec());
        assert_eq!(key.hex(&["abc"], 64), PYTHON);
    }

    const PYTHON: &str = "9c267848c2cf2c5c983ffccda2465bde94c67bb18be645ab491dcef95c219ab7";

    #[test]
    fn fields_do_not_run_together() {
        let key = MaskKey::new(vec![7; 32]);
        assert_ne!(key.draw(&["ab", "c"]), key.draw(&["a", "bc"]));
        assert_ne!(key.draw(&["a"]), MaskKey::new(vec![8; 32]).draw(&["a"]));
        assert_eq!(format!("{key:?}"), "MaskKey(..)");
    }
}
