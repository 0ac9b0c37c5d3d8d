//! The kinds of data, one file or folder each, and the one place that knows which there are.

pub(crate) mod microdata;
pub(crate) mod sequences;
pub(crate) mod stream;
pub(crate) mod table;
pub(crate) mod trails;

use sequences::OnSequences;

use crate::pipeline::Kind;
use crate::policy::{DataKind, Policy};
use crate::{Error, threads};

/// A verb that works on every kind of data.
pub(crate) trait Verb: Send {
    /// What it comes to.
    type Output: Send;
    /// Does it on data of kind `K`.
    fn on<K: Kind>(self, policy: &Policy) -> Self::Output;
}

/// Does `verb` on the kind of data that `policy` speaks of, in this thread.
fn dispatch<V: Verb>(policy: &Policy, verb: V) -> V::Output {
    match policy.data.kind {
        DataKind::Table => verb.on::<table::OnTables>(policy),
        DataKind::Paths => verb.on::<OnSequences<sequences::Paths>>(policy),
        DataKind::Transactions => verb.on::<OnSequences<sequences::Transactions>>(policy),
        DataKind::Trails => verb.on::<trails::OnTrails>(policy),
        DataKind::Stream => verb.on::<stream::OnStreams>(policy),
    }
}

/// Does `verb` on the kind of data that `policy` speaks of.
pub(crate) fn on_its_kind<T: Send, V: Verb<Output = Result<T, Error>>>(
    policy: &Policy,
    threads: Option<usize>,
    verb: V,
) -> Result<T, Error> {
    threads::pool(threads)?.install(|| dispatch(policy, verb))
}

/// What a kind of data says of itself.
pub(crate) struct About {
    /// What the catalogue says that its algorithms work on.
    pub(crate) algorithms: &'static [&'static str],
    /// The algorithm, where there is but one.
    pub(crate) only: Option<&'static str>,
    /// What `auto` stands for where the adversary knows the program; `None` where it is a portfolio of what is safe.
    pub(crate) safe: Option<&'static str>,
    /// Whether the data are records with attributes.
    pub(crate) is_table: bool,
}

/// What the kind of data that `policy` speaks of says of itself.
pub(crate) fn about(policy: &Policy) -> About {
    struct Asking;
    impl Verb for Asking {
        type Output = About;

        fn on<K: Kind>(self, _policy: &Policy) -> About {
            About {
                algorithms: K::ALGORITHMS,
                only: K::ONLY,
                safe: K::SAFE,
                is_table: K::IS_TABLE,
            }
        }
    }
    dispatch(policy, Asking)
}
