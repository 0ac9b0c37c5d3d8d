//! `denym access user`.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use denym_gateway::scram::{Exchange, Verifier};
use denym_testkit::postgres::Server;

use crate::support::{BINARY, denym, json, write};
use crate::{both, done, example, read, words};

fn add(directory: &Path, name: &str, password: &str, more: &[&str]) -> Output {
    let mut child = denym()
        .current_dir(directory)
        .args(["access", "user", "add", name, "--users", "users.txt"])
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("denym runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(password.as_bytes()).expect("writes");
    drop(input);
    child.wait_with_output().expect("denym ends")
}

/// Salt and verifier of a user in the file.
fn verifier(directory: &Path, name: &str) -> (Vec<u8>, Verifier) {
    let text = read(directory.join("users.txt"));
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{name}:")))
        .expect("the user's line");
    let salt = line.split([':', '$']).nth(2).expect("a salt");
    let verifier = Verifier::from_text(line).expect("a verifier");
    // the salt once more, as the server shows it to a client
    let exchange = Exchange::start(verifier.clone(), b"n,,n=x,r=abc", "def").expect("starts");
    assert!(
        exchange
            .server_first()
            .contains(&format!("s={salt},i=4096"))
    );
    (base64(salt), verifier)
}

fn base64(text: &str) -> Vec<u8> {
    let signs = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bits = 0u32;
    let (mut held, mut out) = (0, Vec::new());
    for sign in text.bytes().filter(|sign| *sign != b'=') {
        let value = signs.iter().position(|s| *s == sign).expect("base64");
        bits = bits << 6 | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held & 0xff) as u8);
        }
    }
    out
}

#[test]
fn verifiers_are_those_of_the_password() {
    let directory = example();
    let here = directory.path();
    let output = add(
        here,
        "russell",
        "correct horse\n",
        &["--policy", "policy.toml"],
    );
    assert_eq!(both(&output), "added      russell\n");
    let output = add(
        here,
        "stranger",
        "correct horse",
        &["--policy", "policy.toml"],
    );
    assert!(
        both(&output).contains("the policy does not know this user"),
        "{}",
        both(&output)
    );
    let (salt, found) = verifier(here, "russell");
    assert_eq!(salt.len(), 16);
    assert_eq!(found, Verifier::new("correct horse", &salt, 4096));
    assert_ne!(found, Verifier::new("correct horse\n", &salt, 4096));
    // a new salt for the same password
    let output = add(here, "russell", "correct horse", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(both(&output).contains("help: give it a new password with --replace"));
    assert_eq!(
        add(here, "russell", "correct horse", &["--replace"])
            .status
            .code(),
        Some(0)
    );
    let (second, _) = verifier(here, "russell");
    assert_ne!(salt, second);
    let text = read(here.join("users.txt"));
    assert!(!text.contains("horse"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(here.join("users.txt"))
            .expect("is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    write(here, "secret.txt", "from a file\r\n");
    let output = add(here, "otto", "", &["--password-file", "secret.txt"]);
    assert_eq!(output.status.code(), Some(0));
    let (salt, found) = verifier(here, "otto");
    assert_eq!(found, Verifier::new("from a file", &salt, 4096));
    let (_, document) = json(
        here,
        &words("access user list --users users.txt --policy policy.toml"),
    );
    assert_eq!(
        document,
        serde_json::json!({
            "users": [
                {"user": "otto", "in_policy": true},
                {"user": "russell", "in_policy": true},
                {"user": "stranger", "in_policy": false},
            ],
            "without_login": ["hanna", "nadia", "pia"],
        })
    );
    done(
        here,
        &["access", "user", "remove", "otto", "--users", "users.txt"],
    );
    assert!(!read(here.join("users.txt")).contains("otto"));
    let (code, document) = json(
        here,
        &["access", "user", "remove", "otto", "--users", "users.txt"],
    );
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"user-unknown".into())
    );
    // nothing of a password that is refused is shown
    for (name, password, expect) in [
        ("new", "", "password"),
        ("new", "two\nlines", "password"),
        ("new", "lines", "password"),
        ("a:b", "p", "user-name"),
    ] {
        let output = add(here, name, password, &["--json"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(
            both(&output).contains(&format!("\"code\": \"{expect}\""))
                && !both(&output).contains("lines")
        );
    }
}

#[test]
fn a_password_is_never_an_argument() {
    let directory = example();
    let here = directory.path();
    for more in [&["--password", "in clear"][..], &["in clear"]] {
        let output = add(here, "russell", "", more);
        assert_eq!(output.status.code(), Some(2), "{}", both(&output));
        assert!(!here.join("users.txt").exists());
    }
    for command in ["access user add", "access user remove", "gateway"] {
        let help = done(here, &words(&format!("{command} --help")));
        let takes_one = help.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with("--password <") || line.starts_with("--password=")
        });
        assert!(!takes_one, "{command}: {help}");
    }
}

#[test]
fn postgresql_takes_the_verifier() {
    let Some(server) = Server::start() else {
        return;
    };
    let directory = example();
    let here = directory.path();
    add(here, "russell", "correct horse\n", &[]);
    let text = read(here.join("users.txt"));
    let verifier = text.trim().strip_prefix("russell:").expect("one user");
    server
        .query(&format!("CREATE ROLE russell LOGIN PASSWORD '{verifier}';"))
        .expect("a verifier as PostgreSQL writes it");
    let rules = server.socket().join("data/pg_hba.conf");
    write(
        rules.parent().expect("a folder"),
        "pg_hba.conf",
        "local all russell scram-sha-256\nlocal all all trust\n",
    );
    server.query("SELECT pg_reload_conf();").expect("reloads");
    let login = |password: &str| {
        let output = Command::new("psql")
            .args([
                "-XAtqw",
                "-U",
                "russell",
                "-d",
                "postgres",
                "-c",
                "SELECT session_user",
                "-h",
            ])
            .arg(server.socket())
            .env("PGPASSWORD", password)
            .output()
            .expect("psql runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    // the server reads its rules again when it gets to it
    let patient = (0..50).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        login("wrong").is_empty()
    });
    assert!(patient, "a wrong password is refused");
    assert_eq!(login("correct horse"), "russell");
    assert_eq!(login("correct horse "), "");
}

/// `script` gives the command a terminal of its own.
#[test]
fn a_typed_password_is_not_shown() {
    let directory = example();
    if denym_testkit::lacks(&["script"]) {
        return;
    }
    let command = format!("{BINARY} access user add hanna --users users.txt");
    let mut child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(directory.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script runs");
    let mut input = child.stdin.take().expect("a pipe");
    let mut screen = child.stdout.take().expect("a pipe");
    let mut text = String::new();
    for prompt in ["password of hanna: ", "once more: "] {
        while !text.ends_with(prompt) {
            let mut byte = [0];
            assert_eq!(screen.read(&mut byte).expect("reads"), 1, "{text}");
            text.push(char::from(byte[0]));
        }
        // the echo is switched off right after the prompt
        std::thread::sleep(std::time::Duration::from_secs(2));
        input.write_all(b"quiet please\n").expect("types");
    }
    screen.read_to_string(&mut text).expect("reads");
    drop(input);
    child.wait().expect("script ends");
    assert!(
        text.contains("password of hanna:") && text.contains("added"),
        "{text}"
    );
    assert!(!text.contains("quiet"), "{text}");
    let (salt, found) = verifier(directory.path(), "hanna");
    assert_eq!(found, Verifier::new("quiet please", &salt, 4096));
}
