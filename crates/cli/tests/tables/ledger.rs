//! The ledger through the command: releases judged together, both or neither, and every way that a ledger can be wrong.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support;

use support::{BINARY, empty, json, run, write};

const HEAD: &str = "patient,zip,sex,ill\n";

/// Who stays in both quarters, in two classes of four.
const STAYED: [&str; 8] = [
    "p1,10115,f,flu",
    "p2,10117,f,cancer",
    "p3,10119,f,flu",
    "p4,10115,f,asthma",
    "p5,20115,m,flu",
    "p6,20117,m,cancer",
    "p7,20119,m,asthma",
    "p8,20115,m,flu",
];

fn policy(data: &str, k: u32, suppress: &str) -> String {
    format!(
        r#"[data]
path = "{data}"
[attributes]
patient = "subject"
zip = {{ role = "quasi", hierarchy = {{ redact = "right" }}, min-level = 4, max-level = 4 }}
sex = "quasi"
ill = "sensitive"
[promise]
k-anonymity = {k}
l-diversity = 2
[release]
algorithm = "full-domain"
suppress-at-most = {suppress}
[ledger]
path = "ledger"
"#
    )
}

fn quarter(directory: &Path, name: &str, rows: &[&str]) {
    write(
        directory,
        &format!("{name}.csv"),
        format!("{HEAD}{}\n", rows.join("\n")),
    );
    let text = policy(&format!("{name}.csv"), 2, "0.5");
    write(directory, &format!("{name}.toml"), text);
}

/// A directory with a first release of eight people.
fn first() -> tempfile::TempDir {
    let directory = empty();
    quarter(directory.path(), "q1", &STAYED);
    let (code, document) = json(directory.path(), &["anonymize", "q1.toml", "-o", "out/q1"]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["ledger"]["releases"], 1);
    directory
}

fn error_code(document: &Value) -> &str {
    document["error"]["code"].as_str().unwrap_or_default()
}

#[test]
fn whoever_comes_alone_waits_and_two_who_come_together_do_not() {
    let directory = first();
    let path = directory.path();
    let mut rows = STAYED.to_vec();
    rows.push("p9,10115,f,hiv");
    quarter(path, "q2", &rows);
    let (code, document) = json(path, &["anonymize", "q2.toml", "-o", "out/q2"]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["ledger"]["waiting_records"], 1, "{document}");
    assert_eq!(document["ledger"]["stayed"], 8);
    assert_eq!(document["suppressed_records"], 1);
    let text = std::fs::read_to_string(path.join("out/q2/release/q2.csv")).expect("the data");
    assert!(
        !text.contains("hiv"),
        "the newcomer's value is told by the difference: {text}"
    );
    // The next quarter a second woman came: both are published, in one class with the others.
    rows.push("p10,10117,f,flu");
    quarter(path, "q3", &rows);
    let (code, document) = json(path, &["anonymize", "q3.toml", "-o", "out/q3"]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["ledger"]["waiting_records"], 0, "{document}");
    assert_eq!(document["ledger"]["releases"], 3);
    assert_eq!(document["ledger"]["smallest_block"], 2);
    let certificate = std::fs::read_to_string(path.join("out/q3/release/certificate.json"));
    let certificate: Value = serde_json::from_str(&certificate.expect("one")).expect("JSON");
    assert_eq!(certificate["releases"]["covered"], 3);
    let claims = certificate["releases"]["claims"]
        .as_array()
        .expect("claims");
    assert_eq!(claims.len(), 2, "{certificate}");
    assert!(
        claims
            .iter()
            .all(|claim| claim["check"] == "attested" && claim["holds"] == true)
    );
    let (code, verified) = json(path, &["verify", "out/q3/release"]);
    assert_eq!(
        (code, &verified["releases"]["covered"]),
        (0, &3.into()),
        "{verified}"
    );
    let (code, checked) = json(path, &["ledger", "verify", "ledger"]);
    assert_eq!(
        (code, &checked["holds"], &checked["smallest_block"]),
        (0, &true.into(), &2.into())
    );
    let last = checked["last"].as_str().expect("a hash");
    assert_eq!(
        json(path, &["ledger", "verify", "ledger", "--noted", last]).0,
        0
    );
    // Who cuts off the last entry with its list leaves no other trace than the hash that was noted.
    let entries = std::fs::read_to_string(path.join("ledger/entries")).expect("entries");
    let lines: Vec<&str> = entries.split_inclusive('\n').collect();
    std::fs::write(path.join("ledger/entries"), lines[..2].concat()).expect("cut");
    std::fs::remove_file(path.join("ledger/members/000003")).expect("gone");
    assert_eq!(json(path, &["ledger", "verify", "ledger"]).0, 0);
    assert_eq!(
        json(path, &["ledger", "verify", "ledger", "--noted", last]).0,
        1
    );
    let report = std::fs::read_to_string(path.join("out/q3/steward/report.html")).expect("one");
    assert!(
        report.contains("Who came and who went"),
        "the history is a picture"
    );
}

