//! Typed reading of a TOML document that collects every mistake with its line and key path instead of stopping at the first.

use crate::error::{Error, Mistake};
use crate::nearest::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Places that are listed of a text that breaks in many: the first explain the rest.
const LISTED: usize = 20;

/// One value of the document with its key path.
#[derive(Clone)]
pub(super) struct Node<'a> {
    pub(super) path: String,
    pub(super) at: usize,
    value: &'a DeValue<'a>,
}

/// The mistakes found so far.
pub(super) struct Reader<'a> {
    text: &'a str,
    mistakes: Vec<Mistake>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            mistakes: Vec::new(),
        }
    }

    /// Records where a text is not TOML. A text with none of the sections that `keys` names is no policy, whatever it is: it may be
    /// somebody's data, so that is one mistake, without a word of the text.
    pub(super) fn syntax(&mut self, root: &DeTable<'_>, errors: &[toml::de::Error], keys: &[&str]) {
        let is_ours = root.iter().any(|(key, value)| {
            let (key, value): (&str, _) = (key.get_ref(), value.get_ref());
            let whole = errors.is_empty() || value.is_table() || value.is_array();
            keys.contains(&key) && whole
        });
        if !is_ours && (!errors.is_empty() || !root.is_empty()) {
            let list: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            let help = format!("give a TOML file with {}", list.join(", "));
            let message = "this file is no access policy, and no list of consent";
            self.mistake(0, "", "policy-none", message, help);
            return;
        }
        for error in errors.iter().take(LISTED) {
            let at = error.span().map_or(0, |span| span.start);
            let help = "write it as TOML 1.0 asks";
            self.mistake(at, "", "toml-syntax", error.message(), help);
        }
    }

    /// Whether there is no mistake so far.
    pub(super) fn is_sound(&self) -> bool {
        self.mistakes.is_empty()
    }

    pub(super) fn finish(mut self) -> Result<(), Error> {
        if self.mistakes.is_empty() {
            return Ok(());
        }
        self.mistakes.sort();
        self.mistakes.dedup();
        Err(Error::Policy {
            mistakes: self.mistakes,
        })
    }

    pub(super) fn mistake(
        &mut self,
        at: usize,
        path: &str,
        code: &'static str,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let before = self.text.get(..at).unwrap_or(self.text);
        self.mistakes.push(Mistake {
            line: before.matches('\n').count() + 1,
            path: path.to_owned(),
            code,
            message: message.into(),
            help: help.into(),
        });
    }

    /// Records an error at a node and gives `None`, or the value.
    pub(super) fn check<T>(&mut self, node: &Node<'_>, result: Result<T, Error>) -> Option<T> {
        result
            .map_err(|error| {
                self.mistake(
                    node.at,
                    &node.path,
                    error.code(),
                    error.to_string(),
                    error.help(),
                );
            })
            .ok()
    }

    fn wrong_type(&mut self, node: &Node<'_>, wanted: &str) {
        let message = format!("expected {wanted}, found {}", node.type_name());
        self.mistake(
            node.at,
            &node.path,
            "wrong-type",
            message,
            format!("write {wanted} here"),
        );
    }

    pub(super) fn text_of(&mut self, node: &Node<'a>) -> Option<String> {
        if let DeValue::String(text) = node.value {
            return Some(text.to_string());
        }
        self.wrong_type(node, "a text in quotes");
        None
    }

    /// Text, number or truth value, as its text.
    pub(super) fn scalar(&mut self, node: &Node<'a>) -> Option<String> {
        match node.value {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(_) => node.integer().map(|number| number.to_string()),
            DeValue::Boolean(truth) => Some(truth.to_string()),
            _ => {
                self.wrong_type(node, "a text, a whole number or a truth value");
                None
            }
        }
    }

    pub(super) fn integer(&mut self, node: &Node<'a>, least: i64, most: i64) -> Option<i64> {
        match node.integer() {
            Some(number) if (least..=most).contains(&number) => Some(number),
            Some(_) => {
                let help = format!("write a number from {least} to {most}");
                self.mistake(
                    node.at,
                    &node.path,
                    "out-of-range",
                    "the number is out of range",
                    help,
                );
                None
            }
            None => {
                self.wrong_type(node, "a whole number");
                None
            }
        }
    }

    pub(super) fn number(&mut self, node: &Node<'a>) -> Option<f64> {
        let found = match node.value {
            DeValue::Float(float) => float.as_str().replace('_', "").parse().ok(),
            _ => node.integer().map(|number| number as f64),
        };
        let found = found.filter(|number: &f64| number.is_finite());
        if found.is_none() {
            self.wrong_type(node, "a number");
        }
        found
    }

    pub(super) fn list(&mut self, node: &Node<'a>) -> Vec<Node<'a>> {
        if let DeValue::Array(items) = node.value {
            return items
                .iter()
                .enumerate()
                .map(|(place, item)| Node {
                    path: format!("{}[{place}]", node.path),
                    at: item.span().start,
                    value: item.get_ref(),
                })
                .collect();
        }
        self.wrong_type(node, "a list");
        Vec::new()
    }

    /// A list of texts; one text is a list of one.
    pub(super) fn texts(&mut self, node: &Node<'a>) -> Vec<(Node<'a>, String)> {
        if let DeValue::String(text) = node.value {
            return vec![(node.clone(), text.to_string())];
        }
        self.list(node)
            .into_iter()
            .filter_map(|item| self.text_of(&item).map(|text| (item, text)))
            .collect()
    }

    /// The entries of a table in the order of the text.
    pub(super) fn entries(&mut self, node: &Node<'a>) -> Vec<(String, Node<'a>)> {
        if let DeValue::Table(table) = node.value {
            return entries(table, &node.path);
        }
        self.wrong_type(node, "a table");
        Vec::new()
    }

    /// The entries of a table whose keys are fixed; others are mistakes.
    pub(super) fn fields(&mut self, node: &Node<'a>, known: &[&str]) -> Fields<'a> {
        let entries = self.entries(node);
        self.known(entries, known, node)
    }

    pub(super) fn known(
        &mut self,
        entries: Vec<(String, Node<'a>)>,
        known: &[&str],
        node: &Node<'a>,
    ) -> Fields<'a> {
        for (key, entry) in &entries {
            if !known.contains(&key.as_str()) {
                let help = nearest(key, known.iter().copied()).map_or_else(
                    || format!("known keys: {}", known.join(", ")),
                    |name| format!("did you mean `{name}`?"),
                );
                let message = format!("there is no key `{key}` here");
                self.mistake(entry.at, &entry.path, "key-unknown", message, help);
            }
        }
        Fields {
            node: node.clone(),
            entries,
        }
    }

    /// A required field.
    pub(super) fn need(&mut self, fields: &Fields<'a>, key: &str) -> Option<Node<'a>> {
        let found = fields.get(key);
        if found.is_none() {
            let (at, path) = (fields.node.at, fields.node.path.clone());
            let message = format!("`{key}` is missing");
            self.mistake(at, &path, "key-missing", message, format!("add `{key}`"));
        }
        found
    }

    /// One of some words.
    pub(super) fn choice<T: Copy>(&mut self, node: &Node<'a>, choices: &[(&str, T)]) -> Option<T> {
        let text = self.text_of(node)?;
        let found = choices.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let help = nearest(&text, names.iter().copied()).map_or_else(
                || format!("one of: {}", names.join(", ")),
                |name| format!("did you mean `{name}`?"),
            );
            let message = format!("`{text}` is not known here");
            self.mistake(node.at, &node.path, "choice-unknown", message, help);
        }
        found.map(|(_, value)| *value)
    }
}

impl<'a> Node<'a> {
    pub(super) fn root(table: &'a DeValue<'a>) -> Self {
        Self {
            path: String::new(),
            at: 0,
            value: table,
        }
    }

    fn integer(&self) -> Option<i64> {
        let DeValue::Integer(number) = self.value else {
            return None;
        };
        i64::from_str_radix(&number.as_str().replace('_', ""), number.radix()).ok()
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self.value, DeValue::String(_))
    }

    pub(super) fn is_list(&self) -> bool {
        matches!(self.value, DeValue::Array(_))
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.value, DeValue::Table(_))
    }

    fn type_name(&self) -> &'static str {
        match self.value {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) => "a whole number",
            DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a truth value",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        }
    }
}

/// The fields of a table.
pub(super) struct Fields<'a> {
    pub(super) node: Node<'a>,
    entries: Vec<(String, Node<'a>)>,
}

impl<'a> Fields<'a> {
    pub(super) fn get(&self, key: &str) -> Option<Node<'a>> {
        self.entries
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, node)| node.clone())
    }
}

fn entries<'a>(table: &'a DeTable<'a>, path: &str) -> Vec<(String, Node<'a>)> {
    let mut out: Vec<(usize, String, &'a Spanned<DeValue<'a>>)> = table
        .iter()
        .map(|(key, value)| (key.span().start, key.get_ref().to_string(), value))
        .collect();
    out.sort_by_key(|(at, ..)| *at);
    out.into_iter()
        .map(|(at, key, value)| {
            let path = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            let node = Node {
                path,
                at,
                value: value.get_ref(),
            };
            (key, node)
        })
        .collect()
}
