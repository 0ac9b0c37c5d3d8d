//! Guessing passwords: the brake counts every try, locks nobody out for good, and nothing tells which users exist.

use crate::support::guess::Guess;
use crate::support::{PASSWORD, Plan, Site, entries};
use std::time::{Duration, Instant};

const POLICY: &str = r#"
[purposes]
general = {}
[roles]
analyst = []
[users]
anna = { roles = ["analyst"] }
ben = { roles = ["analyst"] }
cora = { roles = ["analyst"] }
[[grants]]
role = "analyst"
purposes = ["general"]
[tables.person]
default = "<{general}, {}, {}>"
[tables.person.columns]
id = { type = "integer" }
"#;

fn files() -> [(&'static str, String); 1] {
    [("person", "id\n1\n2\n".to_owned())]
}

fn site() -> Site {
    Plan::embedded(POLICY, &files(), None).run()
}

fn logs_in(site: &Site, user: &str) -> bool {
    Guess::begin(site.address, user).takes(PASSWORD)
}

/// How many tries at a user were judged and wrong, by the log of a gateway that was stopped.
fn judged(folder: &std::path::Path, user: &str) -> u64 {
    entries(folder)
        .iter()
        .filter(|event| event.event == "login-failed" && event.user == user)
        .filter(|event| event.decision == "wrong-password")
        .map(|event| event.count.unwrap_or(1))
        .sum()
}

#[test]
fn own_logins_between_guesses_gain_nothing() {
    let site = site();
    let start = Instant::now();
    for guess in 0..60 {
        assert!(!Guess::begin(site.address, "anna").takes(&format!("guess {guess}")));
        assert!(logs_in(&site, "ben"), "one's own login works");
    }
    assert!(
        !logs_in(&site, "anna"),
        "the right one was not judged either"
    );
    let took = start.elapsed().as_secs();
    let folder = site.stop();
    assert!(judged(folder.path(), "anna") <= 5 + took, "{took} s");
}

#[test]
fn connections_opened_first_are_not_so_many_guesses() {
    let site = site();
    let opened: Vec<Guess> = (0..300)
        .map(|_| Guess::begin(site.address, "anna"))
        .collect();
    let start = Instant::now();
    let mut right = false;
    for (place, guess) in opened.into_iter().enumerate() {
        right = guess.takes(if place == 299 { PASSWORD } else { "wrong" });
    }
    let took = start.elapsed().as_secs();
    assert!(!right, "the right one, last, is not judged");
    let folder = site.stop();
    assert!(judged(folder.path(), "anna") <= 5 + took, "{took} s");
}

#[test]
fn a_pool_that_opens_many_at_once_is_not_slowed() {
    let site = site();
    let opened: Vec<Guess> = (0..100)
        .map(|_| Guess::begin(site.address, "anna"))
        .collect();
    assert!(opened.into_iter().all(|guess| guess.takes(PASSWORD)));
}

#[test]
fn the_right_password_gets_in_while_it_is_tried_all_the_time() {
    let site = site();
    for _ in 0..6 {
        assert!(!Guess::begin(site.address, "anna").takes("wrong"));
        std::thread::sleep(Duration::from_millis(10));
    }
    let start = Instant::now();
    while !logs_in(&site, "anna") {
        assert!(start.elapsed() < Duration::from_secs(10), "locked out");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn who_shares_the_address_is_not_locked_out() {
    let site = site();
    assert!(logs_in(&site, "anna"));
    // someone behind the same proxy tries every name there is
    let failed = (0..150)
        .filter(|number| !Guess::begin(site.address, &format!("name{number}")).takes("wrong"))
        .count();
    assert_eq!(failed, 150);
    assert!(
        logs_in(&site, "anna"),
        "who works here is not slowed at all"
    );
    // and who comes for the first time waits a moment, no more
    let start = Instant::now();
    while !logs_in(&site, "cora") {
        assert!(start.elapsed() < Duration::from_secs(10), "locked out");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn restarts_do_not_tell_which_users_exist() {
    let shown = |site: &Site| {
        ["anna", "ben", "nobody", "somebody"].map(|user| Guess::begin(site.address, user).shown())
    };
    let site = site();
    let before = shown(&site);
    let folder = site.stop();
    let site = Plan::embedded_in(folder, POLICY, &files(), None).run();
    assert_eq!(shown(&site), before);
    let rounds: Vec<&String> = before.iter().map(|(_, rounds)| rounds).collect();
    assert!(rounds.iter().all(|count| *count == rounds[0]), "{rounds:?}");
    let lengths = before.iter().map(|(salt, _)| salt.len());
    assert_eq!(lengths.clone().min(), lengths.max());
    assert_ne!(before[2].0, before[3].0, "each name has a salt of its own");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let kept = site.folder.path().join("users.decoys");
        let mode = std::fs::metadata(kept).expect("kept").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_wrong_password_an_unknown_user_and_a_wait_look_alike() {
    let site = site();
    let answer = |user: &str| Guess::begin(site.address, user).prove("wrong");
    let wrong = answer("anna");
    assert_eq!(wrong.0, b'E');
    assert_eq!(answer("nobody"), wrong);
    // mallory has a verifier and is no user of the policy
    assert_eq!(Guess::begin(site.address, "mallory").prove(PASSWORD), wrong);
    for _ in 0..20 {
        assert_eq!(answer("anna"), wrong);
        assert_eq!(answer("nobody"), wrong);
    }
}

#[test]
fn who_has_no_login_cannot_fill_the_log() {
    let site = site();
    let long = "x".repeat(9000);
    for number in 0..400 {
        let user = if number % 2 == 0 {
            format!("{number}{long}")
        } else {
            "anna".to_owned()
        };
        assert!(!Guess::begin(site.address, &user).takes("wrong"));
    }
    let folder = site.stop();
    let log = std::fs::read(folder.path().join("audit.jsonl")).expect("a log");
    assert!(log.len() < 40_000, "{} bytes", log.len());
    let counted: u64 = entries(folder.path())
        .iter()
        .filter(|event| event.event == "login-failed")
        .map(|event| event.count.unwrap_or(1))
        .sum();
    assert_eq!(counted, 400, "every one is counted");
}
