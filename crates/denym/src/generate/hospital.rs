//! A hospital's discharges of one year: invented people whose ages, towns, seasons and diagnoses hang together as in life.
//!
//! # Idea
//!
//! Each patient is drawn from the diagnosis outward: the diagnosis decides sex, age, ward, season and length of stay, so that
//! deliveries are of women between 18 and 45 and hips break in old age. It is a hospital for adults. Towns are unequal: half of
//! the patients live in the city, a few far away, some nowhere known. Some patients come back, mostly with the same chronic
//! illness, so that records and subjects are not the same number.
//!
//! Rows come patient by patient, so the first thousand rows are the same whether a thousand or a million are asked for.
//! Names are put together from syllables and belong to nobody.
//!
//! # Cost
//!
//! Constant memory; a row costs a few draws of [`SplitMix64`] and nine short strings.

use denym_data::SplitMix64;

/// The columns of a row.
pub const HEADER: [&str; 9] = [
    "patient",
    "name",
    "zip",
    "age",
    "sex",
    "admission",
    "ward",
    "diagnosis",
    "length-of-stay",
];

/// `rows` discharges; an empty text is a missing value. The same seed gives the same rows, more rows only add to them.
pub fn hospital(seed: u64, rows: usize) -> Hospital {
    Hospital {
        random: SplitMix64::new(seed),
        left: rows,
        number: 0,
        stays: Vec::new(),
    }
}

/// The discharges one by one.
#[derive(Debug, Clone)]
pub struct Hospital {
    random: SplitMix64,
    left: usize,
    number: u64,
    /// Stays of the current patient still to come, last first.
    stays: Vec<[String; 9]>,
}

impl Iterator for Hospital {
    type Item = [String; 9];

