//! The codes of a numeric attribute as whole numbers on one scale, so that distances compare exactly.

use denym_data::{Code, Date, Decimal, Dictionary, Kind};

/// Numbers by code.
#[derive(Debug, Clone)]
pub(crate) struct Numbers {
    by_code: Vec<Option<i128>>,
    scale: u32,
}

impl Numbers {
    /// Brings all numbers and one parameter to the finest scale among them; returns the parameter on it.
    pub(crate) fn new(numbers: &[Option<Decimal>], parameter: Decimal) -> (Numbers, i128) {
        let scale = numbers
            .iter()
            .flatten()
            .map(|number| number.scale())
            .fold(parameter.scale(), u32::max);
        let by_code = numbers
            .iter()
            .map(|number| number.map(|number| number.scaled(scale)))
            .collect();
        (Numbers { by_code, scale }, parameter.scaled(scale))
    }

    /// The number of `code`; `None` when it is missing.
    pub(crate) fn get(&self, code: Code) -> Option<i128> {
        self.by_code.get(code as usize).copied().flatten()
    }

    /// A distance on the scale as a floating-point number.
    pub(crate) fn unscaled(&self, distance: i128) -> f64 {
        distance as f64 / 10_f64.powi(self.scale.cast_signed())
    }
}

/// Each code of a dictionary as an exact number, days for dates; `None` for what is no number.
pub fn exact_numbers(dictionary: &Dictionary) -> Vec<Option<Decimal>> {
    (0..dictionary.len() as Code)
        .map(|code| {
            let text = dictionary.text(code)?;
            match dictionary.kind() {
                Kind::Integer | Kind::Decimal => Decimal::parse(text),
                Kind::Date => Date::parse(text).map(|date| Decimal::whole(date.days())),
                Kind::Text | Kind::Boolean => None,
            }
        })
        .collect()
}
