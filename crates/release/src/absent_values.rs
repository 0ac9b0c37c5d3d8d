//! Values that a policy names and the data does not have: a promise about them guards nobody, and a typo must not pass in silence.

use denym_data::nearest;
use denym_measure::catalogue::Takes;
use denym_measure::{Given, PromiseSpec, SensitiveAttribute};

/// A sentence for every value that `spec` names and its attribute never shows. No sentence quotes the data.
pub fn warnings(spec: &PromiseSpec, sensitive: &[SensitiveAttribute]) -> Vec<String> {
    let Some(Some(name)) = spec.attribute() else {
        return Vec::new();
    };
    let Some(attribute) = sensitive.iter().find(|a| a.name == *name && !a.hidden) else {
        return Vec::new();
    };
    let mut warnings = Vec::new();
    for (key, values) in named(spec) {
        for value in values {
            if attribute.values.iter().flatten().any(|v| v == value) {
                continue;
            }
            warnings.push(format!(
                "`{value}` in `{key}` of `{}` never occurs in `{name}`: it guards nobody{}",
                spec.name(),
                alike(value, attribute)
            ));
        }
    }
    warnings
}

/// The values that a promise names, by the key they are under.
fn named(spec: &PromiseSpec) -> Vec<(&'static str, &[String])> {
    spec.parameters()
        .filter_map(|(parameter, given)| match given {
            Given::Texts(values) if parameter.takes == Takes::Values => {
                Some((parameter.name, values.as_slice()))
            }
            _ => None,
        })
        .collect()
}

/// How a value that does occur resembles one that does not, without saying which it is.
fn alike(value: &str, attribute: &SensitiveAttribute) -> &'static str {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        letters.flat_map(char::to_lowercase).collect()
    };
    let known = || attribute.values.iter().flatten().map(String::as_str);
    if known().any(|other| plain(other) == plain(value)) {
        "; a value that does occur differs from it in capitals, spaces or signs only"
    } else if nearest(value, known()).is_some() {
        "; a value that does occur differs from it in a letter or two: a typo?"
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use denym_data::Fraction;

    #[test]
    fn a_typo_is_told_from_a_value_that_nobody_has() {
        let attribute = SensitiveAttribute {
            name: "disease".into(),
            values: vec![Some("HIV".into()), Some("cancer".into()), None],
            reference: vec![1, 1, 1],
            taxonomy: None,
            parts: Vec::new(),
            hidden: false,
        };
        let values = ["HIV", "hiv", "cancre", "gout"].map(str::to_owned).to_vec();
        let spec = PromiseSpec::confidence("disease", values, Fraction::ONE);
        let found = warnings(&spec, &[attribute]);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].starts_with("`hiv`") && found[0].contains("capitals"));
        assert!(found[1].starts_with("`cancre`") && found[1].contains("typo"));
        assert!(found[2].ends_with("guards nobody"));
        // What the data has is quoted nowhere.
        assert!(!found.concat().contains("HIV") && !found.concat().contains("cancer"));
    }
}
