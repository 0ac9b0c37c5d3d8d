//! An ugly clinic: an export as a hospital makes it with a spreadsheet, invented from a seed.
//!
//! Forty columns with German names, `;` between cells, decimal commas, marks between thousands, units, dates with points, codes for
//! missing values, leading zeros, free text, and patients with several stays. Nobody in it exists.

use std::fmt::Write as _;

/// How the export is written.
#[derive(Debug, Clone)]
pub struct Clinic {
    /// Rows, that is, stays.
    pub rows: usize,
    /// Everything random comes from it.
    pub seed: u64,
    /// The character between cells.
    pub delimiter: char,
    /// The encoding of the bytes.
    pub encoding: Charset,
    /// Rows above the header.
    pub titles: usize,
    /// Whether a first line `sep=;` names the delimiter.
    pub names_delimiter: bool,
    /// The decimal mark; the other of `.` and `,` stands between thousands.
    pub decimal: char,
    /// How dates are written.
    pub dates: Dates,
}

/// Encodings that spreadsheets save.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// UTF-8.
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Marked,
    /// Windows-1252.
    Windows1252,
    /// UTF-16, low byte first, with a byte order mark.
    Utf16,
}

/// Orders of day, month and year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dates {
    /// `26.08.1992`.
    Points,
    /// `26/08/1992`.
    DaysFirst,
    /// `08/26/1992`.
    MonthsFirst,
    /// `1992-08-26`.
    Iso,
}

impl Default for Clinic {
    fn default() -> Self {
        Clinic {
            rows: 300,
            seed: 1,
            delimiter: ';',
            encoding: Charset::Windows1252,
            titles: 0,
            names_delimiter: false,
            decimal: ',',
            dates: Dates::Points,
        }
    }
}

/// The names of the columns.
pub const COLUMNS: [&str; 40] = [
    "Pat.-Nr.",
    "Nachname",
    "Vorname",
    "Geburtsdatum",
    "Geschlecht",
    "Straße",
    "PLZ",
    "Ort",
    "Telefon",
    "E-Mail",
    "Versichertennr.",
    "Krankenkasse",
    "Familienstand",
    "Staatsangehörigkeit",
    "Beruf",
    "Aufnahmedatum",
    "Entlassdatum",
    "Verweildauer",
    "Station",
    "Fallart",
    "Hauptdiagnose",
    "Nebendiagnose",
    "Größe",
    "Gewicht",
    "BMI",
    "Temperatur",
    "RR systolisch",
    "RR diastolisch",
    "Puls",
    "Leukozyten",
    "Kreatinin",
    "HbA1c",
    "Raucher",
    "Allergien",
    "Schmerzskala",
    "Pflegegrad",
    "Kosten €",
    "Eigenanteil",
    "Löschkz",
    "Bemerkung",
];

impl Clinic {
    /// The bytes of the export.
    pub fn bytes(&self) -> Vec<u8> {
        let text = self.text();
        match self.encoding {
            Charset::Utf8 => text.into_bytes(),
            Charset::Utf8Marked => [&[0xEF, 0xBB, 0xBF], text.as_bytes()].concat(),
            Charset::Windows1252 => text
                .chars()
                .map(|letter| match letter {
                    '€' => 0x80,
                    letter => u8::try_from(u32::from(letter)).unwrap_or(b'?'),
                })
                .collect(),
            Charset::Utf16 => {
                let mut bytes = vec![0xFF, 0xFE];
                bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
                bytes
            }
        }
    }

