//! Raw GPS points become (cell, slot) doublets by a grid and a time slot.

use super::PathsError;

/// One position of one subject.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
    /// Seconds since any fixed instant.
    pub seconds: i64,
}

/// A grid of cells of about equal size on the ground.
///
/// Rows have a fixed height in degrees of latitude; within a row, columns have a fixed width in
/// degrees of longitude, chosen so that a cell is as wide as it is high at the row's southern edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Side of a cell in meters.
    pub meters: f64,
}

/// Slots of equal length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Length in seconds.
    pub seconds: i64,
}

/// Meters in one degree of latitude (a sphere of the mean radius of the earth, 6,371,009 m).
const METERS_PER_DEGREE: f64 = 111_195.08;

impl Grid {
    /// The cell of a position, as the label `row.column`.
    pub fn cell(self, row: usize, point: Point) -> Result<String, PathsError> {
        if self.meters.is_nan() || self.meters <= 0.0 {
            return Err(PathsError::NotPositive {
                what: "the side of a grid cell",
            });
        }
        let on_globe =
            (-90.0..=90.0).contains(&point.latitude) && (-180.0..=180.0).contains(&point.longitude);
        if !on_globe {
            return Err(PathsError::OffGlobe { row });
        }
        let height = self.meters / METERS_PER_DEGREE;
        let north = (point.latitude / height).floor();
        let edge = (north * height).clamp(-89.9, 89.9);
        let width = height / edge.to_radians().cos();
        let east = (point.longitude / width).floor();
        Ok(format!("{north}.{east}"))
    }
}

impl Slot {
    /// The slot of an instant, as its number.
    pub fn slot(self, point: Point) -> Result<String, PathsError> {
        if self.seconds <= 0 {
            return Err(PathsError::NotPositive {
                what: "the length of a time slot",
            });
        }
        Ok(point.seconds.div_euclid(self.seconds).to_string())
    }
}

impl super::Sequences {
    /// Sequences from the points of subjects: the first cell of each slot is the doublet of that slot.
    ///
    /// A subject crosses several cells within a slot; a path has one place at a time, so the cell
    /// at which the slot was entered stands for it. Returns the paths and the number of each
    /// subject's first point.
    pub fn from_points<'a>(
        points: impl IntoIterator<Item = (&'a str, Point)>,
        grid: Grid,
        slot: Slot,
        repeats: super::Repeats,
    ) -> Result<(Self, Vec<usize>), PathsError> {
        let mut numbered: Vec<(&str, Point, usize)> = points
            .into_iter()
            .enumerate()
            .map(|(row, (subject, point))| (subject, point, row))
            .collect();
        let mut first: hashbrown::HashMap<&str, usize> = hashbrown::HashMap::new();
        for &(subject, _, row) in &numbered {
            first.entry(subject).or_insert(row);
        }
        numbered.sort_by_key(|&(subject, point, row)| (first[subject], point.seconds, row));
        let mut rows = Vec::new();
        let mut last: Option<(&str, String)> = None;
        for &(subject, point, row) in &numbered {
            let here = (subject, slot.slot(point)?);
            let cell = grid.cell(row, point)?;
            if last.as_ref() != Some(&here) {
                rows.push((subject, cell, here.1.clone()));
                last = Some(here);
            }
        }
        let events = rows.iter().map(|(subject, cell, slot)| super::Event {
            subject,
            location: cell,
            time: slot,
        });
        let (paths, _) = Self::from_events(events, repeats)?;
        let mut starts: Vec<usize> = first.into_iter().map(|(_, row)| row).collect();
        starts.sort_unstable();
        Ok((paths, starts))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Repeats, Sequences};
    use super::*;

    #[test]
    fn a_day_in_cells_and_slots() {
        let at = |latitude, longitude, seconds| Point {
            latitude,
            longitude,
            seconds,
        };
        let points = [
            ("taxi", at(37.7841, -122.40833, 7200)),
            ("taxi", at(37.7841, -122.40834, 3500)),
            ("taxi", at(37.9, -122.5, 3590)),
            ("cab", at(37.7841, -122.40833, 3599)),
        ];
        let grid = Grid { meters: 1000.0 };
        let hour = Slot { seconds: 3600 };
        let (paths, first) =
            Sequences::from_points(points, grid, hour, Repeats::Keep).expect("paths");
        assert_eq!(first, [0, 3]);
        assert_eq!(paths.len(), 2);
        // Slot 0 is entered at the first cell, not at the later one; slot 2 is the same cell again.
        assert_eq!(paths.record(0).len(), 2);
        assert_eq!(paths.locations().len(), 1);
        assert_eq!(paths.record(1), &paths.record(0)[..1]);
        let (stays, _) =
            Sequences::from_points(points, grid, hour, Repeats::Collapse).expect("paths");
        assert_eq!(stays.record(0).len(), 1);
    }

    #[test]
    fn refuses_points_off_the_globe_and_empty_cells() {
        let point = Point {
            latitude: f64::NAN,
            longitude: 0.0,
            seconds: 0,
        };
        let error = Grid { meters: 10.0 }.cell(4, point).expect_err("nan");
        assert_eq!(error, PathsError::OffGlobe { row: 4 });
        let error = Slot { seconds: 0 }.slot(point).expect_err("zero");
        assert_eq!(error.code(), "path-not-positive");
    }
}