#[test]
fn whoever_leaves_alone_is_hidden_among_others_who_wait() {
    let directory = first();
    quarter(directory.path(), "q2", &STAYED[1..]);
    let (code, document) = json(directory.path(), &["anonymize", "q2.toml", "-o", "out/q2"]);
    assert_eq!(code, 0, "{document}");
    // One woman left; one other at least is held back, so that two are gone, with two diseases.
    assert!(
        document["ledger"]["waiting_records"].as_u64() >= Some(1),
        "{document}"
    );
    assert!(
        document["ledger"]["smallest_block"].as_u64() >= Some(2),
        "{document}"
    );
}

#[test]
fn what_cannot_be_had_beside_earlier_releases_is_refused_with_what_can() {
    let directory = first();
    let path = directory.path();
    quarter(path, "q2", &STAYED[1..]);
    write(path, "q2.toml", policy("q2.csv", 2, "0.05"));
    let (code, document) = json(path, &["anonymize", "q2.toml", "-o", "out/q2"]);
    assert_eq!(
        (code, error_code(&document)),
        (1, "ledger-too-many-wait"),
        "{document}"
    );
    let help = document["error"]["help"].as_str().expect("help");
    let share = help
        .split("suppress-at-most = ")
        .nth(1)
        .and_then(|rest| rest.split(',').next());
    assert!(!path.join("out/q2").exists());
    // What it advises suffices.
    write(
        path,
        "q2.toml",
        policy("q2.csv", 2, share.expect("a share")),
    );
    assert_eq!(json(path, &["anonymize", "q2.toml", "-o", "out/q2"]).0, 0);
}

/// Every file of the ledger and below `out`, with its bytes.
fn everything(path: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut all = support::files(&path.join("ledger"));
    all.extend(support::files(&path.join("out")));
    all.retain(|(name, _)| name != Path::new("lock"));
    all
}

/// That the second release is an error with this code, exit 2, and nothing is written.
fn refuses(path: &Path, code: &str) {
    let before = everything(path);
    let (exit, document) = json(path, &["anonymize", "q2.toml", "-o", "out/q2"]);
    assert_eq!((exit, error_code(&document)), (2, code), "{document}");
    assert!(!document["error"]["help"].as_str().expect("help").is_empty());
    assert_eq!(everything(path), before, "{code}");
}

#[test]
fn a_ledger_that_is_not_what_it_was_is_refused_and_named() {
    let directory = first();
    let path = directory.path();
    quarter(path, "q2", &STAYED);
    let entries = path.join("ledger/entries");
    let whole = std::fs::read(&entries).expect("entries");

    std::fs::write(&entries, &whole[..whole.len() - 9]).expect("cut");
    refuses(path, "ledger-damaged");
    let (_, document) = json(path, &["ledger", "show", "ledger"]);
    let message = document["error"]["message"].as_str().expect("a message");
    assert_eq!(message, "entry 1 of the ledger is cut off");

    std::fs::write(&entries, b"").expect("emptied");
    refuses(path, "ledger-damaged");

    let mut changed = whole.clone();
    let at = changed.len() / 2;
    changed[at] ^= 1;
    std::fs::write(&entries, changed).expect("changed");
    refuses(path, "ledger-damaged");
    std::fs::write(&entries, &whole).expect("as it was");

    let members = path.join("ledger/members/000001");
    let list = std::fs::read(&members).expect("members");
    let mut changed = list.clone();
    *changed.last_mut().expect("a byte") ^= 1;
    std::fs::write(&members, changed).expect("changed");
    refuses(path, "ledger-incomplete");
    std::fs::remove_file(&members).expect("gone");
    refuses(path, "ledger-incomplete");
    std::fs::write(&members, list).expect("as it was");

    let key = path.join("ledger/subjects.key");
    let own = std::fs::read(&key).expect("a key");
    std::fs::write(&key, "0123456789abcdef0123456789abcdef").expect("another");
    refuses(path, "ledger-other-key");
    std::fs::remove_file(&key).expect("gone");
    refuses(path, "io");
    std::fs::write(&key, own).expect("as it was");

    std::fs::rename(path.join("out/q1"), path.join("elsewhere")).expect("moved");
    refuses(path, "ledger-incomplete");
    std::fs::rename(path.join("elsewhere"), path.join("out/q1")).expect("back");
    let certificate = path.join("out/q1/release/certificate.json");
    let text = std::fs::read_to_string(&certificate).expect("one");
    std::fs::write(&certificate, text.replace("\"asked\": 2", "\"asked\": 1")).expect("changed");
    refuses(path, "ledger-incomplete");
    std::fs::write(&certificate, text).expect("as it was");

    let (code, _) = json(path, &["anonymize", "q2.toml", "-o", "out/q2"]);
    assert_eq!(code, 0, "all is as it was");
}

