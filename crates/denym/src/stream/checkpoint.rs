//! State, place, lengths and what is on its way out in one file, replaced in one step.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use denym_engine::events::{Channel, Mark, Outgoing, Position};
use denym_engine::private;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::Error;

/// The form of the file: this line, SHA-256 of everything behind it, the length of the head, the head, the state.
const MAGIC: &[u8] = b"denym-checkpoint-3\n";
/// What every form begins with.
const ANY: &[u8] = b"denym-checkpoint-";
/// Bytes of the checksum.
const SUM: usize = 32;

/// Where a run was at one moment.
#[derive(Debug, Default)]
pub(super) struct Checkpoint {
    /// The stream.
    pub(super) state: Vec<u8>,
    /// What it has seen of the source.
    pub(super) position: Position,
    /// Lines that belong to it but may not have left yet.
    pub(super) outbox: Vec<Outgoing>,
    /// The rest.
    pub(super) ledger: Ledger,
}

/// What a run keeps beside the state of the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Ledger {
    /// The source, as the policy names it.
    pub(super) source: String,
    /// Where windows go, as the policy names it.
    pub(super) sink: String,
    /// Bytes of each file that were there before the outbox left.
    pub(super) lengths: [u64; 3],
    /// Last number in each channel, the outbox included.
    pub(super) numbers: [u64; 3],
    /// Events that only the matching `consistent` cost.
    pub(super) consistent_cost: u64,
    /// Times that the clock on the wall cut windows.
    pub(super) clock_cuts: u64,
    /// The window that was published last, in full.
    #[serde(default)]
    pub(super) before: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    position: Vec<(i32, u64, u32)>,
    outbox: Vec<(u8, u64, String)>,
    ledger: Ledger,
}

/// The channels, in the order of lengths and numbers.
pub(super) const CHANNELS: [Channel; 3] = [Channel::Windows, Channel::Certificates, Channel::Late];

/// Where a channel is in the lists.
pub(super) fn index(channel: Channel) -> usize {
    match channel {
        Channel::Windows => 0,
        Channel::Certificates => 1,
        Channel::Late => 2,
    }
}

impl Checkpoint {
    /// The checkpoint in `file`, if there is one.
    pub(super) fn read(file: &Path) -> Result<Option<Self>, Error> {
        let bytes = match std::fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read the checkpoint", file, &error)),
        };
        Self::parse(&bytes)
            .map(Some)
            .map_err(|what| Error::Checkpoint {
                what,
                path: file.to_owned(),
            })
    }

    /// All of it, or why none of it can be believed.
    fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        let Some(body) = bytes.strip_prefix(MAGIC) else {
            return Err(if bytes.starts_with(ANY) {
                "was written by another version, and carries no checksum that this one knows"
            } else {
                "is damaged: it does not begin as one"
            });
        };
        let (sum, body) = body
            .split_first_chunk::<SUM>()
            .ok_or("is damaged: it is cut short")?;
        if Sha256::digest(body).as_slice() != sum {
            return Err("is damaged: its checksum does not fit");
        }
        Self::parts(body).ok_or("has a form that this version does not know")
    }

    fn parts(body: &[u8]) -> Option<Self> {
        let (length, body) = body.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (head, state) = body.split_at_checked(length)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let mark = |(part, offset, line)| Mark { part, offset, line };
        let outgoing = |(channel, number, line)| {
            Some(Outgoing {
                channel: *CHANNELS.get(usize::from(channel))?,
                number,
                line,
            })
        };
        Some(Self {
            state: state.to_vec(),
            position: Position::new(head.position.into_iter().map(mark).collect()),
            outbox: head
                .outbox
                .into_iter()
                .map(outgoing)
                .collect::<Option<_>>()?,
            ledger: head.ledger,
        })
    }

    /// Replaces `file`: a reader sees the old one or the new one, never a part.
    pub(super) fn write(&self, file: &Path) -> Result<(), Error> {
        let fail = |error: &std::io::Error| Error::io("write the checkpoint", file, error);
        let marks = self.position.marks().iter();
        let lines = self.outbox.iter();
        let head = Head {
            position: marks.map(|m| (m.part, m.offset, m.line)).collect(),
            outbox: lines
                .map(|line| (index(line.channel) as u8, line.number, line.line.clone()))
                .collect(),
            ledger: self.ledger.clone(),
        };
        let head = serde_json::to_vec(&head).map_err(|_| Error::Internal {
            what: "a checkpoint can be written".to_owned(),
        })?;
        let mut body = Vec::with_capacity(8 + head.len() + self.state.len());
        body.extend_from_slice(&(head.len() as u64).to_le_bytes());
        body.extend_from_slice(&head);
        body.extend_from_slice(&self.state);
        // One name for every draft: a run that is killed here leaves at most this one behind.
        let draft = file.with_extension("draft");
        let write = || {
            let mut out = private::file(&draft)?;
            out.write_all(MAGIC)?;
            out.write_all(&Sha256::digest(&body))?;
            out.write_all(&body)?;
            out.sync_data()?;
            std::fs::rename(&draft, file)?;
            // The new name must be on the disk before anything leaves that only the new checkpoint knows of.
            let directory = file.parent().unwrap_or(Path::new("."));
            File::open(directory)?.sync_all()
        };
        write().map_err(|error| {
            // The draft is of no use; what stands is the checkpoint before.
            let _ = std::fs::remove_file(&draft);
            fail(&error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_a_part_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("checkpoint");
        assert!(Checkpoint::read(&file).expect("none").is_none());
        let checkpoint = Checkpoint {
            state: b"state".to_vec(),
            position: Position::new(vec![Mark {
                part: 3,
                offset: 7,
                line: 2,
            }]),
            outbox: vec![Outgoing {
                channel: Channel::Late,
                number: 9,
                line: "x".to_owned(),
            }],
            ledger: Ledger {
                numbers: [4, 5, 9],
                ..Ledger::default()
            },
        };
        checkpoint.write(&file).expect("written");
        let read = Checkpoint::read(&file).expect("read").expect("there");
        assert_eq!(read.state, checkpoint.state);
        assert_eq!(read.position, checkpoint.position);
        assert_eq!(read.outbox, checkpoint.outbox);
        assert_eq!(read.ledger, checkpoint.ledger);
        let bytes = std::fs::read(&file).expect("bytes");
        let refused = |bytes: &[u8]| {
            std::fs::write(&file, bytes).expect("written");
            let error = Checkpoint::read(&file).expect_err("refused");
            assert_eq!(error.code(), "stream-checkpoint");
            error.to_string()
        };
        for cut in 0..bytes.len() {
            refused(&bytes[..cut]);
        }
        // Not one bit may change: a subject of another name would count as another person.
        for at in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[at / 8] ^= 1 << (at % 8);
            refused(&changed);
        }
        let older = refused(b"denym-checkpoint-2\n\x02\0\0\0\0\0\0\0{}");
        assert!(older.contains("another version"), "{older}");
    }
}
