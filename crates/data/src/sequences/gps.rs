//! A grid over the globe: raw points become places.

use super::PathsError;

/// A grid of cells of about equal size on the ground.
///
/// Rows have a fixed height in degrees of latitude; within a row, columns have a fixed width in
/// degrees of longitude, chosen so that a cell is as wide as it is high at the row's southern edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Side of a cell in meters.
    pub meters: f64,
}

/// Meters in one degree of latitude (a sphere of the mean radius of the earth, 6,371,009 m).
const METERS_PER_DEGREE: f64 = 111_195.08;

impl Grid {
    /// The cell of a position in degrees north and east, as the label `row.column`.
    pub fn cell(self, row: usize, latitude: f64, longitude: f64) -> Result<String, PathsError> {
        if self.meters.is_nan() || self.meters <= 0.0 {
            return Err(PathsError::NotPositive {
                what: "the side of a grid cell",
            });
        }
        let on_globe = (-90.0..=90.0).contains(&latitude) && (-180.0..=180.0).contains(&longitude);
        if !on_globe {
            return Err(PathsError::OffGlobe { row });
        }
        let height = self.meters / METERS_PER_DEGREE;
        let north = (latitude / height).floor();
        let edge = (north * height).clamp(-89.9, 89.9);
        let width = height / edge.to_radians().cos();
        let east = (longitude / width).floor();
        Ok(format!("{north}.{east}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_points_off_the_globe_and_empty_cells() {
        let error = Grid { meters: 10.0 }.cell(4, f64::NAN, 0.0);
        assert_eq!(error, Err(PathsError::OffGlobe { row: 4 }));
        let error = Grid { meters: 0.0 }.cell(4, 0.0, 0.0).expect_err("zero");
        assert_eq!(error.code(), "path-not-positive");
    }
}
