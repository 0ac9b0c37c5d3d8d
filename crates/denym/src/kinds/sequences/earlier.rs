//! An earlier release of the same people: which of its records each record of the updated table continues.

use std::collections::HashMap;
use std::path::Path;

use denym_data::sequences::SequenceTable;
use denym_data::{Column, Sequences, Table};
use denym_engine::{Detection, Engine, Format, ReadOptions};

use super::read_released;
use crate::{Error, verify};

/// Where a bundle keeps which subject became which record; it never leaves the steward.
pub(crate) const SUBJECTS: &str = "steward/subjects.csv";

/// An earlier release and how the updated table continues it.
pub(crate) struct EarlierRelease {
    pub(crate) released: Sequences,
    pub(crate) record_of: Vec<Option<u32>>,
}

impl EarlierRelease {
    /// Reads the bundle in `directory`.
    pub(crate) fn read(
        directory: &Path,
        table: &SequenceTable,
        engine: &Engine,
    ) -> Result<EarlierRelease, Error> {
        let broken = |what| Error::Bundle {
            what,
            path: directory.to_owned(),
        };
        let half = verify::public_half(directory)?;
        let certificate = verify::read_certificate(&half)?;
        let (form, _) = certificate
            .sequences()
            .filter(|(form, _)| form.has_times())
            .ok_or_else(|| broken("the earlier release has no paths"))?;
        let file = half.join(&certificate.data.file);
        if denym_engine::fingerprint(&file)? != certificate.data.sha256 {
            return Err(broken("the data is not what the certificate speaks of"));
        }
        let written = verify::read(engine, &half, &certificate.data)?;
        let names: Vec<String> = certificate
            .sensitive
            .iter()
            .map(|s| s.name.clone())
            .collect();
        let released = read_released(
            &file,
            &written,
            &form,
            &names,
            &certificate.quasi_identifiers,
        )?;
        let Some(subjects) = &table.subjects else {
            return Err(Error::Argument {
                what: "the data does not say which record belongs to whom".into(),
                help: "name the column of the subjects with `subject` in `[data]`".into(),
            });
        };
        let list = directory.join(SUBJECTS);
        let options = ReadOptions {
            format: Some(Format::Csv),
            delimiter: Some(b','),
            header: Some(true),
            detection: Detection::None,
            columns: Some(vec!["subject".into(), "record".into()]),
            ..ReadOptions::default()
        };
        let known = denym_engine::formulas::with_formulas(engine.read(&list, &options)?)?;
        let (Some(who), Some(number)) = (known.column("subject"), known.column("record")) else {
            return Err(broken("the list of subjects is not one of ours"));
        };
        let mut record: HashMap<&str, u32> = HashMap::new();
        for row in 0..known.records() {
            let place = number
                .text(row)
                .and_then(|text| text.parse::<u32>().ok())
                .filter(|&place| place >= 1 && place as usize <= released.len())
                .ok_or_else(|| broken("the list of subjects does not fit the data"))?;
            record.insert(who.text(row).unwrap_or_default(), place - 1);
        }
        let of_code: Vec<Option<u32>> = (0..subjects.dictionary.len() as u32)
            .map(|code| {
                record
                    .get(subjects.dictionary.text(code).unwrap_or_default())
                    .copied()
            })
            .collect();
        Ok(EarlierRelease {
            released,
            record_of: subjects
                .codes
                .iter()
                .map(|&code| of_code[code as usize])
                .collect(),
        })
    }
}

/// Which subject became which record, for the steward; `None` when the source does not know subjects.
pub(crate) fn subjects_table(
    table: &SequenceTable,
    record_of: &[u32],
) -> Result<Option<Table>, Error> {
    let Some(subjects) = &table.subjects else {
        return Ok(None);
    };
    let numbers: Vec<String> = (1..=record_of.len()).map(|n| n.to_string()).collect();
    let mut order: Vec<usize> = (0..record_of.len()).collect();
    order.sort_by_key(|&place| subjects.codes[record_of[place] as usize]);
    Ok(Some(Table::new(vec![
        Column {
            name: "subject".into(),
            dictionary: subjects.dictionary.clone(),
            codes: order
                .iter()
                .map(|&place| subjects.codes[record_of[place] as usize])
                .collect(),
        },
        Column::from_texts(
            "record",
            order.iter().map(|&place| Some(numbers[place].as_str())),
        ),
    ])?))
}
