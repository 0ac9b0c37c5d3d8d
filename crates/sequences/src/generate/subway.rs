//! Al-Hussaeni's Subway table: 26 stations, 24 hours, most riders short, a few all day.

use super::{Row, SplitMix64, collapse};

const STATIONS: u32 = 26;
const HOURS: u32 = 24;
/// Routes of `subway`; few, so that riders share their doublets.
const ROUTES: usize = 6;
/// Chance that a rider is off the route for an hour.
const NOISE: f64 = 0.05;
/// Hours at which rides begin, rush hours twice.
const STARTS: [u32; 10] = [7, 8, 8, 9, 12, 16, 17, 17, 18, 20];

/// Length of rider `i` of `n`: 80 % ride up to 4 hours, 17.5 % up to 6, the rest all day.
fn length(draw: &mut SplitMix64, i: u64, n: u64) -> u32 {
    if i * 1000 < n * 800 {
        1 + draw.below(4)
    } else if i * 1000 < n * 975 {
        1 + draw.below(6)
    } else {
        HOURS
    }
}

/// Riders at uniform stations and hours.
pub fn subway_uniform(seed: u64, n: u64) -> impl Iterator<Item = Row> {
    let mut draw = SplitMix64::new(seed);
    (0..n).map(move |i| {
        let length = length(&mut draw, i, n);
        let mut hours: Vec<u32> = (0..HOURS).collect();
        if length < HOURS {
            for place in 0..length {
                let other = place + draw.below(HOURS - place);
                hours.swap(place as usize, other as usize);
            }
            hours.truncate(length as usize);
            hours.sort_unstable();
        }
        let mut path: Vec<(u32, u32)> = hours
            .into_iter()
            .map(|hour| (draw.below(STATIONS), hour))
            .collect();
        collapse(&mut path);
        Row {
            path,
            status: draw.below(5),
        }
    })
}

/// Riders on six routes over a ring of stations; now and then one is where no route passes.
pub fn subway(seed: u64, n: u64) -> impl Iterator<Item = Row> {
    let mut draw = SplitMix64::new(seed);
    let routes: Vec<Vec<u32>> = (0..ROUTES)
        .map(|_| {
            let mut station = draw.below(STATIONS);
            (0..HOURS)
                .map(|_| {
                    let here = station;
                    let step = if draw.below(2) == 1 { 1 } else { STATIONS - 1 };
                    station = (station + step) % STATIONS;
                    here
                })
                .collect()
        })
        .collect();
    let off_route: Vec<Vec<u32>> = (0..HOURS as usize)
        .map(|hour| {
            (0..STATIONS)
                .filter(|&station| routes.iter().all(|route| route[hour] != station))
                .collect()
        })
        .collect();
    (0..n).map(move |i| {
        let length = length(&mut draw, i, n);
        let route = draw.below(ROUTES as u32) as usize;
        let first = if length == HOURS {
            0
        } else {
            STARTS[draw.below(STARTS.len() as u32) as usize].min(HOURS - length)
        };
        let mut path = Vec::with_capacity(length as usize);
        for hour in first..first + length {
            let mut station = routes[route][hour as usize];
            if draw.unit() < NOISE {
                let off = &off_route[hour as usize];
                station = off[draw.below(off.len() as u32) as usize];
            }
            path.push((station, hour));
        }
        collapse(&mut path);
        Row {
            path,
            status: draw.below(5),
        }
    })
}
