//! Trail defence: withholds as few entries as it can so that every anonymous trail keeps at least k possible owners.
//!
//! # Idea
//!
//! The publisher knows who owns which anonymous trail, and that assignment is one explanation of the published data. An
//! owner is possible for a trail exactly when swapping leads from the one explanation to another: draw an arrow from
//! subject i to subject j when j's identified trail covers i's anonymous one; j is possible for i when the arrow lies on a
//! cycle. An identified person without an anonymous trail closes every cycle through them. Withholding an entry only adds
//! arrows, so it never takes a possible owner away, and three steps follow:
//!
//! 1. Repair: for each trail with too few owners choose the partners that cost the fewest entries, or withhold the trail.
//! 2. Restore: put entries back one by one while everybody keeps k owners. What remains is minimal: no single entry can return.
//! 3. On small instances try every smaller set of entries.
//!
//! # Guarantee
//!
//! Every published trail has at least k owners over all assignments of distinct owners that cover the trails: forced
//! matching, REIDIT-I and REIDIT-M name nobody for k >= 2. So many are left to somebody who knows this program as well: trails that
//! have k owners are published as they are, so a source that hands the published trails to other covering owners gives the same
//! release, and no assignment is ruled out by running it backwards (`tests/trail_worlds.rs`). A trail without entries is not published. Not protected: owners
//! need not be equally likely, and an adversary who believes that nothing was withheld (REIDIT-C) may guess right.
//!
//! # Reference
//!
//! Ours; the question is Malin, CMU-CALD-02-108, 2002, section 9.
//!
//! # Cost
//!
//! One check takes n^2/64 steps and the arrows, n trails; repair makes a few and one search per weak trail, restoring at most one
//! check per withheld entry (`restore_trials` in all). Memory n x m / 8 bytes for m identified people. Some thousands of trails.

use denym_data::Trails;
use rayon::prelude::*;

/// How to defend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The least number of possible owners of every published trail.
    pub k: usize,
    /// Try every smaller set when there are at most this many entries; at most 24.
    pub exact_up_to: usize,
    /// The most checks spent on putting entries back.
    pub restore_trials: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            k: 2,
            exact_up_to: 14,
            restore_trials: 20_000,
        }
    }
}

/// What cannot be defended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrailDefenceError {
    /// The sides number their institutions differently.
    #[error("one side has {anonymous} institutions and the other {identified}")]
    InstitutionsDiffer {
        /// Institutions of the anonymous side.
        anonymous: usize,
        /// Institutions of the identified side.
        identified: usize,
    },
    /// There is not one owner per anonymous trail, or an owner is out of range or named twice.
    #[error("anonymous trail {row} has no identified owner of its own")]
    Owner {
        /// The anonymous row, from 0.
        row: usize,
    },
    /// An anonymous entry has no identified counterpart: the collecting model does not hold.
    #[error("anonymous trail {row} has an entry that its owner's identified trail lacks")]
    NotCovered {
        /// The anonymous row, from 0.
        row: usize,
    },
    /// More owners are asked for than there are people.
    #[error("{k} possible owners asked for, but there are {people} identified people")]
    Infeasible {
        /// What was asked.
        k: usize,
        /// The most that can be had.
        people: usize,
    },
}

impl TrailDefenceError {
    /// A stable name for the mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::InstitutionsDiffer { .. } => "trail-defence-institutions-differ",
            Self::Owner { .. } => "trail-defence-owner",
            Self::NotCovered { .. } => "trail-defence-not-covered",
            Self::Infeasible { .. } => "trail-defence-infeasible",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::InstitutionsDiffer { .. } => {
                "build both sides over one institution list".to_owned()
            }
            Self::Owner { .. } => {
                "give every anonymous trail one identified owner, each at most once".to_owned()
            }
            Self::NotCovered { .. } => {
                "add the missing identified entry or drop the anonymous one".to_owned()
            }
            Self::Infeasible { people, .. } => format!("k = {people} is reachable"),
        }
    }
}

