//! One line as a sighting: subject, location, time, sensitive values, by the names of their columns.

use super::EventFormat;

/// Which columns say what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    /// Who.
    pub subject: String,
    /// Where.
    pub location: String,
    /// When, a whole number of timestamps.
    pub time: String,
    /// The sensitive attributes.
    pub sensitive: Vec<String>,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Who.
    pub subject: String,
    /// Where.
    pub location: String,
    /// When.
    pub time: i64,
    /// One value per sensitive attribute, or none at all.
    pub sensitive: Vec<String>,
}

impl Columns {
    /// Reads a line; `None` if it is not an event. `header` has the names of CSV cells.
    pub fn read(&self, line: &[u8], format: EventFormat, header: Option<&str>) -> Option<Sighting> {
        let text = std::str::from_utf8(line).ok()?;
        match format {
            EventFormat::Json => self.read_json(text),
            EventFormat::Csv => self.read_csv(text, header?),
        }
    }

    fn read_json(&self, text: &str) -> Option<Sighting> {
        let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
        let label = |name: &str| match object.get(name) {
            Some(serde_json::Value::String(text)) => Some(text.clone()),
            Some(serde_json::Value::Number(number)) => Some(number.to_string()),
            Some(serde_json::Value::Bool(value)) => Some(value.to_string()),
            _ => None,
        };
        let values: Vec<Option<String>> = self.sensitive.iter().map(|name| label(name)).collect();
        Some(Sighting {
            subject: label(&self.subject)?,
            location: label(&self.location)?,
            time: label(&self.time)?.parse().ok()?,
            sensitive: all_or_nothing(values),
        })
    }

    fn read_csv(&self, text: &str, header: &str) -> Option<Sighting> {
        let (names, cells) = (cells(header)?, cells(text)?);
        if names.len() != cells.len() {
            return None;
        }
        let cell = |name: &str| {
            let at = names.iter().position(|known| known == name)?;
            Some(cells[at].clone())
        };
        let values = self.sensitive.iter().map(|name| cell(name)).collect();
        Some(Sighting {
            subject: cell(&self.subject)?,
            location: cell(&self.location)?,
            time: cell(&self.time)?.trim().parse().ok()?,
            sensitive: all_or_nothing(values),
        })
    }
}

/// A missing value is the empty one, unless all are missing.
fn all_or_nothing(values: Vec<Option<String>>) -> Vec<String> {
    if values.iter().all(Option::is_none) {
        return Vec::new();
    }
    values.into_iter().map(Option::unwrap_or_default).collect()
}

/// The cells of a line; `None` if a quote is left open.
fn cells(line: &str) -> Option<Vec<String>> {
    if !line.contains('"') {
        return Some(line.split(',').map(str::to_owned).collect());
    }
    let (mut all, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    all.push(cell);
    (!quoted).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Columns {
        Columns {
            subject: "card".into(),
            location: "station".into(),
            time: "hour".into(),
            sensitive: vec!["status".into()],
        }
    }

    fn sighting(status: &[&str]) -> Sighting {
        Sighting {
            subject: "7".into(),
            location: "King's, Cross".into(),
            time: 14,
            sensitive: status.iter().map(|s| (*s).to_owned()).collect(),
        }
    }

    #[test]
    fn both_forms_say_the_same() {
        let header = Some("hour,card,station,status");
        let csv = br#"14,7,"King's, Cross",ill"#;
        let read = columns().read(csv, EventFormat::Csv, header);
        assert_eq!(read, Some(sighting(&["ill"])));
        let json =
            br#"{"card": 7, "station": "King's, Cross", "hour": 14, "status": "ill", "x": []}"#;
        let read = columns().read(json, EventFormat::Json, None);
        assert_eq!(read, Some(sighting(&["ill"])));
        let json = br#"{"card": "7", "station": "King's, Cross", "hour": 14}"#;
        let read = columns().read(json, EventFormat::Json, None);
        assert_eq!(read, Some(sighting(&[])));
    }

    #[test]
    fn what_is_no_event_is_none() {
        let header = Some("hour,card,station,status");
        let csv: [&[u8]; 5] = [
            b"14,7,x",
            b"NaN,7,x,y",
            b"1e3,7,x,y",
            b"14,7,\"x,y",
            b"\xff,7,x,y",
        ];
        for line in csv {
            assert_eq!(columns().read(line, EventFormat::Csv, header), None);
        }
        let json: [&[u8]; 5] = [
            b"{",
            b"[]",
            b"{\"card\": 7, \"station\": \"x\"}",
            b"{\"card\": null, \"station\": \"x\", \"hour\": 1}",
            b"{\"card\": 7, \"station\": \"x\", \"hour\": 1.5}",
        ];
        for line in json {
            assert_eq!(columns().read(line, EventFormat::Json, None), None);
        }
    }
}
