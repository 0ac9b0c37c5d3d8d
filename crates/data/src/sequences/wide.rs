//! The wide form: one cell such as `a1>d2>b3` or `Central@14>Harbor@15` is one path.

use super::PathsError;
use super::builder::PathsBuilder;

/// Splits a doublet into location and time: at the last `@`, else before the trailing digits.
///
/// `None` when there is no time or no location.
pub fn split_doublet(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let (location, time) = text.rsplit_once('@').unwrap_or_else(|| {
        let place = text.trim_end_matches(|c: char| c.is_ascii_digit());
        text.split_at(place.len())
    });
    let (location, time) = (location.trim(), time.trim());
    (!location.is_empty() && !time.is_empty()).then_some((location, time))
}

/// Writes a doublet so that [`split_doublet`] reads it back: the short form where it is unambiguous.
pub(super) fn join_doublet(location: &str, time: &str) -> String {
    if time.is_empty() {
        return location.to_owned();
    }
    let digits = time.bytes().all(|b| b.is_ascii_digit());
    let plain = !location.contains('@') && !location.ends_with(|c: char| c.is_ascii_digit());
    if digits && plain && location.chars().count() == 1 {
        format!("{location}{time}")
    } else {
        format!("{location}@{time}")
    }
}

impl PathsBuilder {
    /// Adds one record from its wide-form cell; an empty cell is an empty path.
    pub fn push_cell(&mut self, cell: &str) -> Result<(), PathsError> {
        self.begin_record()?;
        if cell.trim().is_empty() {
            return Ok(());
        }
        for (index, piece) in cell.split('>').enumerate() {
            let doublet = if let Some(doublet) = self.known_piece(piece) {
                doublet
            } else {
                let (location, time) = split_doublet(piece).ok_or(PathsError::NoTime {
                    row: self.current_row(),
                    position: index + 1,
                })?;
                self.learn_piece(piece, location, time)
            };
            self.add_raw(doublet);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_the_last_at_sign_else_before_trailing_digits() {
        assert_eq!(split_doublet("d2"), Some(("d", "2")));
        assert_eq!(split_doublet("Central@14"), Some(("Central", "14")));
        assert_eq!(split_doublet("a@b@7"), Some(("a@b", "7")));
        assert_eq!(split_doublet(" b12 "), Some(("b", "12")));
        assert_eq!(split_doublet("gate4@08:30"), Some(("gate4", "08:30")));
        assert_eq!(split_doublet("12"), None);
        assert_eq!(split_doublet("door"), None);
        assert_eq!(split_doublet("@3"), None);
        assert_eq!(split_doublet("x@"), None);
    }

    #[test]
    fn writes_what_it_reads() {
        for text in ["d2", "Central@14", "a@b@7", "17@24"] {
            let (location, time) = split_doublet(text).expect("a doublet");
            assert_eq!(join_doublet(location, time), text);
        }
    }
}
