//! From the words of a policy to promises that can be judged.

use std::sync::Arc;

use denym_data::{Code, Column, Decimal, Dictionary, Hierarchy, Strings};
use denym_measure::Promise;
use denym_measure::promises::{
    Absent, AlphaK, Base, BetaLikeness, Confidence, DeltaDisclosure, DeltaPresence,
    DisclosureRecursive, DistinctDiversity, EntropyDiversity, EpsilonM, KAnonymity, KMap,
    KeAnonymity, PersonalizedPrivacy, RecursiveDiversity, TCloseness, XyAnonymity, XyPrivacy,
    exact_numbers,
};

use crate::certificate::Sensitive;
use denym_policy::{Distance, Diversity, Exact, Likeness, LogBase, PromiseSpec};

/// A sensitive attribute as promises see it: codes, what they mean, and how they are distributed over the source.
#[derive(Debug, Clone)]
pub struct SensitiveAttribute {
    /// The column.
    pub name: String,
    /// The text of each code; `None` is missing. In natural order.
    pub values: Vec<Option<String>>,
    /// Counts over all source records, by code.
    pub reference: Vec<u64>,
    /// For the hierarchical distance.
    pub taxonomy: Option<Hierarchy>,
    /// The columns it is made of, when it stands for several read as one.
    pub parts: Vec<String>,
    /// Never released: guarding nodes. Such attributes come last.
    pub hidden: bool,
}

/// The name of several columns read as one; no column of a table has it by accident.
pub fn joint_name(columns: &[String]) -> String {
    format!("y({})", columns.join(" + "))
}

