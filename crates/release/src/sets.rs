//! Transactions as the red team of paths sees them: an item is a doublet of its own time, a sensitive item an attribute.

use denym_data::Sequences;
use denym_data::paths::{Attribute, Doublet, Paths};

use crate::Error;
use denym_measure::{Bounded, PromiseSpec};

/// The value of a sensitive item's attribute where the subject has the item.
pub const PRESENT: &str = "present";

/// Public items as a path and sensitive items as attributes after those beside it; sets have no time, so nothing contradicts.
pub fn judged(sets: &Sequences, promises: &[PromiseSpec]) -> Result<Paths, Error> {
    let mut sensitive: Vec<&str> = Vec::new();
    for promise in promises {
        if let Some((Bounded::Items(items), _)) = promise.bounded() {
            sensitive.extend(items.iter().map(String::as_str));
        }
    }
    sensitive.sort_unstable();
    sensitive.dedup();
    let secret_of: Vec<Option<usize>> = sets
        .locations()
        .iter()
        .map(|item| sensitive.binary_search(&item.as_str()).ok())
        .collect();
    let labels: Vec<String> = sets.locations().to_vec();
    let doublets = (0..labels.len() as u32)
        .map(|item| Doublet {
            time: item,
            location: item,
        })
        .collect();
    let (mut starts, mut codes) = (vec![0], Vec::with_capacity(sets.instances()));
    let mut carries = vec![vec![0_u32; sets.len()]; sensitive.len()];
    for (record, set) in sets.records().enumerate() {
        for &item in set {
            match secret_of[item as usize] {
                Some(secret) => carries[secret][record] = 1,
                None => codes.push(item),
            }
        }
        starts.push(codes.len() as u32);
    }
    let mut paths = Paths::from_codes(labels.clone(), labels, doublets, starts, codes)?;
    for own in sets.sensitive() {
        paths = paths.with_sensitive(own.clone())?;
    }
    for (name, codes) in sensitive.into_iter().zip(carries) {
        paths = paths.with_sensitive(Attribute {
            name: name.to_owned(),
            values: vec!["absent".to_owned(), PRESENT.to_owned()],
            codes,
        })?;
    }
    Ok(paths)
}
