//! Al-Hussaeni's table, and policies about paths.

use std::path::Path;

use super::write;

/// Table 1 of Al-Hussaeni 2009.
pub(crate) const TABLE_1: &str = "\
path,status
a1>d2>b3>e4>f6>c7,On-welfare
b3>e4>f6>e8,Full-time
b3>c7>e8,Full-time
d2>f6>c7>e8,Retired
d2>c5>f6>c7,On-welfare
c5>f6>e9,Retired
d2>c5>c7>e9,Part-time
f6>c7>e9,Part-time
";

/// Table 2 of Al-Hussaeni 2009, sorted by what it shows.
pub(crate) const TABLE_2: &str = "\
path,status
b3>c7>e8,Full-time
b3>f6>c7,On-welfare
b3>f6>e8,Full-time
c5>c7>e9,Part-time
c5>f6>c7,On-welfare
c5>f6>e9,Retired
f6>c7>e8,Retired
f6>c7>e9,Part-time
";

/// A policy over `file` with L, K, a promise of confidence, the matching and the end of the policy.
pub(crate) fn policy(file: &str, l: u64, k: u64, more: &str, matching: &str, end: &str) -> String {
    format!(
        "[data]\npath = \"{file}\"\nkind = \"paths\"\n\n[adversary]\nknows = {{ doublets = {l} }}\nmatching = \"{matching}\"\n\n\
         [promise]\nk-anonymity = {k}\n{more}\n\n[release]\n{end}\n"
    )
}

pub(crate) const WELFARE: &str =
    "confidence = { attribute = \"status\", values = [\"On-welfare\"], at-most = 0.5 }";
pub(crate) const GLOBAL: &str = "algorithm = \"global-suppression\"";

/// A directory with Al-Hussaeni's table and its policy.
pub(crate) fn thesis() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "table1.csv", TABLE_1);
    let text = policy("table1.csv", 2, 2, WELFARE, "covers", GLOBAL);
    write(directory.path(), "policy.toml", text);
    directory
}

/// A file of the release in `out`.
pub(crate) fn released(directory: &Path, file: &str) -> String {
    std::fs::read_to_string(directory.join("out/release").join(file)).expect("released data")
}
