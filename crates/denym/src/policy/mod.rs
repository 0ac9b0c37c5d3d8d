//! What is wanted: the policies of `denym-policy`, read with everything this library can do in their vocabulary.

pub(crate) mod broker;
pub mod stream;

use std::path::Path;

pub use denym_policy::*;

use crate::Error;
use stream::StreamPolicy;

/// Reads a policy; every mistake is reported.
pub fn parse_policy(text: &str, file: &Path) -> Result<Policy, Vec<Mistake>> {
    if StreamPolicy::is_meant(text) {
        return Ok(StreamPolicy::parse(text, file)?.policy(text));
    }
    let policy = Policy::parse(text, file, &crate::catalogue::vocabulary())?;
    match crate::program::check(&policy) {
        Some(mistake) => Err(vec![mistake]),
        None => Ok(policy),
    }
}

/// Reads the policy in `file`.
pub fn read_policy(file: &Path) -> Result<Policy, Error> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Error::io("read the policy", file, &error))?;
    parse_policy(&text, file).map_err(|mistakes| Error::Policy {
        file: file.to_owned(),
        text,
        mistakes,
    })
}
