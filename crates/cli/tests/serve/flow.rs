//! The whole way: an ugly file, roles, promises, the frontier, a release that the command line makes from the same policy, byte for byte.

use std::path::Path;

use serde_json::json;

use crate::client::{Served, encoded};
use crate::support::{self, empty, files, write};

/// Semicolons, a decimal comma, a title, Windows-1252, codes for missing values.
fn ugly() -> Vec<u8> {
    let mut text =
        String::from("Auszug der Klinik\r\n\r\nName;PLZ;Alter;Gr\u{f6}\u{df}e;Diagnose\r\n");
    for at in 0..60 {
        let plz = 10100 + at % 4;
        let age = if at == 7 {
            "-99".to_owned()
        } else {
            (20 + at % 30).to_string()
        };
        let height = format!("1,{}", 60 + at % 25);
        let disease = ["Grippe", "Asthma", "Krebs"][at % 3];
        text.push_str(&format!("Person{at};{plz};{age};{height};{disease}\r\n"));
    }
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).expect("Latin"))
        .collect()
}

#[test]
fn a_newcomer_gets_from_an_ugly_file_to_a_verified_release() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    let reply = served.upload(
        "/upload",
        &[("name", "klinik")],
        "data",
        "Auszug 2024.csv",
        &ugly(),
    );
    assert_eq!(
        (reply.status, reply.header("location")),
        (303, Some("/projects/klinik")),
        "{}",
        reply.text()
    );
    assert_eq!(
        served.page("/projects/klinik").header("location"),
        Some("/projects/klinik/reading")
    );
    let page = served.page("/projects/klinik/reading").text();
    assert!(page.contains("Größe") && page.contains("Person0"), "{page}");
    // The preview follows a correction, and a wrong one is told.
    let reply = served.post("/projects/klinik/reading", &[("delimiter", "|")]);
    assert_eq!(reply.status, 303, "{}", reply.text());
    let wrong = served.page("/projects/klinik/reading").text();
    assert!(!wrong.contains("<th scope=\"col\">Größe"), "{wrong}");
    let reply = served.post("/projects/klinik/reading", &[("delimiter", ";;")]);
    assert_eq!(reply.status, 400);
    served.post(
        "/projects/klinik/reading",
        &[("delimiter", ";"), ("missing", "-99")],
    );
    let reply = served.post("/projects/klinik/draft", &[]);
    assert_eq!(reply.status, 303, "{}", reply.text());
    let jobs = served.api("GET", "/jobs", None).json();
    served.wait(jobs["jobs"][0]["id"].as_str().expect("a job"));
    let page = served.page("/projects/klinik/columns").text();
    assert!(page.contains("<svg") && page.contains("Diagnose"), "{page}");
    // Roles, a hierarchy and the numbers of promises by click; each is in the policy at once.
    let change = |path: &str, fields: &[(&str, &str)]| {
        let seen = served.version("klinik");
        let mut fields = fields.to_vec();
        fields.push(("seen", &seen));
        let reply = served.post(&format!("/projects/klinik/{path}"), &fields);
        assert_eq!(reply.status, 303, "{path} {fields:?}: {}", reply.text());
        served.api("GET", "/projects/klinik/policy", None).json()["policy"]
            .as_str()
            .expect("text")
            .to_owned()
    };
    change(
        "columns/role",
        &[("column", "Name"), ("role", "identifier")],
    );
    change("columns/role", &[("column", "PLZ"), ("role", "quasi")]);
    change("columns/role", &[("column", "Alter"), ("role", "quasi")]);
    change("columns/role", &[("column", "Größe"), ("role", "")]);
    change(
        "columns/role",
        &[("column", "Diagnose"), ("role", "sensitive")],
    );
    let text = change(
        "columns/hierarchy",
        &[
            ("column", "Alter"),
            ("form", "interval"),
            ("value", "5, 10, 40"),
        ],
    );
    assert!(text.contains("interval = [5, 10, 40]"), "{text}");
    let text = change(
        "promises/set",
        &[("key", "k-anonymity"), ("at", "0"), ("given-k", "4")],
    );
    assert!(text.contains("k-anonymity = 4"), "{text}");
    let text = change(
        "promises/settings",
        &[("algorithm", "full-domain"), ("suppress", "0.1")],
    );
    assert!(
        text.contains("algorithm = \"full-domain\"") && text.contains("suppress-at-most = 0.1"),
        "{text}"
    );
    let policy = served.api("GET", "/projects/klinik/policy", None).json();
    assert_eq!(policy["mistakes"], json!([]), "{policy}");
    // What was seen before is not overwritten.
    let reply = served.post(
        "/projects/klinik/columns/role",
        &[
            ("column", "Name"),
            ("role", "quasi"),
            ("seen", "0123456789abcdef"),
        ],
    );
    assert_eq!(reply.status, 409);
    let job = served.job("klinik", &json!({"task": "release"}));
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(job["result"]["status"], "released");
    let page = served.page("/projects/klinik/releases/1");
    assert!(
        page.text().contains("<iframe") && page.text().contains("sandbox=\"\""),
        "{}",
        page.text()
    );
    let zip = served.page("/projects/klinik/releases/1/release.zip");
    assert_eq!(zip.header("content-type"), Some("application/zip"));
    // The recipient drops it in; a changed one is found out.
    let reply = served.upload("/api/v1/verify", &[], "file", "klinik-1.zip", &zip.body);
    let found = reply.json();
    assert_eq!(found["data_intact"], true, "{found}");
    assert_eq!(found["holds"], true, "{found}");
    let reply = served.upload("/verify", &[], "release", "klinik-1.zip", &zip.body);
    assert!(reply.text().contains("role=\"status\""), "{}", reply.text());
    let reply = served.upload(
        "/verify",
        &[],
        "release",
        "klinik-1.zip",
        &zip.body[..zip.body.len() / 2],
    );
    assert_eq!(reply.status, 400);
}

