//! Holds what may come into the build: every license, crate and source of the whole tree against `deny.toml`.
//!
//! `cargo deny` says the same where it is installed; this needs nothing but cargo.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Every package that some build for this machine may have, all features on.
fn packages() -> Option<Vec<Value>> {
    let host = Command::new(env!("CARGO")).arg("-vV").output();
    let host = String::from_utf8(host.expect("cargo runs").stdout).expect("text");
    let host = host.lines().find_map(|line| line.strip_prefix("host: "));
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--all-features"])
        .args(["--locked", "--offline", "--filter-platform"])
        .arg(host.expect("cargo knows its host"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    if !output.status.success() {
        denym_testkit::skip("not every crate of the full build is here");
        return None;
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    Some(metadata["packages"].as_array().expect("packages").clone())
}

fn deny() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deny.toml");
    std::fs::read_to_string(file).expect("deny.toml")
}

/// The quoted texts of the list that begins with `key = [`.
fn listed(deny: &str, section: &str, key: &str) -> BTreeSet<String> {
    let start = deny.find(&format!("\n[{section}]")).expect("the section");
    let list = &deny[start..][deny[start..]
        .find(&format!("\n{key} = ["))
        .expect("the list")..];
    let list = &list[..list.find("\n]").expect("the end of the list")];
    let lines = list
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    lines
        .flat_map(|line| line.split('"').skip(1).step_by(2))
        .map(str::to_owned)
        .collect()
}

/// Whether an SPDX expression is met by what is allowed; `/` is an old way to write OR.
fn is_met(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = either(&words, &mut at, allowed);
    assert_eq!(at, words.len(), "an expression that is read to its end");
    met
}

fn either(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut met = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= both(words, at, allowed);
    }
    met
}

fn both(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut met = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allowed);
    }
    met
}

fn one(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let word = words[*at];
    *at += 1;
    if word == "(" {
        let met = either(words, at, allowed);
        *at += 1;
        return met;
    }
    if words.get(*at) == Some(&"WITH") {
        let whole = format!("{word} WITH {}", words[*at + 1]);
        *at += 2;
        return allowed(&whole);
    }
    allowed(word)
}

#[test]
fn expressions_of_licenses_are_read_as_spdx_means_them() {
    let allowed = |name: &str| ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].contains(&name);
    for (expression, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("GPL-3.0/MIT", true),
        ("MIT AND GPL-3.0", false),
        ("(GPL-3.0 OR MIT) AND ISC", true),
        ("MIT AND (GPL-3.0 OR Apache-2.0)", false),
        ("Apache-2.0 WITH LLVM-exception", true),
        ("Apache-2.0", false),
    ] {
        assert_eq!(is_met(expression, &allowed), met, "{expression}");
    }
}

#[test]
fn every_license_of_the_tree_is_allowed() {
    let deny = deny();
    let allow = listed(&deny, "licenses", "allow");
    let Some(packages) = packages() else { return };
    for package in packages {
        if package["source"].is_null() {
            continue;
        }
        let name = package["name"].as_str().expect("a name");
        let license = package["license"].as_str();
        let license = license.unwrap_or_else(|| panic!("`{name}` states no license"));
        // Exceptions stand in one line each.
        let excepted: Vec<&str> = deny
            .lines()
            .filter(|line| line.contains(&format!("crate = \"{name}\"")))
            .flat_map(|line| line.split('"').skip(1).step_by(2))
            .collect();
        let allowed = |one: &str| allow.contains(one) || excepted.contains(&one);
        assert!(
            is_met(license, &allowed),
            "`{name}` is under {license}, which deny.toml does not allow"
        );
    }
}

#[test]
fn no_banned_crate_and_no_other_source_is_in_the_tree() {
    let banned = listed(&deny(), "bans", "deny");
    assert!(banned.contains("openssl-sys"), "{banned:?}");
    let Some(packages) = packages() else { return };
    let mut sources = BTreeSet::new();
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        assert!(!banned.contains(name), "`{name}` is banned");
        if let Some(source) = package["source"].as_str() {
            let known = source.starts_with("registry+");
            assert!(known, "`{name}` is from no registry");
            sources.insert(source.to_owned());
        }
    }
    assert!(sources.len() <= 1, "one registry and no other: {sources:?}");
}