    fn next(&mut self) -> Option<[String; 9]> {
        self.left = self.left.checked_sub(1)?;
        if self.stays.is_empty() {
            self.number += 1;
            self.stays = patient(self.number, &mut self.random);
        }
        self.stays.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

/// A diagnosis and the people who have it.
struct Diagnosis {
    name: &'static str,
    ward: &'static str,
    /// Relative frequency among first stays.
    weight: u64,
    /// Share of women, in percent.
    women: u64,
    /// Youngest, usual and oldest age.
    ages: [u64; 3],
    /// Average days in hospital.
    days: f64,
    /// Whether winter has more of it.
    winter: bool,
    /// Chance in percent that a patient with it comes back.
    returns: u64,
}

#[expect(clippy::too_many_arguments, reason = "one row of the table below")]
const fn diagnosis(
    name: &'static str,
    ward: &'static str,
    weight: u64,
    women: u64,
    ages: [u64; 3],
    days: f64,
    winter: bool,
    returns: u64,
) -> Diagnosis {
    Diagnosis {
        name,
        ward,
        weight,
        women,
        ages,
        days,
        winter,
        returns,
    }
}

/// Frequencies are rough shares of a general hospital's stays in per mille; none is an official statistic.
#[rustfmt::skip]
const DIAGNOSES: [Diagnosis; 26] = [
    diagnosis("heart failure",        "cardiology",       75, 48, [45, 77, 91],  8.0, true,  38),
    diagnosis("heart attack",         "cardiology",       48, 36, [35, 67, 91],  6.0, true,  14),
    diagnosis("atrial fibrillation",  "cardiology",       52, 49, [40, 72, 91],  3.5, false, 22),
    diagnosis("stroke",               "neurology",        50, 49, [38, 74, 91],  9.0, false, 12),
    diagnosis("epilepsy",             "neurology",        24, 47, [18, 41, 88],  3.5, false, 24),
    diagnosis("pneumonia",            "medicine",         62, 46, [18, 68, 91],  7.0, true,  12),
    diagnosis("influenza",            "medicine",         28, 51, [18, 45, 91],  4.5, true,   3),
    diagnosis("COPD",                 "medicine",         44, 45, [45, 70, 91],  7.0, true,  36),
    diagnosis("asthma",               "medicine",         24, 54, [18, 30, 80],  3.0, true,  18),
    diagnosis("diabetes",             "medicine",         38, 45, [18, 60, 91],  6.5, false, 24),
    diagnosis("kidney failure",       "medicine",         34, 44, [30, 72, 91],  8.0, false, 32),
    diagnosis("sepsis",               "medicine",         34, 46, [18, 71, 91], 11.0, false, 10),
    diagnosis("HIV infection",        "medicine",          9, 25, [19, 42, 72],  8.0, false, 26),
    diagnosis("gallstones",           "surgery",          46, 62, [20, 54, 90],  4.0, false,  5),
    diagnosis("appendicitis",         "surgery",          44, 42, [18, 28, 78],  3.5, false,  1),
    diagnosis("hernia",               "surgery",          44, 16, [18, 50, 90],  2.5, false,  3),
    diagnosis("hip fracture",         "orthopedics",      42, 71, [55, 82, 91], 13.0, true,   6),
    diagnosis("knee replacement",     "orthopedics",      46, 60, [45, 69, 90],  8.0, false,  8),
    diagnosis("concussion",           "orthopedics",      44, 34, [18, 32, 91],  2.0, false,  1),
    diagnosis("breast cancer",        "oncology",         30, 99, [30, 60, 91],  5.0, false, 36),
    diagnosis("colon cancer",         "oncology",         26, 45, [35, 70, 91],  9.0, false, 34),
    diagnosis("lung cancer",          "oncology",         26, 39, [40, 68, 90],  7.0, false, 40),
    diagnosis("depression",           "psychiatry",       34, 61, [18, 44, 86], 24.0, false, 22),
    diagnosis("alcohol dependence",   "psychiatry",       40, 27, [19, 42, 78],  9.0, false, 32),
    diagnosis("normal delivery",      "maternity",        64, 100, [18, 31, 44],  3.0, false,  2),
    diagnosis("cesarean delivery",    "maternity",        30, 100, [18, 33, 45],  5.0, false,  2),
];

/// Postal codes and how many of a thousand patients live there: a city, two towns, the country around.
const ZIPS: [(&str, u64); 22] = [
    ("02131", 105),
    ("02132", 85),
    ("02134", 80),
    ("02135", 60),
    ("02138", 55),
    ("02139", 50),
    ("02141", 45),
    ("02143", 40),
    ("02445", 65),
    ("02446", 55),
    ("02451", 45),
    ("02453", 40),
    ("02458", 25),
    ("01420", 45),
    ("01421", 35),
    ("01432", 30),
    ("01434", 20),
    ("01450", 20),
    ("01503", 30),
    ("01505", 25),
    ("01519", 25),
    ("01527", 20),
];

/// Patients without a known address, per mille.
const NO_ZIP: u64 = 6;
/// Stays whose length was never entered, per mille.
const NO_LENGTH: u64 = 6;
/// Most stays of one patient in the year.
const MOST_STAYS: usize = 6;

const WOMEN: [&str; 12] = [
    "Al", "Bel", "Cor", "Dav", "El", "Fen", "Ir", "Jor", "Lin", "Mar", "Nor", "Tal",
];
const WOMEN_END: [&str; 6] = ["a", "ina", "ora", "elle", "ise", "ia"];
const MEN: [&str; 12] = [
    "Al", "Ber", "Cal", "Dor", "Ed", "Gar", "Hal", "Jor", "Lor", "Mar", "Or", "Ter",
];
const MEN_END: [&str; 6] = ["an", "in", "o", "ert", "is", "wen"];
const FAMILY: [&str; 20] = [
    "Ash", "Brook", "Carr", "Dun", "Ell", "Farn", "Gran", "Hollo", "Inger", "Kell", "Lang", "Mor",
    "North", "Pem", "Quill", "Rad", "Stan", "Thorn", "Wester", "Yar",
];
const FAMILY_END: [&str; 10] = [
    "ford", "well", "ley", "ton", "ham", "wick", "dale", "ridge", "more", "by",
];

/// All stays of one patient, last first.
fn patient(number: u64, random: &mut SplitMix64) -> Vec<[String; 9]> {
    let mut illness = drawn(&DIAGNOSES, |d| d.weight, random);
    let woman = random.below(100) < illness.women;
    let age = age(illness.ages, random);
    let zip = if random.below(1000) < NO_ZIP {
        ""
    } else {
        drawn(&ZIPS, |zip| zip.1, random).0
    };
    let name = if woman {
        [pick(&WOMEN, random), pick(&WOMEN_END, random)].concat()
    } else {
        [pick(&MEN, random), pick(&MEN_END, random)].concat()
    };
    let name = [&name, " ", pick(&FAMILY, random), pick(&FAMILY_END, random)].concat();

    let mut day = day(illness.winter, random);
    let mut stays = Vec::with_capacity(1);
    loop {
        let days = length(illness.days, random);
        stays.push([
            (100_000 + number).to_string(),
            name.clone(),
            zip.to_owned(),
            age.to_string(),
            if woman { "female" } else { "male" }.to_owned(),
            date(day),
            illness.ward.to_owned(),
            illness.name.to_owned(),
            if random.below(1000) < NO_LENGTH {
                String::new()
            } else {
                days.to_string()
            },
        ]);
        let again = random.below(100) < illness.returns;
        day += days + 7 + random.below(75);
        if !again || stays.len() == MOST_STAYS || day >= YEAR {
            break;
        }
        // One return in four is for something else that fits the person.
        if random.below(4) == 0 {
            let other = drawn(&DIAGNOSES, |d| d.weight, random);
            let possible = (other.ages[0]..=other.ages[2]).contains(&age);
            let sex = if woman {
                other.women
            } else {
                100 - other.women
            };
            if possible && random.below(100) < sex {
                illness = other;
            }
        }
    }
    stays.reverse();
    stays
}

/// One of `items` by weight.
fn drawn<'a, T>(items: &'a [T], weight: impl Fn(&T) -> u64, random: &mut SplitMix64) -> &'a T {
    let total: u64 = items.iter().map(&weight).sum();
    let mut at = random.below(total);
    for item in items {
        let w = weight(item);
        if at < w {
            return item;
        }
        at -= w;
    }
    // `at` is below the total, so the loop returns; the first item keeps this function total.
    &items[0]
}

