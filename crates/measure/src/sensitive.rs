//! A sensitive attribute as promises see it: codes, what they mean, and how they are distributed over the source.

use std::collections::HashMap;
use std::sync::Arc;

use denym_data::{Code, Column, Decimal, Dictionary, Hierarchy, Strings};

use crate::exact_numbers::exact_numbers;

/// A sensitive attribute that promises speak of.
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
    /// `column` with codes of this attribute; values that the attribute does not know get codes after its own.
    pub fn align(&self, column: &Column) -> Column {
        let dictionary = &column.dictionary;
        let known: HashMap<Option<&str>, Code> = self
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

    /// The numbers that the values are; a problem in words where they are none.
    pub fn numbers(&self) -> Result<Vec<Option<Decimal>>, &'static str> {
        let texts: Strings = self.order().flatten().collect();
        let (dictionary, _) = Dictionary::build(&texts, false, None);
        if !dictionary.kind().is_numeric() {
            return Err("the attribute has no numbers");
        }
        let by_text: HashMap<&str, Option<Decimal>> = dictionary
            .values()
            .zip(exact_numbers(&dictionary))
            .collect();
        Ok(self
            .order()
            .map(|text| text.and_then(|text| by_text.get(text).copied().flatten()))
            .collect())
    }

    /// The values as a column without records.
    pub(crate) fn as_column(&self) -> Column {
        let texts: Strings = self.order().flatten().collect();
        let missing = self.values.iter().any(Option::is_none);
        Column {
            name: self.name.clone(),
            dictionary: Arc::new(Dictionary::in_order(texts, missing)),
            codes: Vec::new(),
        }
    }

    /// The codes of those of `values` that occur.
    pub(crate) fn codes(&self, values: &[String]) -> Vec<Code> {
        let code = |value: &String| self.order().position(|own| own == Some(value));
        let found = values.iter().filter_map(code);
        found.map(|code| code as Code).collect()
    }

    fn order(&self) -> impl Iterator<Item = Option<&str>> {
        self.values.iter().map(Option::as_deref)
    }
}

#[cfg(test)]
mod tests {
    use denym_data::Fraction;

    use super::*;
    use crate::{Given, Group, Histogram, PromiseSpec};

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
        let e = Fraction::of(9_007_199_254_740_993, 1);
        let asked = [("k", Given::Whole(2)), ("e", Given::Number(e))];
        let asked = PromiseSpec::new("k-e-anonymity", asked).expect("listed");
        let promise = asked.build(std::slice::from_ref(&salary)).expect("numbers");
        let counts = [(0, 1), (1, 1)];
        let sensitive = [Histogram::new(&counts)];
        assert!(!promise.admits(&Group::new(2, 2, &sensitive)));
    }
}
