//! What the tests of the command share.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub(crate) mod baskets;
pub(crate) mod paths;
pub(crate) mod riders;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_denym");

/// The command under test, without color and far from the user's settings.
pub(crate) fn denym() -> Command {
    let mut command = Command::new(BINARY);
    command.env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command
}

/// Runs `denym` in `directory` and returns what it printed.
pub(crate) fn run(directory: &Path, args: &[&str]) -> Output {
    denym()
        .current_dir(directory)
        .args(args)
        .output()
        .expect("denym runs")
}

/// Runs `denym ... --json` and returns its exit code and document.
pub(crate) fn json(directory: &Path, args: &[&str]) -> (i32, Value) {
    let output = denym()
        .current_dir(directory)
        .args(args)
        .arg("--json")
        .output()
        .expect("denym runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let value = serde_json::from_str(&text).unwrap_or_else(|_| {
        panic!(
            "one JSON document, not: {text} {}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    (output.status.code().expect("an exit code"), value)
}

/// Writes a file below `directory`, making its directories.
pub(crate) fn write(directory: &Path, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = directory.join(name);
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
    std::fs::write(&path, content).expect("a file");
    path
}

/// Every file below `directory` with its bytes, in order of path.
pub(crate) fn files(directory: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(directory).expect("below").to_owned();
                found.push((name, std::fs::read(&path).expect("a file")));
            }
        }
    }
    found.sort();
    found
}

/// A small table of patients that every test can make its own of.
pub(crate) const PATIENTS: &str = "\
name,zip,age,sex,disease
Ann,10115,34,f,flu
Bea,10117,36,f,cancer
Cid,10119,35,m,flu
Dan,10115,31,m,asthma
Eva,10243,52,f,flu
Fay,10245,57,f,cancer
Gus,10247,55,m,asthma
Hal,10243,59,m,flu
";

/// A policy for it.
pub(crate) const POLICY: &str = r#"[data]
path = "patients.csv"

[attributes]
name = "identifier"
zip = { role = "quasi", hierarchy = { redact = "right" } }
age = { role = "quasi", hierarchy = { interval = [5, 10, 20] } }
sex = "quasi"
disease = "sensitive"

[promise]
k-anonymity = 2
l-diversity = 2

[release]
algorithm = "full-domain"
suppress-at-most = 0
"#;

/// A directory with the small table and its policy.
pub(crate) fn patients() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "patients.csv", PATIENTS);
    write(directory.path(), "policy.toml", POLICY);
    directory
}

/// An empty directory.
pub(crate) fn empty() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

/// The elements of a JSON list.
pub(crate) fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

/// The evidence of `attack` in a document.
pub(crate) fn attack<'a>(document: &'a Value, name: &str) -> &'a Value {
    list(&document["attacks"])
        .iter()
        .find(|entry| entry["attack"] == name)
        .unwrap_or_else(|| panic!("no `{name}` in {document}"))
}

/// Successes and attempts of one line of evidence.
pub(crate) fn counts(entry: &Value) -> (u64, u64) {
    let of = |key: &str| entry[key].as_u64().expect("a count");
    (of("successes"), of("attempts"))
}
