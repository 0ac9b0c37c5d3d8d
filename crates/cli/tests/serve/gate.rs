//! Nobody comes in without the secret, under another name, or from another site; nothing leads out of the directory.

use serde_json::json;

use crate::client::Served;
use crate::support::{empty, write};

#[test]
fn without_the_secret_nothing_is_answered() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    for path in [
        "/",
        "/app.js",
        "/projects/x",
        "/api/v1/projects",
        "/nowhere",
        "/api/v1/openapi.json",
    ] {
        for headers in [
            &[][..],
            &[("Cookie", "denym-1=x")],
            &[("Authorization", "Bearer 00000000000000000000000000000000")],
        ] {
            let reply = served.send("GET", path, headers, b"");
            assert_eq!(reply.status, 401, "{path} {}", reply.text());
        }
        let wrong = format!("{path}?token={}", "0".repeat(32));
        assert_eq!(served.send("GET", &wrong, &[], b"").status, 401, "{path}");
    }
    let reply = served.send("GET", "/api/v1/projects", &[], b"");
    assert_eq!(reply.json()["error"]["code"], "login");
}

#[test]
fn a_name_that_another_site_lets_point_here_is_refused() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    let bearer = format!("Bearer {}", served.token);
    let port = served.port;
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        format!("127.0.0.1.evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port ^ 1),
        String::new(),
    ] {
        let headers = [("Host", host.as_str()), ("Authorization", bearer.as_str())];
        let reply = served.send("GET", "/api/v1/projects", &headers, b"");
        assert!(
            matches!(reply.status, 421 | 400),
            "{host}: {} {}",
            reply.status,
            reply.text()
        );
        assert!(!reply.text().contains("\"projects\""), "{host}");
    }
    for host in [format!("localhost:{port}"), format!("LOCALHOST:{port}")] {
        let headers = [("Host", host.as_str()), ("Authorization", bearer.as_str())];
        assert_eq!(
            served.send("GET", "/api/v1/projects", &headers, b"").status,
            200,
            "{host}"
        );
    }
}

#[test]
fn a_form_of_another_site_changes_nothing() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    let kind = ("Content-Type", "application/x-www-form-urlencoded");
    let cookie = ("Cookie", served.cookie());
    let own = format!("form-token={}&example=hospital", served.form_token());
    // With the cookie alone, and with a wrong token.
    for body in [
        "example=hospital",
        "form-token=&example=hospital",
        "form-token=0123&example=hospital",
    ] {
        let reply = served.send("POST", "/projects", &[cookie, kind], body.as_bytes());
        assert_eq!(reply.status, 403, "{body}");
    }
    // Even with the token, when the browser says that another site asks.
    for foreign in [
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
    ] {
        let reply = served.send(
            "POST",
            "/projects",
            &[cookie, kind, foreign],
            own.as_bytes(),
        );
        assert_eq!(reply.status, 403, "{foreign:?}");
    }
    // A file without the token is not even written.
    let body = b"--edge\r\nContent-Disposition: form-data; name=\"data\"; filename=\"a.csv\"\r\n\r\na\n1\n\r\n--edge--\r\n";
    let reply = served.send(
        "POST",
        "/upload",
        &[
            cookie,
            ("Content-Type", "multipart/form-data; boundary=edge"),
        ],
        body,
    );
    assert_eq!(reply.status, 403);
    assert_eq!(
        served.api("GET", "/projects", None).json()["projects"],
        json!([])
    );
    let reply = served.send("POST", "/projects", &[cookie, kind], own.as_bytes());
    assert_eq!(reply.status, 303, "{}", reply.text());
}

