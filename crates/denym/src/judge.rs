//! From the words of a policy to promises that can be judged.

use std::sync::Arc;

use denym_data::{Code, Column, Dictionary, Hierarchy, Strings};
use denym_measure::Promise;
use denym_measure::promises::{
    Confidence, DistinctDiversity, EntropyDiversity, KAnonymity, RecursiveDiversity, TCloseness,
};

use crate::certificate::Sensitive;
use crate::policy::{Distance, Diversity, PromiseSpec};

/// A sensitive attribute as promises see it: codes, what they mean, and how they are distributed over the source.
#[derive(Debug, Clone)]
pub(crate) struct SensitiveAttribute {
    /// The column.
    pub(crate) name: String,
    /// The text of each code; `None` is missing. In natural order.
    pub(crate) values: Vec<Option<String>>,
    /// Counts over all source records, by code.
    pub(crate) reference: Vec<u64>,
    /// For the hierarchical distance.
    pub(crate) taxonomy: Option<Hierarchy>,
}

impl SensitiveAttribute {
    /// The attribute as a certificate carries it; the distribution only where a promise is judged against it.
    pub(crate) fn certified(&self, promises: &[PromiseSpec]) -> Sensitive {
        let distances: Vec<Distance> = promises
            .iter()
            .filter_map(|promise| match promise {
                PromiseSpec::TCloseness {
                    attribute,
                    distance,
                    ..
                } if attribute.as_deref() == Some(&self.name) => Some(*distance),
                _ => None,
            })
            .collect();
        let reference = (!distances.is_empty()).then(|| {
            self.values
                .iter()
                .cloned()
                .zip(self.reference.iter().copied())
                .collect()
        });
        let taxonomy = self
            .taxonomy
            .as_ref()
            .filter(|_| distances.contains(&Distance::Hierarchical))
            .map(|taxonomy| {
                (0..self.values.len() as Code)
                    .map(|code| {
                        let label = |level: usize| {
                            let level = &taxonomy.levels()[level];
                            level.labels[level.nodes[code as usize] as usize]
                                .as_deref()
                                .map(str::to_owned)
                        };
                        (0..taxonomy.height()).map(label).collect()
                    })
                    .collect()
            });
        Sensitive {
            name: self.name.clone(),
            reference,
            taxonomy,
        }
    }

    /// The attribute that a certificate describes, over the values of `column` where the certificate lists none.
    pub(crate) fn from_certificate(certified: &Sensitive, column: &Column) -> SensitiveAttribute {
        let own = || -> Vec<(Option<String>, u64)> {
            (0..column.dictionary.len() as Code)
                .map(|code| (column.dictionary.text(code).map(str::to_owned), 0))
                .collect()
        };
        let listed = certified.reference.clone().unwrap_or_else(own);
        let taxonomy = certified
            .taxonomy
            .as_ref()
            .map(|rows| Hierarchy::from_labels(rows));
        SensitiveAttribute {
            name: certified.name.clone(),
            reference: listed.iter().map(|&(_, count)| count).collect(),
            values: listed.into_iter().map(|(value, _)| value).collect(),
            taxonomy,
        }
    }

    /// `column` with codes of this attribute; values that the attribute does not know get codes after its own.
    pub(crate) fn align(&self, column: &Column) -> Column {
        let dictionary = &column.dictionary;
        let known: std::collections::HashMap<Option<&str>, Code> = self
            .order()
            .enumerate()
            .map(|(code, value)| (value, code as Code))
            .collect();
        let mut texts: Vec<Option<&str>> = self.order().collect();
        let map: Vec<Code> = (0..dictionary.len() as Code)
            .map(|code| {
                known
                    .get(&dictionary.text(code))
                    .copied()
                    .unwrap_or_else(|| {
                        texts.push(dictionary.text(code));
                        texts.len() as Code - 1
                    })
            })
            .collect();
        // Codes are positions; a missing value in the middle needs no text of its own here.
        let texts: Strings = texts.into_iter().map(Option::unwrap_or_default).collect();
        Column {
            name: column.name.clone(),
            dictionary: Arc::new(Dictionary::in_order(texts, false)),
            codes: column
                .codes
                .iter()
                .map(|&code| map[code as usize])
                .collect(),
        }
    }

    fn order(&self) -> impl Iterator<Item = Option<&str>> {
        self.values.iter().map(Option::as_deref)
    }

    fn code_of(&self, text: &str) -> Option<Code> {
        self.values
            .iter()
            .position(|value| value.as_deref() == Some(text))
            .map(|code| code as Code)
    }
}

/// The promise that `spec` asks for, over these sensitive attributes; a problem in words when it cannot be built.
pub(crate) fn promise(
    spec: &PromiseSpec,
    sensitive: &[SensitiveAttribute],
) -> Result<Box<dyn Promise>, &'static str> {
    let find = |name: &Option<String>| {
        sensitive
            .iter()
            .position(|attribute| name.as_ref().is_none_or(|name| *name == attribute.name))
            .ok_or("the sensitive attribute is not there")
    };
    Ok(match spec {
        PromiseSpec::KAnonymity { k } => Box::new(KAnonymity { k: *k }),
        PromiseSpec::Places { .. } => return Err("places are sensitive on paths only"),
        PromiseSpec::LDiversity { attribute, kind, l } => {
            let attribute = find(attribute)?;
            let whole = l.0.numerator() / l.0.denominator();
            match kind {
                Diversity::Distinct => Box::new(DistinctDiversity {
                    attribute,
                    l: whole,
                }),
                Diversity::Entropy => Box::new(EntropyDiversity { attribute, l: l.0 }),
                Diversity::Recursive { c } => Box::new(RecursiveDiversity {
                    attribute,
                    c: c.0,
                    l: whole,
                }),
            }
        }
        PromiseSpec::TCloseness {
            attribute,
            t,
            distance,
        } => {
            let position = find(attribute)?;
            let attribute = &sensitive[position];
            Box::new(match distance {
                Distance::Equal => TCloseness::equal(position, t.0, &attribute.reference),
                Distance::Ordered => TCloseness::ordered(position, t.0, &attribute.reference),
                Distance::Hierarchical => {
                    let taxonomy = attribute
                        .taxonomy
                        .as_ref()
                        .ok_or("the hierarchical distance needs a taxonomy")?;
                    TCloseness::hierarchical(position, t.0, &attribute.reference, taxonomy)
                }
            })
        }
        PromiseSpec::Confidence {
            attribute,
            values,
            at_most,
        } => {
            let position = find(attribute)?;
            if values.is_empty() {
                Box::new(Confidence::of_all(position, at_most.0))
            } else {
                let attribute = &sensitive[position];
                let codes = values
                    .iter()
                    .filter_map(|value| attribute.code_of(value))
                    .map(|code| (code, at_most.0));
                Box::new(Confidence::of_values(position, codes))
            }
        }
    })
}