fn pick<'a>(words: &[&'a str], random: &mut SplitMix64) -> &'a str {
    words[random.below(words.len() as u64) as usize]
}

/// An age around the usual one, between youngest and oldest: the mean of three draws is close to a bell curve.
fn age([youngest, usual, oldest]: [u64; 3], random: &mut SplitMix64) -> u64 {
    let bell = (random.unit() + random.unit() + random.unit()) / 3.0;
    let (youngest, usual, oldest) = (youngest as f64, usual as f64, oldest as f64);
    // each half of the bell is stretched over its own side
    let age = if bell < 0.5 {
        youngest + (usual - youngest) * bell * 2.0
    } else {
        usual + (oldest - usual) * (bell - 0.5) * 2.0
    };
    whole(age)
}

/// Days in hospital: many short stays, few long ones, `mean` on average, at least one.
fn length(mean: f64, random: &mut SplitMix64) -> u64 {
    let u = random.unit();
    whole(mean * (0.4 + 1.8 * u * u) + 0.5).max(1)
}

/// The whole part of a small positive number.
#[expect(clippy::cast_sign_loss, reason = "ages and days are positive")]
fn whole(value: f64) -> u64 {
    value as u64
}

/// Days in the year of the data, which is a leap year.
const YEAR: u64 = 366;

/// A day of the year from 0; half of the summer days of a winter illness are drawn again.
fn day(winter: bool, random: &mut SplitMix64) -> u64 {
    let day = random.below(YEAR);
    if winter && (105..288).contains(&day) && random.below(2) == 0 {
        return random.below(YEAR);
    }
    day
}

