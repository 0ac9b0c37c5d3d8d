//! The microaggregation family behind one chooser: numeric records in, groups of k or more out.

mod blocks;
mod cbfs;
mod farthest_list;
mod md;
pub(crate) mod mdav;
mod mhm;
mod pairwise;
mod remaining;
mod systematic;
mod tfrp;
mod univariate;
mod vmdav;

use denym_data::{AlgorithmEntry, Verdict};

use crate::{Error, Matrix, Partition};
use mhm::Order;
use pairwise::Nearest;

/// One algorithm of the family.
#[derive(Debug, Clone, Copy)]
pub struct Microaggregation {
    /// What lists and policies say of it.
    pub entry: AlgorithmEntry,
    solve: fn(&Matrix, &Options) -> Vec<Vec<u32>>,
}

/// What the algorithms take beside the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// The least size of a group, 1 or more.
    pub k: usize,
    /// V-MDAV: how readily a group grows, 0 or more.
    pub gamma: f64,
    /// The seed of searches; the same seed and effort give the same groups.
    pub seed: u64,
    /// Best effort: the most rounds of improvement.
    pub effort: u64,
    /// Best effort: searches side by side, as many as there are cores to use; part of what a run must repeat.
    pub chains: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            k: 3,
            gamma: 0.2,
            seed: 0,
            effort: 400,
            chains: 2,
        }
    }
}

/// Every algorithm, by name.
pub const CATALOGUE: &[Microaggregation] = &[
    Microaggregation {
        entry: AlgorithmEntry::new(
            "mdav",
            "numbers",
            Verdict::values_exceeded(81),
            "groups of k around the two most distant records, threshold 3k",
            "Hundepool et al. 2003; Domingo-Ferrer and Torra 2005",
        ),
        solve: |matrix, options| mdav::mdav(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "mdav-generic",
            "mixed",
            Verdict::values_exceeded(81),
            "MDAV over any records with distances; on numbers its groups are MDAV's",
            "Domingo-Ferrer and Torra 2005; see `mdav_generic` for categories",
        ),
        solve: |matrix, options| mdav::mdav(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "mdav-blocks",
            "numbers",
            Verdict::values_exceeded(74),
            "MDAV on blocks of neighboring records, then a few sweeps of improvement; for millions",
            "blocks by median cuts; MDAV as above; the sweep is that of `best-effort`",
        ),
        solve: |matrix, options| blocks::mdav_blocks(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "mdav-2k",
            "numbers",
            Verdict::values_exceeded(81),
            "MDAV with threshold 2k; leftovers join their nearest groups",
            "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, section 6.2",
        ),
        solve: |matrix, options| mdav::mdav_two_k(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "mdav-1",
            "numbers",
            Verdict::values_exceeded(81),
            "MDAV with a last group of k and leftovers added one by one",
            "Lin, Wen, Hsieh and Chang 2010",
        ),
        solve: |matrix, options| mdav::mdav_one(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "md",
            "numbers",
            Verdict::values_exceeded(81),
            "groups of k around the two records most distant from each other",
            "Domingo-Ferrer and Mateo-Sanz 2002",
        ),
        solve: |matrix, options| md::md(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "cbfs",
            "numbers",
            Verdict::values_exceeded(74),
            "one group of k at a time around the record farthest from the mean",
            "Laszlo and Mukherjee 2005",
        ),
        solve: |matrix, options| cbfs::cbfs(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "v-mdav",
            "numbers",
            Verdict::values_exceeded(81),
            "MDAV with groups that grow where records are dense",
            "Solanas and Martinez-Balleste 2006",
        ),
        solve: |matrix, options| vmdav::vmdav(matrix, options.k, options.gamma),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "tfrp",
            "numbers",
            Verdict::values_exceeded(81),
            "groups of k seen from two fixed corners of the data",
            "Chang, Li and Huang 2007",
        ),
        solve: |matrix, options| tfrp::tfrp(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "tfrp-2",
            "numbers",
            Verdict::values_exceeded(81),
            "both stages of TFRP: groups dissolved where that lowers SSE",
            "Chang, Li and Huang 2007",
        ),
        solve: |matrix, options| tfrp::tfrp_two_stages(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "systematic",
            "numbers",
            Verdict::values_exceeded(74),
            "all groups at once from every k-th record of a sorted list",
            "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, Table 5.1",
        ),
        solve: |matrix, options| systematic::systematic(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "p-s",
            "numbers",
            Verdict::values_exceeded(81),
            "pairs of groups from both ends of a sorted list, least SSE",
            "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, Figure 6.1, as its text reads",
        ),
        solve: |matrix, options| {
            pairwise::pairwise_systematic(matrix, options.k, Nearest::LeastSse)
        },
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "p-s-literal",
            "numbers",
            Verdict::values_exceeded(81),
            "pairs of groups from both ends of a sorted list, nearest to the seed",
            "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, Figure 6.1, to the letter",
        ),
        solve: |matrix, options| {
            pairwise::pairwise_systematic(matrix, options.k, Nearest::ToTheSeed)
        },
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "univariate",
            "numbers",
            Verdict::values_exceeded(81),
            "the optimal partition of a single column",
            "Hansen and Mukherjee 2003",
        ),
        solve: |matrix, options| univariate::univariate(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "mhm",
            "numbers",
            Verdict::values_exceeded(74),
            "the best of the orders below, each cut optimally",
            "Domingo-Ferrer et al. 2006",
        ),
        solve: |matrix, options| mhm::best_order(matrix, options.k),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "mhm-mdav",
            "numbers",
            Verdict::values_exceeded(74),
            "the order of MDAV's groups, cut optimally",
            "Domingo-Ferrer et al. 2006",
        ),
        solve: |matrix, options| mhm::mhm(matrix, options.k, Order::Mdav),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "mhm-md",
            "numbers",
            Verdict::values_exceeded(74),
            "the order of MD's groups, cut optimally",
            "Domingo-Ferrer et al. 2006",
        ),
        solve: |matrix, options| mhm::mhm(matrix, options.k, Order::Md),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "mhm-cbfs",
            "numbers",
            Verdict::values_exceeded(74),
            "the order of CBFS's groups, cut optimally",
            "Domingo-Ferrer et al. 2006",
        ),
        solve: |matrix, options| mhm::mhm(matrix, options.k, Order::Cbfs),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "mhm-npn",
            "numbers",
            Verdict::values_exceeded(74),
            "nearest point next, cut optimally",
            "Domingo-Ferrer et al. 2006",
        ),
        solve: |matrix, options| mhm::mhm(matrix, options.k, Order::NearestPointNext),
    },
    Microaggregation {
        entry: AlgorithmEntry::new(
            "best-effort",
            "numbers",
            Verdict::values_exceeded(74),
            "the best of these, improved region by region by simulated annealing for `effort` rounds",
            "ours; annealing: Kirkpatrick, Gelatt and Vecchi 1983",
        ),
        solve: |matrix, options| {
            crate::best_effort(matrix, options, &|| true).map_or_else(
                |_| Vec::new(),
                |found| found.partition.groups().map(<[u32]>::to_vec).collect(),
            )
        },
    },
];

