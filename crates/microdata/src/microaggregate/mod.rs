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

use crate::{Error, Matrix, Partition};
use mhm::Order;
use pairwise::Nearest;

/// One algorithm of the family, for help texts and docs.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name in policies.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
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
pub const CATALOGUE: &[Entry] = &[
    Entry {
        name: "mdav",
        about: "groups of k around the two most distant records, threshold 3k",
        reference: "Hundepool et al. 2003; Domingo-Ferrer and Torra 2005",
        solve: |matrix, options| mdav::mdav(matrix, options.k),
    },
    Entry {
        name: "mdav-generic",
        about: "MDAV over any records with distances; on numbers its groups are MDAV's",
        reference: "Domingo-Ferrer and Torra 2005; see `mdav_generic` for categories",
        solve: |matrix, options| mdav::mdav(matrix, options.k),
    },
    Entry {
        name: "mdav-blocks",
        about: "MDAV on blocks of neighboring records, then a few sweeps of improvement; for millions",
        reference: "blocks by median cuts; MDAV as above; the sweep is that of `best-effort`",
        solve: |matrix, options| blocks::mdav_blocks(matrix, options.k),
    },
    Entry {
        name: "mdav-2k",
        about: "MDAV with threshold 2k; leftovers join their nearest groups",
        reference: "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, section 6.2",
        solve: |matrix, options| mdav::mdav_two_k(matrix, options.k),
    },
    Entry {
        name: "mdav-1",
        about: "MDAV with a last group of k and leftovers added one by one",
        reference: "Lin, Wen, Hsieh and Chang 2010",
        solve: |matrix, options| mdav::mdav_one(matrix, options.k),
    },
    Entry {
        name: "md",
        about: "groups of k around the two records most distant from each other",
        reference: "Domingo-Ferrer and Mateo-Sanz 2002",
        solve: |matrix, options| md::md(matrix, options.k),
    },
    Entry {
        name: "cbfs",
        about: "one group of k at a time around the record farthest from the mean",
        reference: "Laszlo and Mukherjee 2005",
        solve: |matrix, options| cbfs::cbfs(matrix, options.k),
    },
    Entry {
        name: "v-mdav",
        about: "MDAV with groups that grow where records are dense",
        reference: "Solanas and Martinez-Balleste 2006",
        solve: |matrix, options| vmdav::vmdav(matrix, options.k, options.gamma),
    },
    Entry {
        name: "tfrp",
        about: "groups of k seen from two fixed corners of the data",
        reference: "Chang, Li and Huang 2007",
        solve: |matrix, options| tfrp::tfrp(matrix, options.k),
    },
    Entry {
        name: "tfrp-2",
        about: "both stages of TFRP: groups dissolved where that lowers SSE",
        reference: "Chang, Li and Huang 2007",
        solve: |matrix, options| tfrp::tfrp_two_stages(matrix, options.k),
    },
    Entry {
        name: "systematic",
        about: "all groups at once from every k-th record of a sorted list",
        reference: "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, Table 5.1",
        solve: |matrix, options| systematic::systematic(matrix, options.k),
    },
    Entry {
        name: "p-s",
        about: "pairs of groups from both ends of a sorted list, least SSE",
        reference: "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, Figure 6.1, as its text reads",
        solve: |matrix, options| {
            pairwise::pairwise_systematic(matrix, options.k, Nearest::LeastSse)
        },
    },
    Entry {
        name: "p-s-literal",
        about: "pairs of groups from both ends of a sorted list, nearest to the seed",
        reference: "M. E. Kabir, Access control management and privacy-preserving, doctoral thesis 2010, Figure 6.1, to the letter",
        solve: |matrix, options| {
            pairwise::pairwise_systematic(matrix, options.k, Nearest::ToTheSeed)
        },
    },
    Entry {
        name: "univariate",
        about: "the optimal partition of a single column",
        reference: "Hansen and Mukherjee 2003",
        solve: |matrix, options| univariate::univariate(matrix, options.k),
    },
    Entry {
        name: "mhm",
        about: "the best of the orders below, each cut optimally",
        reference: "Domingo-Ferrer et al. 2006",
        solve: |matrix, options| mhm::best_order(matrix, options.k),
    },
    Entry {
        name: "mhm-mdav",
        about: "the order of MDAV's groups, cut optimally",
        reference: "Domingo-Ferrer et al. 2006",
        solve: |matrix, options| mhm::mhm(matrix, options.k, Order::Mdav),
    },
    Entry {
        name: "mhm-md",
        about: "the order of MD's groups, cut optimally",
        reference: "Domingo-Ferrer et al. 2006",
        solve: |matrix, options| mhm::mhm(matrix, options.k, Order::Md),
    },
    Entry {
        name: "mhm-cbfs",
        about: "the order of CBFS's groups, cut optimally",
        reference: "Domingo-Ferrer et al. 2006",
        solve: |matrix, options| mhm::mhm(matrix, options.k, Order::Cbfs),
    },
    Entry {
        name: "mhm-npn",
        about: "nearest point next, cut optimally",
        reference: "Domingo-Ferrer et al. 2006",
        solve: |matrix, options| mhm::mhm(matrix, options.k, Order::NearestPointNext),
    },
    Entry {
        name: "best-effort",
        about: "the best of these, improved region by region by simulated annealing for `effort` rounds",
        reference: "ours; annealing: Kirkpatrick, Gelatt and Vecchi 1983",
        solve: |matrix, options| {
            crate::best_effort(matrix, options, &|| true).map_or_else(
                |_| Vec::new(),
                |found| found.partition.groups().map(<[u32]>::to_vec).collect(),
            )
        },
    },
];

/// The algorithm of that name.
pub fn algorithm(name: &str) -> Result<&'static Entry, Error> {
    CATALOGUE
        .iter()
        .find(|entry| entry.name == name)
        .ok_or_else(|| {
            let nearest = CATALOGUE
                .iter()
                .min_by_key(|entry| denym_data::edits(entry.name, name))
                .map_or("mdav", |entry| entry.name);
            Error::UnknownAlgorithm {
                name: name.to_owned(),
                nearest,
            }
        })
}

/// The groups that the named algorithm finds on (scaled) data.
pub fn solve(name: &str, matrix: &Matrix, options: &Options) -> Result<Partition, Error> {
    let entry = algorithm(name)?;
    check(matrix, options)?;
    if entry.name == "univariate" && matrix.columns() != 1 {
        return Err(Error::OneColumnOnly {
            algorithm: entry.name,
            columns: matrix.columns(),
        });
    }
    Partition::new((entry.solve)(matrix, options), matrix.rows())
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