impl SensitiveAttribute {
    /// The attribute as a certificate carries it; the distribution only where a promise is judged against it.
    pub fn certified(&self, promises: &[PromiseSpec]) -> Sensitive {
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
        let judged = promises.iter().any(|promise| {
            promise.needs_reference()
                && promise.attribute().and_then(Option::as_deref) == Some(&self.name)
        });
        let reference = judged.then(|| {
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
            parts: self.parts.clone(),
        }
    }

    /// The attribute that a certificate describes, over the values of `column` where the certificate lists none.
    pub fn from_certificate(certified: &Sensitive, column: Option<&Column>) -> SensitiveAttribute {
        let own = || -> Vec<(Option<String>, u64)> {
            let Some(dictionary) = column.map(|column| &column.dictionary) else {
                return Vec::new();
            };
            (0..dictionary.len() as Code)
                .map(|code| (dictionary.text(code).map(str::to_owned), 0))
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
            parts: certified.parts.clone(),
            hidden: false,
        }
    }

    /// `column` with codes of this attribute; values that the attribute does not know get codes after its own.
    pub fn align(&self, column: &Column) -> Column {
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

    /// The values as a column without records.
    fn as_column(&self) -> Column {
        let texts: Strings = self.order().flatten().collect();
        let missing = self.values.iter().any(Option::is_none);
        Column {
            name: self.name.clone(),
            dictionary: Arc::new(Dictionary::in_order(texts, missing)),
            codes: Vec::new(),
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
pub fn promise(
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
        PromiseSpec::Items { .. } => return Err("items are sensitive in transactions only"),
        PromiseSpec::LDiversity { attribute, kind, l } => {
            let attribute = find(attribute)?;
            let whole = l.0.numerator() / l.0.denominator();
            match kind {
                Diversity::Distinct => Box::new(DistinctDiversity {
                    attribute,
                    l: whole,
                }),
                Diversity::Entropy => Box::new(EntropyDiversity { attribute, l: l.0 }),
                Diversity::Recursive {
                    c, allowed, floor, ..
                } if allowed.is_empty() && floor.is_empty() => Box::new(RecursiveDiversity {
                    attribute,
                    c: c.0,
                    l: whole,
                }),
                Diversity::Recursive {
                    c,
                    allowed,
                    floor,
                    least,
                } => {
                    let codes = |values: &[String]| codes(&sensitive[attribute], values);
                    let (allowed, floor) = (codes(allowed), codes(floor));
                    Box::new(DisclosureRecursive::negative(
                        attribute,
                        c.0,
                        whole as usize,
                        allowed,
                        least.0,
                        floor,
                    ))
                }
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
        } => Box::new(confidence(find(attribute)?, sensitive, values, *at_most)),
        PromiseSpec::XyAnonymity { y, k } => Box::new(XyAnonymity {
            y: find(&Some(joint_name(y)))?,
            k: *k,
        }),
        PromiseSpec::XyPrivacy {
            attribute,
            values,
            at_most,
            k,
        } => Box::new(XyPrivacy {
            k: *k,
            confidence: confidence(find(attribute)?, sensitive, values, *at_most),
        }),
        PromiseSpec::AlphaKAnonymity {
            attribute,
            alpha,
            k,
        } => Box::new(AlphaK {
            attribute: find(attribute)?,
            alpha: alpha.0,
            k: *k,
        }),
        PromiseSpec::KEAnonymity { attribute, k, e } => {
            let attribute = find(attribute)?;
            Box::new(KeAnonymity::new(
                attribute,
                *k,
                decimal(*e)?,
                &numbers(&sensitive[attribute])?,
            ))
        }
        PromiseSpec::EpsilonMAnonymity {
            attribute,
            epsilon,
            m,
        } => {
            let attribute = find(attribute)?;
            Box::new(EpsilonM::new(
                attribute,
                decimal(*epsilon)?,
                *m,
                &numbers(&sensitive[attribute])?,
            ))
        }
        PromiseSpec::BetaLikeness {
            attribute,
            beta,
            kind,
        } => {
            let attribute = find(attribute)?;
            let kind = match kind {
                Likeness::Basic => denym_measure::promises::Likeness::Basic,
                Likeness::Enhanced => denym_measure::promises::Likeness::Enhanced,
            };
            Box::new(BetaLikeness::new(
                attribute,
                beta.0,
                kind,
                &sensitive[attribute].reference,
            ))
        }
        PromiseSpec::DeltaDisclosure {
            attribute,
            delta,
            base,
        } => {
            let attribute = find(attribute)?;
            let base = match base {
                LogBase::E => Base::E,
                LogBase::Two => Base::Two,
            };
            Box::new(DeltaDisclosure::new(
                attribute,
                delta.0,
                base,
                Absent::Breaks,
                &sensitive[attribute].reference,
            ))
        }
        PromiseSpec::KMap { k, .. } => Box::new(KMap { k: *k }),
        PromiseSpec::DeltaPresence { least, most, .. } => Box::new(DeltaPresence {
            least: least.0,
            most: most.0,
        }),
        PromiseSpec::PersonalizedPrivacy {
            attribute,
            guards,
            at_most,
        } => {
            let position = find(attribute)?;
            let nodes = sensitive
                .iter()
                .position(|attribute| attribute.hidden && attribute.name == *guards)
                .ok_or("the column of guarding nodes is not there")?;
            let taxonomy = sensitive[position]
                .taxonomy
                .as_ref()
                .ok_or("guarding nodes need a taxonomy")?;
            let promise = PersonalizedPrivacy::new(
                position,
                nodes,
                at_most.0,
                &sensitive[position].as_column(),
                taxonomy,
                &sensitive[nodes].as_column(),
            );
            Box::new(promise.map_err(|_| "a guarding node is not in the taxonomy")?)
        }
    })
}

/// The codes of the values that occur.
fn codes(attribute: &SensitiveAttribute, values: &[String]) -> Vec<Code> {
    values
        .iter()
        .filter_map(|value| attribute.code_of(value))
        .collect()
}

/// Bounded confidence in some values, or in all when none are given.
fn confidence(
    position: usize,
    sensitive: &[SensitiveAttribute],
    values: &[String],
    at_most: Exact,
) -> Confidence {
    if values.is_empty() {
        return Confidence::of_all(position, at_most.0);
    }
    let codes = codes(&sensitive[position], values);
    Confidence::of_values(position, codes.into_iter().map(|code| (code, at_most.0)))
}

/// The numbers that an attribute's values are.
pub fn numbers(attribute: &SensitiveAttribute) -> Result<Vec<Option<Decimal>>, &'static str> {
    let texts: Strings = attribute.order().flatten().collect();
    let (dictionary, _) = Dictionary::build(&texts, false, None);
    if !dictionary.kind().is_numeric() {
        return Err("the attribute has no numbers");
    }
    let by_text: std::collections::HashMap<&str, Option<Decimal>> = dictionary
        .values()
        .zip(exact_numbers(&dictionary))
        .collect();
    Ok(attribute
        .order()
        .map(|text| text.and_then(|text| by_text.get(text).copied().flatten()))
        .collect())
}

/// A fraction that a decimal can hold.
pub fn decimal(value: Exact) -> Result<Decimal, &'static str> {
    Decimal::exactly(value.0).ok_or("the bound has too many digits")
}

#[cfg(test)]
mod tests {
    use denym_data::Fraction;
    use denym_measure::{Group, Histogram};

    use super::*;

    #[test]
    fn a_range_that_a_floating_point_number_would_round_down_is_not_enough() {
        let salary = SensitiveAttribute {
            name: "salary".into(),
            values: vec![Some("0".into()), Some("9007199254740992".into())],
            reference: vec![1, 1],
            taxonomy: None,
            parts: Vec::new(),
            hidden: false,
        };
        let asked = PromiseSpec::KEAnonymity {
            attribute: None,
            k: 2,
            e: Exact(Fraction::of(9_007_199_254_740_993, 1)),
        };
        let promise = promise(&asked, std::slice::from_ref(&salary)).expect("numbers");
        let counts = [(0, 1), (1, 1)];
        let sensitive = [Histogram::new(&counts)];
        assert!(!promise.admits(&Group::new(2, 2, &sensitive)));
    }
}