#[test]
fn the_ledger_of_other_people_is_refused() {
    let directory = first();
    let path = directory.path();
    let others: Vec<String> = STAYED.iter().map(|row| row.replace('p', "c")).collect();
    quarter(
        path,
        "q2",
        &others.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    refuses(path, "ledger-other-people");
    let text = policy("q2.csv", 2, "0.5").replace("patient =", "customer =");
    write(path, "q2.toml", text);
    let rows = format!("{HEAD}{}\n", STAYED.join("\n")).replace("patient", "customer");
    write(path, "q2.csv", rows);
    refuses(path, "ledger-other-data");
    write(
        path,
        "q2.toml",
        policy("q2.csv", 2, "0.5").replace("patient = \"subject\"\n", ""),
    );
    let (code, document) = json(path, &["anonymize", "q2.toml", "-o", "out/q2"]);
    assert_eq!(
        (code, error_code(&document)),
        (2, "policy-no-subject"),
        "{document}"
    );
}

#[test]
fn what_a_ledger_cannot_judge_is_said_before_anything_is_read() {
    let directory = first();
    let path = directory.path();
    let (code, document) = json(path, &["anonymize", "q1.toml", "-o", "out/q1", "--force"]);
    assert_eq!((code, error_code(&document)), (2, "argument"), "{document}");
    write(path, "q2.csv", format!("{HEAD}{}\n", STAYED.join("\n")));
    let fewer = policy("q2.csv", 2, "0.5") + "[adversary]\nknows = { at-most = 1 }\n";
    write(path, "q2.toml", fewer);
    refuses(path, "argument");
    let paths = "[data]\nkind = \"paths\"\npath = \"t.csv\"\n[promise]\nk-anonymity = 2\n[ledger]\npath = \"ledger\"\n";
    write(path, "paths.toml", paths);
    let (code, document) = json(path, &["anonymize", "paths.toml"]);
    assert_eq!((code, error_code(&document)), (2, "policy-unused-key"));
}

#[test]
fn nobody_is_named_in_a_ledger_and_nobody_else_may_read_it() {
    let directory = first();
    for (name, bytes) in support::files(&directory.path().join("ledger")) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for person in 1..=8 {
            assert!(
                !text.contains(&format!("\"p{person}\"")),
                "{}",
                name.display()
            );
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let path = directory.path().join("ledger").join(&name);
            let mode = std::fs::metadata(path)
                .expect("a file")
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600, "{}", name.display());
        }
    }
}

#[test]
fn the_account_adds_up_and_releases_have_no_epsilon() {
    let directory = first();
    let path = directory.path();
    for cost in [
        &["--epsilon", "0.1"][..],
        &["--rho", "0.02"],
        &["--epsilon", "0.5", "--delta", "0.0000001"],
    ] {
        let mut args = vec!["ledger", "charge", "ledger", "--about", "counts"];
        args.extend(cost);
        assert_eq!(json(path, &args).0, 0);
    }
    let (code, found) = json(
        path,
        &["ledger", "account", "ledger", "--delta", "0.0000011"],
    );
    assert_eq!(code, 0);
    assert_eq!(
        (&found["charges"], &found["syntactic_releases"]),
        (&3.into(), &1.into())
    );
    let epsilon: f64 = found["epsilon"]
        .as_str()
        .expect("a number")
        .parse()
        .expect("a number");
    // In rho: 0.005 + 0.02 = 0.025; 0.5 + 0.025 + 2 sqrt(0.025 ln 10^6) = 1.7004; plainly 1.6713.
    assert!((epsilon - 1.671_305).abs() < 1e-5, "{epsilon}");
    let over = [
        "ledger",
        "account",
        "ledger",
        "--delta",
        "0.0000011",
        "--budget",
        "1.5",
    ];
    assert_eq!(json(path, &over).0, 1);
    let (code, _) = json(
        path,
        &[
            "ledger",
            "charge",
            "ledger",
            "--about",
            "x",
            "--epsilon",
            "-1",
        ],
    );
    assert_eq!(code, 2);
    assert_eq!(json(path, &["ledger", "verify", "ledger"]).0, 0);
}

