//! Many events in one piece of memory: read on one thread, taken on another, and used again.

use std::ops::Range;

use super::{Lag, Mark};

/// Events in the order of their source.
#[derive(Debug, Default)]
pub struct Batch {
    /// Lines and labels, one after the other.
    text: String,
    /// Labels of sensitive values.
    values: Vec<Range<u32>>,
    entries: Vec<BatchEntry>,
    /// What the source still has, as of the last event.
    pub(super) lag: Option<Lag>,
    /// A bit for each column asked for that some line has: subject, location, time, then the sensitive ones.
    seen: u64,
}

/// Where an event is in the text.
#[derive(Debug, Clone)]
struct BatchEntry {
    mark: Mark,
    line: Range<u32>,
    event: Option<Parts>,
}

/// Where the parts of an event are.
#[derive(Debug, Clone)]
pub(super) struct Parts {
    pub(super) subject: Range<u32>,
    pub(super) location: Range<u32>,
    pub(super) time: i64,
    /// In the list of values.
    pub(super) sensitive: Range<u32>,
}

/// An event as it stands in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting<'a> {
    /// Who.
    pub subject: &'a str,
    /// Where.
    pub location: &'a str,
    /// When.
    pub time: i64,
}

/// A line of a batch: where it ends in the source, and what it says.
#[derive(Debug, Clone, Copy)]
pub struct Line<'a> {
    batch: &'a Batch,
    entry: &'a BatchEntry,
}

impl<'a> Line<'a> {
    /// The place after the line.
    pub fn mark(&self) -> Mark {
        self.entry.mark
    }

    /// The line as it came; empty if it is not text.
    pub fn text(&self) -> &'a str {
        self.batch.slice(&self.entry.line)
    }

    /// What it says; `None` if it is not an event.
    pub fn sighting(&self) -> Option<Sighting<'a>> {
        let parts = self.entry.event.as_ref()?;
        Some(Sighting {
            subject: self.batch.slice(&parts.subject),
            location: self.batch.slice(&parts.location),
            time: parts.time,
        })
    }

    /// Puts its sensitive values into `values`: one per attribute, or none at all.
    pub fn sensitive(&self, values: &mut Vec<&'a str>) {
        values.clear();
        if let Some(parts) = &self.entry.event {
            let spans = &self.batch.values[span(&parts.sensitive)];
            values.extend(spans.iter().map(|range| self.batch.slice(range)));
        }
    }
}

impl Batch {
    /// Largest text of a batch: offsets are small numbers.
    pub(super) const FULL: usize = 1 << 20;
    /// Most events of a batch.
    pub(super) const MANY: usize = 4096;

    /// The lines.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.entries.iter().map(|entry| Line { batch: self, entry })
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no line.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What the source still has after it.
    pub fn lag(&self) -> Option<Lag> {
        self.lag
    }

    /// Takes note of what the source still has.
    pub fn set_lag(&mut self, lag: Option<Lag>) {
        self.lag = lag;
    }

    /// Empties it, keeping its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.values.clear();
        self.entries.clear();
        self.lag = None;
        self.seen = 0;
    }

    /// A bit for each column asked for that some line has: subject, location, time, then the sensitive ones.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Notes that a line has these columns.
    pub(super) fn note(&mut self, columns: u64) {
        self.seen |= columns;
    }

    /// Whether no more should be added.
    pub fn is_full(&self) -> bool {
        self.entries.len() >= Self::MANY || self.text.len() >= Self::FULL
    }

    /// Adds a line that is an event or not.
    pub(super) fn push(&mut self, mark: Mark, line: Range<u32>, event: Option<Parts>) {
        self.entries.push(BatchEntry { mark, line, event });
    }

    pub(super) fn add_text(&mut self, text: &str) -> Range<u32> {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        start..self.text.len() as u32
    }

    pub(super) fn add_value(&mut self, range: Range<u32>) {
        self.values.push(range);
    }

    pub(super) fn values(&self) -> u32 {
        self.values.len() as u32
    }

    pub(super) fn drop_values(&mut self, from: u32) {
        self.values.truncate(from as usize);
    }

    pub(super) fn text_of(&self, range: &Range<u32>) -> &str {
        self.slice(range)
    }

    fn slice(&self, range: &Range<u32>) -> &str {
        &self.text[span(range)]
    }
}

fn span(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
