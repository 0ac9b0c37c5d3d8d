//! Finds data that cannot be committed, in the directory `shared` beside the checkout, if it is there.

use std::path::PathBuf;

/// The path of `relative` in the shared directory, or `None` when it is absent; the test that asks is then counted as skipped.
///
/// Tests that need real data call this first and return early on `None`.
pub fn path(relative: &str) -> Option<PathBuf> {
    let root = std::env::var_os("DENYM_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let path = root.join(relative);
    if !path.exists() {
        let top = relative.split('/').next().unwrap_or_default();
        crate::skip(&format!("no ../shared/{top}"));
        return None;
    }
    Some(path)
}
