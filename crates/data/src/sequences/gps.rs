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

/// The edges of a cell in degrees; points on the southern and the western edge are in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edges {
    /// Degrees north of the southern edge.
    pub south: f64,
    /// Degrees east of the western edge.
    pub west: f64,
    /// Degrees north of the northern edge.
    pub north: f64,
    /// Degrees east of the eastern edge.
    pub east: f64,
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
        let north = (latitude / self.height()).floor();
        let east = (longitude / self.width(north)).floor();
        Ok(format!("{north}.{east}"))
    }

    /// The edges of the cell with this label; `None` where it is the label of no cell.
    pub fn edges(self, label: &str) -> Option<Edges> {
        let (north, east) = label.split_once('.')?;
        let whole = |text: &str| text.parse::<i32>().ok().map(f64::from);
        let (north, east) = (whole(north)?, whole(east)?);
        let (height, width) = (self.height(), self.width(north));
        let edges = Edges {
            south: north * height,
            west: east * width,
            north: (north + 1.0) * height,
            east: (east + 1.0) * width,
        };
        (edges.south.abs() <= 90.0 && edges.west.abs() <= 360.0).then_some(edges)
    }

    /// Degrees of latitude from one row to the next.
    pub fn height(self) -> f64 {
        self.meters / METERS_PER_DEGREE
    }

    /// Degrees of longitude from one column of a row to the next.
    fn width(self, row: f64) -> f64 {
        let edge = (row * self.height()).clamp(-89.9, 89.9);
        self.height() / edge.to_radians().cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edges_of_a_cell_hold_its_points() {
        let grid = Grid { meters: 500.0 };
        for (latitude, longitude) in [(37.7841, -122.408), (-33.9, 18.4), (0.0, 0.0), (69.6, 18.9)]
        {
            let label = grid.cell(0, latitude, longitude).expect("a cell");
            let edges = grid.edges(&label).expect("its edges");
            assert!(edges.south <= latitude && latitude < edges.north, "{label}");
            assert!(edges.west <= longitude && longitude < edges.east, "{label}");
            let metres = (edges.north - edges.south) * METERS_PER_DEGREE;
            assert!((metres - 500.0).abs() < 1e-6, "{metres}");
        }
        for other in ["", "harbor", "1", "1.2.3", "1.x", "99999999.0"] {
            assert_eq!(grid.edges(other), None, "{other}");
        }
    }

    #[test]
    fn refuses_points_off_the_globe_and_empty_cells() {
        let error = Grid { meters: 10.0 }.cell(4, f64::NAN, 0.0);
        assert_eq!(error, Err(PathsError::OffGlobe { row: 4 }));
        let error = Grid { meters: 0.0 }.cell(4, 0.0, 0.0).expect_err("zero");
        assert_eq!(error.code(), "path-not-positive");
    }
}
