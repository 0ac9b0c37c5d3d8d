//! How messages are numbered: a line that is too long for one message goes out in pieces.

/// A message's place in its channel: the number of its line, and which piece of the line it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Piece {
    pub(crate) number: u64,
    /// Which piece, from 1.
    pub(crate) at: u32,
    pub(crate) of: u32,
}

impl Piece {
    /// `12/1/3`, as it stands in a header.
    pub(crate) fn text(self) -> String {
        format!("{}/{}/{}", self.number, self.at, self.of)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('/');
        let piece = Self {
            number: parts.next()?.parse().ok()?,
            at: parts.next()?.parse().ok()?,
            of: parts.next()?.parse().ok()?,
        };
        parts.next().is_none().then_some(piece)
    }
}

/// Name of the header that has the [`Piece`].
pub(crate) const HEADER: &str = "Denym-Window";

/// Cuts a line into pieces of at most `most` bytes; never within a letter.
pub(crate) fn pieces(number: u64, line: &str, most: usize) -> Vec<(Piece, &str)> {
    let mut texts = Vec::new();
    let mut rest = line;
    while rest.len() > most {
        let mut at = most;
        while !rest.is_char_boundary(at) {
            at -= 1;
        }
        let (text, behind) = rest.split_at(at);
        texts.push(text);
        rest = behind;
    }
    texts.push(rest);
    let of = texts.len() as u32;
    let numbered = texts.into_iter().zip(1..);
    numbered
        .map(|(text, at)| (Piece { number, at, of }, text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_put_together_are_the_line() {
        let line = "aé".repeat(100);
        for most in [2, 3, 7, 50, 1000] {
            let found = pieces(9, &line, most);
            let whole: String = found.iter().map(|(_, text)| *text).collect();
            assert_eq!(whole, line);
            assert!(found.iter().all(|(_, text)| text.len() <= most));
            let (last, _) = found.last().expect("one piece at least");
            assert_eq!((last.at, last.of), (found.len() as u32, last.at));
            assert_eq!(Piece::parse(&last.text()), Some(*last));
        }
        assert_eq!(Piece::parse("1/2"), None);
        assert_eq!(Piece::parse("1/2/x"), None);
    }
}