/// What to withhold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defence {
    /// Entries (anonymous row, institution) to withhold, ascending.
    pub withheld: Vec<(u32, u32)>,
    /// The anonymous trails after it; an empty one is not published.
    pub published: Trails,
    /// Possible owners of each anonymous trail; `None` for one that is not published.
    pub owners: Vec<Option<usize>>,
    /// Whether no smaller set of entries does it.
    pub optimal: bool,
}

/// The fewest entries of `anonymous` to withhold that it can find; `owner[row]` is the identified row of anonymous `row`.
///
/// # Errors
///
/// When the owners do not fit the trails, or more owners are asked for than there are people.
pub fn defend(
    anonymous: &Trails,
    identified: &Trails,
    owner: &[u32],
    options: &Options,
) -> Result<Defence, TrailDefenceError> {
    check(anonymous, identified, owner, options.k)?;
    let raw: Vec<Vec<u32>> = anonymous.iter().map(<[u32]>::to_vec).collect();
    let start = State::new(identified, owner, raw.clone());
    // Longest trails first repairs the odd ones while partners are rich; shortest first keeps partners cheap. Take the better.
    let plans: Vec<State> = [true, false]
        .into_par_iter()
        .map(|longest_first| {
            let mut state = start.clone();
            state.repair(options.k, longest_first);
            state.restore(&raw, options.k, options.restore_trials);
            state
        })
        .collect();
    let entries = |state: &State| state.trails.iter().map(Vec::len).sum::<usize>();
    let mut best = plans
        .into_iter()
        .reduce(|a, b| if entries(&b) > entries(&a) { b } else { a })
        .unwrap_or(start.clone());
    let mut optimal = entries(&best) == anonymous.entries();
    if !optimal && anonymous.entries() <= options.exact_up_to.min(24) {
        if let Some(better) = start.fewest(options.k, anonymous.entries() - entries(&best)) {
            best = better;
        }
        optimal = true;
    }
    let owners = best.owners();
    let mut withheld = Vec::new();
    for (row, (before, after)) in raw.iter().zip(&best.trails).enumerate() {
        withheld.extend(
            before
                .iter()
                .filter(|at| !after.contains(at))
                .map(|&at| (row as u32, at)),
        );
    }
    let published = Trails::from_rows(anonymous.institutions(), &best.trails)
        .map_err(|_| TrailDefenceError::NotCovered { row: 0 })?;
    let owners = best
        .trails
        .iter()
        .zip(owners)
        .map(|(trail, owners)| (!trail.is_empty()).then_some(owners))
        .collect();
    Ok(Defence {
        withheld,
        published,
        owners,
        optimal,
    })
}

fn check(
    anonymous: &Trails,
    identified: &Trails,
    owner: &[u32],
    k: usize,
) -> Result<(), TrailDefenceError> {
    if anonymous.institutions() != identified.institutions() {
        return Err(TrailDefenceError::InstitutionsDiffer {
            anonymous: anonymous.institutions(),
            identified: identified.institutions(),
        });
    }
    if owner.len() != anonymous.len() {
        return Err(TrailDefenceError::Owner {
            row: owner.len().min(anonymous.len()),
        });
    }
    let mut taken = vec![false; identified.len()];
    for (row, &person) in owner.iter().enumerate() {
        match taken.get_mut(person as usize) {
            Some(taken) if !*taken => *taken = true,
            _ => return Err(TrailDefenceError::Owner { row }),
        }
        if !Trails::is_subtrail(anonymous.get(row), identified.get(person as usize)) {
            return Err(TrailDefenceError::NotCovered { row });
        }
    }
    if k > identified.len() && anonymous.entries() > 0 {
        return Err(TrailDefenceError::Infeasible {
            k,
            people: identified.len(),
        });
    }
    Ok(())
}

/// The anonymous trails as they stand, and whom each identified person could own.
#[derive(Clone)]
struct State<'a> {
    identified: &'a Trails,
    owner: &'a [u32],
    trails: Vec<Vec<u32>>,
    /// For each institution, the identified people who have it, as bits.
    visitors: Vec<Vec<u64>>,
    /// For each anonymous trail, the identified people whose trail covers it, as bits. Not kept up for empty trails.
    covers: Vec<Vec<u64>>,
}

