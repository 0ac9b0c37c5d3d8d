//! A client's connection: bytes in and out with a time limit on each wait, encrypted or not.
//!
//! # Guarantee
//! A client that sends nothing, sends slowly or does not read holds its connection no longer than the limits say. Nothing is sent before the audit
//! log has what it is the answer to.

use crate::audit::Ticket;
use crate::frame::{self, First, Malformed, Message};
use bytes::BytesMut;
use pgwire::messages::PgWireBackendMessage;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::server::TlsStream;

/// How often we look whether a client that sent something ahead is still there.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// Answers are sent when this much is ready, or when the client waits.
const SEND_AT: usize = 64 << 10;

/// A socket, encrypted or not.
pub(crate) enum Socket {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_read(cx, buf),
            Self::Tls(socket) => Pin::new(socket).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_write(cx, buf),
            Self::Tls(socket) => Pin::new(socket).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_flush(cx),
            Self::Tls(socket) => Pin::new(socket).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        match self.get_mut() {
            Self::Plain(socket) => Pin::new(socket).poll_shutdown(cx),
            Self::Tls(socket) => Pin::new(socket).poll_shutdown(cx),
        }
    }
}

/// Why a connection is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    /// The client closed it, or the network did.
    Closed,
    /// The client took too long.
    Late,
    /// The client sent what is no message.
    Malformed,
    /// What was to be sent is not in the audit log.
    Unlogged,
    /// The session's right ended; the client is told with what is sent last.
    Ended,
}

impl From<Malformed> for Gone {
    fn from(_: Malformed) -> Self {
        Self::Malformed
    }
}

/// A connection with what was read and not used, and what is to be sent.
pub(crate) struct Connection {
    pub(crate) socket: Socket,
    read: BytesMut,
    /// Messages to be sent.
    pub(crate) out: BytesMut,
    write_limit: Duration,
    /// The entry of the audit log that must be written before anything is sent.
    held: Option<Ticket>,
}

impl Connection {
    pub(crate) fn new(socket: Socket, write_limit: Duration) -> Self {
        Self {
            socket,
            read: BytesMut::with_capacity(1024),
            out: BytesMut::new(),
            write_limit,
            held: None,
        }
    }

    /// Holds back everything until an entry of the audit log is on the disk; entries are written in order, so the last one counts.
    pub(crate) fn hold(&mut self, entry: Ticket) {
        self.held = Some(entry);
    }

    /// Whether bytes were read that are not used yet. Before TLS begins there must be none.
    pub(crate) fn has_unread(&self) -> bool {
        !self.read.is_empty()
    }

    async fn more(&mut self) -> Result<(), Gone> {
        match self.socket.read_buf(&mut self.read).await {
            Ok(0) | Err(_) => Err(Gone::Closed),
            Ok(_) => Ok(()),
        }
    }

    /// The first message, until the deadline.
    pub(crate) async fn first(&mut self, deadline: Instant) -> Result<First, Gone> {
        loop {
            if let Some(message) = frame::first(&mut self.read)? {
                return Ok(message);
            }
            timeout_at(deadline, self.more())
                .await
                .map_err(|_| Gone::Late)??;
        }
    }

    /// A message of the login, until the deadline.
    pub(crate) async fn login_message(&mut self, deadline: Instant) -> Result<Message, Gone> {
        loop {
            if let Some(message) = frame::message(&mut self.read, frame::LARGEST_LOGIN)? {
                return Ok(message);
            }
            timeout_at(deadline, self.more())
                .await
                .map_err(|_| Gone::Late)??;
        }
    }

    /// The next message of a session. Cancel-safe: what was read stays.
    pub(crate) async fn message(&mut self, idle: Option<Duration>) -> Result<Message, Gone> {
        loop {
            if let Some(message) = frame::message(&mut self.read, frame::LARGEST)? {
                return Ok(message);
            }
            match idle {
                None => self.more().await?,
                Some(limit) => timeout(limit, self.more())
                    .await
                    .map_err(|_| Gone::Late)??,
            }
        }
    }

    /// Ends when the client is gone; what it sent before stays unread.
    pub(crate) async fn closed(&self) -> Gone {
        let stream = match &self.socket {
            Socket::Plain(stream) => stream,
            Socket::Tls(stream) => stream.get_ref().0,
        };
        loop {
            match stream.ready(Interest::READABLE).await {
                Ok(ready) if !ready.is_read_closed() => {}
                _ => return Gone::Closed,
            }
            // it sent something ahead: it is there, and may leave later
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Puts a message into what is to be sent.
    pub(crate) fn put(&mut self, message: &PgWireBackendMessage) {
        // our own messages are within the protocol's sizes; one that is not is not sent
        let before = self.out.len();
        if message.encode(&mut self.out).is_err() {
            self.out.truncate(before);
        }
    }

    /// Sends what is ready when it is much.
    pub(crate) async fn send_if_much(&mut self) -> Result<(), Gone> {
        if self.out.len() >= SEND_AT {
            self.send().await?;
        }
        Ok(())
    }

    /// Sends what is ready.
    pub(crate) async fn send(&mut self) -> Result<(), Gone> {
        if let Some(entry) = &self.held
            && entry.written().await.is_err()
        {
            self.out.clear();
            self.held = None;
            return Err(Gone::Unlogged);
        }
        self.held = None;
        while !self.out.is_empty() {
            let end = self.out.len().min(SEND_AT);
            let part = self.out.split_to(end);
            timeout(self.write_limit, self.socket.write_all(&part))
                .await
                .map_err(|_| Gone::Late)?
                .map_err(|_| Gone::Closed)?;
        }
        // one large answer must not keep its buffer for ever
        if self.out.capacity() > 4 * SEND_AT {
            self.out = BytesMut::new();
        }
        timeout(self.write_limit, self.socket.flush())
            .await
            .map_err(|_| Gone::Late)?
            .map_err(|_| Gone::Closed)
    }

    /// Says good-bye without waiting long.
    pub(crate) async fn close(mut self) {
        let _ = timeout(Duration::from_secs(1), async {
            let _ = self.send().await;
            let _ = self.socket.shutdown().await;
        })
        .await;
    }
}
