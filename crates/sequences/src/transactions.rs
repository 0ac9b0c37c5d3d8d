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

use std::sync::Arc;

use denym_data::sequences::Doublet;
use denym_data::{Fraction, Sequences};
use denym_measure::Promise;
use denym_measure::promises::{Confidence, KAnonymity};
use hashbrown::HashMap;

use crate::blind_suppression;
use crate::error::Error;
use crate::frequent;
use crate::global_suppression;
use crate::miner;
use crate::recoding::{PathRecoding, Rows, Stats, Vocabulary};
use crate::request::{Algorithm, Context, Cost, Limits, Request, Secret};
use crate::summary::Summary;
use crate::violations::Violations;

/// What is asked of a table of transactions.
#[derive(Clone)]
pub struct TransactionRequest {
    /// Most public items the adversary knows (m, or p).
    pub m: usize,
    /// Fewest transactions in a group.
    pub k: u64,
    /// Sensitive items with their bounds (h); all others are public.
    pub sensitive: Vec<(String, Fraction)>,
    /// What else must hold of every group, on the attributes of the table by position.
    pub promises: Vec<Arc<dyn Promise>>,
    /// For each item code its ever coarser names, the root last; `None` suppresses.
    pub taxonomy: Option<Vec<Vec<String>>>,
    /// Whether items are suppressed without a look at who has which sensitive item, all or nothing.
    pub blind: bool,
    /// What the greedy choice minds losing, when it suppresses.
    pub cost: Cost,
    /// Whether items that no violation needs are taken back at the end of suppression.
    pub unsuppress: bool,
    /// Support and length of the frequent itemsets (nuggets) to count before and after.
    pub nuggets: Option<(u64, usize)>,
    /// Violations that are held at once; where there are more, items are suppressed in rounds.
    pub at_once: u64,
}

impl TransactionRequest {
    /// k^m-anonymity by suppression.
    pub fn new(m: usize, k: u64) -> Self {
        Self {
            m,
            k,
            sensitive: Vec::new(),
            promises: Vec::new(),
            taxonomy: None,
            blind: false,
            cost: Cost::default(),
            unsuppress: true,
            nuggets: None,
            at_once: miner::MOST_AT_ONCE,
        }
    }

    /// Everything that must hold of a group: size first, then each bound, then the rest. Attributes are the `own` ones of the
    /// table, then the sensitive items.
    pub fn all_promises(&self, own: usize) -> Vec<Box<dyn Promise>> {
        let mut all: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: self.k })];
        for (item, (_, at_most)) in self.sensitive.iter().enumerate() {
            all.push(Box::new(Confidence::of_values(own + item, [(1, *at_most)])));
        }
        for promise in &self.promises {
            all.push(Box::new(Arc::clone(promise)));
        }
        all
    }
}

impl From<&Request> for TransactionRequest {
    fn from(request: &Request) -> Self {
        let sensitive = request
            .bounds
            .iter()
            .filter_map(|bound| match &bound.secret {
                Secret::Place { location } => Some((location.clone(), bound.at_most)),
                Secret::Value { .. } => None,
            });
        let ladder = request
            .ladder
            .as_ref()
            .filter(|ladder| !ladder.rungs.is_empty());
        let taxonomy = ladder.map(|ladder| {
            let items = ladder.rungs[0].places.len();
            let chain = |item: usize| {
                ladder
                    .rungs
                    .iter()
                    .map(move |rung| rung.places[item].clone())
            };
            (0..items).map(|item| chain(item).collect()).collect()
        });
        Self {
            m: request.l,
            k: request.k,
            sensitive: sensitive.collect(),
            promises: request.promises.clone(),
            taxonomy,
            blind: request.algorithm == Algorithm::BlindSuppression,
            cost: request.cost,
            unsuppress: request.unsuppress,
            nuggets: match request.cost {
                Cost::FrequentSequences { support, length } => Some((support, length)),
                Cost::Instances => None,
            },
            at_once: miner::MOST_AT_ONCE,
        }
    }
}

impl std::fmt::Debug for TransactionRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TransactionRequest")
            .field("m", &self.m)
            .field("k", &self.k)
            .finish_non_exhaustive()
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
    /// The loss of an instance shown under each name.
    coarseness: Vec<f64>,
}

