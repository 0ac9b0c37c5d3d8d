//! Places and times of both sides as habits need them: in one numbering, as coarse as they are published, by night or by day.

use std::collections::HashMap;

use denym_data::paths::Paths;

use super::{ReleasedSequences, VisitedPlaces};

/// Places of the source alone.
pub(crate) fn on_source(raw: &Paths) -> VisitedPlaces {
    let places: Vec<u32> = raw.doublets().iter().map(|d| d.location).collect();
    VisitedPlaces {
        raw: places.clone(),
        published: places,
    }
}

/// Places of both sides in one numbering, raw ones as coarse as anything published of them.
pub(crate) fn places(seen: &ReleasedSequences<'_>) -> VisitedPlaces {
    let (raw, released) = (seen.raw, seen.released);
    let label = |id: u32| {
        let place = released.doublets()[id as usize].location;
        released.locations()[place as usize].as_str()
    };
    // The coarsest published word for each place: the one latest in its chain.
    let mut word: Vec<Option<(usize, &str)>> = vec![None; raw.locations().len()];
    for (doublet, standing) in raw.doublets().iter().zip(&seen.stands_for) {
        if let Some(&id) = standing.last() {
            let known = &mut word[doublet.location as usize];
            if known.is_none_or(|(rank, _)| rank < standing.len()) {
                *known = Some((standing.len(), label(id)));
            }
        }
    }
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |text| {
        let next = numbers.len() as u32;
        *numbers.entry(text).or_insert(next)
    };
    let of_place: Vec<u32> = word
        .iter()
        .zip(raw.locations())
        .map(|(word, own)| number(word.map_or(own.as_str(), |(_, label)| label)))
        .collect();
    let raw_places: Vec<u32> = raw
        .doublets()
        .iter()
        .map(|doublet| of_place[doublet.location as usize])
        .collect();
    let mut published: Vec<Option<u32>> = vec![None; released.doublets().len()];
    for (&place, standing) in raw_places.iter().zip(&seen.stands_for) {
        for &id in standing {
            published[id as usize].get_or_insert(place);
        }
    }
    VisitedPlaces {
        raw: raw_places,
        published: (0..)
            .zip(published)
            .map(|(id, place)| place.unwrap_or_else(|| number(label(id))))
            .collect(),
    }
}

/// Whether each doublet is by night; `None` when the times are no hours of a day.
pub(crate) fn nights(seen: &ReleasedSequences<'_>) -> Option<Vec<Option<bool>>> {
    const DAY: i64 = 86_400;
    let texts = seen.raw.times();
    let numbers: Option<Vec<i64>> = texts.iter().map(|text| text.parse().ok()).collect();
    let hours: Vec<i64> = if let Some(numbers) = numbers {
        // Whole numbers are hours when they look like it, seconds since 1970 when they are large, else mere steps.
        let (low, high) = (numbers.iter().min()?, numbers.iter().max()?);
        if *low >= 0 && (12..=24).contains(high) {
            numbers.iter().map(|hour| hour % 24).collect()
        } else if *low > 100_000_000 {
            let hour = |time: &i64| time.rem_euclid(DAY) / 3600;
            numbers.iter().map(hour).collect()
        } else {
            return None;
        }
    } else {
        let clock = |text: &String| {
            let time = (seen.seconds)(text).filter(|_| text.contains(':'));
            time.map(|time| time.rem_euclid(DAY) / 3600)
        };
        texts.iter().map(clock).collect::<Option<_>>()?
    };
    let night: Vec<bool> = hours.iter().map(|hour| !(7..20).contains(hour)).collect();
    let of = |doublet: &denym_data::paths::Doublet| Some(night[doublet.time as usize]);
    Some(seen.raw.doublets().iter().map(of).collect())
}

/// Whether each published doublet is by night: when everything it stands for is.
pub(crate) fn published_nights(
    seen: &ReleasedSequences<'_>,
    night: &[Option<bool>],
) -> Vec<Option<bool>> {
    let mut published: Vec<Option<Option<bool>>> = vec![None; seen.released.doublets().len()];
    for (standing, &night) in seen.stands_for.iter().zip(night) {
        for &id in standing {
            let known = published[id as usize].get_or_insert(night);
            if *known != night {
                *known = None;
            }
        }
    }
    published.into_iter().map(Option::flatten).collect()
}
