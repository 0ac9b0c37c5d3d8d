//! Reads TOML values with their places, collecting every mistake instead of stopping at the first.

use std::cell::RefCell;
use std::ops::{Range, RangeInclusive};

use denym_data::Fraction;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::mistake::{Mistake, suggest};

/// Where mistakes are collected while a policy is read.
#[derive(Default)]
pub struct Mistakes(RefCell<Vec<Mistake>>);

impl Mistakes {
    /// Notes one mistake.
    pub fn add(
        &self,
        code: &'static str,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.note("", Mistake::new(code, span, message, help));
    }

    fn note(&self, path: &str, mistake: Mistake) {
        let path = path.to_owned();
        self.0.borrow_mut().push(Mistake { path, ..mistake });
    }

    /// All mistakes in order of place, each once.
    pub fn into_sorted(self) -> Vec<Mistake> {
        let mut mistakes = self.0.into_inner();
        mistakes.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
        mistakes.dedup();
        mistakes
    }
}

/// What `read` makes of a document that has no keys but `known`, or every mistake in it.
pub fn checked<T>(
    document: &Spanned<DeTable<'_>>,
    known: &[&str],
    read: impl FnOnce(&Section<'_, '_>, &Mistakes) -> Option<T>,
) -> Result<T, Vec<Mistake>> {
    let mistakes = Mistakes::default();
    let root = Section::root(document, &mistakes);
    root.only(known);
    let found = read(&root, &mistakes);
    let mistakes = mistakes.into_sorted();
    match found {
        Some(found) if mistakes.is_empty() => Ok(found),
        _ => Err(mistakes),
    }
}

/// A value with its name and place.
#[derive(Clone)]
pub struct Node<'a, 'i> {
    /// The key, dotted from the root; of an entry of a list that of the list.
    pub key: String,
    /// The key with the places in lists on its way, such as `grants[0].role`.
    pub path: String,
    value: &'a Spanned<DeValue<'i>>,
    mistakes: &'a Mistakes,
}

/// A table whose keys are taken one by one; what is left over at the end is unknown.
pub struct Section<'a, 'i> {
    /// The name of the table, dotted from the root; empty for the root.
    pub name: String,
    /// Place of the whole table.
    pub span: Range<usize>,
    path: String,
    table: &'a DeTable<'i>,
    mistakes: &'a Mistakes,
}

impl<'a, 'i> Section<'a, 'i> {
    /// The whole document.
    pub fn root(table: &'a Spanned<DeTable<'i>>, mistakes: &'a Mistakes) -> Self {
        Section {
            name: String::new(),
            span: table.span(),
            path: String::new(),
            table: table.get_ref(),
            mistakes,
        }
    }

    fn node(&self, key: &str, value: &'a Spanned<DeValue<'i>>) -> Node<'a, 'i> {
        Node {
            key: dotted(&self.name, key),
            path: dotted(&self.path, key),
            value,
            mistakes: self.mistakes,
        }
    }

    /// The value of `key`, if it is there.
    pub fn get(&self, key: &str) -> Option<Node<'a, 'i>> {
        self.table.get(key).map(|value| self.node(key, value))
    }

    /// The value of `key`, or a mistake that it is needed.
    pub fn need(&self, key: &str, help: &str) -> Option<Node<'a, 'i>> {
        let node = self.get(key);
        if node.is_none() {
            let place = if self.name.is_empty() {
                "the policy".to_owned()
            } else {
                format!("`{}`", self.name)
            };
            let span = self.span.start..self.span.start + self.span.len().min(1);
            let message = format!("{place} has no `{key}`");
            let mistake = Mistake::new("policy-missing-key", span, message, help);
            self.mistakes.note(&self.path, mistake);
        }
        node
    }

    /// Every entry: name, place of the name, value.
    pub fn entries(&self) -> Vec<(String, Range<usize>, Node<'a, 'i>)> {
        self.table
            .iter()
            .map(|(key, value)| {
                let name = key.get_ref().to_string();
                let node = self.node(&name, value);
                (name, key.span(), node)
            })
            .collect()
    }

    /// Notes every key that is not in `known`.
    pub fn only(&self, known: &[&str]) {
        self.only_of(known, &[], "");
    }

    /// Notes every key that is not in `known`; one of `elsewhere` has an effect, but not on `data`.
    pub fn only_of(&self, known: &[&str], elsewhere: &[&str], data: &str) {
        for (key, _) in self.table {
            let name: &str = key.get_ref();
            if known.contains(&name) {
                continue;
            }
            let mistake = if elsewhere.contains(&name) {
                Mistake::new(
                    "policy-unused-key",
                    key.span(),
                    format!("`{name}` in `{}` has no effect on {data}", self.name),
                    format!("remove `{name}`"),
                )
            } else {
                let place = if self.name.is_empty() {
                    String::new()
                } else {
                    format!(" in `{}`", self.name)
                };
                Mistake::new(
                    "policy-unknown-key",
                    key.span(),
                    format!("unknown key `{name}`{place}"),
                    suggest(name, known),
                )
            };
            self.mistakes.note(&dotted(&self.path, name), mistake);
        }
    }
}