impl<'a> State<'a> {
    fn new(identified: &'a Trails, owner: &'a [u32], trails: Vec<Vec<u32>>) -> Self {
        let words = identified.len().div_ceil(64);
        let mut visitors = vec![vec![0_u64; words]; identified.institutions()];
        for (person, trail) in identified.iter().enumerate() {
            for &at in trail {
                visitors[at as usize][person / 64] |= 1 << (person % 64);
            }
        }
        let mut state = Self {
            identified,
            owner,
            trails,
            visitors,
            covers: Vec::new(),
        };
        state.covers = (0..state.trails.len())
            .into_par_iter()
            .map(|row| state.covering(row))
            .collect();
        state
    }

    fn covering(&self, row: usize) -> Vec<u64> {
        let mut bits = vec![u64::MAX; self.identified.len().div_ceil(64)];
        if let Some(last) = bits.last_mut() {
            let rest = self.identified.len() % 64;
            *last = if rest == 0 { u64::MAX } else { (1 << rest) - 1 };
        }
        for &at in &self.trails[row] {
            for (word, visitor) in bits.iter_mut().zip(&self.visitors[at as usize]) {
                *word &= visitor;
            }
        }
        bits
    }

    /// For each identified person the published anonymous row, or `None`.
    fn takers(&self) -> Vec<Option<usize>> {
        let mut takers = vec![None; self.identified.len()];
        for (row, &person) in self.owner.iter().enumerate() {
            if !self.trails[row].is_empty() {
                takers[person as usize] = Some(row);
            }
        }
        takers
    }

    /// How many owners each published trail can have; 0 for an empty one.
    fn owners(&self) -> Vec<usize> {
        let takers = self.takers();
        let pool = self.trails.len();
        let published: Vec<usize> = (0..pool)
            .filter(|&row| !self.trails[row].is_empty())
            .collect();
        // Arrows between rows; whoever covers a person without a published trail points to the pool, and the pool to all.
        let mut arrows: Vec<Vec<u32>> = vec![Vec::new(); pool + 1];
        let mut free = vec![0_usize; pool];
        for &row in &published {
            for person in ones(&self.covers[row]) {
                match takers[person] {
                    Some(other) => arrows[row].push(other as u32),
                    None => free[row] += 1,
                }
            }
            if free[row] > 0 {
                arrows[row].push(pool as u32);
            }
        }
        arrows[pool] = published.iter().map(|&row| row as u32).collect();
        let component = components(&arrows);
        let mut owners = vec![0; pool];
        for row in published {
            let swaps = arrows[row]
                .iter()
                .filter(|&&to| to as usize != pool && component[to as usize] == component[row]);
            owners[row] = free[row] + swaps.count();
        }
        owners
    }

    fn holds(&self, k: usize) -> bool {
        self.owners()
            .iter()
            .zip(&self.trails)
            .all(|(&owners, trail)| trail.is_empty() || owners >= k)
    }

    /// Step 1: weak trails get partners until nobody is weak. A repaired trail stays repaired, so the rounds end.
    fn repair(&mut self, k: usize, longest_first: bool) {
        loop {
            let owners = self.owners();
            let mut weak: Vec<usize> = (0..self.trails.len())
                .filter(|&row| !self.trails[row].is_empty() && owners[row] < k)
                .collect();
            if weak.is_empty() {
                return;
            }
            weak.sort_by_key(|&row| (self.trails[row].len(), row));
            if longest_first {
                weak.reverse();
            }
            for row in weak {
                self.repair_one(row, k);
            }
        }
    }

