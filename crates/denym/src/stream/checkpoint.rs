//! State, place and lengths in one file, replaced in one step.

use std::io::Write;
use std::path::Path;

use crate::Error;

const MAGIC: &[u8] = b"denym-checkpoint-1\n";

/// Where a run was at one moment.
pub(super) struct Checkpoint {
    /// The stream.
    pub(super) state: Vec<u8>,
    /// Bytes of the source that it has seen.
    pub(super) place: u64,
    /// Bytes of each output that belong to it.
    pub(super) lengths: [u64; 3],
}

impl Checkpoint {
    /// The checkpoint in `file`, if there is one.
    pub(super) fn read(file: &Path) -> Result<Option<Self>, Error> {
        let bytes = match std::fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io("read the checkpoint", file, &error)),
        };
        let broken = || Error::Bundle {
            what: "the checkpoint is not one of this version",
            path: file.to_owned(),
        };
        let body = bytes.strip_prefix(MAGIC).ok_or_else(broken)?;
        let (numbers, state) = body.split_at_checked(32).ok_or_else(broken)?;
        let number = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&numbers[at * 8..at * 8 + 8]);
            u64::from_le_bytes(eight)
        };
        Ok(Some(Self {
            state: state.to_vec(),
            place: number(0),
            lengths: [number(1), number(2), number(3)],
        }))
    }

    /// Replaces `file`: a reader sees the old one or the new one, never a part.
    pub(super) fn write(&self, file: &Path) -> Result<(), Error> {
        let fail = |error: &std::io::Error| Error::io("write the checkpoint", file, error);
        let directory = file.parent().unwrap_or(Path::new("."));
        let mut draft = tempfile::NamedTempFile::new_in(directory).map_err(|e| fail(&e))?;
        let mut bytes = MAGIC.to_vec();
        for number in std::iter::once(self.place).chain(self.lengths) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(&self.state);
        draft.write_all(&bytes).map_err(|e| fail(&e))?;
        draft.as_file().sync_data().map_err(|e| fail(&e))?;
        draft.persist(file).map_err(|e| fail(&e.error))?;
        Ok(())
    }
}
