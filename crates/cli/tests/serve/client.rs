//! A server in a directory of its own, and a client that sends exactly what a test says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::denym;

/// A running `denym serve`.
pub(crate) struct Served {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
    cookie: String,
    form: String,
}

/// What was answered.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("JSON, not {} {}", self.status, self.text()))
    }

    /// A header, in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self
            .head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "));
        lines
            .into_iter()
            .find(|(own, _)| own.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }
}

impl Served {
    /// Serves `directory`.
    pub(crate) fn start(directory: &Path, further: &[&str]) -> Served {
        let mut child = denym()
            .args(["serve", "--json", "--dir"])
            .arg(directory)
            .args(further)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("denym runs");
        let mut lines = BufReader::new(child.stdout.take().expect("output")).lines();
        let mut text = String::new();
        for line in lines.by_ref() {
            let line = line.expect("a line");
            text.push_str(&line);
            if line == "}" {
                break;
            }
        }
        let Ok(document) = serde_json::from_str::<Value>(&text) else {
            let mut said = String::new();
            let mut errors = child.stderr.take().expect("errors");
            errors.read_to_string(&mut said).expect("text");
            panic!("no document but {text} {said}");
        };
        let url = document["url"].as_str().expect("an address");
        let (host, token) = url.split_once("/?token=").expect("a token");
        let port = host
            .rsplit(':')
            .next()
            .expect("a port")
            .parse()
            .expect("a port");
        let mut served = Served {
            child,
            port,
            token: token.to_owned(),
            cookie: String::new(),
            form: String::new(),
        };
        let signed = served.send("GET", &format!("/?token={token}"), &[], b"");
        assert_eq!(signed.status, 303, "{}", signed.text());
        let cookie = signed.header("set-cookie").expect("a cookie");
        assert!(
            cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
            "{cookie}"
        );
        cookie
            .split(';')
            .next()
            .expect("a pair")
            .clone_into(&mut served.cookie);
        let page = served.page("/");
        assert_eq!(page.status, 200, "{}", page.text());
        let text = page.text();
        let form = text
            .split("name=\"form-token\" value=\"")
            .nth(1)
            .expect("a form");
        form.split('"')
            .next()
            .expect("a token")
            .clone_into(&mut served.form);
        served
    }

    /// Sends a request with these headers and nothing else but host and length.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Reply {
        let mut all = String::new();
        if !headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            all.push_str(&format!("Host: 127.0.0.1:{}\r\n", self.port));
        }
        for (name, value) in headers {
            all.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut stream = self.connect();
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{all}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        // A server that has heard enough closes before the end.
        let _ = stream.write_all(body);
        read_reply(stream)
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream
            .set_read_timeout(Some(Duration::from_mins(2)))
            .expect("a time");
        stream
    }

    /// A page, as a browser that is signed in asks for it.
    pub(crate) fn page(&self, path: &str) -> Reply {
        self.send("GET", path, &[("Cookie", &self.cookie)], b"")
    }

    /// The cookie of the browser.
    pub(crate) fn cookie(&self) -> &str {
        &self.cookie
    }

    /// What every form of ours has.
    pub(crate) fn form_token(&self) -> &str {
        &self.form
    }

    /// Sends a form as a browser does, its token with it.
    pub(crate) fn post(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let mut body = format!("form-token={}", self.form);
        for (name, value) in fields {
            body.push_str(&format!("&{}={}", encoded(name), encoded(value)));
        }
        let headers = [
            ("Cookie", self.cookie.as_str()),
            ("Content-Type", "application/x-www-form-urlencoded"),
        ];
        self.send("POST", path, &headers, body.as_bytes())
    }

    /// Sends a form with a file.
    pub(crate) fn upload(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        field: &str,
        name: &str,
        content: &[u8],
    ) -> Reply {
        let mut body = Vec::new();
        let own = [("form-token", self.form.as_str())];
        for (name, value) in own.iter().chain(fields) {
            body.extend(
                format!(
                    "--edge\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
                )
                .bytes(),
            );
        }
        body.extend(format!("--edge\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n").bytes());
        body.extend(content);
        body.extend(b"\r\n--edge--\r\n");
        let headers = [
            ("Cookie", self.cookie.as_str()),
            ("Content-Type", "multipart/form-data; boundary=edge"),
        ];
        self.send("POST", path, &headers, &body)
    }

    /// Asks as a program does.
    pub(crate) fn api(&self, method: &str, path: &str, body: Option<&Value>) -> Reply {
        let bearer = format!("Bearer {}", self.token);
        let headers = [
            ("Authorization", bearer.as_str()),
            ("Content-Type", "application/json"),
        ];
        let body = body.map(ToString::to_string).unwrap_or_default();
        self.send(method, &format!("/api/v1{path}"), &headers, body.as_bytes())
    }

    /// Starts a job as a program does and waits until it is over.
    pub(crate) fn job(&self, project: &str, body: &Value) -> Value {
        let reply = self.api("POST", &format!("/projects/{project}/jobs"), Some(body));
        assert_eq!(reply.status, 202, "{}", reply.text());
        self.wait(reply.json()["id"].as_str().expect("a number"))
    }

    /// Waits until a job is over.
    pub(crate) fn wait(&self, id: &str) -> Value {
        let since = Instant::now();
        loop {
            let job = self.api("GET", &format!("/jobs/{id}"), None).json();
            if !matches!(job["state"].as_str(), Some("waiting" | "running")) {
                return job;
            }
            assert!(since.elapsed() < Duration::from_mins(3), "{job}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The version of the policy that is there now.
    pub(crate) fn version(&self, project: &str) -> String {
        let policy = self
            .api("GET", &format!("/projects/{project}/policy"), None)
            .json();
        policy["version"].as_str().expect("a version").to_owned()
    }

    /// Ends the process as the system does when memory is out.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("ended");
    }

    /// Whether the process is still there.
    pub(crate) fn lives(&mut self) -> bool {
        self.child.try_wait().expect("a state").is_none()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an answer to its end.
pub(crate) fn read_reply(mut stream: TcpStream) -> Reply {
    let mut bytes = Vec::new();
    let mut piece = [0; 16 << 10];
    let whole = |bytes: &[u8]| {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
        let length = head.split("\r\ncontent-length:").nth(1)?.lines().next()?;
        Some(bytes.len() >= end + 4 + length.trim().parse::<usize>().ok()?)
    };
    // A connection that is reset after its answer was sent has one all the same, and some servers never close theirs.
    while whole(&bytes) != Some(true) {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(many) => bytes.extend_from_slice(&piece[..many]),
        }
    }
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("an answer, not {:?}", String::from_utf8_lossy(&bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .expect("a status");
    let mut body = bytes[end + 4..].to_vec();
    if head.to_lowercase().contains("transfer-encoding: chunked") {
        body = unchunked(&body);
    }
    Reply { status, head, body }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).expect("a size"), 16)
            .expect("a size");
        if size == 0 {
            break;
        }
        body.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
    body
}

/// A text in a form or an address.
pub(crate) fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    text.bytes()
        .map(|byte| {
            if plain(byte) {
                (byte as char).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}
