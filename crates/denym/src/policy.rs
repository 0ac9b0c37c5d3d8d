//! What is wanted: the policies of `denym-policy`, read with everything this library can do in their vocabulary.

use std::path::Path;

pub use denym_policy::*;

use crate::Error;
use crate::catalogue::vocabulary;

/// Reads a policy; every mistake is reported.
pub fn parse_policy(text: &str, file: &Path) -> Result<Policy, Vec<Mistake>> {
    let policy = Policy::parse(text, file, &vocabulary())?;
    match crate::program::check(&policy) {
        Some(mistake) => Err(vec![mistake]),
        None => Ok(policy),
    }
}

/// Reads the policy in `file`.
pub fn read_policy(file: &Path) -> Result<Policy, Error> {
    read(file, parse_policy)
}

/// Reads the policy in `file` as one for a stream, whatever it says of itself.
pub fn read_stream_policy(file: &Path) -> Result<Policy, Error> {
    read(file, |text, file| {
        Policy::parse_stream(text, file, &vocabulary())
    })
}

fn read(
    file: &Path,
    parse: impl FnOnce(&str, &Path) -> Result<Policy, Vec<Mistake>>,
) -> Result<Policy, Error> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Error::io("read the policy", file, &error))?;
    parse(&text, file).map_err(|mistakes| Error::Policy {
        file: file.to_owned(),
        text,
        mistakes,
    })
}
