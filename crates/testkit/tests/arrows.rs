//! Holds the walls of the house: which crate may depend on which, and that ARCHITECTURE.md lists every crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// For each crate, the crates of ours it may depend on (tests apart).
const ARROWS: &[(&str, &[&str])] = &[
    ("data", &[]),
    ("measure", &["data"]),
    ("policy", &["data", "measure"]),
    ("tabular", &["data", "measure"]),
    ("microdata", &["data", "measure"]),
    ("sequences", &["data", "measure"]),
    ("attack", &["data", "measure", "policy"]),
    // Who checks never imports who anonymizes.
    ("release", &["data", "measure", "policy", "attack"]),
    ("stream", &["data", "measure", "sequences", "release"]),
    ("purpose", &["data", "policy"]),
    ("engine", &["data"]),
    ("report", &[]),
    (
        "denym",
        &[
            "data",
            "measure",
            "policy",
            "tabular",
            "microdata",
            "sequences",
            "attack",
            "release",
            "stream",
            "purpose",
            "engine",
            "report",
        ],
    ),
    ("server", &["denym", "report"]),
    ("gateway", &["data", "purpose", "engine"]),
    ("brokers", &["engine"]),
    ("cluster", &["engine"]),
    ("cli", &["denym", "server", "gateway", "brokers", "cluster"]),
    // The only crate that knows Python.
    ("python", &["denym", "purpose"]),
    ("testkit", &["data"]),
    (
        "bench",
        &[
            "testkit",
            "data",
            "measure",
            "tabular",
            "microdata",
            "sequences",
            "attack",
            "purpose",
            "stream",
            "engine",
            "denym",
        ],
    ),
];

/// Crates that may know a query engine; no build that a newcomer waits for has them.
const HEAVY: &[&str] = &["gateway", "brokers", "cluster"];

/// The one crate beside those that may know an asynchronous runtime and HTTP.
const WEB: &str = "server";

/// The crates beside those that may know arrays: the one that reads and writes files, and the one that takes frames from Python.
const ARRAYS: &[&str] = &["engine", "python"];

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// The room a package lives in: the name of its directory.
fn room(package: &Value) -> String {
    let manifest = package["manifest_path"].as_str().expect("manifest path");
    let directory = Path::new(manifest)
        .parent()
        .and_then(Path::file_name)
        .expect("a directory");
    directory.to_string_lossy().into_owned()
}

fn dependencies(package: &Value) -> BTreeSet<String> {
    let list = package["dependencies"].as_array().expect("dependencies");
    let normal = list.iter().filter(|dependency| dependency["kind"] != "dev");
    normal
        .map(|dependency| dependency["name"].as_str().expect("a name").to_owned())
        .collect()
}

#[test]
fn no_arrow_that_the_design_does_not_have() {
    let packages = packages();
    let rooms: BTreeMap<String, String> = packages
        .iter()
        .map(|package| {
            (
                package["name"].as_str().expect("a name").to_owned(),
                room(package),
            )
        })
        .collect();
    for package in &packages {
        let from = room(package);
        let (_, allowed) = ARROWS
            .iter()
            .find(|(name, _)| *name == from)
            .unwrap_or_else(|| panic!("crate `{from}` is not in the design"));
        for dependency in dependencies(package) {
            if let Some(to) = rooms.get(&dependency) {
                assert!(
                    allowed.contains(&to.as_str()),
                    "`{from}` must not depend on `{to}`"
                );
            }
        }
    }
}

#[test]
fn no_query_engine_in_the_light_crates_and_a_runtime_in_one() {
    for package in packages() {
        let room = room(&package);
        if !HEAVY.contains(&room.as_str()) {
            for dependency in dependencies(&package) {
                let is = |names: &[&str]| {
                    names.iter().any(|name| {
                        dependency == *name || dependency.starts_with(&format!("{name}-"))
                    })
                };
                let heavy = is(&["datafusion", "pgwire", "async"])
                    || (room != WEB && is(&["tokio", "axum", "hyper", "http", "futures"]))
                    || (!ARRAYS.contains(&room.as_str()) && is(&["arrow", "parquet"]));
                assert!(!heavy, "`{room}` must not depend on `{dependency}`");
            }
        }
    }
}

/// What a newcomer waits for, with all that it brings along: the crates above may be light and one of theirs heavy.
#[test]
fn the_default_build_has_no_query_engine_and_a_runtime_for_the_web_alone() {
    let tree = |features: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(["tree", "-p", "denym-cli", "-e", "normal,build"])
            .args(["--prefix", "none", "--format", "{p}", "--offline"])
            .args(features)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("names are text")
    };
    let heavy = |tree: &str| -> BTreeSet<String> {
        let names = tree.lines().filter_map(|line| line.split(' ').next());
        let known = ["datafusion", "tokio", "pgwire", "async-nats", "rskafka"];
        let is_heavy = |name: &&str| known.iter().any(|known| name.starts_with(known));
        names.filter(is_heavy).map(str::to_owned).collect()
    };
    assert_eq!(
        heavy(&tree(&[])),
        BTreeSet::from(["tokio".to_owned()]),
        "the runtime itself, without macros and TLS"
    );
    // And nothing but the web application brings it along.
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "-p",
            "denym-cli",
            "-e",
            "normal,build",
            "-i",
            "tokio",
        ])
        .args(["--prefix", "none", "--format", "{p}", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let text = String::from_utf8(output.stdout).expect("names are text");
    let ours: BTreeSet<&str> = text
        .lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| name.starts_with("denym-"))
        .collect();
    assert_eq!(ours, BTreeSet::from(["denym-cli", "denym-server"]));
    // The names above are those that the full build has.
    let full = heavy(&tree(&["--features", "full"]));
    for name in ["datafusion", "tokio", "pgwire", "async-nats", "rskafka"] {
        assert!(full.contains(name), "{name}: {full:?}");
    }
}

#[test]
fn architecture_lists_every_crate() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ARCHITECTURE.md");
    let text = std::fs::read_to_string(path).expect("ARCHITECTURE.md is there");
    for package in packages() {
        let room = room(&package);
        let place = if ["bench", "python"].contains(&room.as_str()) {
            format!("`{room}`")
        } else {
            format!("`crates/{room}`")
        };
        assert!(
            text.contains(&place),
            "ARCHITECTURE.md does not speak of {place}"
        );
    }
}
