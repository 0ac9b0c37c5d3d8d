//! A client's connection: bytes in and out with a time limit on each wait, encrypted or not.
//!
//! # Guarantee
//! A client that sends nothing, sends slowly or does not read holds its connection no longer than the limits say.

use crate::frame::{self, First, Malformed, Message};
use bytes::BytesMut;
use pgwire::messages::PgWireBackendMessage;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::server::TlsStream;

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
}

impl Connection {
    pub(crate) fn new(socket: Socket, write_limit: Duration) -> Self {
        Self {
            socket,
            read: BytesMut::with_capacity(1024),
            out: BytesMut::new(),
            write_limit,
        }
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
