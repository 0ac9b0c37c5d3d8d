//! From the words of a policy to what the solver of transactions is asked.

use denym_data::Column;
use denym_engine::Engine;
use denym_sequences::{Cost, TransactionRequest};

use super::{Baskets, TransactionForm};
use crate::paths::Asked;
use crate::policy::{Bounded, Knowledge, Policy};
use crate::{Error, hierarchies};

/// How many items the adversary knows.
pub(crate) fn items_of(policy: &Policy) -> usize {
    match policy.adversary {
        Knowledge::Items(items) => items,
        _ => 1,
    }
}

/// What the solver is asked, with the taxonomy when there is one, and what the steward should know about it.
pub(crate) fn request(
    policy: &Policy,
    source: &Baskets,
    engine: &Engine,
) -> Result<(TransactionRequest, Vec<String>), Error> {
    let Some(spec) = &policy.transactions else {
        return Err(Error::Internal {
            what: "a policy about transactions without their part".into(),
        });
    };
    let mut warnings = Vec::new();
    let m = items_of(policy);
    if !spec.knows_given {
        warnings.push(format!(
            "the policy does not say how many items the adversary knows; {m} are assumed"
        ));
    }
    let mut request = TransactionRequest::new(m, 1);
    for promised in &policy.promises {
        let promise = &promised.promise;
        match (promise.size(), promise.bounded()) {
            (Some(k), _) => request.k = k,
            (_, Some((Bounded::Items(items), at_most))) => {
                for item in items {
                    if source.sets.locations().binary_search(item).is_err() {
                        warnings.push(format!(
                            "the sensitive item `{item}` of the policy occurs nowhere in the data"
                        ));
                    }
                    request.sensitive.push((item.clone(), at_most));
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
    request.unsuppress = spec.unsuppress;
    if let Some((support, length)) = spec.frequent {
        request.cost = Cost::FrequentSequences { support, length };
        request.nuggets = Some((support, length));
    }
    request.taxonomy = coarser_names(policy, source, engine)?;
    Ok((request, warnings))
}

/// The ever coarser names of each public item, where the policy has a taxonomy; sensitive items stay as they are.
pub(crate) fn coarser_names(
    policy: &Policy,
    source: &Baskets,
    engine: &Engine,
) -> Result<Option<Vec<Vec<String>>>, Error> {
    let spec = policy.transactions.as_ref();
    let Some(file) = spec.and_then(|spec| spec.taxonomy.as_ref()) else {
        return Ok(None);
    };
    let file = policy.resolve(file);
    let promises = policy.promises.iter().map(|promised| &promised.promise);
    let sensitive: Vec<&String> = promises
        .filter_map(|promise| match promise.bounded() {
            Some((Bounded::Items(items), _)) => Some(items),
            _ => None,
        })
        .flatten()
        .collect();
    let items = source.sets.locations();
    let is_sensitive = |name: &str| sensitive.iter().any(|item| *item == name);
    let public: Vec<usize> = (0..items.len())
        .filter(|&item| !is_sensitive(&items[item]))
        .collect();
    let column = Column::from_texts("items", public.iter().map(|&i| Some(items[i].as_str())));
    let tree = hierarchies::from_file(engine, &column, &file).map_err(Error::several)?;
    let mut chains = vec![Vec::new(); items.len()];
    for level in tree.levels().iter().skip(1) {
        for (&item, &code) in public.iter().zip(&column.codes) {
            let label = level.labels[level.nodes[code as usize] as usize].as_deref();
            let label = label.unwrap_or("*").trim();
            let unreadable = match &source.form {
                TransactionForm::Wide { separator, .. } => {
                    label.is_empty() || label.contains(*separator)
                }
                TransactionForm::Long { .. } => label.is_empty(),
            };
            if unreadable || is_sensitive(label) {
                return Err(Error::Argument {
                    what: "a group of the taxonomy has no name, holds the separator, or is called like a sensitive item"
                        .into(),
                    help: "rename it in the file of the taxonomy".into(),
                });
            }
            chains[item].push(label.to_owned());
        }
    }
    Ok(Some(chains))
}