#[test]
fn signatures_are_confirmed_by_their_key_and_by_no_other() {
    let directory = empty();
    let path = directory.path();
    quarter(path, "q1", &STAYED);
    for name in ["own.key", "other.key"] {
        assert_eq!(json(path, &["ledger", "key", "new", name]).0, 0);
        assert_eq!(
            json(path, &["ledger", "key", "new", name]).0,
            2,
            "no key is written over"
        );
    }
    let made = ["anonymize", "q1.toml", "-o", "out/q1", "--sign", "own.key"];
    let (code, document) = json(path, &made);
    assert_eq!(code, 0, "{document}");
    let verify = |key: &str| json(path, &["verify", "out/q1/release", "--key", key]);
    let (code, own) = verify("own.key.pub");
    assert_eq!(
        (code, &own["signed"], &own["other_files"]),
        (0, &true.into(), &Value::Array(Vec::new()))
    );
    let (code, other) = verify("other.key.pub");
    assert_eq!(
        (code, &other["signed"], &other["verdict"]),
        (1, &false.into(), &"not-verified".into()),
        "{other}"
    );
    assert_eq!(verify("own.key").0, 2, "that one is secret");
    let entries = |key: &str| json(path, &["ledger", "verify", "ledger", "--key", key]).0;
    assert_eq!((entries("own.key.pub"), entries("other.key.pub")), (0, 1));
    let certificate = path.join("out/q1/release/certificate.json");
    let text = std::fs::read_to_string(&certificate).expect("one");
    std::fs::write(&certificate, text + " ").expect("changed");
    assert_eq!(verify("own.key.pub").0, 1, "one more space");
    // Other kinds of data are signed the same way, with no ledger.
    let table = policy("q1.csv", 2, "0.5").replace("[ledger]\npath = \"ledger\"\n", "");
    write(path, "alone.toml", table);
    assert_eq!(
        json(
            path,
            &[
                "anonymize",
                "alone.toml",
                "-o",
                "out/alone",
                "--sign",
                "own.key"
            ]
        )
        .0,
        0
    );
    assert_eq!(
        json(path, &["verify", "out/alone", "--key", "own.key.pub"]).0,
        0
    );
    assert_eq!(json(path, &["verify", "out/alone"]).1["signed"], false);
}

#[test]
fn two_writers_at_once_make_two_releases_or_one_is_told_to_wait() {
    let directory = first();
    let path = directory.path();
    quarter(path, "q2", &STAYED);
    let start = |output: &str| {
        Command::new(BINARY)
            .current_dir(path)
            .args(["anonymize", "q2.toml", "--json", "-o", output])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("denym starts")
    };
    for round in 0..5 {
        let names = [format!("out/a{round}"), format!("out/b{round}")];
        let both = [start(&names[0]), start(&names[1])];
        for (child, name) in both.into_iter().zip(&names) {
            let output = child.wait_with_output().expect("ended");
            let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let there = path.join(name).exists();
            match output.status.code() {
                Some(0) => assert!(there),
                Some(2) => assert!(
                    !there && error_code(&document) == "ledger-busy",
                    "{document}"
                ),
                other => panic!("{other:?}: {document}"),
            }
        }
        assert_eq!(json(path, &["ledger", "verify", "ledger"]).0, 0);
    }
    let (_, shown) = json(path, &["ledger", "show", "ledger"]);
    let there = std::fs::read_dir(path.join("out")).expect("out").count();
    assert_eq!(shown["entries"].as_array().map(Vec::len), Some(there));
}

/// A hundred runs are killed, at moments spread over a whole run; a ledger and its bundles agree after each. How many are caught between
/// two steps depends on the machine: the tests of the store stop at each of them.
#[test]
fn killed_at_any_moment_a_release_and_its_entry_are_both_there_or_neither() {
    let directory = first();
    let path = directory.path();
    quarter(path, "q2", &STAYED);
    let clock = Instant::now();
    let (code, _) = json(path, &["anonymize", "q2.toml", "-o", "out/n0"]);
    assert_eq!(code, 0);
    let whole = clock.elapsed().max(Duration::from_millis(10));
    for kill in 1..=100_u32 {
        let output = format!("out/n{kill}");
        let mut child = Command::new(BINARY)
            .current_dir(path)
            .args(["anonymize", "q2.toml", "--quiet", "-o", &output])
            .stderr(Stdio::null())
            .spawn()
            .expect("denym starts");
        std::thread::sleep(whole * kill / 90);
        child.kill().expect("killed");
        child.wait().expect("ended");
        let (code, checked) = json(path, &["ledger", "verify", "ledger"]);
        assert_eq!(
            (code, &checked["holds"]),
            (0, &true.into()),
            "kill {kill}: {checked}"
        );
        let entries = std::fs::read_to_string(path.join("ledger/entries")).expect("entries");
        let listed = entries.contains(&format!("out/n{kill}\""));
        assert_eq!(listed, path.join(&output).exists(), "kill {kill}");
        if listed {
            assert_eq!(
                run(path, &["verify", &output]).status.code(),
                Some(0),
                "kill {kill}"
            );
        }
    }
}