/// Copies a project without its releases.
fn copy(from: &Path, to: &Path) {
    for (name, content) in files(from) {
        if !name.starts_with("releases") && !name.starts_with(".candidate") {
            write(to, name.to_str().expect("a name"), content);
        }
    }
}

#[test]
fn the_command_line_makes_the_same_bytes_for_every_example() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    let examples = served.api("GET", "/projects", None).json()["examples"].clone();
    assert!(support::list(&examples).len() >= 5, "{examples}");
    for example in support::list(&examples) {
        let name = example.as_str().expect("a name");
        served.post("/projects", &[("example", name)]);
        let job = served.job(name, &json!({"task": "release"}));
        assert_eq!(job["state"], "done", "{name}: {job}");
        let elsewhere = empty();
        copy(&directory.path().join(name), elsewhere.path());
        // As it is downloaded.
        let policy = served.page(&format!("/projects/{name}/policy.toml")).body;
        write(elsewhere.path(), "policy.toml", policy);
        let output = support::run(elsewhere.path(), &["anonymize", "policy.toml", "-o", "out"]);
        assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
        let ours = files(&directory.path().join(name).join("releases/1"));
        let theirs = files(&elsewhere.path().join("out"));
        let names = |all: &[(std::path::PathBuf, Vec<u8>)]| {
            all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&ours), names(&theirs), "{name}");
        for ((file, one), (_, other)) in ours.iter().zip(&theirs) {
            assert!(one == other, "{name}: {}", file.display());
        }
        // Every screen of every kind of data is whole.
        for screen in [
            "columns",
            "promises",
            "explore",
            "release",
            "releases/1",
            "releases/1/report",
        ] {
            let page = served.page(&format!("/projects/{name}/{screen}"));
            assert_eq!(page.status, 200, "{name} {screen}: {}", page.text());
            assert!(
                !page.text().contains("web."),
                "{name} {screen} has every sentence"
            );
        }
    }
}

#[test]
fn the_frontier_is_drawn_and_a_point_of_it_is_chosen() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    served.post("/projects", &[("example", "hospital")]);
    let job = served.job(
        "hospital",
        &json!({"task": "explore", "k": "2, 5, 10", "suppress": "0, 0.05"}),
    );
    assert_eq!(job["state"], "done", "{job}");
    assert_eq!(support::list(&job["result"]["trials"]).len(), 6, "{job}");
    let page = served.page("/projects/hospital/explore").text();
    assert!(
        page.contains("href=\"#trial-0\"") && page.contains("id=\"trial-5\""),
        "{page}"
    );
    let seen = served.version("hospital");
    let reply = served.post(
        "/projects/hospital/explore/choose",
        &[("k", "10"), ("suppress", "0.05"), ("seen", &seen)],
    );
    assert_eq!(reply.status, 303, "{}", reply.text());
    let policy = served.api("GET", "/projects/hospital/policy", None).json();
    let text = policy["policy"].as_str().expect("text");
    assert!(
        text.contains("k-anonymity = 10") && text.contains("# never released"),
        "{text}"
    );
    let jobs = served.api("GET", "/jobs", None).json();
    let job = served.wait(jobs["jobs"][0]["id"].as_str().expect("a job"));
    assert_eq!(
        (job["state"].as_str(), job["task"]["task"].as_str()),
        (Some("done"), Some("try")),
        "{job}"
    );
    // The candidate is looked at, and is no release.
    assert_eq!(
        served.page("/projects/hospital/candidate/report").status,
        200
    );
    assert_eq!(
        served.api("GET", "/projects/hospital", None).json()["releases"],
        json!([])
    );
}

