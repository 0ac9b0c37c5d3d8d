//! Certificates of the test's own, made by openssl.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A new key.
const KEY: &str = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

/// A certificate for this machine that signs itself, and its key, in `folder`; `None` after saying that the test is skipped.
pub fn certificate(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    // without the last word it is an authority, which no server may be
    openssl(
        folder,
        &format!(
            "req -x509 {KEY} -days 2 -subj /CN=localhost -out cert.pem -keyout key.pem \
             -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE"
        ),
    )?;
    Some((folder.join("cert.pem"), folder.join("key.pem")))
}

/// An authority, and a certificate of it for a server of that name with its key; `None` as above.
///
/// # Panics
///
/// When the folder cannot be written.
pub fn signed(folder: &Path, name: &str) -> Option<(PathBuf, PathBuf, PathBuf)> {
    let names = format!("subjectAltName=DNS:{name}\n");
    std::fs::write(folder.join("names"), names).expect("a file");
    openssl(
        folder,
        &format!("req -x509 {KEY} -days 2 -subj /CN=authority -out ca.pem -keyout ca.key"),
    )?;
    openssl(
        folder,
        &format!("req {KEY} -subj /CN={name} -out server.csr -keyout server.key"),
    )?;
    openssl(
        folder,
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
    )?;
    let file = |name: &str| folder.join(name);
    Some((file("ca.pem"), file("server.pem"), file("server.key")))
}

/// Runs openssl in a folder.
fn openssl(folder: &Path, arguments: &str) -> Option<()> {
    let made = Command::new("openssl")
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .output();
    if made.is_ok_and(|output| output.status.success()) {
        Some(())
    } else {
        crate::skip("no openssl");
        None
    }
}
