//! Certificates of the test's own, made by openssl.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A certificate for this machine that signs itself, and its key, in `folder`; `None` after saying that the test is skipped.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
pub fn certificate(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec"])
        .args(["-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"])
        // Without this it is an authority, which no server may be.
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-out")
        .arg(&certificate)
        .arg("-keyout")
        .arg(&key)
        .output();
    if made.is_ok_and(|output| output.status.success()) {
        Some((certificate, key))
    } else {
        eprintln!("skipped: no openssl here");
        None
    }
}