    /// Gives `row` k owners, unless earlier repairs did, or withholds it.
    fn repair_one(&mut self, row: usize, k: usize) {
        let takers = self.takers();
        let reaching = self.reaching(row, &takers);
        let own = self.identified.get(self.owner[row] as usize);
        let mut left = self.trails[row].clone();
        let mut chosen = vec![false; self.identified.len()];
        let mut cost = 0;
        // Owners it has already stay possible, since its trail only shrinks.
        let mut have = 0;
        for person in ones(&self.covers[row]) {
            if reaching[person] {
                chosen[person] = true;
                have += 1;
            }
        }
        if have >= k {
            return;
        }
        let mut partners = Vec::new();
        while have < k {
            let candidates = (0..self.identified.len())
                .into_par_iter()
                .filter(|&person| !chosen[person]);
            let priced = candidates.map(|person| {
                let here = missing(&left, self.identified.get(person));
                let there = match takers[person] {
                    Some(other) if !reaching[person] => missing(&self.trails[other], own),
                    _ => 0,
                };
                (here + there, person)
            });
            let Some((_, person)) = priced.min() else {
                break;
            };
            let there = self.identified.get(person);
            cost += missing(&left, there);
            left.retain(|at| there.contains(at));
            if let Some(other) = takers[person].filter(|_| !reaching[person]) {
                cost += missing(&self.trails[other], own);
                partners.push(other);
            }
            chosen[person] = true;
            have += 1;
        }
        if have < k || left.is_empty() || cost >= self.trails[row].len() {
            self.trails[row].clear();
            return;
        }
        self.trails[row] = left;
        self.covers[row] = self.covering(row);
        for other in partners {
            self.trails[other].retain(|at| own.contains(at));
            self.covers[other] = self.covering(other);
        }
    }

    /// The identified people from whom swaps lead to `row`'s owner.
    fn reaching(&self, row: usize, takers: &[Option<usize>]) -> Vec<bool> {
        let words = self.identified.len().div_ceil(64);
        let mut bits = vec![0_u64; words];
        let mut reaching: Vec<bool> = takers.iter().map(Option::is_none).collect();
        reaching[self.owner[row] as usize] = true;
        for (person, &reaches) in reaching.iter().enumerate() {
            if reaches {
                bits[person / 64] |= 1 << (person % 64);
            }
        }
        loop {
            let found: Vec<usize> = (0..takers.len())
                .into_par_iter()
                .filter(|&person| !reaching[person])
                .filter(|&person| {
                    takers[person].is_some_and(|taker| {
                        self.covers[taker]
                            .iter()
                            .zip(&bits)
                            .any(|(a, b)| a & b != 0)
                    })
                })
                .collect();
            if found.is_empty() {
                return reaching;
            }
            for person in found {
                reaching[person] = true;
                bits[person / 64] |= 1 << (person % 64);
            }
        }
    }

    /// Step 2: entries return while everybody keeps k owners; those of the trails that lost most come first.
    fn restore(&mut self, raw: &[Vec<u32>], k: usize, trials: u64) {
        let lost = |state: &Self, row: usize| raw[row].len() - state.trails[row].len();
        let mut order: Vec<usize> = (0..raw.len()).filter(|&row| lost(self, row) > 0).collect();
        order.sort_by_key(|&row| (std::cmp::Reverse(lost(self, row)), row));
        let mut trials = trials;
        for row in order {
            // A trail that was withheld as a whole returns entry by entry as well.
            let entries: Vec<u32> = raw[row]
                .iter()
                .copied()
                .filter(|at| !self.trails[row].contains(at))
                .collect();
            for at in entries {
                if trials == 0 {
                    return;
                }
                let (trail, cover) = (self.trails[row].clone(), self.covers[row].clone());
                self.trails[row].push(at);
                self.trails[row].sort_unstable();
                self.covers[row] = self.covering(row);
                // Fewer than k covering people settle it without looking for cycles.
                let covering: u32 = self.covers[row].iter().map(|word| word.count_ones()).sum();
                let enough = covering as usize >= k;
                trials -= u64::from(enough);
                if !enough || !self.holds(k) {
                    self.trails[row] = trail;
                    self.covers[row] = cover;
                }
            }
        }
    }

