//! Where a run over events was at one moment: state, place, lengths and what is on its way out in one file, replaced in one step.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{Channel, Mark, Outgoing, Position};
use crate::private;

/// The form of the file: this line, SHA-256 of everything behind it, the length of the head, the head, the state.
const MAGIC: &[u8] = b"denym-checkpoint-3\n";
/// What every form begins with.
const ANY: &[u8] = b"denym-checkpoint-";
/// Bytes of the checksum.
const SUM: usize = 32;

/// Where a run was at one moment.
#[derive(Debug, Default)]
pub struct Checkpoint {
    /// The stream.
    pub state: Vec<u8>,
    /// What it has seen of the source.
    pub position: Position,
    /// Lines that belong to it but may not have left yet.
    pub outbox: Vec<Outgoing>,
    /// The rest.
    pub ledger: Ledger,
}

/// What a run keeps beside the state of the stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// The source, as the policy names it.
    pub source: String,
    /// Where windows go, as the policy names it.
    pub sink: String,
    /// Bytes of each file that were there before the outbox left.
    pub lengths: [u64; 3],
    /// Last number in each channel, the outbox included.
    pub numbers: [u64; 3],
    /// Events that only the matching `consistent` cost.
    pub consistent_cost: u64,
    /// Times that the clock on the wall cut windows.
    pub clock_cuts: u64,
    /// The window that was published last, in full.
    #[serde(default)]
    pub before: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    position: Vec<(i32, u64, u32)>,
    outbox: Vec<(u8, u64, String)>,
    ledger: Ledger,
}

/// Why there is no checkpoint to go on from, or none to come back to.
#[derive(Debug)]
pub enum CheckpointError {
    /// The file system did not give it.
    Read(io::Error),
    /// The file system did not take it.
    Write(io::Error),
    /// What is there cannot be believed, for this reason.
    Broken(&'static str),
}

impl Checkpoint {
    /// The checkpoint in `file`, if there is one.
    pub fn read(file: &Path) -> Result<Option<Self>, CheckpointError> {
        let bytes = match std::fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CheckpointError::Read(error)),
        };
        let read = Self::parse(&bytes);
        read.map(Some).map_err(CheckpointError::Broken)
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
                channel: *Channel::ALL.get(usize::from(channel))?,
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
    pub fn write(&self, file: &Path) -> Result<(), CheckpointError> {
        let marks = self.position.marks().iter();
        let lines = self.outbox.iter();
        let head = Head {
            position: marks.map(|m| (m.part, m.offset, m.line)).collect(),
            outbox: lines
                .map(|line| (line.channel as u8, line.number, line.line.clone()))
                .collect(),
            ledger: self.ledger.clone(),
        };
        let head = serde_json::to_vec(&head);
        let head = head.map_err(|error| CheckpointError::Write(error.into()))?;
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
            CheckpointError::Write(error)
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
            match Checkpoint::read(&file).expect_err("refused") {
                CheckpointError::Broken(what) => what,
                error => panic!("{error:?}"),
            }
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
