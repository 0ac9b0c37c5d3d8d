//! The interface for programs answers with the documents of `--json`.

use serde_json::{Value, json};

use crate::client::Served;
use crate::support::{self, empty};

#[test]
fn the_documents_are_those_of_the_command() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    let reply = served.api(
        "POST",
        "/projects",
        Some(&json!({"example": "hospital", "name": "h"})),
    );
    assert_eq!(reply.status, 201, "{}", reply.text());
    let home = directory.path().join("h");
    let command = |args: &[&str]| support::json(&home, args).1;
    for (path, args) in [
        ("/promises", "promises"),
        ("/algorithms", "algorithms"),
        ("/metrics", "metrics"),
        ("/findings", "findings"),
    ] {
        assert_eq!(
            served.api("GET", path, None).json(),
            command(&[args]),
            "{path}"
        );
    }
    let without = |mut document: Value, keys: &[&str]| {
        for key in keys {
            document.as_object_mut().expect("an object").remove(*key);
        }
        document
    };
    let profile = served.api("GET", "/projects/h/profile", None).json();
    let theirs = without(
        command(&["profile", "patients.csv"]),
        &["policy", "reading"],
    );
    let columns = |document: &Value| {
        document["columns"]
            .as_array()
            .expect("columns")
            .iter()
            .map(|one| {
                (
                    one["name"].clone(),
                    one["distinct"].clone(),
                    one["role"].clone(),
                )
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(columns(&profile), columns(&theirs));
    assert_eq!(profile["records"], theirs["records"]);
    let plan = served.job("h", &json!({"task": "plan"}));
    assert_eq!(plan["result"], command(&["plan", "policy.toml"]));
    let explored = served.job("h", &json!({"task": "explore", "k": "2,5"}));
    assert_eq!(
        explored["result"],
        command(&["explore", "policy.toml", "--k", "2,5"])
    );
    let release = served.job("h", &json!({"task": "release"}));
    let theirs = command(&["anonymize", "policy.toml", "-o", "out"]);
    let apart = ["bundle", "seconds", "phases"];
    assert_eq!(
        without(release["result"].clone(), &apart),
        without(theirs, &apart)
    );
    assert_eq!(release["result"]["bundle"], "h/releases/1");
    let verified = served.job("h", &json!({"task": "verify", "release": "1"}));
    assert_eq!(
        verified["result"],
        command(&["verify", "releases/1/release"])
    );
    let certificate = served
        .api("GET", "/projects/h/releases/1/certificate.json", None)
        .json();
    let own = std::fs::read_to_string(home.join("releases/1/release/certificate.json"))
        .expect("a certificate");
    assert_eq!(
        certificate,
        serde_json::from_str::<Value>(&own).expect("JSON")
    );
}

#[test]
fn the_errors_are_those_of_the_command() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    served.api("POST", "/projects", Some(&json!({"example": "hospital"})));
    let policy = "[data]\npath = \"none.csv\"\n[attributes]\nzip = \"quasi\"\n[promise]\nk-anonymity = 0\nk-anonimity = 2\n";
    let reply = served.api(
        "PUT",
        "/projects/hospital/policy",
        Some(&json!({"policy": policy, "seen": served.version("hospital")})),
    );
    let (code, theirs) =
        support::json(&directory.path().join("hospital"), &["plan", "policy.toml"]);
    assert_eq!(code, 2);
    let strip = |list: &Value| {
        let keys = ["code", "message", "help"];
        list.as_array()
            .expect("mistakes")
            .iter()
            .map(|one| keys.map(|key| one[key].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        strip(&reply.json()["mistakes"]),
        strip(&theirs["error"]["mistakes"])
    );
}

#[test]
fn the_description_has_every_route_and_every_route_is_described() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    let document = served.api("GET", "/openapi.json", None).json();
    assert_eq!(document["openapi"], "3.1.0");
    let paths = document["paths"].as_object().expect("paths");
    assert!(paths.len() > 14, "{}", paths.len());
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().expect("methods") {
            assert!(
                operation["summary"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty()),
                "{method} {path}"
            );
            let named = path.matches('{').count();
            assert_eq!(
                operation["parameters"].as_array().expect("a list").len(),
                named,
                "{method} {path}"
            );
        }
    }
}
