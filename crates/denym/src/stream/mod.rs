//! Runs a stream from a source to a sink: at least once in, exactly once out.
//!
//! ```text
//! DIR/windows.ndjson        the published windows, a line each; may be handed out (or they go to a broker)
//! DIR/certificates.ndjson   a certificate line per window, a chain; may be handed out
//! DIR/codebook.json         what the lines of the windows mean; may be handed out
//! DIR/steward/report.html   how it went, for the steward; made when a run ends
//! DIR/steward/late.ndjson   events that came too late, with their place in the source (or they go to a broker)
//! DIR/steward/checkpoint    state, place in the source, what is on its way out, length of each file, all as of one moment
//! ```
//!
//! Nothing leaves before the checkpoint that knows of it is on the disk. A run that ends anywhere, even without warning, goes on
//! from its checkpoint: files are cut back to the lengths it names, brokers are asked for the last number they
//! have, what was on its way out leaves once, and the source is read from its place. So what was published stands, even if the source
//! were to come in another order the second time; and from a source that has an order, the same bytes come out as if
//! nothing had happened.

mod codebook;
mod login;
mod outputs;
mod report;

use std::path::{Path, PathBuf};
use std::time::Duration;

use denym_engine::events::{
    Batch, Brokers, Channel, Checkpoint, CheckpointError, EventFormat, Lag, Ledger, Next, Origin,
    Outgoing, Pace, Patience, Position, ReadPlan, Reader,
};
use denym_engine::private;
use denym_release::windows::{Claims, Window};
use denym_stream::{Counts, Event, Stream, Verdict};

use crate::Error;
use crate::anonymize::red_team::ToldFindings;
use crate::attack::{SEED, attacked_window};
use crate::certificate::AttackResult;
use crate::guard::{self, Before, Finding};
use crate::policy::Policy;
use crate::policy::stream::{StreamSource, StreamSpec};
use crate::pseudonyms::Environment;
use outputs::Outputs;

/// How a run goes about it.
#[derive(Clone)]
pub struct StreamRun {
    /// Windows between two checkpoints; they leave together with the checkpoint.
    pub checkpoint_every: u64,
    /// Whether a broker that has nothing more at the moment is at its end.
    pub until_end: bool,
    /// How many times faster than they happened events are replayed; as fast as possible if none.
    pub speed: Option<f64>,
    /// How long to wait for a broker that does not answer.
    pub outage: Duration,
    /// Reads the environment, where a policy takes a password from it.
    pub environment: Option<Environment>,
    /// Who speaks to brokers; a policy that names one is refused without.
    pub brokers: Option<&'static dyn Brokers>,
}

impl std::fmt::Debug for StreamRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamRun")
            .field("checkpoint_every", &self.checkpoint_every)
            .field("until_end", &self.until_end)
            .field("speed", &self.speed)
            .field("outage", &self.outage)
            .field("brokers", &self.brokers.is_some())
            .finish_non_exhaustive()
    }
}

impl StreamRun {
    /// Who speaks to brokers.
    fn brokers(&self) -> Result<&'static dyn Brokers, Error> {
        self.brokers.ok_or_else(|| Error::Argument {
            what: "the policy names a broker, and this build of denym speaks to none".to_owned(),
            help: "build everything with `make full`, or with `cargo install --path crates/cli --features brokers`; files and pipes need neither".to_owned(),
        })
    }
}

impl Default for StreamRun {
    fn default() -> Self {
        Self {
            checkpoint_every: 1,
            until_end: false,
            speed: None,
            outage: Duration::from_mins(1),
            environment: None,
            brokers: None,
        }
    }
}

/// How a stream gets on.
#[derive(Debug, Clone, Copy, Default)]
pub struct StreamProgress {
    /// Fates of the events so far.
    pub counts: Counts,
    /// Number of the last window that was cut.
    pub window: Option<u64>,
    /// Latest event time.
    pub latest: Option<i64>,
    /// What the source still has.
    pub lag: Option<Lag>,
    /// Subjects remembered.
    pub subjects: usize,
    /// Checkpoints written by this run.
    pub checkpoints: u64,
}