    /// The export as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if self.names_delimiter {
            let _ = write!(text, "sep={}\r\n", self.delimiter);
        }
        for title in 0..self.titles {
            let words = ["Auszug Station 3", "Stand Quartal 2", "vertraulich"];
            let _ = write!(text, "{}", words[title % words.len()]);
            for _ in 1..COLUMNS.len() {
                text.push(self.delimiter);
            }
            text.push_str("\r\n");
        }
        self.line(&mut text, &COLUMNS.map(str::to_owned));
        let mut random = Random(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut patient: Option<Patient> = None;
        for row in 0..self.rows {
            // One stay in five is another one of the patient before.
            let again = row > 0 && random.below(5) == 0;
            let person = match patient.take().filter(|_| again) {
                Some(person) => person,
                None => Patient::new(row, &mut random),
            };
            let cells = self.stay(&person, &mut random);
            self.line(&mut text, &cells);
            patient = Some(person);
        }
        text
    }

    fn line(&self, text: &mut String, cells: &[String]) {
        for (at, cell) in cells.iter().enumerate() {
            if at > 0 {
                text.push(self.delimiter);
            }
            if cell.contains([self.delimiter, '"', '\n']) {
                let _ = write!(text, "\"{}\"", cell.replace('"', "\"\""));
            } else {
                text.push_str(cell);
            }
        }
        text.push_str("\r\n");
    }

    fn stay(&self, person: &Patient, random: &mut Random) -> [String; 40] {
        let admitted = 18_500 + random.below(900).cast_signed();
        let nights = 1 + random.below(14).cast_signed();
        let height = 150.0 + random.below(450) as f64 / 10.0;
        let weight = 48.0 + random.below(600) as f64 / 10.0;
        let cost = 800.0 + random.below(1_900_000) as f64 / 100.0;
        let missing = |random: &mut Random, code: &str, one_in: u64, text: String| {
            if random.below(one_in) == 0 {
                code.to_owned()
            } else {
                text
            }
        };
        let number = |value: f64, digits: usize| self.number(value, digits);
        let mut cells: Vec<String> = vec![
            format!("{:06}", person.number),
            person.name.clone(),
            person.first_name.to_owned(),
            self.date(person.born),
            person.sex.to_owned(),
            person.street.clone(),
            person.postcode.to_owned(),
            person.town.to_owned(),
            format!("0351/{:06}", 100_000 + person.number * 7),
            format!("p{}@example.org", person.number),
            format!("A{:09}", 100_000_000 + person.number * 31),
            pick(random, &["AOK", "TK", "Barmer", "privat"]).to_owned(),
            pick(random, &["ledig", "verheiratet", "verwitwet", "geschieden"]).to_owned(),
            pick(
                random,
                &["deutsch", "deutsch", "deutsch", "polnisch", "türkisch"],
            )
            .to_owned(),
            pick(
                random,
                &["Lehrerin", "Maurer", "Rentner", "Koch", "Schülerin"],
            )
            .to_owned(),
            self.date(admitted),
            self.date(admitted + nights),
            nights.to_string(),
            pick(random, &["01", "02", "03", "07"]).to_owned(),
            pick(random, &["stationär", "ambulant"]).to_owned(),
            pick(random, &["I10", "E11", "J45", "K35", "M54", "F32"]).to_owned(),
            pick(random, &["", "I10", "E11", "Z98"]).to_owned(),
        ];
        cells.push(missing(random, "NA", 30, number(height, 1)));
        cells.push(missing(
            random,
            "-9",
            30,
            format!("{} kg", number(weight, 1)),
        ));
        // A unit on a code would be nobody's: the weight is missing as text.
        if cells[23] == "-9" {
            "k.A.".clone_into(&mut cells[23]);
        }
        cells.push(number(weight / (height / 100.0).powi(2), 1));
        let warm = 36.0 + random.below(35) as f64 / 10.0;
        cells.push(format!("{} °C", number(warm, 1)));
        let pressure = (100 + random.below(60)).to_string();
        cells.push(missing(random, "-9", 25, pressure));
        let pressure = (60 + random.below(35)).to_string();
        cells.push(missing(random, "-9", 25, pressure));
        let pulse = (50 + random.below(60)).to_string();
        cells.push(missing(random, "NA", 25, pulse));
        cells.push(number(3.0 + random.below(90) as f64 / 10.0, 1));
        cells.push(number(0.5 + random.below(150) as f64 / 100.0, 2));
        let sugar = number(4.5 + random.below(60) as f64 / 10.0, 1);
        cells.push(missing(random, "k.A.", 12, sugar));
        cells.push(pick(random, &["ja", "nein"]).to_owned());
        cells.push(pick(random, &["", "", "Penicillin", "Pollen; Nüsse"]).to_owned());
        cells.push(random.below(11).to_string());
        cells.push(pick(random, &["", "1", "2", "3"]).to_owned());
        cells.push(number(cost, 2));
        cells.push(number(cost / 10.0, 2));
        cells.push(String::new());
        cells.push(format!(
            "{} aus {}, {}",
            pick(random, &["Besuch der Tochter", "Der Sohn", "Nachbarin"]),
            person.town,
            pick(
                random,
                &["Sturz im Bad.", "\"geht besser\"", "bitte anrufen"]
            )
        ));
        cells
            .try_into()
            .unwrap_or_else(|_| COLUMNS.map(str::to_owned))
    }

    fn number(&self, value: f64, digits: usize) -> String {
        let plain = format!("{value:.digits$}");
        let (whole, below) = plain.split_once('.').unwrap_or((&plain, ""));
        let group = if self.decimal == ',' { '.' } else { ',' };
        let mut text = String::new();
        for (at, digit) in whole.char_indices() {
            if at > 0 && (whole.len() - at).is_multiple_of(3) {
                text.push(group);
            }
            text.push(digit);
        }
        if digits > 0 {
            text.push(self.decimal);
            text.push_str(below);
        }
        text
    }

    /// A day since 1970 as it is written.
    fn date(&self, days: i64) -> String {
        let (year, month, day) = civil(days);
        match self.dates {
            Dates::Points => format!("{day:02}.{month:02}.{year:04}"),
            Dates::DaysFirst => format!("{day:02}/{month:02}/{year:04}"),
            Dates::MonthsFirst => format!("{month:02}/{day:02}/{year:04}"),
            Dates::Iso => format!("{year:04}-{month:02}-{day:02}"),
        }
    }
}

