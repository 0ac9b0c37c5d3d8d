//! Names of columns and cells that would like to be a script; requests that no client sends.

use serde_json::json;

use crate::client::Served;
use crate::support::{empty, write};

const SCRIPT: &str = "<script>alert(1)</script>";

#[test]
fn no_name_and_no_cell_becomes_a_script() {
    let directory = empty();
    let column = "\"><img src=x onerror=alert(1)>";
    let mut csv = format!("\"{}\",age,disease\n", column.replace('"', "\"\""));
    for at in 0..40 {
        csv.push_str(&format!(
            "\"{SCRIPT}{}\",{},\"</title><svg onload=alert({})>\"\n",
            at % 3,
            20 + at % 10,
            at % 2
        ));
    }
    write(directory.path(), "evil.csv", csv);
    let served = Served::start(directory.path(), &[]);
    let reply = served.post("/projects", &[("file", "evil.csv"), ("name", "evil")]);
    assert_eq!(reply.status, 303, "{}", reply.text());
    let harmless = |text: &str, place: &str| {
        let lower = text.to_lowercase();
        for bad in ["<script>alert", "<img", "<svg onload", "</title><svg"] {
            assert!(!lower.contains(bad), "{place}: {bad}");
        }
    };
    harmless(&served.page("/projects/evil/reading").text(), "reading");
    let job = served.job("evil", &json!({"task": "draft"}));
    assert_eq!(job["state"], "done", "{job}");
    let policy = json!({
        "policy": format!("[data]\npath = \"../evil.csv\"\n[attributes]\n{} = \"quasi\"\nage = {{ role = \"quasi\", hierarchy = {{ interval = [5, 10] }} }}\ndisease = \"sensitive\"\n[promise]\nk-anonymity = 2\n[release]\nalgorithm = \"full-domain\"\nsuppress-at-most = 0.1\n# {SCRIPT}\n", json!(column)),
        "seen": served.version("evil"),
    });
    let reply = served.api("PUT", "/projects/evil/policy", Some(&policy));
    assert_eq!(reply.json()["mistakes"], json!([]), "{}", reply.text());
    for task in ["plan", "explore", "try", "release"] {
        let job = served.job("evil", &json!({"task": task}));
        assert_eq!(job["state"], "done", "{task}: {job}");
        harmless(
            &served
                .page(&format!("/jobs/{}", job["id"].as_str().expect("a number")))
                .text(),
            task,
        );
    }
    for screen in [
        "columns",
        "columns/0/tree",
        "promises",
        "explore",
        "release",
        "releases/1",
    ] {
        let page = served.page(&format!("/projects/evil/{screen}"));
        assert_eq!(page.status, 200, "{screen}: {}", page.text());
        harmless(&page.text(), screen);
    }
    // The report runs nothing even where it is opened alone.
    for report in ["releases/1/report", "candidate/report"] {
        let page = served.page(&format!("/projects/evil/{report}"));
        harmless(&page.text(), report);
        let policy = page.header("content-security-policy").expect("a policy");
        assert!(
            policy.starts_with("sandbox;") && policy.contains("default-src 'none'"),
            "{policy}"
        );
    }
    let log = std::fs::read_to_string(directory.path().join(".denym/audit.jsonl")).expect("a log");
    assert!(!log.contains("alert"), "{log}");
}

#[test]
fn nothing_that_is_sent_is_a_bug_of_ours() {
    let directory = empty();
    let mut served = Served::start(directory.path(), &[]);
    served.post("/projects", &[("example", "hospital")]);
    let document = served.api("GET", "/openapi.json", None).json();
    let names = [
        "hospital",
        "x",
        "1",
        "%F0%9F%98%80",
        "..",
        "%ff",
        "0",
        "999999999999999999999999",
    ];
    let bodies = [
        "",
        "{}",
        "[]",
        "null",
        "1",
        "{\"task\": 5}",
        "{\"task\": \"explore\", \"k\": \"1..99999999999\"}",
        "{\"task\": \"explore\", \"t\": \"-1\"}",
        "{\"policy\": \"\\u0000\", \"seen\": \"x\"}",
        "\u{feff}{",
        "{\"name\": \"\u{202e}\", \"example\": \"hospital\"}",
        "{\"file\": \"\"}",
        "{\"task\": \"verify\", \"release\": \"../..\"}",
    ];
    let bearer = format!("Bearer {}", served.token);
    let mut sent = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, _) in methods.as_object().expect("methods") {
            if path.ends_with("/events") {
                continue;
            }
            for name in names {
                let path = path
                    .split('/')
                    .map(|part| if part.starts_with('{') { name } else { part })
                    .collect::<Vec<_>>()
                    .join("/");
                let bodies: &[&str] = if method == "get" { &[""] } else { &bodies };
                for body in bodies {
                    for kind in ["application/json", "multipart/form-data", "text/plain"] {
                        let headers = [("Authorization", bearer.as_str()), ("Content-Type", kind)];
                        let reply =
                            served.send(&method.to_uppercase(), &path, &headers, body.as_bytes());
                        assert!(
                            reply.status < 500,
                            "{method} {path} {body}: {} {}",
                            reply.status,
                            reply.text()
                        );
                        assert_eq!(
                            reply.header("x-content-type-options"),
                            Some("nosniff"),
                            "{method} {path}"
                        );
                        if reply.status >= 400 {
                            let error = &reply.json()["error"];
                            for key in ["code", "message", "help"] {
                                assert!(
                                    error[key].as_str().is_some_and(|text| !text.is_empty()),
                                    "{method} {path} {body}: {error}"
                                );
                            }
                        }
                        sent += 1;
                        if method == "get" || !path.contains("hospital") {
                            break;
                        }
                    }
                }
            }
        }
    }
    assert!(sent > 150, "{sent}");
    for request in [
        "DELETE / HTTP/1.1",
        "PATCH /api/v1/projects HTTP/1.1",
        "OPTIONS * HTTP/1.1",
    ] {
        let mut parts = request.split(' ');
        let (method, path) = (
            parts.next().expect("a method"),
            parts.next().expect("a path"),
        );
        let reply = served.send(method, path, &[("Authorization", bearer.as_str())], b"");
        assert!(
            (400..500).contains(&reply.status),
            "{request}: {}",
            reply.status
        );
    }
    assert!(served.lives());
}