/// Told how a stream gets on; asked whether to go on.
pub trait StreamListener {
    /// Events were read, a window was cut, or nothing came for a while.
    fn progress(&self, progress: &StreamProgress);
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
    /// Where certificates and checkpoint are, and windows unless they go elsewhere.
    pub directory: PathBuf,
    /// Events that only the matching `consistent` cost; none under `covers`.
    pub consistent_cost: Option<u64>,
    /// Times that the clock on the wall cut windows; none where it may not.
    pub clock_cuts: Option<u64>,
    /// How the windows stand against somebody who knows the program.
    pub program: crate::Program,
    /// What a reader of the windows must know.
    pub warnings: Vec<String>,
    /// What guards against mistakes find in the policy, the worst first.
    pub findings: Vec<Finding>,
}

/// How long to wait for events before looking around.
const LOOK_AROUND: Duration = Duration::from_millis(100);
/// Events after which a stream of which none could be read is given up.
const ENOUGH: u64 = 1000;
/// Bytes of late events that make a checkpoint due.
const MUCH: usize = 1 << 20;

/// What `policy` says about a stream.
pub(crate) fn spec(policy: &Policy) -> Result<StreamSpec, Error> {
    policy.stream_now().ok_or_else(|| Error::Argument {
        what: format!(
            "a policy about {} is none for a stream",
            policy.data.kind.name()
        ),
        help: "release it with `denym anonymize`, or say `kind = \"stream\"` in `[data]`".into(),
    })
}

/// Reads events until the source ends or the listener says stop; a directory with a checkpoint is gone on with.
pub fn stream(
    policy: &Policy,
    directory: &Path,
    run: &StreamRun,
    listener: &dyn StreamListener,
) -> Result<StreamSummary, Error> {
    let steward = directory.join("steward");
    std::fs::create_dir_all(directory)
        .and_then(|()| private::directory(&steward))
        .map_err(|error| Error::io("make the directory", &steward, &error))?;
    let _lock = lock(&steward.join("lock"))?;
    let spec = &login::with_logins(policy, run.environment)?;
    let mut job = Job::open(policy, spec, directory, run, listener)?;
    let finished = job.run()?;
    job.report(directory)?;
    let summary = StreamSummary {
        counts: job.stream.counts(),
        finished,
        directory: directory.to_owned(),
        consistent_cost: spec.is_consistent().then_some(job.ledger.consistent_cost),
        clock_cuts: spec.idle.map(|_| job.ledger.clock_cuts),
        program: denym_stream::program(&spec.options),
        warnings: [spec.warnings(), job.unseen()].concat(),
        findings: stream_findings(policy),
    };
    Ok(summary)
}

/// What guards against mistakes find in a policy for a stream, the worst first; its events are not looked at.
pub fn stream_findings(policy: &Policy) -> Vec<Finding> {
    let mut findings = guard::before(&Before::of(policy));
    findings.extend(guard::unused(policy, &findings, true));
    findings
}

/// Two runs in one directory would publish over each other.
fn lock(path: &Path) -> Result<std::fs::File, Error> {
    let fail = |error: &std::io::Error| Error::io("lock the directory", path, error);
    let file = private::file(path).map_err(|error| fail(&error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Error::Argument {
            what: "another run is at work in this directory".to_owned(),
            help: "wait for it or stop it, or choose another directory with -o".to_owned(),
        }),
        Err(std::fs::TryLockError::Error(error)) => Err(fail(&error)),
    }
}

/// A run on its way.
struct Job<'a> {
    policy: &'a Policy,
    spec: &'a StreamSpec,
    run: &'a StreamRun,
    listener: &'a dyn StreamListener,
    file: PathBuf,
    stream: Stream,
    position: Position,
    ledger: Ledger,
    outputs: Outputs,
    outbox: Vec<Outgoing>,
    /// Late events since the last checkpoint, a line each.
    late: String,
    /// Windows since the last checkpoint.
    since: u64,
    reader: Reader,
    pace: Option<Pace>,
    progress: StreamProgress,
    /// A bit for each column of the policy that some event had.
    seen: u64,
    /// The window that was published last: the next one is attacked beside it.
    before: Option<Window>,
}

/// Whether windows, or certificates of windows, lie in the directory.
fn has_published(directory: &Path) -> bool {
    let files = ["windows.ndjson", "certificates.ndjson"];
    let length = |name: &&str| std::fs::metadata(directory.join(name)).map_or(0, |file| file.len());
    files.iter().any(|name| length(name) > 0)
}

