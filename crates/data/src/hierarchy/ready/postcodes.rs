//! Postal codes of Germany and of the United States: shorter and shorter prefixes.

use super::ReadyMade;

pub(super) const GERMAN: ReadyMade = ReadyMade {
    name: "german-postcodes",
    summary: "German postal codes (PLZ) of five digits; a lost zero in front is put back",
    levels: &["3 digits", "2 digits", "1 digit, with what lies there"],
    example: "10115 > 101** > 10*** > 1**** Berlin and the northeast",
    source: "postal areas of Germany since 1993",
    of: german,
};

pub(super) const US: ReadyMade = ReadyMade {
    name: "us-zip",
    summary: "ZIP codes of five digits, or nine; prefixes with few people are shown as 000",
    levels: &["3 digits", "1 digit"],
    example: "02139 > 021** > 0****",
    source: "45 CFR 164.514(b); the 17 prefixes with 20,000 people or fewer in the census of 2000",
    of: zip,
};

/// What lies in the area of each first digit, in a few words.
const AREAS: [&str; 10] = [
    "Saxony and Thuringia",
    "Berlin and the northeast",
    "Hamburg and Bremen",
    "Hanover and Kassel",
    "Dusseldorf and Munster",
    "Cologne and Trier",
    "Frankfurt and the Saar",
    "Stuttgart and Baden",
    "Munich and Swabia",
    "Nuremberg and Franconia",
];

/// Prefixes of so few people that the rule on safe harbor wants 000 in their place.
const FEW_PEOPLE: [&str; 17] = [
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878",
    "879", "884", "890", "893",
];

fn german(value: &str) -> Option<Vec<String>> {
    let value = value
        .trim_start_matches(['D', 'd'])
        .trim_start_matches('-')
        .trim();
    let code = digits(value, 4)?;
    let area = AREAS.get(usize::from(code.as_bytes()[0] - b'0'))?;
    (!code.starts_with("00")).then(|| {
        vec![
            format!("{}**", &code[..3]),
            format!("{}***", &code[..2]),
            format!("{}**** {area}", &code[..1]),
        ]
    })
}

fn zip(value: &str) -> Option<Vec<String>> {
    let nine = value.len() == 9 && value.bytes().all(|b| b.is_ascii_digit());
    let five = match value.split_once('-') {
        Some((five, four)) if four.len() == 4 && four.bytes().all(|b| b.is_ascii_digit()) => five,
        Some(_) => return None,
        None if nine => &value[..5],
        None => value,
    };
    let code = digits(five, 3)?;
    let prefix = &code[..3];
    if FEW_PEOPLE.contains(&prefix) {
        return Some(vec!["000**".to_owned(); 2]);
    }
    Some(vec![format!("{prefix}**"), format!("{}****", &code[..1])])
}

/// Five digits, zeros put in front of at least `least`.
fn digits(text: &str, least: usize) -> Option<String> {
    let fits = (least..=5).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    fits.then(|| format!("{text:0>5}"))
}
