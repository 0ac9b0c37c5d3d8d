//! From the words of a policy to what the solvers of sequences are asked.

use std::sync::Arc;

use denym_data::sequences::{Form, SequenceTable};
use denym_data::{Column, Fraction, Role, Sequences};
use denym_engine::Engine;
use denym_release::sequences::Asked;
use denym_sequences::{Algorithm, Bound, Cost, Elements, Hopeless, Ladder, Request};

use super::source::{Source, spec};
use crate::policy::{Bounded, Knowledge, Policy};
use crate::{Error, hierarchies, program};

/// How many doublets or items the adversary knows.
pub(crate) fn known(policy: &Policy) -> usize {
    match policy.adversary {
        Knowledge::Doublets(most) | Knowledge::Items(most) => most,
        _ => 1,
    }
}

/// What the solver is asked, and what the steward should know about it.
pub(crate) fn request(
    policy: &Policy,
    source: &Source,
    engine: &Engine,
) -> Result<(Request, Vec<String>), Error> {
    let spec = spec(policy)?;
    let sequences = &source.table.sequences;
    let items = spec.separator.is_some();
    let mut warnings = Vec::new();
    let mut request = Request::new(known(policy), 1);
    if !spec.knows_given {
        warnings.push(format!(
            "the policy does not say how many {} the adversary knows; {} are assumed",
            if items { "items" } else { "doublets" },
            request.l
        ));
    }
    for promised in &policy.promises {
        let promise = &promised.promise;
        match (promise.size(), promise.bounded()) {
            (Some(k), _) => request.k = k,
            (_, Some((Bounded::Values(Some(attribute), values), at_most))) if !items => {
                let bounded = bounded_values(sequences, attribute, values, &mut warnings);
                let bound = |value: &String| Bound::value(attribute, value, at_most);
                request.bounds.extend(bounded.iter().map(bound));
            }
            (_, Some((Bounded::Places(names) | Bounded::Items(names), at_most))) => {
                for name in names {
                    if !sequences.locations().contains(name) {
                        warnings.push(if items {
                            format!("the sensitive item `{name}` of the policy occurs nowhere in the data")
                        } else {
                            "a sensitive place of the policy occurs nowhere in the data".to_owned()
                        });
                    }
                    request.bounds.push(Bound::place(name, at_most));
                }
            }
            _ => {
                let mut asked = Asked::default();
                asked.ask(promise, &source.sensitive, &[])?;
                let asked = asked.promises.into_iter();
                request.promises.extend(asked.map(Arc::from));
            }
        }
    }
    let name = program::algorithm(policy);
    let algorithm = if items {
        request.elements = Elements::Items;
        Algorithm::of_items(name)
    } else {
        Algorithm::from_name(name)
    };
    request.algorithm = algorithm.ok_or_else(|| Error::Internal {
        what: "an algorithm that the policy should have refused".into(),
    })?;
    request.matching = spec.matching;
    request.unsuppress = spec.unsuppress;
    if let Some((support, length)) = spec.frequent {
        request.cost = Cost::FrequentSequences { support, length };
    }
    if policy.release.suppress_at_most > Fraction::ZERO
        && policy.with_role(Role::QuasiIdentifier).next().is_some()
    {
        request.hopeless = Hopeless::DropRecords;
    }
    request.ladder = ladder(policy, &source.table, engine)?;
    Ok((request, warnings))
}

/// The values a bound speaks of: those listed, or all that occur.
fn bounded_values(
    sequences: &Sequences,
    attribute: &str,
    listed: &[String],
    warnings: &mut Vec<String>,
) -> Vec<String> {
    let Some(column) = sequences.sensitive().iter().find(|a| a.name == attribute) else {
        return Vec::new();
    };
    if listed.is_empty() {
        return column.values.clone();
    }
    for value in listed {
        if column.code(value).is_none() {
            warnings.push(format!(
                "the value `{value}` of the policy never occurs in `{attribute}`"
            ));
        }
    }
    listed.to_vec()
}

/// Coarser places and times, or coarser names of public items, when the policy gives any.
pub(crate) fn ladder(
    policy: &Policy,
    source: &SequenceTable,
    engine: &Engine,
) -> Result<Option<Ladder>, Error> {
    let (spec, sequences) = (spec(policy)?, &source.sequences);
    let mut places: Vec<Vec<String>> = Vec::new();
    if let Some(file) = &spec.hierarchy {
        let file = policy.resolve(file);
        let promises = policy.promises.iter().map(|promised| &promised.promise);
        let sensitive = promises.filter_map(|promise| match promise.bounded() {
            Some((Bounded::Items(items), _)) => Some(items),
            _ => None,
        });
        // A sensitive item stays as it is, and nothing may be called like it.
        let sensitive: Vec<&String> = sensitive.flatten().collect();
        let own = sequences.locations();
        let public: Vec<usize> = (0..own.len())
            .filter(|&at| !sensitive.contains(&&own[at]))
            .collect();
        let name = match &source.form {
            Form::Long {
                location,
                time: Some(_),
                ..
            } => location,
            form if form.has_times() => "location",
            _ => "items",
        };
        let texts = public.iter().map(|&at| Some(own[at].as_str()));
        let column = Column::from_texts(name, texts);
        let tree = hierarchies::from_file(engine, &column, &file).map_err(Error::several)?;
        let unreadable = |label: &String| match &source.form {
            Form::Wide { separator, .. } => {
                label.is_empty() || label.contains(separator.unwrap_or('>'))
            }
            form @ Form::Long { .. } => !form.has_times() && label.is_empty(),
        };
        for level in tree.levels().iter().skip(1) {
            let mut labels = own.to_vec();
            for (&at, &code) in public.iter().zip(&column.codes) {
                let label = level.labels[level.nodes[code as usize] as usize].as_deref();
                label.unwrap_or("*").trim().clone_into(&mut labels[at]);
                if unreadable(&labels[at]) || sensitive.contains(&&labels[at]) {
                    return Err(unfit(source.form.has_times()));
                }
            }
            places.push(labels);
        }
    }
    let slots: Vec<Vec<String>> = spec
        .slots
        .iter()
        .map(|&width| Ladder::wider_slots(sequences, width))
        .collect();
    if places.is_empty() && slots.is_empty() {
        return Ok(None);
    }
    Ok(Some(Ladder::climbing(sequences, &places, &slots)))
}

/// A coarser name that could not be read back.
fn unfit(places: bool) -> Error {
    let (what, help) = if places {
        (
            "a place of the hierarchy is empty or has a `>` in its name",
            "rename it: in the wide form `>` stands between doublets",
        )
    } else {
        (
            "a group of the taxonomy has no name, holds the separator, or is called like a sensitive item",
            "rename it in the file of the taxonomy",
        )
    };
    Error::Argument {
        what: what.into(),
        help: help.into(),
    }
}
