//! The figures of a run as one list: `--json`, the terminal, `plan.json` and the report all read it, and none of them knows a kind of data.

use serde_json::{Map, Value};

use crate::options::RunOptions;

/// One figure of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The key for programs.
    pub key: &'static str,
    /// The line for people, where there is one: what it begins with, and what it says.
    pub words: Option<(String, String)>,
    /// The figure; null where there is nothing to count.
    pub value: Value,
    /// What it counts, where it counts anything but what its key says.
    pub unit: &'static str,
    /// Who is told.
    pub reader: Reader,
}

/// Who is told a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// Whoever reads what the run prints, and the steward.
    Everybody,
    /// The steward alone, in the documents of a bundle.
    Steward,
}

/// The figures of a run, in the order in which they are told.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures(Vec<Figure>);

impl Figures {
    /// All of them that anybody may be shown.
    pub fn iter(&self) -> impl Iterator<Item = &Figure> {
        let all = |figure: &&Figure| figure.reader == Reader::Everybody;
        self.0.iter().filter(all)
    }

    /// The value under `key`, also of what only the steward is told.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let mut all = self.0.iter();
        all.find(|figure| figure.key == key)
            .map(|figure| &figure.value)
    }

    /// The figure under `key`, which must be there.
    fn known(&self, key: &str) -> &Value {
        debug_assert!(self.get(key).is_some(), "no figure `{key}`");
        self.get(key).unwrap_or(&Value::Null)
    }

    /// The count under `key`.
    pub(crate) fn count(&self, key: &str) -> u64 {
        self.known(key).as_u64().unwrap_or_default()
    }

    /// The decimal under `key`.
    pub(crate) fn decimal(&self, key: &str) -> f64 {
        self.known(key).as_f64().unwrap_or_default()
    }

    /// The texts under `key`.
    pub(crate) fn texts(&self, key: &str) -> Vec<String> {
        let texts = self.known(key).as_array().into_iter().flatten();
        texts.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The decimals by name under `key`.
    pub(crate) fn named(&self, key: &str) -> Vec<(String, f64)> {
        let named = self.known(key).as_object().into_iter().flatten();
        named
            .map(|(name, value)| (name.clone(), value.as_f64().unwrap_or(f64::NAN)))
            .collect()
    }

    /// What the count under `key` counts.
    pub(crate) fn unit(&self, key: &str) -> Option<(&'static str, u64)> {
        let figure = self.0.iter().find(|figure| figure.key == key)?;
        Some((figure.unit, figure.value.as_u64()?))
    }

    /// These, and another.
    #[must_use]
    pub(crate) fn with(mut self, key: &'static str, value: impl Into<Value>) -> Figures {
        self.0.push(Figure {
            key,
            words: None,
            value: value.into(),
            unit: "",
            reader: Reader::Everybody,
        });
        self
    }

    /// These, and another where there is one, told in a line that begins with `head`.
    #[must_use]
    pub(crate) fn and<T: Copy + Into<Value>>(
        self,
        key: &'static str,
        value: Option<T>,
        head: &str,
        words: impl FnOnce(T) -> String,
    ) -> Figures {
        match value {
            Some(value) => self.with(key, value).said(head, words(value)),
            None => self,
        }
    }

    /// These, and another where there is one; people are not told.
    #[must_use]
    pub(crate) fn maybe(self, key: &'static str, value: Option<impl Into<Value>>) -> Figures {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// What the metric came to, by which algorithm.
    #[must_use]
    pub(crate) fn metric(self, name: &str, value: f64, algorithm: &str) -> Figures {
        self.with(
            "metric",
            serde_json::json!({ "name": name, "value": value }),
        )
        .said(name, format!("{} with `{algorithm}`", number(value)))
    }

    /// What is published nowhere: for the steward, and for whoever asks for it.
    #[must_use]
    pub(crate) fn suppressed(self, names: Vec<String>, options: &RunOptions) -> Figures {
        let words = names.join(" ");
        let all = self.with("suppressed", names);
        if options.show_suppressed {
            all.said("suppressed", words)
        } else {
            all.told(Reader::Steward)
        }
    }

    /// The last one is told people in this line.
    #[must_use]
    pub(crate) fn said(mut self, head: &str, words: String) -> Figures {
        if let Some(last) = self.0.last_mut() {
            last.words = Some((head.to_owned(), words));
        }
        self
    }

    /// The last one counts this.
    #[must_use]
    pub(crate) fn in_unit(mut self, unit: &'static str) -> Figures {
        if let Some(last) = self.0.last_mut() {
            last.unit = unit;
        }
        self
    }

    /// The last one is for `reader`.
    #[must_use]
    pub(crate) fn told(mut self, reader: Reader) -> Figures {
        if let Some(last) = self.0.last_mut() {
            last.reader = reader;
        }
        self
    }
}

/// Values by name, in their order.
pub(crate) fn by_name<T: Clone + Into<Value>>(pairs: &[(String, T)]) -> Value {
    let pairs = pairs.iter();
    pairs
        .map(|(name, value)| (name.clone(), value.clone().into()))
        .collect::<Map<_, _>>()
        .into()
}

/// A share as a percentage with as many digits as mean something, as every front door writes it.
pub fn percent(share: f64) -> String {
    denym_report::percent(share).replace('\u{a0}', " ")
}

/// So many of something, in the singular where there is one.
pub fn counted(many: u64, one: &str) -> String {
    let end = match one {
        _ if many == 1 => "",
        "class" => "es",
        _ => "s",
    };
    format!("{many} {one}{end}")
}

/// A number with at most four decimals, as every front door writes it.
pub fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
