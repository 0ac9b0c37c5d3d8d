//! Verified answers, computed by slow code that shares nothing with ours, in `vectors/`.

/// The document `vectors/{name}.json`.
///
/// # Panics
///
/// When there is none, or it is not JSON.
pub fn vectors(name: &str) -> serde_json::Value {
    let path = format!("{}/vectors/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("vectors are in the repository: {path}: {error}"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path} is JSON: {error}"))
}