/// The algorithm of that name.
pub fn algorithm(name: &str) -> Result<&'static Microaggregation, Error> {
    CATALOGUE
        .iter()
        .find(|one| one.entry.name == name)
        .ok_or_else(|| {
            let nearest = CATALOGUE
                .iter()
                .min_by_key(|one| denym_data::edits(one.entry.name, name))
                .map_or("mdav", |one| one.entry.name);
            Error::UnknownAlgorithm {
                name: name.to_owned(),
                nearest,
            }
        })
}

/// The groups that the named algorithm finds on (scaled) data.
pub fn solve(name: &str, matrix: &Matrix, options: &Options) -> Result<Partition, Error> {
    let found = algorithm(name)?;
    let name = found.entry.name;
    check(matrix, options)?;
    if name == "univariate" && matrix.columns() != 1 {
        return Err(Error::OneColumnOnly {
            algorithm: name,
            columns: matrix.columns(),
        });
    }
    Partition::new((found.solve)(matrix, options), matrix.rows())
}

pub(crate) fn check(matrix: &Matrix, options: &Options) -> Result<(), Error> {
    if options.k == 0 {
        return Err(Error::ZeroK);
    }
    if options.k > matrix.rows() {
        return Err(Error::TooFewRecords {
            k: options.k,
            records: matrix.rows(),
        });
    }
    if !(options.gamma >= 0.0 && options.gamma.is_finite()) {
        return Err(Error::Option {
            option: "gamma",
            expected: "a number of 0 or more",
        });
    }
    Ok(())
}

/// The SSE of groups that are not a `Partition` yet.
pub(crate) fn sse_of_groups(matrix: &Matrix, groups: &[Vec<u32>]) -> f64 {
    groups
        .iter()
        .map(|group| {
            let mean = crate::loss::centroid_of(matrix, group, crate::Centroid::Mean);
            group
                .iter()
                .map(|&row| crate::matrix::squared_distance(matrix.row(row as usize), &mean))
                .sum::<f64>()
        })
        .sum()
}
