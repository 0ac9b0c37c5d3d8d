//! A client that stops in the middle of a login: it begins an exchange, shows what the server sent, and sends its proof later.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

const FIRST: &str = "n=,r=fyko+d2lbbFgONRv9qkxdawL";

/// An exchange in which the client has not proved anything yet.
pub(crate) struct Guess {
    socket: TcpStream,
    server_first: String,
}

impl Guess {
    /// Begins an exchange.
    pub(crate) fn begin(address: SocketAddr, user: &str) -> Self {
        let mut socket = TcpStream::connect(address).expect("connects");
        socket
            .set_read_timeout(Some(Duration::from_secs(20)))
            .expect("a timeout");
        let mut body = vec![0, 3, 0, 0];
        for text in ["user", user, ""] {
            body.extend_from_slice(text.as_bytes());
            body.push(0);
        }
        let mut message = length(body.len());
        message.extend(body);
        socket.write_all(&message).expect("sends");
        assert_eq!(read(&mut socket).0, b'R');
        let first = format!("n,,{FIRST}");
        let mut body = b"SCRAM-SHA-256\0".to_vec();
        body.extend(u32::try_from(first.len()).expect("short").to_be_bytes());
        body.extend_from_slice(first.as_bytes());
        send(&mut socket, &body);
        let (kind, body) = read(&mut socket);
        assert_eq!(kind, b'R');
        Self {
            socket,
            server_first: String::from_utf8(body[4..].to_vec()).expect("text"),
        }
    }

    fn part(&self, name: &str) -> &str {
        self.server_first
            .split(',')
            .find_map(|part| part.strip_prefix(name))
            .expect("the part")
    }

    /// The salt and the number of rounds that the server shows for this user.
    pub(crate) fn shown(&self) -> (String, String) {
        (self.part("s=").to_owned(), self.part("i=").to_owned())
    }

    /// Sends the proof; the bytes of the answer's first message, an error or a success.
    pub(crate) fn prove(mut self, password: &str) -> (u8, Vec<u8>) {
        let salt = STANDARD.decode(self.part("s=")).expect("base64");
        let rounds: u32 = self.part("i=").parse().expect("a number");
        let mut message = salt;
        message.extend(1u32.to_be_bytes());
        let mut last = hmac(password.as_bytes(), &message);
        let mut salted = last;
        for _ in 1..rounds {
            last = hmac(password.as_bytes(), &last);
            salted.iter_mut().zip(last).for_each(|(a, b)| *a ^= b);
        }
        let without = format!("c=biws,r={}", self.part("r="));
        let client_key = hmac(&salted, b"Client Key");
        let stored: [u8; 32] = Sha256::digest(client_key).into();
        let message = format!("{FIRST},{},{without}", self.server_first);
        let mut proof = hmac(&stored, message.as_bytes());
        proof.iter_mut().zip(client_key).for_each(|(a, b)| *a ^= b);
        let text = format!("{without},p={}", STANDARD.encode(proof));
        send(&mut self.socket, text.as_bytes());
        read(&mut self.socket)
    }

    /// Whether the password was taken.
    pub(crate) fn takes(self, password: &str) -> bool {
        self.prove(password).0 == b'R'
    }
}

fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
    mac.update(message);
    mac.finalize().into_bytes().into()
}

fn length(body: usize) -> Vec<u8> {
    u32::try_from(body + 4)
        .expect("short")
        .to_be_bytes()
        .to_vec()
}

fn send(socket: &mut TcpStream, body: &[u8]) {
    let mut message = vec![b'p'];
    message.extend(length(body.len()));
    message.extend_from_slice(body);
    socket.write_all(&message).expect("sends");
}

/// One message of the server.
pub(crate) fn read(socket: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut head = [0; 5];
    socket.read_exact(&mut head).expect("an answer");
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    let mut body = vec![0; length - 4];
    socket.read_exact(&mut body).expect("all of it");
    (head[0], body)
}