#[test]
fn every_mistake_is_shown_beside_the_policy_and_a_refusal_is_told() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    served.post("/projects", &[("example", "hospital")]);
    let set = |text: &str| {
        let seen = served.version("hospital");
        let reply = served.post(
            "/projects/hospital/policy",
            &[
                ("policy", text),
                ("seen", &seen),
                ("back", "/projects/hospital/promises"),
            ],
        );
        assert_eq!(
            (reply.status, reply.header("location")),
            (303, Some("/projects/hospital/promises")),
            "{}",
            reply.text()
        );
    };
    let old =
        std::fs::read_to_string(directory.path().join("hospital/policy.toml")).expect("a policy");
    set(&old.replace("k-anonymity = 5", "k-anonimity = 5"));
    let page = served.page("/projects/hospital/promises").text();
    assert!(
        page.contains("k-anonimity") && page.contains("policy-unknown-key"),
        "{page}"
    );
    set("[data\npath = ");
    for screen in ["columns", "promises", "explore", "release"] {
        let page = served.page(&format!("/projects/hospital/{screen}"));
        assert_eq!(page.status, 200, "{screen}");
        assert!(page.text().contains("role=\"alert\""), "{screen}");
    }
    set(&old
        .replace("k-anonymity = 5", "k-anonymity = 5000")
        .replace("suppress-at-most = 0.05", "suppress-at-most = 0"));
    let job = served.job("hospital", &json!({"task": "release"}));
    assert_eq!(job["state"], "refused", "{job}");
    assert_eq!(job["result"]["status"], "refused");
    assert!(!directory.path().join("hospital/releases/1").exists());
    let page = served
        .page(&format!("/jobs/{}", job["id"].as_str().expect("a number")))
        .text();
    assert!(page.contains("verdict bad"), "{page}");
}

#[test]
fn a_hierarchy_by_hand_says_which_values_it_does_not_cover() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    served.post("/projects", &[("example", "hospital")]);
    // The columns of the file in their order: the fourth is the sex, or whichever is; look for it.
    let profile = served.api("GET", "/projects/hospital/profile", None).json();
    let at = support::list(&profile["columns"])
        .iter()
        .position(|one| one["name"] == "sex")
        .expect("a column");
    let path = format!("/projects/hospital/columns/{at}/tree");
    assert!(served.page(&path).text().contains("<textarea"), "a draft");
    let save = |tree: &str| {
        let seen = served.version("hospital");
        let reply = served.post(&path, &[("tree", tree), ("seen", &seen)]);
        assert_eq!(reply.status, 303, "{}", reply.text());
        served.page(&path).text()
    };
    let values = support::list(&profile["columns"])[at]["distinct"]
        .as_u64()
        .expect("a count");
    let page = save("f,*\n");
    assert!(page.contains("role=\"alert\"") && values > 1, "{page}");
    let text = served.api("GET", "/projects/hospital/policy", None).json()["policy"].to_string();
    assert!(text.contains("hierarchies/sex.csv"), "{text}");
}

#[test]
fn pages_speak_two_languages_and_load_nothing_from_elsewhere() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    served.post("/projects", &[("example", "hospital")]);
    let german = served
        .send(
            "GET",
            "/",
            &[
                ("Cookie", served.cookie()),
                ("Accept-Language", "de-DE,de;q=0.9"),
            ],
            b"",
        )
        .text();
    assert!(
        german.contains("<html lang=\"de\"") && german.contains("Projekte"),
        "{german}"
    );
    let reply = served.page("/?language=de");
    assert!(
        reply
            .header("set-cookie")
            .expect("kept")
            .starts_with("denym-language=de")
    );
    for path in [
        "/",
        "/verify",
        "/projects/hospital/columns",
        "/projects/hospital/promises",
        "/projects/hospital/explore",
        "/projects/hospital/release",
    ] {
        let page = served.page(path);
        let text = page.text();
        let policy = page.header("content-security-policy").expect("a policy");
        assert!(
            policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
            "{policy}"
        );
        for foreign in [
            "http://",
            "https://",
            "//",
            " style=",
            " onclick",
            "<style",
            "javascript:",
        ] {
            let found = text
                .replace("xmlns=\"http://www.w3.org/2000/svg\"", "")
                .contains(&format!("\"{foreign}"))
                || (foreign.starts_with([' ', '<']) && text.contains(foreign));
            assert!(!found, "{path}: {foreign}");
        }
        assert!(path != "/" || text.len() < 60_000, "{}", text.len());
    }
    let _ = encoded("");
}
