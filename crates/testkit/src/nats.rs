//! A small client of the NATS text protocol, written apart from the one under test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use serde_json::{Value, json};

/// A connection to a server on this machine.
pub struct Client {
    input: BufReader<TcpStream>,
    output: std::io::BufWriter<TcpStream>,
}

/// A stored message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its number in the stream.
    pub sequence: u64,
    /// Its headers, as they stand.
    pub headers: String,
    /// Its payload.
    pub payload: Vec<u8>,
}

impl Client {
    /// Connects.
    ///
    /// # Panics
    ///
    /// When nobody answers.
    pub fn connect(port: u16) -> Self {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a server");
        stream.set_nodelay(true).expect("a socket");
        let mut client = Self {
            input: BufReader::new(stream.try_clone().expect("a socket")),
            output: std::io::BufWriter::with_capacity(1 << 18, stream),
        };
        client.line();
        client.send("CONNECT {\"verbose\":false,\"pedantic\":false,\"headers\":true}\r\n");
        client.send("SUB _INBOX.denym 1\r\n");
        client.flush();
        client
    }

    fn send(&mut self, text: &str) {
        self.output.write_all(text.as_bytes()).expect("sent");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.input.read_line(&mut line).expect("a line");
        assert!(!line.starts_with("-ERR"), "the server says {line}");
        line
    }

    /// Sends a message; it has arrived after [`Client::flush`].
    ///
    /// # Panics
    ///
    /// When the connection is lost.
    pub fn publish(&mut self, subject: &str, payload: &[u8]) {
        let head = format!("PUB {subject} {}\r\n", payload.len());
        self.send(&head);
        self.output.write_all(payload).expect("sent");
        self.send("\r\n");
    }

    /// Waits until the server has taken everything.
    ///
    /// # Panics
    ///
    /// When the connection is lost.
    pub fn flush(&mut self) {
        self.send("PING\r\n");
        self.output.flush().expect("sent");
        loop {
            let line = self.line();
            match line.trim_end() {
                "PONG" => return,
                "PING" => self.send("PONG\r\n"),
                "" => panic!("the server has gone away"),
                _ => {}
            }
        }
    }

    /// Asks JetStream for something.
    ///
    /// # Panics
    ///
    /// When the connection is lost or the answer is not JSON.
    pub fn ask(&mut self, what: &str, request: &Value) -> Value {
        let body = request.to_string();
        self.send(&format!(
            "PUB $JS.API.{what} _INBOX.denym {}\r\n{body}\r\n",
            body.len()
        ));
        self.output.flush().expect("sent");
        loop {
            let line = self.line();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.first() {
                Some(&"PING") => {
                    self.send("PONG\r\n");
                    self.output.flush().expect("sent");
                }
                Some(&"MSG") => {
                    let size: usize = words.last().and_then(|w| w.parse().ok()).expect("a size");
                    let mut body = vec![0; size + 2];
                    self.input.read_exact(&mut body).expect("a body");
                    return serde_json::from_slice(&body[..size]).expect("JSON");
                }
                Some(&"HMSG") => return json!({ "error": { "description": "no answer" } }),
                _ => {}
            }
        }
    }

    /// Makes a stream of these subjects; JetStream needs a moment after a start.
    ///
    /// # Panics
    ///
    /// When it cannot be made.
    pub fn make_stream(&mut self, name: &str, subjects: &[&str]) {
        let request = json!({
            "name": name, "subjects": subjects, "retention": "limits", "storage": "file",
            "discard": "old", "num_replicas": 1,
        });
        for _ in 0..100 {
            let answer = self.ask(&format!("STREAM.CREATE.{name}"), &request);
            if answer["error"].is_null() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("the stream can be made");
    }

    /// Messages in a stream.
    pub fn count(&mut self, stream: &str) -> u64 {
        let info = self.ask(&format!("STREAM.INFO.{stream}"), &json!({}));
        info["state"]["messages"].as_u64().unwrap_or(0)
    }

    /// All messages of a subject, in order.
    ///
    /// # Panics
    ///
    /// When an answer cannot be understood.
    pub fn messages(&mut self, stream: &str, subject: &str) -> Vec<Stored> {
        let mut found = Vec::new();
        let mut next = 1;
        loop {
            let request = json!({ "seq": next, "next_by_subj": subject });
            let answer = self.ask(&format!("STREAM.MSG.GET.{stream}"), &request);
            let message = &answer["message"];
            let Some(sequence) = message["seq"].as_u64() else {
                return found;
            };
            let text = |key: &str| decode(message[key].as_str().unwrap_or_default());
            found.push(Stored {
                sequence,
                headers: String::from_utf8(text("hdrs")).expect("text"),
                payload: text("data"),
            });
            next = sequence + 1;
        }
    }
}

/// Base 64.
fn decode(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').collect();
    let mut bytes = Vec::with_capacity(letters.len() * 3 / 4);
    for four in letters.chunks(4) {
        let bits = four.iter().fold(0, |bits, &byte| bits << 6 | value(byte));
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn base_64() {
        for (text, bytes) in [("", ""), ("YQ==", "a"), ("YWI=", "ab"), ("YWJj", "abc")] {
            assert_eq!(decode(text), bytes.as_bytes());
        }
        assert_eq!(decode("+/8="), [251, 255]);
    }
}
