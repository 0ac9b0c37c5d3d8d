//! The client's messages of the PostgreSQL protocol, cut from the stream and read with every length checked.
//!
//! # Idea
//! A frame is a type byte, a length and a body. The first frame of a connection has no type byte. Nothing is allocated for a length
//! that a client only claims: a frame is read when its bytes are there, and each kind has a largest size.
//!
//! # Guarantee
//! No panic and no allocation beyond the bytes received, whatever comes in.

use bytes::{Buf as _, Bytes, BytesMut};

/// Largest first message, as PostgreSQL has it.
pub(crate) const LARGEST_STARTUP: usize = 10_000;
/// Largest message before a login is finished.
pub(crate) const LARGEST_LOGIN: usize = 2_000;
/// Largest message of a session: a statement or its parameters.
pub(crate) const LARGEST: usize = 16 << 20;

/// What a connection begins with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum First {
    /// A request for TLS.
    Tls,
    /// A request for GSS encryption, which is declined.
    Gss,
    /// A request to cancel what another connection runs.
    Cancel {
        /// Its process number.
        process: i32,
        /// Its secret.
        secret: Bytes,
    },
    /// The start of a session: minor protocol version and parameters in order.
    Startup {
        /// The protocol's minor version.
        minor: u16,
        /// Names and values.
        parameters: Vec<(String, String)>,
    },
}

/// What a client sends in a session.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Message {
    /// A text of statements.
    Query(String),
    /// Prepares a statement.
    Parse {
        name: String,
        query: String,
        types: Vec<u32>,
    },
    /// Binds parameters to a statement.
    Bind {
        portal: String,
        statement: String,
        formats: Vec<i16>,
        parameters: Vec<Option<Bytes>>,
        results: Vec<i16>,
    },
    /// Asks what a statement (`true`) or portal returns.
    Describe { statement: bool, name: String },
    /// Runs a portal for that many rows; 0 for all.
    Execute { portal: String, rows: u32 },
    /// Closes a statement (`true`) or portal.
    Close { statement: bool, name: String },
    /// Ends a series of messages.
    Sync,
    /// Asks for what is ready.
    Flush,
    /// Says good-bye.
    Terminate,
    /// A password or a SASL answer.
    Secret(Bytes),
    /// Data of a COPY that was never begun: ignored, as PostgreSQL does.
    Copy,
}

/// Bytes that are no message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Takes the first message off the buffer; `None` when it is not complete yet.
pub(crate) fn first(buffer: &mut BytesMut) -> Result<Option<First>, Malformed> {
    let Some(head) = buffer.get(..4) else {
        return Ok(None);
    };
    let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
    if !(8..=LARGEST_STARTUP).contains(&length) {
        return Err(Malformed);
    }
    if buffer.len() < length {
        return Ok(None);
    }
    let mut body = Body(buffer.split_to(length).freeze());
    body.0.advance(4);
    let (major, minor) = (body.u16()?, body.u16()?);
    let message = match (major, minor) {
        (1234, 5679) => First::Tls,
        (1234, 5680) => First::Gss,
        (1234, 5678) => First::Cancel {
            process: body.i32()?,
            secret: body.0.clone(),
        },
        (3, minor) => {
            let mut parameters = Vec::new();
            loop {
                let name = body.text()?;
                if name.is_empty() {
                    break;
                }
                parameters.push((name, body.text()?));
            }
            First::Startup { minor, parameters }
        }
        _ => return Err(Malformed),
    };
    Ok(Some(message))
}

/// Takes a message off the buffer; `None` when it is not complete yet.
pub(crate) fn message(buffer: &mut BytesMut, largest: usize) -> Result<Option<Message>, Malformed> {
    let Some(head) = buffer.get(..5) else {
        return Ok(None);
    };
    let kind = head[0];
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    if !(4..=largest).contains(&length) || !b"QPBDECSHXpdcf".contains(&kind) {
        return Err(Malformed);
    }
    if buffer.len() < length + 1 {
        return Ok(None);
    }
    let mut body = Body(buffer.split_to(length + 1).freeze());
    body.0.advance(5);
    let message = match kind {
        b'Q' => Message::Query(body.text()?),
        b'P' => Message::Parse {
            name: body.text()?,
            query: body.text()?,
            types: body.list(|body| body.i32().map(i32::cast_unsigned))?,
        },
        b'B' => Message::Bind {
            portal: body.text()?,
            statement: body.text()?,
            formats: body.list(Body::i16)?,
            parameters: body.list(Body::value)?,
            results: body.list(Body::i16)?,
        },
        b'D' | b'C' => {
            let statement = match body.byte()? {
                b'S' => true,
                b'P' => false,
                _ => return Err(Malformed),
            };
            let name = body.text()?;
            if kind == b'D' {
                Message::Describe { statement, name }
            } else {
                Message::Close { statement, name }
            }
        }
        b'E' => Message::Execute {
            portal: body.text()?,
            // a negative count means all rows
            rows: u32::try_from(body.i32()?).unwrap_or(0),
        },
        b'S' => Message::Sync,
        b'H' => Message::Flush,
        b'X' => Message::Terminate,
        b'p' => Message::Secret(body.0.split_to(body.0.len())),
        _ => {
            body.0.clear();
            Message::Copy
        }
    };
    // bytes after the end belong to no field
    if body.0.is_empty() {
        Ok(Some(message))
    } else {
        Err(Malformed)
    }
}