impl TransactionRecoding {
    /// The same in the words of any recoding: what each distinct set publishes, names in their order.
    fn spelled_out(self, algorithm: Algorithm, table: &Sequences, secret: &[bool]) -> PathRecoding {
        let mut order: Vec<u32> = (0..self.names.len() as u32).collect();
        order.sort_unstable_by_key(|&name| &self.names[name as usize]);
        let mut rank = vec![0_u32; order.len()];
        for (place, &name) in (0..).zip(&order) {
            rank[name as usize] = place;
        }
        let shown_as: Vec<Option<u32>> = self
            .name_of
            .iter()
            .map(|name| name.map(|name| rank[name as usize]))
            .collect();
        let mut rows = Rows::from_lists([]);
        let mut known: HashMap<&[u32], u32> = HashMap::new();
        let row_of_record = table.records().map(|set| {
            *known.entry(set).or_insert_with(|| {
                let mut shown: Vec<u32> = set
                    .iter()
                    .filter_map(|&item| shown_as[item as usize])
                    .collect();
                shown.sort_unstable();
                shown.dedup();
                rows.items.extend(shown);
                rows.starts.push(rows.items.len() as u32);
                rows.starts.len() as u32 - 2
            })
        });
        let row_of_record = row_of_record.collect();
        let mut count = vec![0_u64; self.name_of.len()];
        for &item in table.records().flatten() {
            count[item as usize] += 1;
        }
        let public = (0..count.len()).filter(|&item| !secret[item] && count[item] > 0);
        let own = |item: &usize| {
            let shown = self.name_of[*item].map(|name| &self.names[name as usize]);
            shown == Some(&table.locations()[*item])
        };
        let lost = public.clone().filter(|&item| self.name_of[item].is_none());
        let stats = Stats {
            critical_violations: self.critical_violations,
            critical_violations_by_length: self.critical_violations_by_length,
            doublets: self.instances,
            lost_doublets: self.lost_instances,
            unchanged_doublets: public.clone().filter(own).map(|item| count[item]).sum(),
            distortion: if self.instances > 0 {
                self.lost_instances as f64 / self.instances as f64
            } else {
                0.0
            },
            loss: self.loss,
            rounds: 0,
        };
        PathRecoding {
            algorithm,
            suppressed: lost.map(|item| item as u32).collect(),
            dropped_records: Vec::new(),
            vocabulary: Vocabulary {
                locations: (order.iter())
                    .map(|&name| self.names[name as usize].clone())
                    .collect(),
                times: vec![String::new()],
                doublets: (0..order.len() as u32)
                    .map(|location| Doublet { time: 0, location })
                    .collect(),
                loss: (order.iter())
                    .map(|&name| self.coarseness[name as usize])
                    .collect(),
                stands_for: shown_as
                    .iter()
                    .map(|name| name.iter().copied().collect())
                    .collect(),
            },
            stats,
            frequent: self.nuggets,
            rows,
            row_of_record,
        }
    }

    /// The released transactions.
    pub fn apply(&self, source: &Sequences) -> Result<Sequences, Error> {
        let (mut starts, mut codes) = (vec![0u32], Vec::new());
        for set in source.records() {
            let mut shown: Vec<u32> = set
                .iter()
                .filter_map(|&item| self.name_of[item as usize])
                .collect();
            shown.sort_unstable();
            shown.dedup();
            codes.extend(shown);
            starts.push(codes.len() as u32);
        }
        let mut released = Sequences::of_items(self.names.clone(), starts, codes)?;
        for attribute in source.sensitive() {
            released = released.with_sensitive(attribute.clone())?;
        }
        Ok(released)
    }
}

/// Finds a recoding by the algorithm of `request`; `auto` is the one with the least loss, suppression where both lose as much.
pub(crate) fn solve(
    table: &Sequences,
    request: &Request,
    context: &Context,
) -> Result<PathRecoding, Error> {
    request.check()?;
    let mut asked = TransactionRequest::from(request);
    let secret: Vec<bool> = table
        .locations()
        .iter()
        .map(|item| asked.sensitive.iter().any(|(name, _)| name == item))
        .collect();
    let algorithm = match request.algorithm {
        Algorithm::Auto => {
            let tries = [Algorithm::ItemSuppression, Algorithm::ItemGeneralization];
            let tries = &tries[..if asked.taxonomy.is_some() { 2 } else { 1 }];
            let mut best: Option<PathRecoding> = None;
            for &algorithm in tries {
                let mut request = request.clone();
                request.algorithm = algorithm;
                let found = solve(table, &request, context)?;
                if best
                    .as_ref()
                    .is_none_or(|best| found.stats.loss < best.stats.loss)
                {
                    best = Some(found);
                }
            }
            return best.ok_or(Error::Internal {
                what: "suppression is always tried",
            });
        }
        Algorithm::ItemSuppression => {
            asked.taxonomy = None;
            Algorithm::ItemSuppression
        }
        own @ (Algorithm::ItemGeneralization | Algorithm::BlindSuppression) => own,
        _ => {
            return Err(Error::BadOption {
                what: "an algorithm of doublets does not work on items",
            });
        }
    };
    let found = solve_transactions(table, &asked, context)?;
    Ok(found.spelled_out(algorithm, table, &secret))
}

