//! Finds the directory of verified vectors and real data beside the checkout, if it is there.

use std::path::PathBuf;

/// The path of `relative` in the shared directory beside the checkout, or `None` (after saying so) when it is absent.
///
/// Tests that need real data call this first and return early on `None`.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
pub fn path(relative: &str) -> Option<PathBuf> {
    let root = std::env::var_os("DENYM_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let path = root.join(relative);
    if path.exists() {
        Some(path)
    } else {
        eprintln!("skipped: shared data `{relative}` is not here");
        None
    }
}

/// A JSON document of verified answers from `vectors/`, or `None` (after saying so) when it is absent.
///
/// # Panics
///
/// When the file is there but is not JSON.
pub fn vectors(name: &str) -> Option<serde_json::Value> {
    let path = path(&format!("vectors/{name}.json"))?;
    let text = std::fs::read_to_string(path).expect("vectors are readable");
    Some(serde_json::from_str(&text).expect("vectors are JSON"))
}