struct Patient {
    number: u64,
    name: String,
    first_name: &'static str,
    born: i64,
    sex: &'static str,
    street: String,
    postcode: &'static str,
    town: &'static str,
}

impl Patient {
    fn new(row: usize, random: &mut Random) -> Patient {
        let (first_name, sex) = *random.of(&[
            ("Änne", "w"),
            ("Jörg", "m"),
            ("Sofía", "w"),
            ("Karl", "m"),
            ("Mia", "w"),
            ("Uwe", "m"),
        ]);
        let (postcode, town) = *random.of(&[
            ("01067", "Dresden"),
            ("01069", "Dresden"),
            ("01097", "Dresden"),
            ("04103", "Leipzig"),
            ("04105", "Leipzig"),
            ("06108", "Halle"),
        ]);
        let name = random.of(&["Müller", "Groß", "Schäfer", "Weiß", "Krämer"]);
        Patient {
            number: row as u64 + 1,
            name: format!("{name}-{row}"),
            first_name,
            born: -14_600 + random.below(25_000).cast_signed(),
            sex,
            street: format!("Hauptstraße {}", 1 + random.below(90)),
            postcode,
            town,
        }
    }
}

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    random.of::<&'a str>(from)
}

/// Year, month and day of a day since 1970 (Howard Hinnant's civil calendar arithmetic).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Xorshift: enough for invented people.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    fn of<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let at = self.below(from.len() as u64) as usize;
        &from[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_forty_cells_and_seeds_differ() {
        let clinic = Clinic {
            delimiter: '\t',
            ..Clinic::default()
        };
        let text = clinic.text();
        assert_eq!(text.lines().count(), 301);
        assert!(text.lines().all(|line| line.split('\t').count() == 40));
        let other = Clinic {
            seed: 2,
            ..clinic.clone()
        };
        assert_ne!(other.text(), text);
        assert_eq!(clinic.text(), text);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        assert_eq!(civil(0), (1970, 1, 1));
        assert_eq!(civil(11_017), (2000, 3, 1));
        assert_eq!(civil(-1), (1969, 12, 31));
    }
}
