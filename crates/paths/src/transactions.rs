//! Transactions: k^m-anonymity and (h,k,p)-coherence by item suppression or generalization.
//!
//! # Idea
//!
//! A transaction is a path without time: the adversary knows any m of its public items. So the
//! miner and the violation tree of paths do the work. Sensitive items are never known beforehand;
//! they are the secrets, each with a bound h. Suppression takes items out of every transaction.
//! Generalization climbs a taxonomy: the chosen item and all its siblings become their parent,
//! and only what breaks the promise at the top is suppressed.
//!
//! # Guarantee
//!
//! Every set of up to m published public items that occurs at all occurs in k transactions, and
//! none of them points to a sensitive item with confidence above its bound.
//!
//! # Reference
//!
//! Terrovitis, Mamoulis, Kalnis, *Privacy-preserving anonymization of set-valued data*, VLDB 2008 (k^m);
//! Xu, Wang, Fu, Yu, *Anonymizing transaction databases for publication*, KDD 2008 ((h,k,p)-coherence);
//! Xu, Fung, Wang, Fu, Pei, ICDM 2008 (nuggets); Fung et al., survey, section 7.1.
//!
//! # Departures
//!
//! Knowing nothing is checked first. Moles are mined as critical violations instead of being
//! represented by borders. Generalization is greedy over the violation tree, with the loss of the
//! whole subtree that must climb as its price.

use denym_data::Fraction;
use denym_data::transactions::Transactions;

use crate::error::Error;
use crate::frequent;
use crate::global_suppression;
use crate::miner;
use crate::recoding::Rows;
use crate::request::{Context, Cost, Limits};
use crate::summary::Summary;
use crate::violations::Violations;

/// What is asked of a table of transactions.
#[derive(Clone, Debug)]
pub struct TransactionRequest {
    /// Most public items the adversary knows (m, or p).
    pub m: usize,
    /// Fewest transactions in a group.
    pub k: u64,
    /// Sensitive items with their bounds (h); all others are public.
    pub sensitive: Vec<(String, Fraction)>,
    /// For each item code its ever coarser names, the root last; `None` suppresses.
    pub taxonomy: Option<Vec<Vec<String>>>,
    /// What the greedy choice minds losing, when it suppresses.
    pub cost: Cost,
    /// Whether items that no violation needs are taken back at the end of suppression.
    pub unsuppress: bool,
    /// Support and length of the frequent itemsets (nuggets) to count before and after.
    pub nuggets: Option<(u64, usize)>,
}

impl TransactionRequest {
    /// k^m-anonymity by suppression.
    pub fn new(m: usize, k: u64) -> Self {
        Self {
            m,
            k,
            sensitive: Vec::new(),
            taxonomy: None,
            cost: Cost::default(),
            unsuppress: true,
            nuggets: None,
        }
    }
}

/// What to publish for each item.
#[derive(Clone, Debug)]
pub struct TransactionRecoding {
    /// Names that may be published.
    pub names: Vec<String>,
    /// Published name of each item, or `None` when it is suppressed.
    pub name_of: Vec<Option<u32>>,
    /// Critical violations (moles) of the source.
    pub critical_violations: u64,
    /// The same by size, from 1.
    pub critical_violations_by_length: Vec<u64>,
    /// Items suppressed.
    pub suppressed_items: u64,
    /// Item instances in the source, public ones.
    pub instances: u64,
    /// Public item instances removed.
    pub lost_instances: u64,
    /// Mean loss of a public instance: 1 when removed, its coarseness when generalized.
    pub loss: f64,
    /// Frequent itemsets before and after, when asked for.
    pub nuggets: Option<(u64, u64)>,
}

impl TransactionRecoding {
    /// For each source item the name it is published under, if any.
    pub fn shown_names(&self) -> Vec<Vec<String>> {
        let name = |shown: &Option<u32>| shown.map(|name| self.names[name as usize].clone());
        let shown = self.name_of.iter().map(name);
        shown.map(|name| name.into_iter().collect()).collect()
    }

    /// The released transactions.
    pub fn apply(&self, source: &Transactions) -> Result<Transactions, Error> {
        let (mut starts, mut codes) = (vec![0u32], Vec::new());
        for set in source.sets() {
            let mut shown: Vec<u32> = set
                .iter()
                .filter_map(|&item| self.name_of[item as usize])
                .collect();
            shown.sort_unstable();
            shown.dedup();
            codes.extend(shown);
            starts.push(codes.len() as u32);
        }
        Ok(Transactions::from_codes(self.names.clone(), starts, codes)?)
    }
}