fn dotted(table: &str, key: &str) -> String {
    if table.is_empty() {
        key.to_owned()
    } else {
        format!("{table}.{key}")
    }
}

impl<'a, 'i> Node<'a, 'i> {
    /// Place of the value.
    pub fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// Notes a mistake at this value.
    pub fn mistake(&self, code: &'static str, message: impl Into<String>, help: impl Into<String>) {
        let mistake = Mistake::new(code, self.span(), message, help);
        self.mistakes.note(&self.path, mistake);
    }

    fn wrong_type(&self, wanted: &str, example: &str) {
        let found = self.value.get_ref().type_str();
        let article = if found.starts_with(['a', 'i']) {
            "an"
        } else {
            "a"
        };
        self.mistake(
            "policy-wrong-type",
            format!("`{}` must be {wanted}, not {article} {found}", self.key),
            format!(
                "write for example `{} = {example}`",
                self.key.rsplit('.').next().unwrap_or_default()
            ),
        );
    }

    /// The text under `key`, when this is a table that has one; without a word about anything else.
    pub fn entry(&self, key: &str) -> Option<&'a str> {
        self.value
            .get_ref()
            .as_table()?
            .get(key)?
            .get_ref()
            .as_str()
    }

    /// Whether the value is a table.
    pub fn is_table(&self) -> bool {
        self.value.get_ref().is_table()
    }

    /// Whether the value is an array.
    pub fn is_array(&self) -> bool {
        self.value.get_ref().is_array()
    }

    /// Whether the value is a string.
    pub fn is_string(&self) -> bool {
        self.value.get_ref().is_str()
    }

    /// The text, if it is one; without a word about anything else.
    pub fn text(&self) -> Option<&'a str> {
        self.value.get_ref().as_str()
    }

    /// Whether the value is this text.
    pub fn is_text(&self, text: &str) -> bool {
        self.text() == Some(text)
    }

    /// A string.
    pub fn string(&self, example: &str) -> Option<&'a str> {
        let text = self.value.get_ref().as_str();
        if text.is_none() {
            self.wrong_type("a string", &format!("\"{example}\""));
        }
        text
    }

    /// One of a list of words.
    pub fn choice<T: Copy>(&self, choices: &[(&'static str, T)]) -> Option<T> {
        let word = self.string(choices.first().map_or("", |choice| choice.0))?;
        let found = choices
            .iter()
            .find(|choice| choice.0 == word)
            .map(|choice| choice.1);
        if found.is_none() {
            let known: Vec<&str> = choices.iter().map(|choice| choice.0).collect();
            self.mistake(
                "policy-unknown-value",
                format!("`{}` cannot be `{word}`", self.key),
                suggest(word, &known),
            );
        }
        found
    }

    /// True or false.
    pub fn boolean(&self) -> Option<bool> {
        let value = self.value.get_ref().as_bool();
        if value.is_none() {
            self.wrong_type("true or false", "true");
        }
        value
    }

    /// A whole number of at least `least`.
    pub fn whole(&self, least: u64) -> Option<u64> {
        let Some(integer) = self.value.get_ref().as_integer() else {
            self.wrong_type("a whole number", &least.max(5).to_string());
            return None;
        };
        let text = integer.as_str().replace('_', "");
        let value = if integer.radix() == 10 {
            text.parse::<u64>().ok()
        } else {
            None
        };
        let value = value.filter(|&value| value >= least);
        if value.is_none() {
            self.mistake(
                "policy-out-of-range",
                format!("`{}` must be a whole number of at least {least}", self.key),
                format!("write {least} or more"),
            );
        }
        value
    }

    /// A whole number within bounds, of either sign and in any notation of TOML.
    pub fn integer(&self, range: RangeInclusive<i64>) -> Option<i64> {
        let (least, most) = (*range.start(), *range.end());
        let value = self.value.get_ref();
        if value.as_integer().is_none() {
            self.wrong_type("a whole number", &5.clamp(least, most).to_string());
            return None;
        }
        let found = signed(value).filter(|value| range.contains(value));
        if found.is_none() {
            self.mistake(
                "policy-out-of-range",
                format!(
                    "`{}` must be a whole number between {least} and {most}",
                    self.key
                ),
                format!("write a whole number between {least} and {most}"),
            );
        }
        found
    }

    /// A number that need not be exact.
    pub fn number(&self, example: &str) -> Option<f64> {
        let value = self.value.get_ref();
        let found = match value.as_float() {
            Some(float) => float.as_str().replace('_', "").parse().ok(),
            None => signed(value).map(|whole| whole as f64),
        };
        let found = found.filter(|number: &f64| number.is_finite());
        if found.is_none() {
            self.wrong_type("a finite number", example);
        }
        found
    }

    /// A text, whole number or truth value, as its text.
    pub fn scalar(&self, example: &str) -> Option<String> {
        let value = self.value.get_ref();
        let text = value.as_str().map(str::to_owned);
        let text = text.or_else(|| value.as_bool().map(|truth| truth.to_string()));
        let text = text.or_else(|| signed(value).map(|whole| whole.to_string()));
        if text.is_none() {
            self.wrong_type("a string, a whole number, true or false", example);
        }
        text
    }

    /// A decimal between two bounds, read exactly.
    pub fn fraction(&self, least: Fraction, most: Option<Fraction>) -> Option<Fraction> {
        let value = self.value.get_ref();
        let text = match (value.as_float(), value.as_integer()) {
            (Some(float), _) => float.as_str().replace('_', ""),
            (_, Some(integer)) => integer.as_str().replace('_', ""),
            _ => {
                self.wrong_type("a number", "0.2");
                return None;
            }
        };
        let fraction = Fraction::parse(&text)
            .filter(|value| *value >= least && most.is_none_or(|most| *value <= most));
        if fraction.is_none() {
            let range = most.map_or_else(
                || format!("at least {least}"),
                |most| format!("between {least} and {most}"),
            );
            self.mistake(
                "policy-out-of-range",
                format!("`{}` must be a number {range}", self.key),
                format!("write a decimal {range}, with at most 18 digits"),
            );
        }
        fraction
    }

    /// A list of values.
    pub fn list(&self, example: &str) -> Option<Vec<Node<'a, 'i>>> {
        let Some(array) = self.value.get_ref().as_array() else {
            self.wrong_type("a list", example);
            return None;
        };
        Some(
            array
                .iter()
                .enumerate()
                .map(|(place, value)| Node {
                    key: self.key.clone(),
                    path: format!("{}[{place}]", self.path),
                    value,
                    mistakes: self.mistakes,
                })
                .collect(),
        )
    }

    /// A list that has at least one value: an empty one would be read and have no effect.
    pub fn some(&self, example: &str) -> Option<Vec<Node<'a, 'i>>> {
        let list = self.list(example)?;
        if list.is_empty() {
            self.mistake(
                "policy-empty-list",
                format!("`{}` is an empty list, which says nothing", self.key),
                format!(
                    "write for example `{} = {example}`, or remove it",
                    self.key.rsplit('.').next().unwrap_or_default()
                ),
            );
            return None;
        }
        Some(list)
    }

    /// A list of strings.
    pub fn strings(&self, example: &str) -> Option<Vec<String>> {
        self.list(&format!("[\"{example}\"]"))?
            .iter()
            .map(|node| node.string(example).map(str::to_owned))
            .collect()
    }

    /// A list of strings, each with its place, where one string is a list of one; what is no string is noted and left out.
    pub fn texts(&self, example: &str) -> Vec<(Node<'a, 'i>, &'a str)> {
        if let Some(text) = self.text() {
            return vec![(self.clone(), text)];
        }
        let list = self.list(&format!("[\"{example}\"]"));
        let items = list.unwrap_or_default().into_iter();
        items
            .filter_map(|item| item.string(example).map(|text| (item, text)))
            .collect()
    }

    /// A list of at least one string.
    pub fn some_strings(&self, example: &str) -> Option<Vec<String>> {
        self.some(&format!("[\"{example}\"]"))?;
        self.strings(example)
    }

    /// A table with only these keys.
    pub fn section(&self, known: &[&str], example: &str) -> Option<Section<'a, 'i>> {
        let section = self.open(example)?;
        section.only(known);
        Some(section)
    }

    /// A table with any keys.
    pub fn open(&self, example: &str) -> Option<Section<'a, 'i>> {
        let Some(table) = self.value.get_ref().as_table() else {
            self.wrong_type("a table", example);
            return None;
        };
        Some(Section {
            name: self.key.clone(),
            span: self.span(),
            path: self.path.clone(),
            table,
            mistakes: self.mistakes,
        })
    }
}

/// A whole number, where it is one that fits.
fn signed(value: &DeValue<'_>) -> Option<i64> {
    let integer = value.as_integer()?;
    i64::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok()
}
