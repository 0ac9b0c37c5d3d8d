//! Query tracker: a question that is refused is padded until it is answered, and the padding is taken off.
//!
//! The attack itself is [`crate::queries`].

use crate::catalogue::{Entry, Gate, Run, Shape, Threat};

pub(crate) const ENTRY: Entry = Entry {
    name: "query-tracker",
    place: 710,
    threat: Threat::AttributeLinkage,
    shape: Shape::Queries,
    summary: "a refused query padded by a tracker",
    knows: "which values everybody has in the known columns",
    limits: "it pads with single codes; a cleverer tracker may learn more; every record counts as a person",
    reference: "Denning, Denning, Schwartz, TODS 4(1), 1979",
    gate: Gate::Never,
    run: Run::Command("denym attack queries DATA --known COLUMNS --number COLUMN"),
};

pub use crate::queries::track_everybody;
