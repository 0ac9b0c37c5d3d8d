//! A fast hash under a key of this process, for tables that live as long as one run.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::OnceLock;

/// What hashes are made with: unknown to whoever writes the data, or they would choose texts that all fall into one slot.
///
/// Codes follow first appearance and places follow order, so no result depends on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key(u64, u64);

impl Key {
    /// One for the whole process: parts of one column are brought together.
    pub(crate) fn of_this_process() -> Key {
        static KEY: OnceLock<Key> = OnceLock::new();
        *KEY.get_or_init(|| {
            let word = || RandomState::new().build_hasher().finish();
            Key(word(), word())
        })
    }

    /// Two independent hashes of a long text.
    pub(crate) fn long(self, bytes: &[u8]) -> (u64, u64) {
        let (mut low, mut high) = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F);
        let (blocks, rest) = bytes.as_chunks::<8>();
        for block in blocks {
            let word = u64::from_le_bytes(*block);
            low = self.mix(low, word);
            high = self.mix(word, high ^ 0x1656_67B1_9E37_79F9);
        }
        let mut block = [0; 8];
        block[..rest.len()].copy_from_slice(rest);
        let word = u64::from_le_bytes(block);
        (self.mix(low, word), self.mix(word, high))
    }

    /// Both halves of a 128-bit product, folded: every bit of the input reaches every bit that addresses a slot.
    pub(crate) fn mix(self, a: u64, b: u64) -> u64 {
        let product = u128::from(a ^ self.0) * u128::from(b ^ self.1);
        (product as u64) ^ ((product >> 64) as u64)
    }
}
