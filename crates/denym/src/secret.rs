//! Keys and passwords that a policy names but never holds: from a file, or from the environment.

use std::path::Path;

use crate::Error;
use crate::policy::KeySource;
use crate::pseudonyms::Environment;

/// The secret without the ends of lines behind it, and where it is, in words. `what` it is goes into the error.
pub(crate) fn read(
    source: &KeySource,
    directory: &Path,
    environment: Option<Environment>,
    what: &str,
) -> Result<(Vec<u8>, String), Error> {
    let (mut secret, place) = match source {
        KeySource::File(file) => {
            let path = directory.join(file);
            let secret =
                std::fs::read(&path).map_err(|e| Error::io("read the secret", &path, &e))?;
            (secret, format!("the file `{}`", file.display()))
        }
        KeySource::Environment(name) => {
            let value = environment.and_then(|read| read(name));
            let value = value.ok_or_else(|| Error::Argument {
                what: format!(
                    "the environment has no `{name}`, which the policy takes {what} from"
                ),
                help: format!("set it: `{name}=... denym ...`"),
            })?;
            (value.into_bytes(), format!("the variable `{name}`"))
        }
    };
    while matches!(secret.last(), Some(b'\n' | b'\r')) {
        secret.pop();
    }
    Ok((secret, place))
}
