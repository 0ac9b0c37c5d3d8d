//! How far a source was read: per part of it, so that a reader can go on exactly there.

/// The place after one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Which part: a Kafka partition, 0 elsewhere.
    pub part: i32,
    /// Bytes of files, messages of a broker that are done with.
    pub offset: u64,
    /// Lines that are done with in the message after `offset`.
    pub line: u32,
}

/// How far every part was read, in the order of parts; a part that is not here was not begun.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Position {
    marks: Vec<Mark>,
}

impl Position {
    /// A position from its marks.
    pub fn new(mut marks: Vec<Mark>) -> Self {
        marks.sort_by_key(|mark| mark.part);
        Self { marks }
    }

    /// The marks, in the order of parts.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Whether nothing was read.
    pub fn is_start(&self) -> bool {
        self.marks.is_empty()
    }

    /// How far `part` was read.
    pub fn of(&self, part: i32) -> Option<Mark> {
        let at = self.marks.binary_search_by_key(&part, |mark| mark.part);
        at.ok().map(|at| self.marks[at])
    }

    /// Moves on behind an event.
    pub fn pass(&mut self, mark: Mark) {
        if let [only] = self.marks.as_mut_slice()
            && only.part == mark.part
        {
            *only = mark;
            return;
        }
        match self
            .marks
            .binary_search_by_key(&mark.part, |mark| mark.part)
        {
            Ok(at) => self.marks[at] = mark,
            Err(at) => self.marks.insert(at, mark),
        }
    }
}

/// What is still to be read, as far as the source can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lag {
    /// Bytes of files.
    Bytes(u64),
    /// Messages of a broker.
    Messages(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(part: i32, offset: u64) -> Mark {
        Mark {
            part,
            offset,
            line: 0,
        }
    }

    #[test]
    fn parts_are_kept_apart() {
        let mut position = Position::default();
        assert!(position.is_start());
        for (part, offset) in [(2, 7), (0, 1), (2, 9), (1, 4), (0, 2)] {
            position.pass(mark(part, offset));
        }
        assert_eq!(position.marks(), [mark(0, 2), mark(1, 4), mark(2, 9)]);
        assert_eq!(position.of(1), Some(mark(1, 4)));
        assert_eq!(position.of(3), None);
    }
}
