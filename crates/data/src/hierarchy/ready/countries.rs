//! Countries: ISO 3166 codes and names in English and German, their subregion and their region of the United Nations.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::ReadyMade;
use crate::letters::fold;

pub(super) const COUNTRIES: ReadyMade = ReadyMade {
    name: "countries",
    summary: "countries by ISO code (2 or 3 letters) or by English or German name",
    levels: &["subregion", "region"],
    example: "DE > Western Europe > Europe",
    source: "ISO 3166-1, UN M49",
    of: labels,
};

/// Two letters, three letters, subregion, and names: English, German, others.
const LINES: &str = include_str!("countries.csv");

/// Subregions that say their region are left out.
const REGIONS: [(&str, &str); 8] = [
    ("Caribbean", "Americas"),
    ("Australia and New Zealand", "Oceania"),
    ("Melanesia", "Oceania"),
    ("Micronesia", "Oceania"),
    ("Polynesia", "Oceania"),
    ("Antarctica", "Antarctica"),
    ("Central America", "Americas"),
    ("South America", "Americas"),
];

static SUBREGIONS: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
    lines()
        .flat_map(|(subregion, names)| names.into_iter().map(move |name| (plain(name), subregion)))
        .collect()
});

fn lines() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    LINES.lines().map(|line| {
        let mut cells: Vec<&str> = line.split(',').collect();
        let subregion = cells.remove(2);
        (subregion, cells)
    })
}

/// Every code and name.
#[cfg(test)]
pub(super) fn spellings() -> impl Iterator<Item = &'static str> {
    lines().flat_map(|(_, names)| names)
}

fn labels(value: &str) -> Option<Vec<String>> {
    let subregion = *SUBREGIONS.get(&plain(value))?;
    let listed = REGIONS.iter().find(|(name, _)| *name == subregion);
    let region = match listed {
        Some((_, region)) => region,
        None => match subregion.rsplit(' ').next()? {
            "America" => "Americas",
            last => last,
        },
    };
    Some(vec![subregion.to_owned(), region.to_owned()])
}

/// Small letters alone, without accents.
fn plain(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars().filter(|letter| letter.is_alphabetic()) {
        fold(letter, &mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_spelling_means_two_countries() {
        let mut seen: HashMap<String, usize> = HashMap::new();
        for (at, (_, names)) in lines().enumerate() {
            for name in names {
                let other = *seen.entry(plain(name)).or_insert(at);
                assert_eq!(other, at, "{name}");
            }
        }
        assert_eq!(lines().count(), 250);
    }
}
