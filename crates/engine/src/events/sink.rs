//! Numbered lines, and the files among the places they go to: cut back to what a checkpoint knows.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use crate::Error;

/// What kind of line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Channel {
    /// Published windows.
    Windows,
    /// Certificate lines.
    Certificates,
    /// Events that came too late.
    Late,
}

impl Channel {
    /// Every channel, in the order of [`super::Ledger`].
    pub const ALL: [Channel; 3] = [Channel::Windows, Channel::Certificates, Channel::Late];

    /// Its name in files, subjects and topics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Windows => "windows",
            Self::Certificates => "certificates",
            Self::Late => "late",
        }
    }
}

/// A line on its way out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outgoing {
    /// Where it goes.
    pub channel: Channel,
    /// Its number; grows within a channel.
    pub number: u64,
    /// The line, without an end; several with ends between them for late events.
    pub line: String,
}

/// A file of lines, as long as a checkpoint says.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    file: File,
    length: u64,
}

impl LineFile {
    /// Opens the file and cuts it back to `length` bytes; one that is for the steward alone nobody else may read.
    pub fn open(path: PathBuf, length: u64, private: bool) -> Result<Self, Error> {
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        if private {
            crate::private::only_owner(&mut options);
        }
        let opened = options.open(&path).and_then(|file| {
            if private {
                crate::private::close(&path, 0o600)?;
            }
            let there = file.metadata()?.len();
            if there > length {
                file.set_len(length)?;
            }
            Ok((file, there))
        });
        let (file, there) = opened.map_err(|error| Error::writing(&path, &error))?;
        if there < length {
            return Err(Error::Shortened { path });
        }
        Ok(Self { path, file, length })
    }

    /// Bytes that belong to it.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Adds lines and makes sure that they are on the disk.
    pub fn append<'a>(&mut self, lines: impl IntoIterator<Item = &'a str>) -> Result<(), Error> {
        let mut text = String::new();
        for line in lines {
            text.push_str(line);
            text.push('\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        let written = self.file.write_all(text.as_bytes());
        written
            .and_then(|()| self.file.sync_data())
            .map_err(|error| Error::writing(&self.path, &error))?;
        self.length += text.len() as u64;
        Ok(())
    }
}
