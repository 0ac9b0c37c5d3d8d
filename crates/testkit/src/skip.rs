//! A test that cannot run here says why, is counted, and fails where nothing may be skipped.
//!
//! Each skip is a line of the file `skipped` in the target directory; `make test` empties it first and prints the count of each reason at
//! its end. With `DENYM_NO_SKIPS=1`, as `.ci/run` sets it, a skip is a failure.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable that turns every skip into a failure.
pub const NO_SKIPS: &str = "DENYM_NO_SKIPS";

/// Says that this test is skipped for `reason` ("no openssl here") and writes it down.
///
/// # Panics
///
/// Where nothing may be skipped.
#[expect(clippy::print_stderr, reason = "a skipped test must say so")]
pub fn skip(reason: &str) {
    assert!(
        !is_forbidden(std::env::var(NO_SKIPS).ok().as_deref()),
        "{reason}: this test would be skipped, and {NO_SKIPS} forbids it"
    );
    eprintln!("skipped: {reason}");
    let program = std::env::current_exe().unwrap_or_default();
    if let Some(file) = file_of(&program) {
        write_down(&file, reason, &test_name(&program));
    }
}

/// Whether one of these programs is not here, which counts the test as skipped.
pub fn lacks(programs: &[&str]) -> bool {
    let missing = programs.iter().find(|program| {
        let found = Command::new(program).arg("--version").output();
        !found.is_ok_and(|output| output.status.success())
    });
    if let Some(missing) = missing {
        skip(&format!("no {missing}"));
    }
    missing.is_some()
}

fn is_forbidden(variable: Option<&str>) -> bool {
    variable.is_some_and(|value| !value.is_empty() && value != "0")
}

/// `skipped` in the target directory: a test program lies in `TARGET/PROFILE/deps`.
fn file_of(program: &Path) -> Option<PathBuf> {
    let deps = program.parent()?;
    let target = deps.parent()?.parent()?;
    deps.ends_with("deps").then(|| target.join("skipped"))
}

/// The test's program without the build's hash, and its name: libtest names the thread of each test.
fn test_name(program: &Path) -> String {
    let stem = program.file_stem().unwrap_or_default().to_string_lossy();
    let program = stem.rsplit_once('-').map_or(&*stem, |(name, _)| name);
    let thread = std::thread::current();
    match thread.name() {
        Some(name) if name != "main" => format!("{program} {name}"),
        // one test per process: its name is an argument
        _ => std::env::args()
            .skip(1)
            .fold(program.to_owned(), |name, next| format!("{name} {next}")),
    }
}

/// Appends one line at once: tests of several threads and programs write to the file.
fn write_down(file: &Path, reason: &str, test: &str) {
    let line = format!("{reason}\t{test}\n");
    let open = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(file);
    let written = open.and_then(|mut file| file.write_all(line.as_bytes()));
    assert!(
        written.is_ok(),
        "a skip is written down in {}",
        file.display()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skip_fails_only_where_none_is_allowed() {
        assert!(is_forbidden(Some("1")));
        assert!(is_forbidden(Some("yes")));
        assert!(!is_forbidden(Some("0")));
        assert!(!is_forbidden(Some("")));
        assert!(!is_forbidden(None));
    }

    #[test]
    fn a_skip_leaves_a_line_with_its_reason_and_its_test() {
        let folder = std::env::temp_dir().join(format!("denym-skip-{}", std::process::id()));
        let deps = folder.join("release/deps");
        std::fs::create_dir_all(&deps).expect("a folder");
        let program = deps.join("adult-0123456789abcdef");
        let file = file_of(&program).expect("a test's program");
        assert_eq!(file, folder.join("skipped"));
        let test = test_name(&program);
        assert_eq!(
            test,
            "adult skip::tests::a_skip_leaves_a_line_with_its_reason_and_its_test"
        );
        write_down(&file, "no data", &test);
        write_down(&file, "no server", &test);
        let text = std::fs::read_to_string(&file).expect("written");
        assert_eq!(text, format!("no data\t{test}\nno server\t{test}\n"));
        std::fs::remove_dir_all(folder).expect("ours");
    }

    #[test]
    fn the_end_of_make_test_counts_each_test_once_per_reason() {
        let file = std::env::temp_dir().join(format!("denym-skipped-{}", std::process::id()));
        let summary = || {
            let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.ci/skipped");
            let output = Command::new(script).arg(&file).output().expect("runs");
            String::from_utf8(output.stdout).expect("text")
        };
        assert_eq!(summary(), "no test was skipped\n");
        for (reason, test) in [
            ("no ../shared/data", "adult a"),
            ("no openssl", "tls a"),
            ("no ../shared/data", "adult b"),
            ("no ../shared/data", "adult a"),
        ] {
            write_down(&file, reason, test);
        }
        let expected = "2 skipped: no ../shared/data\n1 skipped: no openssl\n";
        assert_eq!(summary(), expected);
        std::fs::remove_file(file).expect("ours");
    }

    #[test]
    fn a_program_that_is_no_test_writes_nothing_down() {
        assert_eq!(file_of(Path::new("/somewhere/release/denym-bench")), None);
        assert_eq!(file_of(Path::new("denym")), None);
    }
}
