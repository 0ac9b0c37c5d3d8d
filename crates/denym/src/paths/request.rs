//! From the words of a policy to what the solvers of paths are asked.

use denym_data::paths::Paths;
use denym_data::{Column, Role};
use denym_engine::Engine;
use denym_sequences::{Algorithm, Bound, Cost, Hopeless, Ladder, Request};

use super::{Asked, PathForm, PathTable};
use crate::policy::paths::PathsSpec;
use crate::policy::{Bounded, Knowledge, Policy};
use crate::{Error, hierarchies, program};

/// How many doublets the adversary knows.
pub(crate) fn knowledge_of(policy: &Policy) -> usize {
    match policy.adversary {
        Knowledge::Doublets(doublets) => doublets,
        _ => 1,
    }
}

/// What the solver is asked, and what the steward should know about it.
pub(crate) fn request(
    policy: &Policy,
    source: &PathTable,
    engine: &Engine,
) -> Result<(Request, Vec<String>), Error> {
    let Some(spec) = &policy.paths else {
        return Err(Error::Internal {
            what: "a policy about paths without their part".into(),
        });
    };
    let mut warnings = Vec::new();
    let l = knowledge_of(policy);
    if !spec.knows_given {
        warnings.push(format!(
            "the policy does not say how many doublets the adversary knows; {l} are assumed"
        ));
    }
    let mut request = Request::new(l, 1);
    for promised in &policy.promises {
        let promise = &promised.promise;
        match (promise.size(), promise.bounded()) {
            (Some(k), _) => request.k = k,
            (_, Some((Bounded::Values(Some(attribute), values), at_most))) => {
                let bounds = bounded_values(&source.paths, attribute, values, &mut warnings);
                let bound = |value: &String| Bound::value(attribute, value, at_most);
                request.bounds.extend(bounds.iter().map(bound));
            }
            (_, Some((Bounded::Places(places), at_most))) => {
                for place in places {
                    if !source.paths.locations().contains(place) {
                        warnings.push(
                            "a sensitive place of the policy occurs nowhere in the data".into(),
                        );
                    }
                    request.bounds.push(Bound::place(place, at_most));
                }
            }
            _ => {
                let mut asked = Asked::default();
                asked.ask(promise, &source.sensitive, &[])?;
                let asked = asked.promises.into_iter();
                request.promises.extend(asked.map(std::sync::Arc::from));
            }
        }
    }
    request.matching = spec.matching;
    request.algorithm =
        Algorithm::from_name(program::algorithm(policy)).ok_or_else(|| Error::Internal {
            what: "an algorithm that the policy should have refused".into(),
        })?;
    request.unsuppress = spec.unsuppress;
    if let Some((support, length)) = spec.frequent {
        request.cost = Cost::FrequentSequences { support, length };
    }
    if policy.release.suppress_at_most > denym_data::Fraction::ZERO
        && policy.with_role(Role::QuasiIdentifier).next().is_some()
    {
        request.hopeless = Hopeless::DropRecords;
    }
    request.ladder = ladder(policy, spec, source, engine)?;
    Ok((request, warnings))
}

/// The values a bound speaks of: those listed, or all that occur.
fn bounded_values(
    paths: &Paths,
    attribute: &str,
    listed: &[String],
    warnings: &mut Vec<String>,
) -> Vec<String> {
    let Some(column) = paths.sensitive().iter().find(|a| a.name == attribute) else {
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

/// Coarser places and times, when the policy gives any.
pub(crate) fn ladder(
    policy: &Policy,
    spec: &PathsSpec,
    source: &PathTable,
    engine: &Engine,
) -> Result<Option<Ladder>, Error> {
    let paths = &source.paths;
    let mut places: Vec<Vec<String>> = Vec::new();
    if let Some(file) = &spec.places {
        let file = policy.resolve(file);
        let texts = paths.locations().iter().map(|place| Some(place.as_str()));
        let name = match &source.form {
            PathForm::Long { location, .. } => location.as_str(),
            PathForm::Wide { .. } => "location",
        };
        let column = Column::from_texts(name, texts);
        let tree = hierarchies::from_file(engine, &column, &file).map_err(Error::several)?;
        for level in tree.levels().iter().skip(1) {
            let label = |code: &u32| {
                let node = level.nodes[*code as usize];
                level.labels[node as usize]
                    .as_deref()
                    .unwrap_or("*")
                    .trim()
                    .to_owned()
            };
            let labels: Vec<String> = column.codes.iter().map(label).collect();
            let unreadable = |label: &String| label.is_empty() || label.contains('>');
            if matches!(source.form, PathForm::Wide { .. }) && labels.iter().any(unreadable) {
                return Err(Error::Argument {
                    what: "a place of the hierarchy is empty or has a `>` in its name".into(),
                    help: "rename it: in the wide form `>` stands between doublets".into(),
                });
            }
            places.push(labels);
        }
    }
    let slots: Vec<Vec<String>> = spec
        .slots
        .iter()
        .map(|&width| Ladder::wider_slots(paths, width))
        .collect();
    if places.is_empty() && slots.is_empty() {
        return Ok(None);
    }
    Ok(Some(Ladder::climbing(paths, &places, &slots)))
}
