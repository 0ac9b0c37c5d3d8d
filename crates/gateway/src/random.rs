//! Bytes that nobody can foresee: nonces, salts, secrets.

/// Bytes from the operating system's random source.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // without randomness there is no login: a zero nonce would allow a replay
    getrandom::fill(&mut bytes).expect("the operating system has randomness");
    bytes
}
