//! A city's metro at peak hour: shortest rides over 65 stations, one minute per hop.

use std::collections::VecDeque;

use super::{Row, SplitMix64};

/// The four lines, station by station; lines meet where a name repeats.
const LINES: [&[&str]; 4] = [
    &[
        "Angrignon",
        "Monk",
        "Jolicoeur",
        "Verdun",
        "De l'Église",
        "LaSalle",
        "Charlevoix",
        "Lionel-Groulx",
        "Atwater",
        "Guy-Concordia",
        "Peel",
        "McGill",
        "Place-des-Arts",
        "Saint-Laurent",
        "Berri-UQAM",
        "Beaudry",
        "Papineau",
        "Frontenac",
        "Préfontaine",
        "Joliette",
        "Pie-IX",
        "Viau",
        "Assomption",
        "Cadillac",
        "Langelier",
        "Radisson",
        "Honoré-Beaugrand",
    ],
    &[
        "Côte-Vertu",
        "Du Collège",
        "De la Savane",
        "Namur",
        "Plamondon",
        "Côte-Sainte-Catherine",
        "Snowdon",
        "Villa-Maria",
        "Vendôme",
        "Place-Saint-Henri",
        "Lionel-Groulx",
        "Georges-Vanier",
        "Lucien-L'Allier",
        "Bonaventure",
        "Square-Victoria-OACI",
        "Place-d'Armes",
        "Champ-de-Mars",
        "Berri-UQAM",
        "Sherbrooke",
        "Mont-Royal",
        "Laurier",
        "Rosemont",
        "Beaubien",
        "Jean-Talon",
        "Jarry",
        "Crémazie",
        "Sauvé",
        "Henri-Bourassa",
    ],
    &[
        "Berri-UQAM",
        "Jean-Drapeau",
        "Longueuil-Université-de-Sherbrooke",
    ],
    &[
        "Snowdon",
        "Côte-des-Neiges",
        "Université-de-Montréal",
        "Édouard-Montpetit",
        "Outremont",
        "Acadie",
        "Parc",
        "De Castelnau",
        "Jean-Talon",
        "Fabre",
        "D'Iberville",
        "Saint-Michel",
    ],
];
/// Trains leave every five minutes; the last one at minute 45 arrives within the hour.
const HEADWAY: u32 = 5;
const LAST_DEPARTURE: u32 = 46;

/// Neighbours of each station, in the order in which the lines name them.
fn network() -> Vec<Vec<usize>> {
    let mut names: Vec<&str> = Vec::new();
    let mut neighbours: Vec<Vec<usize>> = Vec::new();
    for line in LINES {
        let mut previous = None;
        for &name in line {
            let station = names.iter().position(|&n| n == name).unwrap_or_else(|| {
                names.push(name);
                neighbours.push(Vec::new());
                names.len() - 1
            });
            if let Some(previous) = previous {
                connect(&mut neighbours, previous, station);
            }
            previous = Some(station);
        }
    }
    neighbours
}

fn connect(neighbours: &mut [Vec<usize>], a: usize, b: usize) {
    if !neighbours[a].contains(&b) {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
}

/// Distance from `origin` and the station before each on a shortest ride, lowest first.
fn rides(neighbours: &[Vec<usize>], origin: usize) -> (Vec<u32>, Vec<Option<usize>>) {
    let mut distance = vec![u32::MAX; neighbours.len()];
    let mut before = vec![None; neighbours.len()];
    distance[origin] = 0;
    let mut queue = VecDeque::from([origin]);
    while let Some(here) = queue.pop_front() {
        for &next in &neighbours[here] {
            if distance[next] == u32::MAX {
                distance[next] = distance[here] + 1;
                before[next] = Some(here);
                queue.push_back(next);
            }
        }
    }
    (distance, before)
}

/// `n` riders: origin by flow, a ride of 2 to 14 stations, a train every five minutes.
pub fn metro(seed: u64, n: u64) -> impl Iterator<Item = Row> {
    let neighbours = network();
    let all_rides: Vec<_> = (0..neighbours.len())
        .map(|origin| rides(&neighbours, origin))
        .collect();
    // Junctions draw more riders, and so does every seventh station.
    let flow: Vec<u32> = neighbours
        .iter()
        .enumerate()
        .map(|(station, near)| {
            let junction = if near.len() > 2 { 8 } else { 0 };
            near.len() as u32 + junction + u32::from(station % 7 == 0)
        })
        .collect();
    let total: u32 = flow.iter().sum();
    let mut draw = SplitMix64::new(seed);
    (0..n).map(move |_| {
        let mut left = draw.below(total);
        let mut origin = 0;
        while left >= flow[origin] {
            left -= flow[origin];
            origin += 1;
        }
        let stations = 2 + draw.below(7) + draw.below(7);
        let (distance, before) = &all_rides[origin];
        let farthest = distance.iter().copied().max().unwrap_or(0);
        let hops = (stations - 1).min(farthest);
        let ends: Vec<usize> = (0..distance.len())
            .filter(|&station| distance[station] == hops)
            .collect();
        let mut here = Some(ends[draw.below(ends.len() as u32) as usize]);
        let mut ride = Vec::new();
        while let Some(station) = here {
            ride.push(station as u32);
            here = before[station];
        }
        ride.reverse();
        let departure = HEADWAY * draw.below(LAST_DEPARTURE / HEADWAY);
        let path = ride.into_iter().zip(departure..).collect();
        Row {
            path,
            status: draw.below(5),
        }
    })
}
