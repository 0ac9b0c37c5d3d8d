//! Names and paths with escape sequences are shown, not obeyed.

use super::run;
use super::support::{POLICY, patients, write};

const HOSTILE: &str = "a\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}b";

fn harmless(text: &str) {
    let hidden = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!text.chars().any(hidden), "{text:?}");
}

#[test]
fn escape_sequences_in_names_reach_no_terminal() {
    let directory = patients();
    let at = directory.path();
    let data = super::support::PATIENTS.replace("name,zip", &format!("name,{HOSTILE}"));
    write(at, "patients.csv", &data);
    write(at, &format!("{HOSTILE}.csv"), &data);
    let quoted = format!("{HOSTILE:?}")
        .replace("\\u{1b}", "\\u001b")
        .replace("\\u{7}", "\\u0007");
    let quoted = quoted
        .replace("\\u{9b}", "\\u009b")
        .replace("\\u{202e}", "\\u202e");
    write(
        at,
        "key.toml",
        POLICY.replace("sex = ", &format!("{quoted} = ")),
    );
    write(
        at,
        "broken.toml",
        format!("[data]\n# {HOSTILE}\npath = \"{HOSTILE}\nx\n"),
    );
    let source = format!("{HOSTILE}.csv");
    let absent = format!("{HOSTILE}.none");
    for args in [
        &["profile", &source][..],
        &["audit", &source, "--quasi", HOSTILE],
        &["audit", &source, "--quasi", "age,none"],
        &["audit", &absent, "--quasi", "age"],
        &["anonymize", "policy.toml"],
        &["anonymize", "key.toml"],
        &["anonymize", "broken.toml"],
        &["anonymize", HOSTILE],
        &["anonymize", "policy.toml", &format!("--{HOSTILE}")],
        &[HOSTILE],
    ] {
        for extra in [&[][..], &["--json"]] {
            let (code, text) = run(at, &[args, extra].concat());
            assert!((0..=2).contains(&code), "{args:?}: {text}");
            harmless(&text);
        }
    }
}

/// A line end in a name does not begin a line of its own, which could look like ours.
#[test]
fn a_name_stays_on_its_line() {
    let directory = patients();
    let name = "age\nverified   all claims hold";
    let (code, text) = run(
        directory.path(),
        &["audit", "patients.csv", "--quasi", name],
    );
    assert_eq!(code, 2, "{text}");
    assert!(
        !text.lines().any(|line| line.starts_with("verified")),
        "{text}"
    );
}