/// Finds a recoding of the items that keeps the promise.
pub fn solve_transactions(
    table: &Transactions,
    request: &TransactionRequest,
    context: &Context,
) -> Result<TransactionRecoding, Error> {
    let Setting {
        summary,
        limits,
        secret_of,
    } = Setting::new(table, request)?;
    let items = table.items().len();
    nothing_known(&summary, &limits, request)?;
    let violations = miner::mine(&summary, &limits, context)?;
    let by_length = violations.by_length();
    let mut recoding = match &request.taxonomy {
        None => {
            let chosen = global_suppression::select(
                &summary,
                &violations,
                request.cost,
                request.unsuppress,
                context,
            )?;
            let mut name_of: Vec<Option<u32>> = (0..items as u32).map(Some).collect();
            for item in chosen {
                name_of[item as usize] = None;
            }
            finish(
                &summary,
                table.items().to_vec(),
                name_of,
                &vec![0.0; items],
                &secret_of,
            )
        }
        Some(taxonomy) => generalize(table, &summary, taxonomy, &secret_of, &limits, context)?,
    };
    recoding.critical_violations = by_length.iter().sum();
    recoding.critical_violations_by_length = by_length;
    if let Some((support, length)) = request.nuggets {
        let before = frequent::sequences(&summary, support, length, context)?;
        let kept = |set: &&[u32]| {
            set.iter().all(|&item| {
                let name = recoding.name_of[item as usize];
                name.is_some_and(|name| {
                    recoding.names[name as usize] == table.items()[item as usize]
                })
            })
        };
        let after = before.iter().filter(kept).count() as u64;
        recoding.nuggets = Some((before.len() as u64, after));
    }
    Ok(recoding)
}

/// Critical violations (moles) of a table: smallest sets of up to m public items that break the promise.
pub fn critical_itemsets(
    table: &Transactions,
    request: &TransactionRequest,
    context: &Context,
) -> Result<Violations, Error> {
    let setting = Setting::new(table, request)?;
    miner::mine(&setting.summary, &setting.limits, context)
}

/// A table as the miner sees it.
struct Setting {
    summary: Summary,
    limits: Limits,
    /// The bound of each item that is sensitive.
    secret_of: Vec<Option<usize>>,
}

impl Setting {
    fn new(table: &Transactions, request: &TransactionRequest) -> Result<Self, Error> {
        if request.m == 0 || request.k == 0 {
            return Err(Error::NotPositive { what: "m and k" });
        }
        let items = table.items().len();
        let secret_of: Vec<Option<usize>> = table
            .items()
            .iter()
            .map(|item| request.sensitive.iter().position(|(name, _)| name == item))
            .collect();
        let limits = Limits {
            l: request.m,
            k: request.k,
            at_most: request.sensitive.iter().map(|(_, bound)| *bound).collect(),
        };
        let public: Vec<Vec<u32>> = table
            .sets()
            .map(|set| {
                set.iter()
                    .copied()
                    .filter(|&i| secret_of[i as usize].is_none())
                    .collect()
            })
            .collect();
        let keyed: Vec<(u32, &[u32])> = public.iter().map(|set| (0, set.as_slice())).collect();
        let mut summary = Summary::of_lists(&keyed, items, request.sensitive.len());
        for bound in 0..request.sensitive.len() {
            summary.mark(bound, |record| {
                table
                    .set(record)
                    .iter()
                    .any(|&item| secret_of[item as usize] == Some(bound))
            });
        }
        Ok(Self {
            summary,
            limits,
            secret_of,
        })
    }
}

fn nothing_known(
    summary: &Summary,
    limits: &Limits,
    request: &TransactionRequest,
) -> Result<(), Error> {
    let total = summary.total(0..summary.rows());
    let size = u64::from(total[0]);
    if size < limits.k {
        return Err(Error::TooFewRecords {
            k: limits.k,
            smallest: size,
            records: size,
        });
    }
    for (bound, at_most) in limits.at_most.iter().enumerate() {
        let with = u64::from(total[bound + 1]);
        if at_most.is_exceeded_by(with, size) {
            return Err(Error::BaseRate {
                bound,
                attribute: request.sensitive[bound].0.clone(),
                having: with,
                records: size,
            });
        }
    }
    Ok(())
}

