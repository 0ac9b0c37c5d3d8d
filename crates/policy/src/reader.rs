//! Reads TOML values with their places, collecting every mistake instead of stopping at the first.

use std::cell::RefCell;
use std::ops::Range;

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
        self.0.borrow_mut().push(Mistake {
            code,
            message: message.into(),
            span,
            help: help.into(),
        });
    }

    /// All mistakes in order of place.
    pub fn into_sorted(self) -> Vec<Mistake> {
        let mut mistakes = self.0.into_inner();
        mistakes.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
        mistakes
    }
}

/// A value with its name and place.
#[derive(Clone)]
pub struct Node<'a, 'i> {
    /// The key, dotted from the root.
    pub key: String,
    value: &'a Spanned<DeValue<'i>>,
    mistakes: &'a Mistakes,
}

/// A table whose keys are taken one by one; what is left over at the end is unknown.
pub struct Section<'a, 'i> {
    /// The name of the table, dotted from the root; empty for the root.
    pub name: String,
    /// Place of the whole table.
    pub span: Range<usize>,
    table: &'a DeTable<'i>,
    mistakes: &'a Mistakes,
}

impl<'a, 'i> Section<'a, 'i> {
    /// The whole document.
    pub fn root(table: &'a Spanned<DeTable<'i>>, mistakes: &'a Mistakes) -> Self {
        Section {
            name: String::new(),
            span: table.span(),
            table: table.get_ref(),
            mistakes,
        }
    }

    fn dotted(&self, key: &str) -> String {
        if self.name.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.name)
        }
    }

    /// The value of `key`, if it is there.
    pub fn get(&self, key: &str) -> Option<Node<'a, 'i>> {
        self.table.get(key).map(|value| Node {
            key: self.dotted(key),
            value,
            mistakes: self.mistakes,
        })
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
            self.mistakes.add(
                "policy-missing-key",
                span,
                format!("{place} has no `{key}`"),
                help,
            );
        }
        node
    }

    /// Every entry: name, place of the name, value.
    pub fn entries(&self) -> Vec<(String, Range<usize>, Node<'a, 'i>)> {
        self.table
            .iter()
            .map(|(key, value)| {
                let name = key.get_ref().to_string();
                let node = Node {
                    key: self.dotted(&name),
                    value,
                    mistakes: self.mistakes,
                };
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
            if elsewhere.contains(&name) {
                self.mistakes.add(
                    "policy-unused-key",
                    key.span(),
                    format!("`{name}` in `{}` has no effect on {data}", self.name),
                    format!("remove `{name}`"),
                );
            } else {
                let place = if self.name.is_empty() {
                    String::new()
                } else {
                    format!(" in `{}`", self.name)
                };
                self.mistakes.add(
                    "policy-unknown-key",
                    key.span(),
                    format!("unknown key `{name}`{place}"),
                    suggest(name, known),
                );
            }
        }
    }
}

impl<'a, 'i> Node<'a, 'i> {
    /// Place of the value.
    pub fn span(&self) -> Range<usize> {
        self.value.span()
    }

    /// Notes a mistake at this value.
    pub fn mistake(&self, code: &'static str, message: impl Into<String>, help: impl Into<String>) {
        self.mistakes.add(code, self.span(), message, help);
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
                .map(|value| Node {
                    key: self.key.clone(),
                    value,
                    mistakes: self.mistakes,
                })
                .collect(),
        )
    }

    /// A list of strings.
    pub fn strings(&self, example: &str) -> Option<Vec<String>> {
        self.list(&format!("[\"{example}\"]"))?
            .iter()
            .map(|node| node.string(example).map(str::to_owned))
            .collect()
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
            table,
            mistakes: self.mistakes,
        })
    }
}
