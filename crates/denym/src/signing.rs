//! Files of keys: one that signs, for its owner alone, and one that others check with.

use std::path::Path;

use denym_engine::private;
use denym_release::signature::{FILE, PublicKey, Signed, SigningKey};

use crate::{Error, verify};

/// Makes a key in `path`, which must not exist, and the one that others check with in `path.pub`.
pub fn new_key(path: &Path) -> Result<PublicKey, Error> {
    let public = public_path(path);
    for path in [path, &public] {
        if path.exists() {
            return Err(Error::Argument {
                what: format!(
                    "there is a file {} already, and no key is written over",
                    path.display()
                ),
                help: "choose another name".into(),
            });
        }
    }
    let mut seed = [0_u8; 32];
    getrandom::fill(&mut seed).map_err(|_| Error::NoRandomness)?;
    let key = SigningKey::from_seed(&seed).ok_or_else(|| Error::Internal {
        what: "random bytes are no key".into(),
    })?;
    let failed = |error: std::io::Error| Error::io("write the key", path, &error);
    private::write(path, SigningKey::text(&seed).as_bytes()).map_err(failed)?;
    std::fs::write(&public, key.public().text()).map_err(failed)?;
    Ok(key.public())
}

/// Where the key goes that others check with.
pub fn public_path(path: &Path) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".pub");
    name.into()
}

/// The key in `path` that signs.
pub(crate) fn signing_key(path: &Path) -> Result<SigningKey, Error> {
    let text =
        std::fs::read_to_string(path).map_err(|error| Error::io("read the key", path, &error))?;
    SigningKey::read(&text).ok_or_else(|| no_key("signs"))
}

/// The key in `path` that signatures are checked with.
pub fn public_key(path: &Path) -> Result<PublicKey, Error> {
    let text =
        std::fs::read_to_string(path).map_err(|error| Error::io("read the key", path, &error))?;
    PublicKey::read(&text).ok_or_else(|| no_key("signatures are checked with"))
}

/// Whether the certificate of a release was signed by the holder of `key`'s other half.
pub fn is_signed(directory: &Path, key: &PublicKey) -> Result<bool, Error> {
    let half = verify::public_half(directory)?;
    let path = half.join("certificate.json");
    let certificate =
        std::fs::read(&path).map_err(|error| Error::io("read the certificate", &path, &error))?;
    let Ok(signature) = std::fs::read_to_string(half.join(FILE)) else {
        return Ok(false);
    };
    Ok(key.confirms(Signed::Certificate, &certificate, &signature))
}

fn no_key(what: &str) -> Error {
    Error::Argument {
        what: format!("the file is no key that {what}"),
        help: "make a pair with `denym ledger key new FILE`: FILE signs, FILE.pub is for others"
            .into(),
    }
}