/// Figures of a recoding; `coarseness` is the loss of each name.
fn finish(
    summary: &Summary,
    names: Vec<String>,
    name_of: Vec<Option<u32>>,
    coarseness: &[f64],
    secret_of: &[Option<usize>],
) -> TransactionRecoding {
    let instances = summary.instances();
    let (mut all, mut lost, mut loss, mut suppressed) = (0, 0, 0.0, 0);
    for (item, &count) in instances.iter().enumerate() {
        if secret_of[item].is_some() || count == 0 {
            continue;
        }
        all += count;
        match name_of[item] {
            None => {
                suppressed += 1;
                lost += count;
                loss += count as f64;
            }
            Some(name) => loss += count as f64 * coarseness[name as usize],
        }
    }
    TransactionRecoding {
        names,
        name_of,
        critical_violations: 0,
        critical_violations_by_length: Vec::new(),
        suppressed_items: suppressed,
        instances: all,
        lost_instances: lost,
        loss: if all > 0 { loss / all as f64 } else { 0.0 },
        nuggets: None,
    }
}

/// Climbs the taxonomy until no violation is left.
fn generalize(
    table: &Transactions,
    summary: &Summary,
    taxonomy: &[Vec<String>],
    secret_of: &[Option<usize>],
    limits: &Limits,
    context: &Context,
) -> Result<TransactionRecoding, Error> {
    let items = table.items().len();
    if taxonomy.len() != items {
        return Err(Error::BadOption {
            what: "the taxonomy must name the ancestors of every item",
        });
    }
    // Nodes: the items, then every ancestor of a public item. each has one parent.
    let mut names = table.items().to_vec();
    let mut code: hashbrown::HashMap<String, u32> = names.iter().cloned().zip(0..).collect();
    let mut parents: Vec<Option<u32>> = vec![None; items];
    let mut leaves: Vec<Vec<u32>> = (0..items as u32).map(|item| vec![item]).collect();
    for item in (0..items).filter(|&item| secret_of[item].is_none()) {
        let mut below = item as u32;
        for ancestor in &taxonomy[item] {
            let node = *code.entry_ref(ancestor.as_str()).or_insert_with(|| {
                names.push(ancestor.clone());
                parents.push(None);
                leaves.push(Vec::new());
                names.len() as u32 - 1
            });
            if node == below {
                continue;
            }
            if *parents[below as usize].get_or_insert(node) != node || (node as usize) < items {
                return Err(Error::BadOption {
                    what: "a taxonomy is a tree above the items: one parent for each node",
                });
            }
            leaves[node as usize].push(item as u32);
            below = node;
        }
    }
    // Coarseness of a node: the other leaves it stands for; of a suppressed item: all of them.
    let whole = secret_of
        .iter()
        .filter(|secret| secret.is_none())
        .count()
        .max(2) as u64
        - 1;
    let others: Vec<u64> = leaves
        .iter()
        .map(|below| below.len().max(1) as u64 - 1)
        .collect();
    let coarseness: Vec<f64> = others.iter().map(|&n| n as f64 / whole as f64).collect();
    let instances = summary.instances();
    let mut name_of: Vec<Option<u32>> = (0..items as u32).map(Some).collect();
    loop {
        context.check()?;
        let lists: Vec<Vec<u32>> = (0..summary.rows())
            .map(|row| {
                let shown = summary.row(row).iter().filter_map(|&i| name_of[i as usize]);
                let mut list: Vec<u32> = shown.collect();
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect();
        let rows = Rows::from_lists(lists.iter().map(Vec::as_slice));
        let current = summary.with_items(rows.starts, rows.items, names.len());
        let violations = miner::mine(&current, limits, context)?;
        if violations.is_empty() {
            return Ok(finish(summary, names, name_of, &coarseness, secret_of));
        }
        // Price of a node: what its parent's whole subtree loses by climbing, in leaves times instances.
        let price: Vec<u64> = (0..names.len())
            .map(|node| {
                let (below, target) = match parents[node] {
                    Some(parent) => (&leaves[parent as usize], others[parent as usize]),
                    None => (&leaves[node], whole),
                };
                let loss = below.iter().filter_map(|&item| {
                    let now = others[name_of[item as usize]? as usize];
                    Some(target.saturating_sub(now) * instances[item as usize])
                });
                loss.sum()
            })
            .collect();
        for node in global_suppression::choose(&violations, &price, false) {
            let Some(parent) = parents[node as usize] else {
                for &item in &leaves[node as usize] {
                    name_of[item as usize] = None;
                }
                continue;
            };
            for &item in &leaves[parent as usize] {
                // An item already higher up, or gone, stays.
                let now = name_of[item as usize];
                if now.is_some_and(|now| is_below(&parents, now, parent)) {
                    name_of[item as usize] = Some(parent);
                }
            }
        }
    }
}

/// Whether a node is a proper descendant of another.
fn is_below(parents: &[Option<u32>], node: u32, other: u32) -> bool {
    let mut up = parents[node as usize];
    while let Some(node) = up {
        if node == other {
            return true;
        }
        up = parents[node as usize];
    }
    false
}