impl<'a> Job<'a> {
    fn open(
        policy: &'a Policy,
        spec: &'a StreamSpec,
        directory: &Path,
        run: &'a StreamRun,
        listener: &'a dyn StreamListener,
    ) -> Result<Self, Error> {
        let pace = match (run.speed, spec.unit) {
            (None, _) => None,
            (Some(speed), Some(unit)) => Some(Pace::new(unit, speed)),
            (Some(_), None) => {
                return Err(Error::Argument {
                    what: "a replay at a speed must know how long a timestamp lasts".to_owned(),
                    help: "add `unit = \"1h\"` to `[data]` in the policy".to_owned(),
                });
            }
        };
        let file = directory.join("steward/checkpoint");
        let checkpoint = Checkpoint::read(&file).map_err(|error| unsaved(error, &file))?;
        let patience = Patience {
            outage: run.outage,
            ..Patience::default()
        };
        let known = checkpoint.as_ref().map(|checkpoint| &checkpoint.ledger);
        if let Some(ledger) = known
            && (ledger.source != spec.source.to_string() || ledger.sink != spec.sink.to_string())
        {
            return Err(Error::Argument {
                what: "the checkpoint here is of another source or sink".to_owned(),
                help: "use the policy it was begun with, or choose another directory with -o"
                    .to_owned(),
            });
        }
        if checkpoint.is_none() && has_published(directory) {
            return Err(Error::Argument {
                what: "windows were published here, and the checkpoint that knows of them is gone"
                    .to_owned(),
                help: "put steward/checkpoint back, or choose another directory with -o: a stream that forgot what it showed cannot keep its promise"
                    .to_owned(),
            });
        }
        let stream = match &checkpoint {
            Some(checkpoint) => Stream::load(&checkpoint.state, &spec.options)?,
            None => Stream::new(spec.options.clone())?,
        };
        let mut outputs = Outputs::open(spec, directory, known, &patience, run)?;
        codebook::write(directory, spec)?;
        let checkpoint = checkpoint.unwrap_or_default();
        // What was on its way out when the last run ended; what has arrived is left out or written over.
        outputs.publish(&checkpoint.outbox)?;
        let origin = origin(policy, spec, run)?;
        let plan = ReadPlan {
            columns: spec.columns.clone(),
            format: spec.format,
            until_end: run.until_end,
            patience,
        };
        let reader = Reader::start(&origin, &checkpoint.position, plan)?;
        let mut ledger = checkpoint.ledger;
        let before = ledger.before.as_deref().and_then(Window::from_line);
        ledger.source = spec.source.to_string();
        ledger.sink = spec.sink.to_string();
        let mut job = Self {
            policy,
            spec,
            run,
            listener,
            file,
            stream,
            position: checkpoint.position,
            ledger,
            outputs,
            outbox: Vec::new(),
            late: String::new(),
            since: 0,
            reader,
            pace,
            progress: StreamProgress::default(),
            seen: 0,
            before,
        };
        let windows = job.ledger.numbers[Channel::Certificates as usize];
        job.progress.window = (windows > 0).then_some(windows);
        Ok(job)
    }

    /// Whether the source was read to its end.
    fn run(&mut self) -> Result<bool, Error> {
        let mut quiet = Duration::ZERO;
        let finished = loop {
            self.tell();
            if !self.listener.keep_going() {
                break false;
            }
            match self.reader.next(LOOK_AROUND)? {
                Next::Batch(batch) => {
                    quiet = Duration::ZERO;
                    self.progress.lag = batch.lag();
                    self.seen |= batch.seen();
                    let whole = self.take(&batch)?;
                    self.reader.give_back(batch);
                    if self.stream.counts().events >= ENOUGH {
                        self.check_readable()?;
                    }
                    if !whole {
                        break false;
                    }
                }
                Next::Idle => {
                    let before = quiet;
                    quiet += LOOK_AROUND;
                    let idle = self.spec.idle;
                    if idle.is_some_and(|idle| before < idle && idle <= quiet) {
                        self.cut_by_the_clock()?;
                    }
                }
                Next::End => break true,
            }
        };
        // Nothing is taken for read that could not be.
        self.check_readable()?;
        if finished {
            self.stream.finish();
            self.cut()?;
        }
        self.commit()?;
        self.tell();
        Ok(finished)
    }

