//! Sensitive attributes as certificates carry them.

use denym_data::{Code, Column, Hierarchy};
use denym_measure::catalogue::Needs;
use denym_measure::{PromiseSpec, SensitiveAttribute};

use crate::certificate::Sensitive;

/// The attribute as a certificate carries it; the distribution and the tree of values only where a promise is judged by them.
pub fn certified(own: &SensitiveAttribute, promises: &[PromiseSpec]) -> Sensitive {
    let judged = |needs: fn(&PromiseSpec) -> bool| {
        let mut promises = promises.iter();
        promises.any(|promise| needs(promise) && promise.attribute_name() == Some(&own.name))
    };
    let reference = judged(PromiseSpec::needs_reference).then(|| {
        let values = own.values.iter().cloned();
        values.zip(own.reference.iter().copied()).collect()
    });
    let taxonomy = own
        .taxonomy
        .as_ref()
        .filter(|_| judged(|promise| promise.entry().needs() == Needs::Taxonomy))
        .map(|taxonomy| {
            (0..own.values.len() as Code)
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
        name: own.name.clone(),
        reference,
        taxonomy,
        parts: own.parts.clone(),
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