#[test]
fn no_address_and_no_policy_leads_out_of_the_directory() {
    let outer = empty();
    write(outer.path(), "secret.csv", "name\nSekretna\n");
    let directory = outer.path().join("served");
    std::fs::create_dir(&directory).expect("a directory");
    let served = Served::start(&directory, &[]);
    served.api("POST", "/projects", Some(&json!({"example": "hospital"})));
    for name in [
        "..",
        "%2e%2e",
        "..%2f..%2fetc",
        "hospital%2f..",
        ".denym",
        "%00",
        "hospital%00",
        "a%5cb",
    ] {
        for rest in [
            "",
            "/policy.toml",
            "/columns",
            "/releases/..%2f..",
            "/releases/.",
            "/releases/%2e%2e/report",
        ] {
            let reply = served.page(&format!("/projects/{name}{rest}"));
            assert!(
                matches!(reply.status, 400 | 404),
                "{name}{rest}: {} {}",
                reply.status,
                reply.text()
            );
        }
    }
    for path in [
        "/projects/hospital/releases/..%2f..%2f..",
        "/projects/hospital/releases/%2e%2e/release.zip",
        "/../secret.csv",
        "/%2e%2e/secret.csv",
    ] {
        assert!(matches!(served.page(path).status, 400 | 404), "{path}");
    }
    for path in ["../../secret.csv", "/etc/passwd", "../../*.csv"] {
        let policy = format!(
            "[data]\npath = \"{path}\"\n[attributes]\nname = \"quasi\"\n[promise]\nk-anonymity = 1\n"
        );
        let seen = served.version("hospital");
        let reply = served.api(
            "PUT",
            "/projects/hospital/policy",
            Some(&json!({"policy": policy, "seen": seen})),
        );
        assert_eq!(reply.json()["mistakes"][0]["code"], "outside", "{path}");
        for task in ["profile", "plan", "release", "explore", "try"] {
            let job = served.job("hospital", &json!({"task": task}));
            assert_eq!(
                (job["state"].as_str(), &job["result"]["error"]["code"]),
                (Some("failed"), &json!("outside")),
                "{path} {task}: {job}"
            );
        }
        let page = served.page("/projects/hospital/columns").text();
        assert!(
            !page.contains("Sekretna") && !page.contains("root:"),
            "{path}"
        );
    }
    // A file of a new project is a name of the list, and no path.
    for file in [
        "../secret.csv",
        "hospital/patients.csv",
        "/etc/passwd",
        ".denym/audit.jsonl",
    ] {
        let reply = served.api(
            "POST",
            "/projects",
            Some(&json!({"name": "x", "file": file})),
        );
        assert_eq!(reply.status, 400, "{file}");
    }
    for name in ["../x", "a/b", ".x", ""] {
        let reply = served.upload(
            "/upload",
            &[("name", name)],
            "data",
            "../../evil.csv",
            b"a\n1\n",
        );
        if reply.status == 303 {
            assert!(directory.join("evil/evil.csv").is_file(), "{name}");
            std::fs::remove_dir_all(directory.join("evil")).expect("removed");
        }
        assert!(!outer.path().join("evil.csv").exists());
    }
}

#[test]
fn only_this_machine_is_listened_to_and_two_servers_never_share_a_directory() {
    let directory = empty();
    let run = |args: &[&str]| crate::support::run(directory.path(), args);
    for address in ["0.0.0.0:0", "192.0.2.1:0", "[::]:0"] {
        let output = run(&["serve", "--listen", address]);
        assert_eq!(output.status.code(), Some(2), "{address}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("this machine alone"), "{said}");
    }
    let served = Served::start(directory.path(), &[]);
    let output = run(&["serve"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("another `denym serve`"));
    drop(served);
    drop(Served::start(directory.path(), &[]));
}

#[test]
fn the_audit_log_says_who_did_what_and_quotes_nothing() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    served.post("/projects", &[("example", "hospital")]);
    served.post(
        "/projects/hospital/columns/role",
        &[
            ("column", "Sekretna"),
            ("role", "quasi"),
            ("seen", &served.version("hospital")),
        ],
    );
    served.send("GET", "/projects/Sekretna%20%3Cb%3E", &[], b"");
    let log = std::fs::read_to_string(directory.path().join(".denym/audit.jsonl")).expect("a log");
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let has = |who: &str, what: &str, status: u64| {
        lines.iter().any(|line| {
            line["who"] == who
                && line["what"] == what
                && line["status"] == status
                && line["at"].as_u64() > Some(1_600_000_000)
        })
    };
    assert!(has("browser", "sign in", 303), "{log}");
    assert!(has("browser", "POST /projects", 303), "{log}");
    assert!(
        has("browser", "POST /projects/{project}/columns/role", 303),
        "{log}"
    );
    assert!(has("nobody", "GET /projects/{project}", 401), "{log}");
    assert!(
        !log.contains("<b>") && !log.contains("column\":\"Sekretna"),
        "{log}"
    );
    assert!(
        !log.contains(&served.token) && !log.contains(served.form_token()),
        "{log}"
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |name: &str| {
            std::fs::metadata(directory.path().join(name))
                .expect("there")
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(
            (mode(".denym"), mode(".denym/audit.jsonl"), mode("hospital")),
            (0o700, 0o600, 0o700)
        );
    }
}
