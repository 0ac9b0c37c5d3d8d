//! What goes wrong: kill -9 in the middle, jobs that are stopped, files that are too large or too slow, five hundred clients.

use std::io::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{Served, read_reply};
use crate::support::{self, empty, run, write};

/// A project whose search takes long: many columns under `auto`.
fn slow(directory: &std::path::Path) {
    let output = run(directory, &["generate", "hospital", "--rows", "20000"]);
    write(directory, "big/patients.csv", output.stdout);
    let policy = "[data]\npath = \"patients.csv\"\n[attributes]\npatient = \"subject\"\nzip = { role = \"quasi\", hierarchy = { redact = \"right\" } }\nage = { role = \"quasi\", hierarchy = { interval = [5, 10, 20, 40] } }\nsex = \"quasi\"\nadmission = { role = \"quasi\", hierarchy = { date = [\"month\", \"quarter\", \"year\"] } }\ndiagnosis = \"sensitive\"\n[promise]\nk-anonymity = 5\nl-diversity = 2\n[release]\nalgorithm = \"auto\"\nsuppress-at-most = 0.05\n";
    write(directory, "big/policy.toml", policy);
}

fn until_it_searches(served: &Served, id: &str) {
    let since = Instant::now();
    loop {
        let job = served.api("GET", &format!("/jobs/{id}"), None).json();
        if job["phase"] == "searching" {
            return;
        }
        assert!(
            since.elapsed() < Duration::from_mins(2) && job["state"] != "done",
            "{job}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn left_behind(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let all = support::files(directory).into_iter().map(|(name, _)| name);
    all.filter(|name| {
        name.components()
            .any(|part| part.as_os_str().to_string_lossy().starts_with(".denym-"))
    })
    .collect()
}

#[test]
fn kill_in_the_middle_leaves_nothing_half_written_and_the_job_is_known() {
    let directory = empty();
    slow(directory.path());
    let served = Served::start(directory.path(), &[]);
    let reply = served.api(
        "POST",
        "/projects/big/jobs",
        Some(&json!({"task": "release"})),
    );
    let id = reply.json()["id"].as_str().expect("a number").to_owned();
    let waiting = served
        .api("POST", "/projects/big/jobs", Some(&json!({"task": "plan"})))
        .json();
    assert_eq!(waiting["state"], "waiting", "one at a time");
    until_it_searches(&served, &id);
    served.kill();
    let served = Served::start(directory.path(), &[]);
    for id in [id.as_str(), waiting["id"].as_str().expect("a number")] {
        let job = served.api("GET", &format!("/jobs/{id}"), None).json();
        assert_eq!(job["state"], "interrupted", "{job}");
    }
    assert_eq!(
        left_behind(directory.path()),
        Vec::<std::path::PathBuf>::new()
    );
    assert_eq!(
        served.api("GET", "/projects/big", None).json()["releases"],
        json!([])
    );
    let page = served.page(&format!("/jobs/{id}")).text();
    assert!(page.contains(&format!("/jobs/{id}/again")), "{page}");
}

#[test]
fn a_job_that_is_stopped_stops_and_writes_nothing() {
    let directory = empty();
    slow(directory.path());
    let served = Served::start(directory.path(), &[]);
    let reply = served.api(
        "POST",
        "/projects/big/jobs",
        Some(&json!({"task": "release"})),
    );
    let id = reply.json()["id"].as_str().expect("a number").to_owned();
    until_it_searches(&served, &id);
    // Other pages are answered meanwhile, and quickly.
    let since = Instant::now();
    assert_eq!(served.page("/").status, 200);
    assert!(
        since.elapsed() < Duration::from_secs(5),
        "{:?}",
        since.elapsed()
    );
    let since = Instant::now();
    assert_eq!(served.post(&format!("/jobs/{id}/cancel"), &[]).status, 303);
    let job = served.wait(&id);
    assert_eq!(job["state"], "cancelled", "{job}");
    assert!(
        since.elapsed() < Duration::from_secs(15),
        "{:?}",
        since.elapsed()
    );
    assert_eq!(
        left_behind(directory.path()),
        Vec::<std::path::PathBuf>::new()
    );
    assert!(!directory.path().join("big/releases/1").exists());
    // The events of a job that is over say so and end.
    let bearer = format!("Bearer {}", served.token);
    let reply = served.send(
        "GET",
        &format!("/api/v1/jobs/{id}/events"),
        &[("Authorization", &bearer)],
        b"",
    );
    assert!(
        reply.text().starts_with("data: {") && reply.text().contains("cancelled"),
        "{}",
        reply.text()
    );
}

#[test]
fn a_file_that_is_too_large_is_refused_and_gone() {
    let directory = empty();
    let served = Served::start(directory.path(), &["--upload-limit", "1"]);
    let large = vec![b'a'; 3 << 20];
    let reply = served.upload("/upload", &[("name", "x")], "data", "x.csv", &large);
    assert_eq!(reply.status, 413, "{}", reply.text());
    // One that lies about its length is cut off as well.
    let mut stream = served.connect();
    let head = format!(
        "POST /upload HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nCookie: {}\r\nContent-Type: multipart/form-data; boundary=edge\r\nTransfer-Encoding: chunked\r\n\r\n",
        served.port,
        served.cookie()
    );
    stream.write_all(head.as_bytes()).expect("sent");
    let begin = format!(
        "--edge\r\nContent-Disposition: form-data; name=\"form-token\"\r\n\r\n{}\r\n--edge\r\nContent-Disposition: form-data; name=\"data\"; filename=\"x.csv\"\r\n\r\n",
        served.form_token()
    );
    let _ = write!(stream, "{:x}\r\n{begin}\r\n", begin.len());
    for _ in 0..48 {
        if write!(stream, "10000\r\n")
            .and_then(|()| stream.write_all(&large[..0x10000]))
            .and_then(|()| stream.write_all(b"\r\n"))
            .is_err()
        {
            break;
        }
    }
    assert_eq!(read_reply(stream).status, 413);
    let kept = std::fs::read_dir(directory.path().join(".denym")).expect("a directory");
    let uploads = kept
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("upload-"));
    assert_eq!(uploads.count(), 0);
    assert_eq!(
        served.api("GET", "/projects", None).json()["projects"],
        json!([])
    );
}

#[test]
fn whoever_says_nothing_or_a_letter_at_a_time_is_cut_off() {
    let directory = empty();
    let served = Served::start(directory.path(), &[]);
    let quiet = served.connect();
    let mut slow = served.connect();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("sent");
    let mut slow_body = served.connect();
    let head = format!(
        "POST /projects HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nCookie: {}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nform-",
        served.port,
        served.cookie()
    );
    slow_body.write_all(head.as_bytes()).expect("sent");
    let since = Instant::now();
    let mut rest = Vec::new();
    for stream in [quiet, slow] {
        let mut stream = stream;
        let _ = std::io::Read::read_to_end(&mut stream, &mut rest);
        assert!(since.elapsed() < Duration::from_secs(40), "cut off");
    }
    assert_eq!(read_reply(slow_body).status, 408);
}

#[test]
fn five_hundred_clients_at_once_are_all_answered() {
    let directory = empty();
    let mut served = Served::start(directory.path(), &[]);
    served.post("/projects", &[("example", "hospital")]);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let served = &served;
        let workers: Vec<_> = (0..500)
            .map(|at| {
                let path = [
                    "/",
                    "/projects/hospital/promises",
                    "/api/v1/promises",
                    "/nowhere",
                ][at % 4];
                std::thread::Builder::new()
                    .stack_size(256 << 10)
                    .spawn_scoped(scope, move || served.page(path).status)
                    .expect("a thread")
            })
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("answered"))
            .collect()
    });
    for (at, status) in statuses.iter().enumerate() {
        assert_eq!(*status, if at % 4 == 3 { 404 } else { 200 }, "{at}");
    }
    assert!(served.lives());
}
