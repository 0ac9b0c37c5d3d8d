//! People on the move for the examples: the papers' metro, the MSNBC web log, pushed into a stream or put in a table.
#![allow(dead_code, reason = "each example uses its part")]

use std::io::Read;
use std::time::{Duration, Instant};

use denym_data::SplitMix64;
use denym_data::paths::{Attribute, Doublet, Paths};
use denym_sequences::generate::metro;
use denym_stream::{Event, Phase, Slide, Stream};

/// Codes of times and locations are below this.
const SIDE: u32 = 128;

/// Everybody's path and sensitive value, and the same by time.
pub(crate) struct Source {
    /// (location, time) in time order, by subject.
    pub(crate) paths: Vec<Vec<(u32, u32)>>,
    /// By subject.
    pub(crate) values: Vec<u32>,
    /// (subject, location), by time.
    pub(crate) by_time: Vec<Vec<(u32, u32)>>,
    /// Labels made once: the reader of a real source has them as text already.
    subjects: Vec<String>,
    labels: Vec<String>,
}

impl Source {
    fn new(paths: Vec<Vec<(u32, u32)>>, values: Vec<u32>) -> Self {
        let mut by_time = Vec::new();
        for (subject, path) in paths.iter().enumerate() {
            for &(location, time) in path {
                if by_time.len() <= time as usize {
                    by_time.resize_with(time as usize + 1, Vec::new);
                }
                by_time[time as usize].push((subject as u32, location));
            }
        }
        Self {
            subjects: (0..paths.len()).map(|code| code.to_string()).collect(),
            labels: (0..SIDE).map(|code| code.to_string()).collect(),
            paths,
            values,
            by_time,
        }
    }

    /// `riders` of the papers' metro; one of five values each.
    pub(crate) fn metro(riders: u64) -> Self {
        let (paths, values) = metro(1, riders).map(|row| (row.path, row.status)).unzip();
        Self::new(paths, values)
    }

    /// The first `users` of the MSNBC web log up to a position; one of ten values each, drawn. `None` where the data is not.
    pub(crate) fn msnbc(users: usize, last: u32) -> Option<Self> {
        let file = denym_testkit::shared::path("data/paths/msnbc990928.zip")?;
        let bytes = std::fs::read(file).expect("readable data");
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]) as usize;
        let mut text = String::new();
        flate2::read::DeflateDecoder::new(&bytes[30 + word(26) + word(28)..])
            .read_to_string(&mut text)
            .expect("a zip file of one text");
        let mut draw = SplitMix64::new(1);
        let (mut paths, mut values) = (Vec::new(), Vec::new());
        for line in text.lines().skip(7).take(users) {
            let pages = line
                .split_whitespace()
                .map(|page| page.parse().expect("a page"));
            let mut pages: Vec<u32> = pages.collect();
            pages.dedup();
            paths.push(pages.into_iter().zip(1..=last).collect());
            values.push((draw.next_u64() % 10) as u32);
        }
        Some(Self::new(paths, values))
    }

    pub(crate) fn events(&self) -> usize {
        self.by_time.iter().map(Vec::len).sum()
    }

    /// Pushes events of one timestamp.
    pub(crate) fn push(&self, stream: &mut Stream, time: i64, events: &[(u32, u32)]) {
        for &(subject, location) in events {
            let value = self.values[subject as usize];
            stream.push(&Event {
                subject: &self.subjects[subject as usize],
                location: &self.labels[location as usize],
                time,
                sensitive: &[&self.labels[value as usize]],
            });
        }
    }

    /// Replays everything `shift` timestamps later; `each` gets every slide with how long its steps took.
    pub(crate) fn replay(
        &self,
        stream: &mut Stream,
        shift: i64,
        each: &mut dyn FnMut(Slide, Steps),
    ) {
        for (events, time) in self.by_time.iter().zip(shift..) {
            // The first event of a timestamp completes the one before.
            let (first, rest) = events.split_at(events.len().min(1));
            self.push(stream, time, first);
            drain(stream, each);
            self.push(stream, time, rest);
        }
    }

    /// The carried window as a table: what a run from scratch has to read.
    pub(crate) fn carried(&self, from: i64, to: i64, gone: &[(i64, u32)]) -> Paths {
        let at = |location: u32, time: u32| (time * SIDE + location) as usize;
        let mut is_gone = vec![false; (SIDE * SIDE) as usize];
        for &(time, location) in gone {
            is_gone[time as usize * SIDE as usize + location as usize] = true;
        }
        let (mut pairs, mut starts, mut codes) = (Vec::new(), vec![0u32], Vec::new());
        for (path, &value) in self.paths.iter().zip(&self.values) {
            let here = |&&(_, t): &&(u32, u32)| from <= i64::from(t) && i64::from(t) <= to;
            let mut present = false;
            for &(l, t) in path.iter().filter(here) {
                present = true;
                if !is_gone[at(l, t)] {
                    pairs.push((l, t));
                }
            }
            if present {
                starts.push(pairs.len() as u32);
                codes.push(value);
            }
        }
        let mut id = vec![u32::MAX; (SIDE * SIDE) as usize];
        for &(l, t) in &pairs {
            id[at(l, t)] = 0;
        }
        let mut doublets = Vec::new();
        for (code, id) in id.iter_mut().enumerate().filter(|(_, id)| **id == 0) {
            *id = doublets.len() as u32;
            doublets.push(Doublet {
                time: code as u32 / SIDE,
                location: code as u32 % SIDE,
            });
        }
        let items = pairs.iter().map(|&(l, t)| id[at(l, t)]).collect();
        let value = Attribute {
            name: "status".to_owned(),
            values: self.labels.clone(),
            codes,
        };
        Paths::from_codes(
            self.labels.clone(),
            self.labels.clone(),
            doublets,
            starts,
            items,
        )
        .and_then(|paths| paths.with_sensitive(value))
        .expect("sound codes")
    }
}

