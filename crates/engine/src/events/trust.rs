//! The certificates that a connection to a broker believes in, from the file that a login names.

use std::path::Path;

use denym_data::events::Login;
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use crate::Error;

/// Whether the certificates in the file of the authority can be read, all of them.
pub fn check_authority(login: &Login) -> Result<(), Error> {
    let Some(path) = &login.authority else {
        return Ok(());
    };
    certificates(path).map(|_| ()).ok_or_else(|| Error::Io {
        path: path.clone(),
        verb: "read",
        reason: "it has no certificates in PEM".into(),
    })
}

/// The certificates of a file, PEM; `None` where there are none, or one cannot be read.
pub fn certificates(path: &Path) -> Option<Vec<CertificateDer<'static>>> {
    let found: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .ok()?;
    (!found.is_empty()).then_some(found)
}