    /// Step 3: the smallest set of fewer than `bound` entries, if there is one.
    fn fewest(&self, k: usize, bound: usize) -> Option<Self> {
        let entries: Vec<(usize, u32)> = self
            .trails
            .iter()
            .enumerate()
            .flat_map(|(row, trail)| trail.iter().map(move |&at| (row, at)))
            .collect();
        (0..bound as u32).find_map(|size| {
            // All sets of `size` entries at once; the first in order wins, whatever the threads do.
            let masks = (0..1_u32 << entries.len())
                .into_par_iter()
                .filter(|mask| mask.count_ones() == size);
            let try_mask = |mask: u32| {
                let mut trails = self.trails.clone();
                for (at, &(row, institution)) in entries.iter().enumerate() {
                    if mask >> at & 1 == 1 {
                        trails[row].retain(|&other| other != institution);
                    }
                }
                let state = State::new(self.identified, self.owner, trails);
                state.holds(k).then_some(state)
            };
            masks.map(try_mask).find_map_first(|state| state)
        })
    }
}

/// How many entries of `trail` are not in `other`.
fn missing(trail: &[u32], other: &[u32]) -> usize {
    let mut rest = other.iter().peekable();
    let mut count = 0;
    for at in trail {
        while rest.next_if(|have| *have < at).is_some() {}
        count += usize::from(rest.peek() != Some(&at));
    }
    count
}

fn ones(bits: &[u64]) -> impl Iterator<Item = usize> + '_ {
    bits.iter().enumerate().flat_map(|(at, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                at * 64 + bit
            })
        })
    })
}