/// Cuts every window that is due.
pub(crate) fn drain(stream: &mut Stream, each: &mut dyn FnMut(Slide, Steps)) {
    loop {
        let mut steps = Steps::default();
        let mut before = Instant::now();
        let slide = stream.poll_with(&mut |phase: Phase| {
            let now = Instant::now();
            steps.add(phase, now - before);
            before = now;
        });
        match slide.expect("a slide") {
            Some(slide) => each(slide, steps),
            None => return,
        }
    }
}

/// How long the steps of a slide took.
#[derive(Clone, Copy, Default)]
pub(crate) struct Steps {
    /// Events in, violations found, suppression chosen, outdated doublets out: what the paper times.
    pub(crate) slide: Duration,
    pub(crate) build: Duration,
    /// Judging and certifying.
    pub(crate) judge: Duration,
}

impl Steps {
    fn add(&mut self, phase: Phase, took: Duration) {
        match phase {
            Phase::Updated | Phase::Solved | Phase::Prepared => self.slide += took,
            Phase::Built => self.build += took,
            Phase::Verified | Phase::Decided => self.judge += took,
        }
    }

    pub(crate) fn whole(&self) -> Duration {
        self.slide + self.build + self.judge
    }
}

/// The middle one, in milliseconds.
pub(crate) fn median(times: impl IntoIterator<Item = Duration>) -> f64 {
    let mut all: Vec<Duration> = times.into_iter().collect();
    all.sort_unstable();
    all.get(all.len() / 2).map_or(0.0, Duration::as_secs_f64) * 1e3
}

/// Time that all threads of this process have computed; `None` where the system does not tell.
pub(crate) fn computed() -> Option<Duration> {
    let mut nanoseconds = 0;
    for task in std::fs::read_dir("/proc/self/task").ok()?.flatten() {
        let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        nanoseconds += text.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(Duration::from_nanos(nanoseconds))
}

/// Resident memory in MB; 0 where the system does not tell.
pub(crate) fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) >> 10
}