/// The name of the mechanism and the data of a SASL initial response.
pub(crate) fn sasl_first(bytes: Bytes) -> Result<(String, Bytes), Malformed> {
    let mut body = Body(bytes);
    let name = body.text()?;
    let data = body.value()?.ok_or(Malformed)?;
    if body.0.is_empty() {
        Ok((name, data))
    } else {
        Err(Malformed)
    }
}

struct Body(Bytes);

impl Body {
    fn byte(&mut self) -> Result<u8, Malformed> {
        self.0.try_get_u8().map_err(|_| Malformed)
    }

    fn u16(&mut self) -> Result<u16, Malformed> {
        self.0.try_get_u16().map_err(|_| Malformed)
    }

    fn i16(&mut self) -> Result<i16, Malformed> {
        self.0.try_get_i16().map_err(|_| Malformed)
    }

    fn i32(&mut self) -> Result<i32, Malformed> {
        self.0.try_get_i32().map_err(|_| Malformed)
    }

    fn text(&mut self) -> Result<String, Malformed> {
        let end = self.0.iter().position(|byte| *byte == 0).ok_or(Malformed)?;
        let text = self.0.split_to(end);
        self.0.advance(1);
        String::from_utf8(text.to_vec()).map_err(|_| Malformed)
    }

    fn value(&mut self) -> Result<Option<Bytes>, Malformed> {
        match self.i32()? {
            -1 => Ok(None),
            length => {
                let length = usize::try_from(length).map_err(|_| Malformed)?;
                if length > self.0.len() {
                    return Err(Malformed);
                }
                Ok(Some(self.0.split_to(length)))
            }
        }
    }

    fn list<T>(
        &mut self,
        read: impl Fn(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.u16()?;
        (0..count).map(|_| read(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::BufMut as _;

    fn framed(kind: u8, body: &[u8]) -> BytesMut {
        let mut out = BytesMut::new();
        out.put_u8(kind);
        out.put_u32(u32::try_from(body.len() + 4).expect("short"));
        out.put_slice(body);
        out
    }

    #[test]
    fn messages_are_read_when_they_are_complete() {
        let whole = framed(b'Q', b"SELECT 1\0");
        for end in 0..whole.len() {
            let mut part = BytesMut::from(&whole[..end]);
            assert_eq!(message(&mut part, LARGEST), Ok(None));
            assert_eq!(part.len(), end, "nothing is taken before it is complete");
        }
        let mut twice = whole.clone();
        twice.extend_from_slice(&whole);
        for _ in 0..2 {
            assert_eq!(
                message(&mut twice, LARGEST),
                Ok(Some(Message::Query("SELECT 1".into())))
            );
        }
        let bind = framed(
            b'B',
            b"p\0s\0\x00\x01\x00\x01\x00\x02\x00\x00\x00\x01x\xff\xff\xff\xff\x00\x00",
        );
        assert_eq!(
            message(&mut bind.clone(), LARGEST),
            Ok(Some(Message::Bind {
                portal: "p".into(),
                statement: "s".into(),
                formats: vec![1],
                parameters: vec![Some(Bytes::from_static(b"x")), None],
                results: vec![]
            }))
        );
    }

    #[test]
    fn garbage_is_refused_without_panic() {
        let mut state = 7u64;
        let mut draw = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as u8
        };
        let kinds = b"QPBDECSHXpdcf?";
        let mut refused = 0;
        for round in 0..200_000usize {
            let length = usize::from(draw() % 40);
            let mut body: Vec<u8> = (0..length)
                .map(|_| if draw() % 3 == 0 { 0 } else { draw() })
                .collect();
            let mut buffer = framed(kinds[round % kinds.len()], &body);
            refused += usize::from(message(&mut buffer, LARGEST).is_err());
            body.insert(0, length as u8 + 1);
            let mut start = BytesMut::from(&[0u8, 0, 0][..]);
            start.extend_from_slice(&body);
            let _ = first(&mut start);
            let _ = sasl_first(Bytes::from(body));
        }
        assert!(refused > 100_000, "{refused}");
        for length in [0u32, 3, 20_000, u32::MAX] {
            let mut start = BytesMut::from(&length.to_be_bytes()[..]);
            assert_eq!(first(&mut start), Err(Malformed));
        }
        let mut large = BytesMut::from(&b"Q\x7f\xff\xff\xff"[..]);
        assert_eq!(message(&mut large, LARGEST), Err(Malformed));
    }
}