/// Strongly connected components by two passes (Kosaraju), without recursion.
fn components(arrows: &[Vec<u32>]) -> Vec<usize> {
    let nodes = arrows.len();
    let mut reversed: Vec<Vec<u32>> = vec![Vec::new(); nodes];
    for (from, list) in arrows.iter().enumerate() {
        for &to in list {
            reversed[to as usize].push(from as u32);
        }
    }
    let mut finished = Vec::with_capacity(nodes);
    let mut seen = vec![false; nodes];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..nodes {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        stack.push((root, 0));
        while let Some((node, next)) = stack.last_mut() {
            if let Some(&to) = arrows[*node].get(*next) {
                *next += 1;
                if !seen[to as usize] {
                    seen[to as usize] = true;
                    stack.push((to as usize, 0));
                }
            } else {
                finished.push(*node);
                stack.pop();
            }
        }
    }
    let mut component = vec![usize::MAX; nodes];
    for &root in finished.iter().rev() {
        if component[root] != usize::MAX {
            continue;
        }
        component[root] = root;
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            for &to in &reversed[node] {
                if component[to as usize] == usize::MAX {
                    component[to as usize] = root;
                    open.push(to as usize);
                }
            }
        }
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use denym_testkit::trails as oracle;
    use proptest::prelude::*;

    /// Complete trails over a few institutions, and anonymous ones that lack some entries.
    fn instance(people: usize) -> impl Strategy<Value = (Trails, Trails, Vec<u32>)> {
        (2_usize..=4).prop_flat_map(move |institutions| {
            let row = prop::collection::vec(any::<bool>(), institutions);
            let complete = prop::collection::vec(row, 2..=people);
            let masks = prop::collection::vec(
                prop::collection::vec(prop::bool::weighted(0.8), institutions),
                people,
            );
            (complete, masks, 1..=people).prop_map(move |(p, masks, take)| {
                let n: Vec<Vec<u32>> = p
                    .iter()
                    .zip(&masks)
                    .take(take)
                    .map(|(row, mask)| {
                        oracle::institutions(
                            &row.iter()
                                .zip(mask)
                                .map(|(a, b)| *a && *b)
                                .collect::<Vec<_>>(),
                        )
                    })
                    .collect();
                let owner = (0..n.len() as u32).collect();
                let p: Vec<Vec<u32>> = p.iter().map(|row| oracle::institutions(row)).collect();
                let of = |rows: Vec<Vec<u32>>| {
                    Trails::from_rows(institutions, rows).expect("numbered below")
                };
                (of(n), of(p), owner)
            })
        })
    }

    fn bits(trail: &[u32], institutions: usize) -> oracle::Bits {
        (0..institutions as u32)
            .map(|at| trail.contains(&at))
            .collect()
    }

    /// The least number of owners of a published trail, by enumeration; `None` when nothing is published.
    fn least_owners(published: &[Vec<u32>], identified: &Trails) -> Option<usize> {
        let institutions = identified.institutions();
        let n: Vec<oracle::Bits> = published
            .iter()
            .filter(|t| !t.is_empty())
            .map(|t| bits(t, institutions))
            .collect();
        let p: Vec<oracle::Bits> = identified.iter().map(|t| bits(t, institutions)).collect();
        let sets = oracle::allowed_by_enumeration(&n, &p).expect("the truth is an assignment");
        sets.iter().map(std::collections::BTreeSet::len).min()
    }

    /// The fewest entries to withhold, by trying every set.
    fn fewest(anonymous: &Trails, identified: &Trails, k: usize) -> usize {
        let entries: Vec<(usize, u32)> = anonymous
            .iter()
            .enumerate()
            .flat_map(|(row, trail)| trail.iter().map(move |&at| (row, at)))
            .collect();
        (0_u32..1 << entries.len())
            .filter(|mask| {
                let mut rows: Vec<Vec<u32>> = vec![Vec::new(); anonymous.len()];
                for (at, &(row, institution)) in entries.iter().enumerate() {
                    if mask >> at & 1 == 0 {
                        rows[row].push(institution);
                    }
                }
                least_owners(&rows, identified).is_none_or(|least| least >= k)
            })
            .map(u32::count_ones)
            .min()
            .unwrap_or(0) as usize
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn everybody_keeps_k_owners((anonymous, identified, owner) in instance(6), k in 1_usize..=4) {
            let options = Options { k, exact_up_to: 0, ..Options::default() };
            match defend(&anonymous, &identified, &owner, &options) {
                Err(error) => prop_assert_eq!(error.code(), "trail-defence-infeasible"),
                Ok(defence) => {
                    let rows: Vec<Vec<u32>> = defence.published.iter().map(<[u32]>::to_vec).collect();
                    prop_assert!(least_owners(&rows, &identified).is_none_or(|least| least >= k));
                    prop_assert_eq!(defence.owners.iter().flatten().min().copied(), least_owners(&rows, &identified));
                    prop_assert_eq!(defence.withheld.len(), anonymous.entries() - defence.published.entries());
                    // Minimal: no single entry can return.
                    for &(row, at) in &defence.withheld {
                        let mut more = rows.clone();
                        more[row as usize].push(at);
                        prop_assert!(least_owners(&more, &identified).is_some_and(|least| least < k));
                    }
                }
            }
        }

        #[test]
        fn small_instances_are_solved_exactly((anonymous, identified, owner) in instance(4), k in 2_usize..=3) {
            prop_assume!(anonymous.entries() <= 10 && k <= identified.len());
            let defence = defend(&anonymous, &identified, &owner, &Options { k, ..Options::default() }).unwrap();
            prop_assert!(defence.optimal);
            prop_assert_eq!(defence.withheld.len(), fewest(&anonymous, &identified, k));
        }
    }

    #[test]
    fn one_entry_hides_two_people() {
        // Ann and Bob differ in one institution; withholding it makes them one.
        let identified = Trails::from_rows(3, [vec![0, 1], vec![0, 1, 2]]).unwrap();
        let defence = defend(&identified, &identified, &[0, 1], &Options::default()).unwrap();
        assert_eq!(defence.withheld, [(1, 2)]);
        assert_eq!(defence.owners, [Some(2), Some(2)]);
        assert!(defence.optimal);
    }

    #[test]
    fn mistakes_are_named() {
        let two = Trails::from_rows(2, [vec![0], vec![1]]).unwrap();
        let code = |owner: &[u32], k| {
            defend(
                &two,
                &two,
                owner,
                &Options {
                    k,
                    ..Options::default()
                },
            )
            .unwrap_err()
            .code()
        };
        assert_eq!(code(&[0, 0], 2), "trail-defence-owner");
        assert_eq!(code(&[0], 2), "trail-defence-owner");
        assert_eq!(code(&[1, 0], 2), "trail-defence-not-covered");
        assert_eq!(code(&[0, 1], 3), "trail-defence-infeasible");
        let other = Trails::from_rows(3, [vec![0], vec![1]]).unwrap();
        let error = defend(&two, &other, &[0, 1], &Options::default()).unwrap_err();
        assert_eq!(error.code(), "trail-defence-institutions-differ");
    }
}