    /// Refuses a source of which not one event could be read: the policy speaks of other columns, or of other data.
    fn check_readable(&self) -> Result<(), Error> {
        let counts = self.stream.counts();
        if counts.events == 0 || counts.rejected < counts.events {
            return Ok(());
        }
        let columns = &self.spec.columns;
        let named = [&columns.subject, &columns.location, &columns.time];
        let absent = named
            .into_iter()
            .zip(0..)
            .filter(|(_, at)| self.seen >> at & 1 == 0);
        Err(Error::NothingReadable {
            events: counts.events,
            source_name: self.spec.source.to_string(),
            absent: absent.map(|(name, _)| name.clone()).collect(),
        })
    }

    /// A word about each sensitive column that no event of this run had: what is promised of it rests on nothing.
    fn unseen(&self) -> Vec<String> {
        let sensitive = self.spec.columns.sensitive.iter().zip(3_u32..64);
        sensitive
            .filter(|(_, at)| self.seen != 0 && self.seen >> at & 1 == 0)
            .map(|(name, _)| {
                format!("no event has the column `{name}`, which the policy calls sensitive")
            })
            .collect()
    }

    /// Takes the events of a batch; `false` if it was stopped on the way.
    fn take(&mut self, batch: &Batch) -> Result<bool, Error> {
        let mut sensitive = Vec::new();
        for line in batch.lines() {
            let verdict = match line.sighting() {
                None => self.stream.reject(),
                Some(sighting) => {
                    if !self.wait_for(sighting.time) {
                        return Ok(false);
                    }
                    line.sensitive(&mut sensitive);
                    self.stream.push(&Event {
                        subject: sighting.subject,
                        location: sighting.location,
                        time: sighting.time,
                        sensitive: &sensitive,
                    })
                }
            };
            let mark = line.mark();
            self.position.pass(mark);
            match verdict {
                Verdict::Accepted => {}
                Verdict::Rejected(_) => continue,
                Verdict::Late => {
                    let event = serde_json::Value::from(line.text());
                    let (part, offset, at) = (mark.part, mark.offset, mark.line);
                    if !self.late.is_empty() {
                        self.late.push('\n');
                    }
                    let entry = format!("{{\"before\":[{part},{offset},{at}],\"event\":{event}}}");
                    self.late.push_str(&entry);
                }
            }
            self.cut()?;
            if self.since >= self.run.checkpoint_every || self.late.len() >= MUCH {
                self.commit()?;
                self.tell();
                if !self.listener.keep_going() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Waits until an event is due in a replay; `false` if it was stopped meanwhile.
    fn wait_for(&mut self, time: i64) -> bool {
        while let Some(left) = self.pace.as_mut().and_then(|pace| pace.wait(time)) {
            if !self.listener.keep_going() {
                return false;
            }
            std::thread::sleep(left.min(LOOK_AROUND));
            self.tell();
        }
        true
    }

    /// Nothing came for as long as the policy says: what was seen is taken to be all.
    fn cut_by_the_clock(&mut self) -> Result<(), Error> {
        if let Some(latest) = self.stream.latest() {
            self.stream.advance(latest)?;
            self.cut()?;
            if self.since > 0 {
                self.ledger.clock_cuts += 1;
                self.commit()?;
            }
        }
        Ok(())
    }

    /// Cuts every window that is due; each passes the red team before it leaves.
    fn cut(&mut self) -> Result<(), Error> {
        loop {
            let (before, bounds) = (self.before.as_ref(), &self.policy.attack);
            let claims = Claims::new(&self.spec.options);
            let mut red_team = |window: &Window| -> Result<Vec<AttackResult>, Error> {
                let found = attacked_window(&claims, before, window, SEED)?;
                Ok(found.results(bounds).into_iter().map(in_short).collect())
            };
            let Some(slide) = self.stream.poll_gated(&mut red_team)? else {
                return Ok(());
            };
            let number = slide.certificate.window;
            self.progress.window = Some(number);
            self.ledger.consistent_cost += slide.work.contradiction_events;
            if let Some(line) = slide.line() {
                self.send(Channel::Windows, number, line);
            }
            self.send(Channel::Certificates, number, slide.certificate.line()?);
            self.since += 1;
            if let Some(window) = slide.window {
                self.before = Some(window);
            }
        }
    }

    /// Writes the steward's report on everything that was certified so far, by this run and those before it.
    fn report(&self, directory: &Path) -> Result<(), Error> {
        let text = crate::windows::chain(directory)?;
        let page = report::page(self.policy, self.spec, &text, &self.ledger)?;
        let path = directory.join("steward/report.html");
        private::write(&path, page.as_bytes())
            .map_err(|error| Error::io("write the report", &path, &error))
    }

    fn send(&mut self, channel: Channel, number: u64, line: String) {
        self.ledger.numbers[channel as usize] = number;
        self.outbox.push(Outgoing {
            channel,
            number,
            line,
        });
    }

    /// Makes a checkpoint; then, and only then, lets out what it knows of.
    fn commit(&mut self) -> Result<(), Error> {
        if !self.late.is_empty() {
            let late = std::mem::take(&mut self.late);
            self.send(Channel::Late, self.stream.counts().late, late);
        }
        self.ledger.lengths = self.outputs.lengths();
        self.ledger.before = self.before.as_ref().map(Window::line);
        let checkpoint = Checkpoint {
            state: self.stream.save()?,
            position: self.position.clone(),
            outbox: std::mem::take(&mut self.outbox),
            ledger: self.ledger.clone(),
        };
        let written = checkpoint.write(&self.file);
        written.map_err(|error| unsaved(error, &self.file))?;
        self.outputs.publish(&checkpoint.outbox)?;
        self.since = 0;
        self.progress.checkpoints += 1;
        Ok(())
    }

    fn tell(&mut self) {
        self.progress.counts = self.stream.counts();
        self.progress.latest = self.stream.latest();
        self.progress.subjects = self.stream.subjects();
        self.listener.progress(&self.progress);
    }
}

/// Why the checkpoint in `file` is not what it should be.
fn unsaved(error: CheckpointError, file: &Path) -> Error {
    match error {
        CheckpointError::Read(error) => Error::io("read the checkpoint", file, &error),
        CheckpointError::Write(error) => Error::io("write the checkpoint", file, &error),
        CheckpointError::Broken(what) => Error::Checkpoint {
            what,
            path: file.to_owned(),
        },
    }
}

/// A rate in so few digits that every reader of JSON reads the same number; nothing of it is given away by rounding.
fn in_short(found: AttackResult) -> AttackResult {
    let short = |rate: f64| (rate * 1e6).round() / 1e6;
    AttackResult {
        success_rate: short(found.success_rate),
        interval: found.interval.map(|(low, high)| (short(low), short(high))),
        refuse_above: found.refuse_above.map(short),
        ..found
    }
}

/// Hands over every event of the files that a stream of `policy` is read from, batch by batch.
pub(crate) fn batches(
    policy: &Policy,
    spec: &StreamSpec,
    take: &mut dyn FnMut(&Batch) -> Result<(), Error>,
) -> Result<(), Error> {
    let origin = origin(policy, spec, &StreamRun::default())?;
    let plan = ReadPlan {
        columns: spec.columns.clone(),
        format: spec.format,
        until_end: true,
        patience: Patience::default(),
    };
    let reader = Reader::start(&origin, &Position::default(), plan)?;
    loop {
        match reader.next(LOOK_AROUND)? {
            Next::Batch(batch) => {
                take(&batch)?;
                reader.give_back(batch);
            }
            Next::Idle => {}
            Next::End => return Ok(()),
        }
    }
}

/// The files or the broker that the policy names.
fn origin(policy: &Policy, spec: &StreamSpec, run: &StreamRun) -> Result<Origin<'static>, Error> {
    let path = match &spec.source {
        StreamSource::Broker(address) => {
            return Ok(Origin::Broker(address.clone(), run.brokers()?));
        }
        StreamSource::Path(path) if path == "-" => {
            return Ok(Origin::Files(vec![PathBuf::from("-")]));
        }
        StreamSource::Path(path) => path,
    };
    let base = policy.file.parent().unwrap_or(Path::new(""));
    let format = match spec.format {
        EventFormat::Csv => denym_engine::Format::Csv,
        EventFormat::Json => denym_engine::Format::Json,
    };
    let files = denym_engine::files(base.join(path), Some(format))?;
    Ok(Origin::Files(files))
}