/// Day 0 is the first of January 2024.
fn date(day: u64) -> String {
    const MONTHS: [u64; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut rest = day;
    for (month, &days) in (1..).zip(&MONTHS) {
        if rest < days {
            return format!("2024-{month:02}-{:02}", rest + 1);
        }
        rest -= days;
    }
    "2024-12-31".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn column(rows: &[[String; 9]], name: &str) -> Vec<String> {
        let at = HEADER.iter().position(|h| *h == name).unwrap();
        rows.iter().map(|row| row[at].clone()).collect()
    }

    fn share(values: &[String], is: impl Fn(&str) -> bool) -> f64 {
        values.iter().filter(|v| is(v)).count() as f64 / values.len() as f64
    }

    #[test]
    fn the_example_is_seed_1() {
        let committed = include_str!("../../../../examples/hospital/patients.csv");
        let mut lines = committed.lines();
        assert_eq!(lines.next().unwrap(), HEADER.join(","));
        let made: Vec<String> = hospital(1, 1000).map(|row| row.join(",")).collect();
        assert!(lines.eq(made.iter().map(String::as_str)));
    }

    #[test]
    fn the_hierarchies_cover_every_value() {
        let first = |text: &'static str| -> BTreeSet<&str> {
            text.lines()
                .filter_map(|line| line.split(',').next())
                .collect()
        };
        let zips = first(include_str!(
            "../../../../examples/hospital/hierarchies/zip.csv"
        ));
        assert_eq!(zips, ZIPS.iter().map(|zip| zip.0).collect());
        let known = first(include_str!(
            "../../../../examples/hospital/hierarchies/diagnosis.csv"
        ));
        assert_eq!(known, DIAGNOSES.iter().map(|d| d.name).collect());
    }

    #[test]
    fn more_rows_only_add() {
        let few: Vec<_> = hospital(9, 50).collect();
        let many: Vec<_> = hospital(9, 500).collect();
        assert_eq!(few.len(), 50);
        assert_eq!(few, many[..50]);
        assert_ne!(few, hospital(10, 50).collect::<Vec<_>>());
        assert_eq!(hospital(9, 0).count(), 0);
    }

    #[test]
    fn people_hang_together() {
        let rows: Vec<_> = hospital(2, 20_000).collect();
        let mut people: BTreeMap<&str, &[String]> = BTreeMap::new();
        for row in &rows {
            // name, zip, age and sex belong to the person, not to the stay
            let person = people.entry(&row[0]).or_insert(&row[1..5]);
            assert_eq!(*person, &row[1..5]);
            let illness = DIAGNOSES.iter().find(|d| d.name == row[7]).unwrap();
            let age: u64 = row[3].parse().unwrap();
            assert!((illness.ages[0]..=illness.ages[2]).contains(&age));
            assert!(illness.women < 100 || row[4] == "female");
            assert!(row[8].is_empty() || row[8].parse::<u64>().unwrap() >= 1);
            assert!(denym_data::Date::parse(&row[5]).is_some_and(|date| date.year == 2024));
        }
        let again = 1.0 - people.len() as f64 / rows.len() as f64;
        assert!((0.1..0.3).contains(&again), "{again}");
        let no_zip = share(&column(&rows, "zip"), str::is_empty);
        assert!((0.003..0.01).contains(&no_zip), "{no_zip}");
        let winter = |name| {
            let days: Vec<String> = rows
                .iter()
                .filter(|r| r[7] == name)
                .map(|r| r[5].clone())
                .collect();
            share(&days, |d| !("2024-04-15".."2024-10-15").contains(&d))
        };
        assert!(winter("influenza") > 0.58 && winter("appendicitis") < 0.55);
    }

    #[test]
    fn dates_end_with_the_year() {
        assert_eq!(date(0), "2024-01-01");
        assert_eq!(date(59), "2024-02-29");
        assert_eq!(date(YEAR - 1), "2024-12-31");
    }
}