/// Finds a recoding of the items that keeps the promise.
pub fn solve_transactions(
    table: &Sequences,
    request: &TransactionRequest,
    context: &Context,
) -> Result<TransactionRecoding, Error> {
    let Setting {
        summary,
        limits,
        secret_of,
    } = Setting::new(table, request)?;
    let items = table.locations().len();
    nothing_known(table, &summary, &limits, request)?;
    let (violations, whole) = miner::mine_some(&summary, &limits, request.at_once, context)?;
    let by_length = violations.by_length();
    let taxonomy = request.taxonomy.as_ref().filter(|_| !request.blind);
    let mut recoding = match taxonomy {
        None => {
            let chosen = if request.blind {
                let deck = deck(table, &limits, &secret_of);
                blind_suppression::choose(&summary, &limits, deck, context)?
            } else if whole {
                global_suppression::select(
                    &summary,
                    &violations,
                    request.cost,
                    request.unsuppress,
                    context,
                )?
            } else {
                in_rounds(&summary, violations, request, &limits, context)?
            };
            let mut name_of: Vec<Option<u32>> = (0..items as u32).map(Some).collect();
            for item in chosen {
                name_of[item as usize] = None;
            }
            finish(
                &summary,
                table.locations().to_vec(),
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
                    recoding.names[name as usize] == table.locations()[item as usize]
                })
            })
        };
        let after = before.iter().filter(kept).count() as u64;
        recoding.nuggets = Some((before.len() as u64, after));
    }
    Ok(recoding)
}

/// Chooses the items to suppress where there are more violations than are held: as many as fit are mined and suppressed, then those
/// that are left. What is suppressed for some never makes others (see [`crate::global_suppression`]), so this ends with none.
fn in_rounds(
    summary: &Summary,
    first: Violations,
    request: &TransactionRequest,
    limits: &Limits,
    context: &Context,
) -> Result<Vec<u32>, Error> {
    let mut gone = vec![false; summary.item_count()];
    let (mut violations, mut whole) = (first, false);
    loop {
        let lists: Vec<Vec<u32>> = (0..summary.rows())
            .map(|row| {
                let left = summary.row(row).iter().copied();
                left.filter(|&item| !gone[item as usize]).collect()
            })
            .collect();
        let rows = Rows::from_lists(lists.iter().map(Vec::as_slice));
        let current = summary.with_items(rows.starts, rows.items, summary.item_count());
        // Only of all violations can it be told that an item need not go.
        let unsuppress = request.unsuppress && whole;
        let chosen =
            global_suppression::select(&current, &violations, request.cost, unsuppress, context)?;
        for item in chosen {
            gone[item as usize] = true;
        }
        if whole {
            let items = 0..summary.item_count() as u32;
            return Ok(items.filter(|&item| gone[item as usize]).collect());
        }
        let lists: Vec<Vec<u32>> = lists
            .into_iter()
            .map(|list| {
                list.into_iter()
                    .filter(|&item| !gone[item as usize])
                    .collect()
            })
            .collect();
        let rows = Rows::from_lists(lists.iter().map(Vec::as_slice));
        let left = summary.with_items(rows.starts, rows.items, summary.item_count());
        (violations, whole) = miner::mine_some(&left, limits, request.at_once, context)?;
    }
}

/// What is counted of each transaction.
fn deck(table: &Sequences, limits: &Limits, secret_of: &[Option<usize>]) -> Vec<Vec<u32>> {
    let alone: Vec<(u32, &[u32])> = (0..table.len() as u32)
        .map(|record| (record, &[][..]))
        .collect();
    let counters = limits.judge.counters();
    let mut each = Summary::of_lists(&alone, table.locations().len(), counters.stride() - 1);
    count(&mut each, table, limits, secret_of);
    let records = 0..table.len();
    records.map(|record| each.weight(record).to_vec()).collect()
}

