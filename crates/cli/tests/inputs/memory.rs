//! Small inputs made to be large in memory: each runs under a limit that the first form of the program would break.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use super::said;
use super::support::{BINARY, empty, patients, write};

/// Runs the command with so many megabytes of address space, on one thread.
fn within(megabytes: u64, directory: &Path, args: &[&str]) -> (i32, String) {
    let limit = format!("ulimit -v {} && exec \"$0\" \"$@\"", megabytes * 1024);
    let output = Command::new("sh")
        .args(["-c", &limit, BINARY])
        .args(args)
        .args(["--threads", "1"])
        // Each arena of the allocator reserves 64 MB that nobody uses.
        .env("MALLOC_ARENA_MAX", "1")
        .env("RAYON_NUM_THREADS", "1")
        .env("NO_COLOR", "1")
        .current_dir(directory)
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    (output.status.code().unwrap_or(-1), said(&output))
}

#[test]
fn a_long_cell_under_redact_costs_its_length_not_its_square() {
    let directory = patients();
    let at = directory.path();
    let long = format!(
        "{}Ivy,{},40,f,flu\n",
        super::support::PATIENTS,
        "9".repeat(10_000)
    );
    write(at, "patients.csv", long);
    let (code, text) = within(500, at, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("levels"), "{text}");
    let limited = super::support::POLICY.replace(
        "{ redact = \"right\" } }",
        "{ redact = \"right\" }, max-level = 4 }",
    );
    let limited = limited.replace("suppress-at-most = 0", "suppress-at-most = 1");
    write(at, "policy.toml", limited);
    let (code, text) = within(500, at, &["anonymize", "policy.toml", "-o", "out"]);
    assert!(code <= 1, "{code} {text}");
}

#[test]
fn ten_thousand_columns_and_one_record_are_little() {
    let directory = empty();
    let mut header = String::new();
    let mut record = String::new();
    for column in 0..10_000 {
        let end = if column == 9_999 { "\n" } else { "," };
        let _ = write!(header, "name{column}{end}");
        let _ = write!(record, "{column}{end}");
    }
    write(directory.path(), "wide.csv", header + &record);
    // Fifty million pairs of columns are not asked about, however few records there are.
    for more in [&["--no-what-if"][..], &[]] {
        let audit = ["audit", "wide.csv", "--quasi", "name7"];
        let (code, text) = within(500, directory.path(), &[&audit[..], more].concat());
        assert!(code <= 1, "{code} {}", &text[..text.len().min(400)]);
        let asked = more.is_empty();
        assert_eq!(asked, text.contains("not asked on so much data"), "{asked}");
    }
    let (code, text) = within(700, directory.path(), &["profile", "wide.csv", "--json"]);
    assert_eq!(code, 0, "{}", &text[..text.len().min(400)]);
}

#[test]
fn a_hierarchy_of_thousands_of_levels_is_refused() {
    let directory = patients();
    let at = directory.path();
    let mut rows = String::new();
    for zip in ["10115", "10117", "10119", "10243", "10245", "10247"] {
        let _ = write!(rows, "{zip}");
        for level in 0..4000 {
            let _ = write!(
                rows,
                ";{}",
                if level < 3999 {
                    format!("{zip}-{level}")
                } else {
                    "*".into()
                }
            );
        }
        rows.push('\n');
    }
    write(at, "zip.csv", rows);
    let policy = super::support::POLICY.replace("{ redact = \"right\" }", "{ file = \"zip.csv\" }");
    write(at, "policy.toml", policy);
    let (code, text) = within(400, at, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 2, "{text}");
    assert!(
        text.contains("zip.csv:1") && text.contains("levels"),
        "{text}"
    );
}

#[test]
fn objects_without_a_common_key_are_refused_before_their_table_is_made() {
    let directory = empty();
    let at = directory.path();
    // One line with many keys: time and memory by their number.
    let mut one = String::from("{");
    for key in 0..50_000 {
        let _ = write!(one, "{}\"key{key}\":1", if key > 0 { "," } else { "" });
    }
    write(at, "one.json", one + "}\n");
    let (code, text) = within(
        700,
        at,
        &["audit", "one.json", "--quasi", "key7", "--no-what-if"],
    );
    assert!(code <= 1, "{code} {text}");
    // Many lines, each with a key of its own: a table of empty cells.
    let mut many = String::new();
    for key in 0..20_000 {
        let _ = writeln!(many, "{{\"Sekretna{key}\":1}}");
    }
    write(at, "many.json", many);
    let (code, text) = within(700, at, &["audit", "many.json", "--quasi", "key7"]);
    assert_eq!(code, 2, "{text}");
    let (code, text) = within(700, at, &["profile", "many.json"]);
    assert_eq!(code, 2, "{text}");
    assert!(
        !text.contains("Sekretna") && text.contains("different keys"),
        "{text}"
    );
}
