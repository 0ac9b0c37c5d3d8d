//! How a file was read, in the words of a policy: a draft reads it as its profile did.

use denym_data::notation::{DateFormat, Notation};
use denym_engine::{Encoding, Format, ReadOptions, SourceForm};

use crate::Error;
use crate::profile::quoted;

/// What was said and what was found of a file.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// What the caller said.
    pub asked: ReadOptions,
    /// What the file turned out to be.
    pub form: SourceForm,
}

impl Reading {
    /// The lines of `[data]` beside the path.
    pub fn data_lines(&self) -> String {
        let mut lines = Vec::new();
        let form = &self.form;
        if let Some(format) = self.asked.format {
            lines.push(format!("format = {}", quoted(format.name())));
        }
        if form.format == Some(Format::Csv) {
            // What a plain CSV file is needs no word.
            if let Some(delimiter) = form.delimiter.filter(|&letter| letter != b',') {
                let letter = char::from(delimiter).to_string();
                lines.push(format!("delimiter = {}", quoted(&letter)));
            }
            let usual = ReadOptions::default();
            if self.asked.quote != usual.quote {
                let letter = char::from(self.asked.quote).to_string();
                lines.push(format!("quote = {}", quoted(&letter)));
            }
            if form.header == Some(false) {
                lines.push("header = false".to_owned());
            }
            let encoding = form.encoding.filter(|&found| found != Encoding::UTF_8);
            if let Some(encoding) = encoding {
                lines.push(format!("encoding = {}", quoted(encoding.name())));
            }
            if form.skip_rows > 0 || self.asked.skip_rows.is_some() {
                lines.push(format!("skip-rows = {}", form.skip_rows));
            }
        }
        if form.format == Some(Format::Excel) {
            if let Some(sheet) = &form.sheet {
                lines.push(format!("sheet = {}", quoted(sheet)));
            }
            if form.header == Some(false) {
                lines.push("header = false".to_owned());
            }
            if form.skip_rows > 0 || self.asked.skip_rows.is_some() {
                lines.push(format!("skip-rows = {}", form.skip_rows));
            }
        }
        for (key, mark) in [
            ("decimal", self.asked.decimal),
            ("thousands", self.asked.thousands),
        ] {
            if let Some(mark) = mark {
                lines.push(format!("{key} = {}", quoted(&mark.to_string())));
            }
        }
        let missing = self.asked.missing.iter().filter(|text| !text.is_empty());
        let missing: Vec<String> = missing.map(|text| quoted(text)).collect();
        if !missing.is_empty() {
            lines.push(format!("missing-values = [{}]", missing.join(", ")));
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// The line of the attribute `name` with the keys that its values need.
    pub fn attribute(&self, name: &str, line: &str) -> String {
        let keys = self.keys(name, line.contains("type = "));
        if keys.is_empty() {
            return line.to_owned();
        }
        let keys = keys.join(", ");
        match line.strip_suffix(" }") {
            Some(open) => format!("{open}, {keys} }}"),
            None => format!("{{ role = {line}, {keys} }}"),
        }
    }

    /// What is said beside the reason of an attribute's role.
    pub fn remark(&self, name: &str) -> Option<String> {
        let (one, other) = self.form.ambiguous.get(name)?;
        Some(format!(
            "its values can be read in two ways: say `{one}` or `{other}`"
        ))
    }

    /// In words, for a console: nothing of a file that a program wrote.
    pub fn in_words(&self) -> Vec<String> {
        let form = &self.form;
        let mut words = Vec::new();
        if form.skip_rows > 0 {
            words.push(format!(
                "{} rows before the header are no records",
                form.skip_rows
            ));
        }
        let encoding = form.encoding.filter(|&found| found != Encoding::UTF_8);
        if let Some(encoding) = encoding {
            words.push(format!("its characters are {}", encoding.name()));
        }
        for (name, notation) in &form.notations {
            words.push(format!(
                "`{name}` is written {}",
                notation_in_words(notation)
            ));
        }
        for (name, codes) in &form.missing {
            // These are words of our own list, not of the file.
            let codes: Vec<String> = codes.iter().map(|code| format!("`{code}`")).collect();
            words.push(format!(
                "`{name}` has {} for missing values",
                codes.join(" and ")
            ));
        }
        for (name, (one, other)) in &form.ambiguous {
            words.push(format!(
                "`{name}` can be read in two ways and stays text: the policy says `{one}` or `{other}`"
            ));
        }
        words
    }

    fn keys(&self, name: &str, typed: bool) -> Vec<String> {
        let mut keys = Vec::new();
        match self.form.notations.get(name).filter(|_| !typed) {
            Some(Notation::Dates(formats)) => {
                let texts: Vec<String> = formats.iter().map(|f| quoted(&f.text())).collect();
                keys.push("type = \"date\"".to_owned());
                keys.push(match texts.as_slice() {
                    [one] => format!("format = {one}"),
                    several => format!("format = [{}]", several.join(", ")),
                });
            }
            Some(Notation::Number(number)) => {
                let mark = |mark: char| quoted(&mark.to_string());
                keys.push(format!("decimal = {}", mark(number.decimal)));
                keys.extend(
                    number
                        .thousands
                        .map(|own| format!("thousands = {}", mark(own))),
                );
                let unit = number.unit.as_ref();
                keys.extend(unit.map(|unit| format!("unit = {}", quoted(&unit.text))));
            }
            None => {}
        }
        if let Some(codes) = self.form.missing.get(name) {
            let codes: Vec<String> = codes.iter().map(|code| quoted(code)).collect();
            keys.push(format!("missing-values = [{}]", codes.join(", ")));
        }
        keys
    }
}

/// How data is read, in the words that a person gives: a flag or a field each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadingWords {
    /// `csv`, `parquet`, `json` or `xlsx`; by the extension when not given.
    pub format: Option<String>,
    /// The character between CSV cells.
    pub delimiter: Option<char>,
    /// The character around CSV cells.
    pub quote: Option<char>,
    /// There is no row of names.
    pub no_header: bool,
    /// Any label that browsers know.
    pub encoding: Option<String>,
    /// Rows before the header that are no records.
    pub skip_rows: Option<usize>,
    /// The sheet of a workbook, by its name or its number from 1.
    pub sheet: Option<String>,
    /// The decimal mark of numbers.
    pub decimal: Option<char>,
    /// The mark between thousands.
    pub thousands: Option<char>,
    /// Texts that mean "missing" beside the empty one.
    pub missing: Vec<String>,
}

impl ReadingWords {
    /// The options that these words mean; a word that means nothing is an error.
    pub fn options(&self) -> Result<ReadOptions, Error> {
        let args = self;
        let mut options = ReadOptions::default();
        let unknown = |what: &str, known: String| Error::Argument {
            what: what.to_owned(),
            help: format!("known here: {known}"),
        };
        if let Some(name) = &args.format {
            let known = || Format::ALL.map(|entry| entry.0).join(", ");
            options.format = Some(
                Format::parse(name).ok_or_else(|| unknown("the format is not known", known()))?,
            );
        }
        if let Some(name) = &args.encoding {
            let known =
                || Encoding::KNOWN.join(", ") + ", and every other label of the WHATWG list";
            let parsed = Encoding::parse(name);
            options.encoding =
                Some(parsed.ok_or_else(|| unknown("the encoding is not known", known()))?);
        }
        let ascii = |letter: char| {
            u8::try_from(letter)
                .ok()
                .filter(u8::is_ascii)
                .ok_or_else(|| Error::Argument {
                    what: "delimiter and quote must be ASCII characters".into(),
                    help: "write for example --delimiter ';'".into(),
                })
        };
        options.delimiter = args.delimiter.map(ascii).transpose()?;
        if let Some(quote) = args.quote {
            options.quote = ascii(quote)?;
        }
        options.header = args.no_header.then_some(false);
        options.missing.extend(args.missing.iter().cloned());
        options.skip_rows = args.skip_rows;
        options.sheet.clone_from(&args.sheet);
        let marks = ['.', ',', ' ', '\''];
        let is_mark = |mark: &char| marks.contains(mark);
        (options.decimal, options.thousands) = (args.decimal, args.thousands);
        let given = args.decimal.into_iter().chain(args.thousands);
        if given.clone().any(|mark| !is_mark(&mark))
            || args.decimal.is_some_and(|mark| mark == ' ' || mark == '\'')
            || args.decimal.is_some() && args.decimal == args.thousands
        {
            return Err(Error::Argument {
                what: "these are no marks of numbers".into(),
                help: "write for example --decimal ',' --thousands '.'".into(),
            });
        }
        Ok(options)
    }
}

fn notation_in_words(notation: &Notation) -> String {
    match notation {
        Notation::Dates(formats) => {
            let texts: Vec<String> = formats.iter().map(DateFormat::text).collect();
            texts.join(" or ")
        }
        Notation::Number(number) => {
            let mut words = Vec::new();
            if number.decimal != '.' {
                words.push(format!("with a decimal `{}`", number.decimal));
            }
            if let Some(mark) = number.thousands {
                words.push(format!("with `{mark}` between thousands"));
            }
            if let Some(unit) = &number.unit {
                words.push(format!("in {}", unit.text));
            }
            words.join(", ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_join_what_a_line_has() {
        let mut reading = Reading::default();
        let format = DateFormat::parse("DD.MM.YYYY").expect("a format");
        let notations = &mut reading.form.notations;
        notations.insert("born".into(), Notation::Dates(vec![format]));
        reading.form.missing.insert("age".into(), vec!["-9".into()]);
        assert_eq!(
            reading.attribute("born", "\"quasi\""),
            "{ role = \"quasi\", type = \"date\", format = \"DD.MM.YYYY\" }"
        );
        assert_eq!(
            reading.attribute(
                "age",
                "{ role = \"quasi\", hierarchy = { interval = [5] } }"
            ),
            "{ role = \"quasi\", hierarchy = { interval = [5] }, missing-values = [\"-9\"] }"
        );
        assert_eq!(reading.attribute("zip", "\"quasi\""), "\"quasi\"");
    }

    #[test]
    fn a_plain_file_needs_no_word() {
        let form = SourceForm {
            format: Some(Format::Csv),
            delimiter: Some(b','),
            encoding: Some(Encoding::UTF_8),
            header: Some(true),
            ..SourceForm::default()
        };
        let asked = ReadOptions::default();
        assert_eq!(Reading { asked, form }.data_lines(), "");
    }
}