/// Counts everything that the judge of `limits` reads: values of attributes, then sensitive items.
fn count(summary: &mut Summary, table: &Sequences, limits: &Limits, secret_of: &[Option<usize>]) {
    let counters = limits.judge.counters();
    let own = table.sensitive();
    for attribute in counters.attributes() {
        if let Some(column) = own.get(attribute) {
            summary.count_values(counters, attribute, |record| column.codes[record]);
        } else {
            let bound = attribute - own.len();
            summary.count_values(counters, attribute, |record| {
                let mut set = table.record(record).iter();
                u32::from(set.any(|&item| secret_of[item as usize] == Some(bound)))
            });
        }
    }
}

/// Critical violations (moles) of a table: smallest sets of up to m public items that break the promise.
pub fn critical_itemsets(
    table: &Sequences,
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
    fn new(table: &Sequences, request: &TransactionRequest) -> Result<Self, Error> {
        if request.m == 0 || request.k == 0 {
            return Err(Error::NotPositive { what: "m and k" });
        }
        let items = table.locations().len();
        let secret_of: Vec<Option<usize>> = table
            .locations()
            .iter()
            .map(|item| request.sensitive.iter().position(|(name, _)| name == item))
            .collect();
        let own = table.sensitive();
        let mut values: Vec<usize> = own.iter().map(|a| a.values.len()).collect();
        values.resize(values.len() + request.sensitive.len(), 2);
        let limits = Limits::new(request.m, request.all_promises(own.len()), &values);
        let public: Vec<Vec<u32>> = table
            .records()
            .map(|set| {
                set.iter()
                    .copied()
                    .filter(|&i| secret_of[i as usize].is_none())
                    .collect()
            })
            .collect();
        let keyed: Vec<(u32, &[u32])> = public.iter().map(|set| (0, set.as_slice())).collect();
        let counters = limits.judge.counters();
        let mut summary = Summary::of_lists(&keyed, items, counters.stride() - 1);
        count(&mut summary, table, &limits, &secret_of);
        Ok(Self {
            summary,
            limits,
            secret_of,
        })
    }
}

fn nothing_known(
    table: &Sequences,
    summary: &Summary,
    limits: &Limits,
    request: &TransactionRequest,
) -> Result<(), Error> {
    let total = summary.total(0..summary.rows());
    let Some(at) = limits.judge.rejected_by(&total) else {
        return Ok(());
    };
    let promise = &limits.judge.promises()[at];
    let counters = limits.judge.counters();
    let share = counters.with_group(&total, &[], |group| promise.share(group));
    let size = u64::from(total[0]);
    Err(match (at.checked_sub(1), share) {
        (None, _) => Error::TooFewRecords {
            k: limits.k(),
            smallest: size,
            records: size,
        },
        (Some(bound), Some((having, records))) if bound < request.sensitive.len() => {
            Error::BaseRate {
                bound,
                attribute: request.sensitive[bound].0.clone(),
                having,
                records,
            }
        }
        _ => {
            let about = promise.terms().attribute;
            let column = about.and_then(|about| table.sensitive().get(about));
            Error::WholeTable {
                promise: promise.terms().name,
                attribute: column.map(|column| column.name.clone()).unwrap_or_default(),
            }
        }
    })
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
        coarseness: coarseness.to_vec(),
    }
}

/// Climbs the taxonomy until no violation is left.
fn generalize(
    table: &Sequences,
    summary: &Summary,
    taxonomy: &[Vec<String>],
    secret_of: &[Option<usize>],
    limits: &Limits,
    context: &Context,
) -> Result<TransactionRecoding, Error> {
    let items = table.locations().len();
    if taxonomy.len() != items {
        return Err(Error::BadOption {
            what: "the taxonomy must name the ancestors of every item",
        });
    }
    // Nodes: the items, then every ancestor of a public item. each has one parent.
    let mut names = table.locations().to_vec();
    let mut code: HashMap<String, u32> = names.iter().cloned().zip(0..).collect();
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
        // Of too many violations the first are mended, and the table is looked at again: so it is with few.
        let (violations, _) = miner::mine_some(&current, limits, miner::MOST_AT_ONCE, context)?;
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
