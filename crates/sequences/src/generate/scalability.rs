//! Al-Hussaeni's scalability tables (section 5.2.2): millions of records on 64 routes, lengths 1 to 6.

use super::{Row, SplitMix64, collapse};

const STATIONS: u32 = 26;
const HOURS: u32 = 24;
const ROUTES: u32 = 64;

/// `n` records; record `i` has at most 2 + i mod 5 doublets.
pub fn scalability(seed: u64, n: u64) -> impl Iterator<Item = Row> {
    let mut draw = SplitMix64::new(seed);
    let routes: Vec<Vec<u32>> = (0..ROUTES)
        .map(|_| (0..HOURS).map(|_| draw.below(STATIONS)).collect())
        .collect();
    (0..n).map(move |i| {
        let longest = 2 + (i % 5) as u32;
        let length = 1 + draw.below(longest);
        let route = &routes[draw.below(ROUTES) as usize];
        let first = draw.below(HOURS - length + 1);
        let mut path: Vec<(u32, u32)> = (first..first + length)
            .map(|hour| (route[hour as usize], hour))
            .collect();
        collapse(&mut path);
        Row {
            path,
            status: draw.below(5),
        }
    })
}
