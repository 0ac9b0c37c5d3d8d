//! Runs a stream from a source to a directory: at least once in, exactly once out.
//!
//! ```text
//! DIR/windows.ndjson        the published windows, a line each; may be handed out
//! DIR/certificates.ndjson   a certificate line per window, a chain; may be handed out
//! DIR/steward/late.ndjson   where late events were in the source, by byte
//! DIR/steward/checkpoint    state, place in the source, length of each file, all as of one moment
//! ```
//!
//! A run that ends anywhere, even without warning, goes on from its checkpoint: the files are cut back
//! to the lengths it names and the source is read from its place. The same windows come out again,
//! so that the files end up byte for byte as if nothing had happened.

mod checkpoint;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use denym_engine::events::{EventFormat, EventSource};
use denym_stream::{Counts, Event, Slide, Stream, Verdict};

pub use crate::policy::stream::StreamPolicy;

use crate::Error;
use checkpoint::Checkpoint;

/// How a run goes about it.
#[derive(Debug, Clone, Copy)]
pub struct StreamRun {
    /// Windows between two checkpoints.
    pub checkpoint_every: u64,
}

impl Default for StreamRun {
    fn default() -> Self {
        Self {
            checkpoint_every: 1,
        }
    }
}

/// Told how a stream gets on; asked whether to go on.
pub trait StreamListener {
    /// Events were read, or a window was cut.
    fn progress(&self, counts: &Counts, window: Option<u64>);
    /// Whether to go on; `false` makes a checkpoint and stops.
    fn keep_going(&self) -> bool;
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamSummary {
    /// Fates of all events, over all runs since the first.
    pub counts: Counts,
    /// Whether the source was read to its end.
    pub finished: bool,
    /// Where the windows are.
    pub directory: PathBuf,
    /// What a reader of the windows must know.
    pub warning: Option<String>,
}

/// Reads events until the source ends or the listener says stop; a directory with a checkpoint is gone on with.
pub fn stream(
    policy: &StreamPolicy,
    directory: &Path,
    run: &StreamRun,
    listener: &dyn StreamListener,
) -> Result<StreamSummary, Error> {
    let steward = directory.join("steward");
    std::fs::create_dir_all(&steward)
        .map_err(|error| Error::io("make the directory", &steward, &error))?;
    let file = steward.join("checkpoint");
    let checkpoint = Checkpoint::read(&file)?;
    let mut stream = match &checkpoint {
        Some(checkpoint) => Stream::load(&checkpoint.state, &policy.options)?,
        None => Stream::new(policy.options.clone())?,
    };
    let (place, lengths) = checkpoint.map_or((0, [0; 3]), |c| (c.place, c.lengths));
    let mut outputs = Outputs::open(directory, lengths)?;
    let files = if policy.path == "-" {
        vec![PathBuf::from("-")]
    } else {
        let base = policy.file.parent().unwrap_or(Path::new(""));
        let format = match policy.format {
            EventFormat::Csv => denym_engine::Format::Csv,
            EventFormat::Json => denym_engine::Format::Json,
        };
        denym_engine::files(base.join(&policy.path), Some(format))?
    };
    let mut source = EventSource::new(files, policy.format, place);
    let mut line = Vec::new();
    let (mut since, mut read) = (0, 0u64);
    let mut last_window = None;
    let save = |stream: &Stream, source: &EventSource, outputs: &mut Outputs| {
        let lengths = outputs.sync()?;
        let checkpoint = Checkpoint {
            state: stream.save()?,
            place: source.place(),
            lengths,
        };
        checkpoint.write(&file)
    };
    let finished = loop {
        if read.is_multiple_of(1024) {
            listener.progress(&stream.counts(), last_window);
            if !listener.keep_going() {
                break false;
            }
        }
        read += 1;
        let before = source.place();
        let more = source.next_line(&mut line);
        if !more.map_err(|error| Error::io("read the events", Path::new(&policy.path), &error))? {
            break true;
        }
        let sighting = policy.columns.read(&line, policy.format, source.header());
        let verdict = match &sighting {
            None => stream.reject(),
            Some(sighting) => {
                let sensitive: Vec<&str> = sighting.sensitive.iter().map(String::as_str).collect();
                stream.push(&Event {
                    subject: &sighting.subject,
                    location: &sighting.location,
                    time: sighting.time,
                    sensitive: &sensitive,
                })
            }
        };
        if verdict == Verdict::Late {
            outputs.write(
                LATE,
                &format!("{{\"from\":{before},\"to\":{}}}", source.place()),
            )?;
        }
        while let Some(slide) = stream.poll()? {
            last_window = Some(slide.certificate.window);
            outputs.publish(&slide)?;
            since += 1;
        }
        if since >= run.checkpoint_every {
            save(&stream, &source, &mut outputs)?;
            since = 0;
        }
    };
    if finished {
        stream.finish();
        while let Some(slide) = stream.poll()? {
            outputs.publish(&slide)?;
        }
    }
    save(&stream, &source, &mut outputs)?;
    listener.progress(&stream.counts(), last_window);
    Ok(StreamSummary {
        counts: stream.counts(),
        finished,
        directory: directory.to_owned(),
        warning: policy.options.warning().map(str::to_owned),
    })
}

const WINDOWS: usize = 0;
const CERTIFICATES: usize = 1;
const LATE: usize = 2;

/// The files that grow.
struct Outputs {
    files: [(PathBuf, File, u64); 3],
}

impl Outputs {
    /// Opens the files and cuts them back to what the checkpoint knows of.
    fn open(directory: &Path, lengths: [u64; 3]) -> Result<Self, Error> {
        let open = |name: &str, length: u64| {
            let path = directory.join(name);
            let mut options = OpenOptions::new();
            options.create(true).append(true);
            let file = options
                .open(&path)
                .and_then(|file| file.set_len(length).map(|()| file))
                .map_err(|error| Error::io("open the output", &path, &error))?;
            Ok::<_, Error>((path, file, length))
        };
        Ok(Self {
            files: [
                open("windows.ndjson", lengths[WINDOWS])?,
                open("certificates.ndjson", lengths[CERTIFICATES])?,
                open("steward/late.ndjson", lengths[LATE])?,
            ],
        })
    }

    fn write(&mut self, which: usize, line: &str) -> Result<(), Error> {
        let (path, file, length) = &mut self.files[which];
        let line = format!("{line}\n");
        file.write_all(line.as_bytes())
            .map_err(|error| Error::io("write the output", path, &error))?;
        *length += line.len() as u64;
        Ok(())
    }

    fn publish(&mut self, slide: &Slide) -> Result<(), Error> {
        if let Some(line) = slide.line() {
            self.write(WINDOWS, &line)?;
        }
        self.write(CERTIFICATES, &slide.certificate.line()?)
    }

    /// Makes sure that all is on the disk; the length of each file.
    fn sync(&mut self) -> Result<[u64; 3], Error> {
        for (path, file, _) in &self.files {
            file.sync_data()
                .map_err(|error| Error::io("write the output", path, &error))?;
        }
        Ok([0, 1, 2].map(|at| self.files[at].2))
    }
}
