//! Which promise can be made of which kind of data, and by which solver: put together from the catalogues, never written by hand.

use denym_measure::KnowledgeEntry;
use denym_measure::catalogue::{Linkage, Needs, PROMISES, PromiseEntry};
use denym_sequences::Serves;

/// One promise on one kind of knowledge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromiseKind {
    /// What is known, and of which data.
    pub knowledge: KnowledgeEntry,
    /// The solvers that serve it, by the names of policies.
    pub solvers: Vec<&'static str>,
    /// Those that do not, though they work on these data.
    pub others: Vec<&'static str>,
    /// Why it cannot be judged on these data at all.
    pub lacks: Option<&'static str>,
}

/// Every promise that a policy can make, with every kind of knowledge.
pub fn promise_kinds() -> Vec<(&'static PromiseEntry, Vec<PromiseKind>)> {
    let promised = PROMISES.iter().filter(|entry| entry.in_policy().is_some());
    promised
        .map(|promise| {
            let kinds = KnowledgeEntry::ALL.into_iter();
            (promise, kinds.map(|kind| cell(promise, kind)).collect())
        })
        .collect()
}

fn cell(promise: &PromiseEntry, knowledge: KnowledgeEntry) -> PromiseKind {
    let lacks = knowledge.lacks(promise);
    let (mut solvers, mut others) = (Vec::new(), Vec::new());
    let mut list = |name, serves: bool| {
        if serves && lacks.is_none() {
            solvers.push(name);
        } else {
            others.push(name);
        }
    };
    if knowledge.data == "table" {
        for one in denym_tabular::CATALOGUE {
            let fewer = knowledge != KnowledgeEntry::ALL_QUASI;
            list(one.entry.name, one.serves(promise, fewer));
        }
    } else {
        let own = denym_sequences::CATALOGUE.iter();
        for one in own.filter(|one| one.entry.data == knowledge.data) {
            let sizes = promise.linkage == Linkage::Record && promise.needs() == Needs::Nothing;
            list(one.entry.name, one.serves == Serves::Everything || sizes);
        }
    }
    PromiseKind {
        knowledge,
        solvers,
        others,
        lacks,
    }
}
