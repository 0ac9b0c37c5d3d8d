//! The clustering algorithms that a policy can name.

use crate::catalogue::Algorithm;

/// Every clustering algorithm, by name.
pub(crate) const CLUSTERING: [Algorithm; 5] = [
    Algorithm {
        name: "best-effort-clustering",
        data: "mixed",
        summary: "sorted runs cut optimally, then improved by moves and swaps for `effort` rounds",
        reference: "denym; annealing: Kirkpatrick, Gelatt and Vecchi 1983",
    },
    Algorithm {
        name: "systematic-clustering",
        data: "mixed",
        summary: "all clusters at once from every k-th record of a sorted list",
        reference: "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, Table 4.3; its l-diverse step, Table 4.7",
    },
    Algorithm {
        name: "k-member",
        data: "mixed",
        summary: "one cluster after the other, each grown by the record that costs least",
        reference: "Byun, Kamra, Bertino and Li 2007",
    },
    Algorithm {
        name: "oka",
        data: "mixed",
        summary: "one pass of k-means, then sizes evened out",
        reference: "Lin and Wei 2008",
    },
    Algorithm {
        name: "sorted-runs",
        data: "mixed",
        summary: "the best of several sorted lists, each cut optimally into clusters",
        reference: "denym; Hansen and Mukherjee 2003",
    },
];
