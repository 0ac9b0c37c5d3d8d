//! Cuts through hierarchies: every value has one node for the whole table, and moving values between nodes moves classes.
//!
//! A [`Tree`] is a hierarchy without its level structure: chains of nodes over the same values are one node, so every
//! step between a node and its children changes something. A [`Cut`] says at which node every value is published, keeps
//! the classes that follow, and foresees what a [`Move`] of some values to other nodes would do to them. Top-down,
//! bottom-up, sibling and value-suppression searches differ only in the moves they propose.

use std::collections::HashMap;

use denym_data::{Hierarchy, Labels, Recoding, Unit};

use crate::frequency::Grouping;
use crate::lattice::Lattice;
use crate::nearest::refused;
use crate::recode::class_is_admitted;
use crate::tally::nodes;
use crate::{Context, Error, Request};

/// A node of a value tree.
#[derive(Debug, Clone)]
pub(crate) struct Branch {
    pub(crate) parent: Option<u32>,
    pub(crate) children: Vec<u32>,
    /// Codes under it, ascending.
    pub(crate) codes: Vec<u32>,
    pub(crate) text: Option<Box<str>>,
    /// Leaves of the hierarchy under it.
    pub(crate) leaves: u64,
}

/// The values of one quasi-identifier as a tree, or as several where the coarsest level allowed has several nodes.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    pub(crate) branches: Vec<Branch>,
    pub(crate) roots: Vec<u32>,
    /// The finest node allowed of each code.
    pub(crate) finest: Vec<u32>,
    /// Leaves of the whole hierarchy.
    pub(crate) leaves: u64,
    /// What losses are multiplied by.
    pub(crate) weight: f64,
}

impl Tree {
    /// The levels from `low` to `high` of a hierarchy.
    pub(crate) fn new(hierarchy: &Hierarchy, (low, high): (usize, usize)) -> Tree {
        let levels = hierarchy.levels();
        let mut branches: Vec<Branch> = Vec::new();
        // The branch of each node of the level at hand.
        let mut current: Vec<u32> = Vec::new();
        let mut finest = Vec::new();
        for (height, level) in levels.iter().enumerate().take(high + 1).skip(low) {
            let mut codes: Vec<Vec<u32>> = vec![Vec::new(); level.labels.len()];
            for (code, &node) in level.nodes.iter().enumerate() {
                codes[node as usize].push(code as u32);
            }
            let mut next = Vec::with_capacity(codes.len());
            for (node, codes) in codes.into_iter().enumerate() {
                let mut children: Vec<u32> = if height == low {
                    Vec::new()
                } else {
                    codes.iter().map(|&code| current[code as usize]).collect()
                };
                children.sort_unstable();
                children.dedup();
                if let [only] = children[..] {
                    next.push(only);
                    continue;
                }
                let id = branches.len() as u32;
                for &child in &children {
                    branches[child as usize].parent = Some(id);
                }
                branches.push(Branch {
                    parent: None,
                    children,
                    codes,
                    text: level.labels[node].clone(),
                    leaves: level.leaves[node],
                });
                next.push(id);
            }
            current = level
                .nodes
                .iter()
                .map(|&node| next[node as usize])
                .collect();
            if height == low {
                finest.clone_from(&current);
            }
        }
        let mut roots = current;
        roots.sort_unstable();
        roots.dedup();
        Tree {
            branches,
            roots,
            finest,
            leaves: hierarchy.leaves(),
            weight: 1.0,
        }
    }

    /// The same tree with losses multiplied by `weight`.
    pub(crate) fn weighted(self, weight: f64) -> Tree {
        Tree { weight, ..self }
    }

    /// Keep or suppress: the finest nodes allowed under one root that says nothing.
    pub(crate) fn flat(hierarchy: &Hierarchy, low: usize) -> Tree {
        let mut tree = Tree::new(hierarchy, (low, low));
        let id = tree.branches.len() as u32;
        let codes: Vec<u32> = (0..tree.finest.len() as u32).collect();
        if tree.roots.len() > 1 {
            for branch in &mut tree.branches {
                branch.parent = Some(id);
            }
            tree.branches.push(Branch {
                parent: None,
                children: std::mem::take(&mut tree.roots),
                codes,
                text: Some("*".into()),
                leaves: tree.leaves,
            });
            tree.roots = vec![id];
        }
        tree
    }

    /// One node over all values, to be split by [`Tree::split`].
    pub(crate) fn grown(hierarchy: &Hierarchy) -> Tree {
        let codes: Vec<u32> = (0..hierarchy.levels()[0].nodes.len() as u32).collect();
        Tree {
            finest: vec![0; codes.len()],
            branches: vec![Branch {
                parent: None,
                children: Vec::new(),
                codes,
                text: Some("*".into()),
                leaves: hierarchy.leaves(),
            }],
            roots: vec![0],
            leaves: hierarchy.leaves(),
            weight: 1.0,
        }
    }

    /// Gives a node two children: its first `left` codes, and the others. `text` names a run of codes.
    pub(crate) fn split(
        &mut self,
        node: u32,
        left: usize,
        hierarchy: &Hierarchy,
        text: impl Fn(&[u32]) -> Option<Box<str>>,
    ) {
        let codes = self.branches[node as usize].codes.clone();
        for part in [&codes[..left], &codes[left..]] {
            let id = self.branches.len() as u32;
            let level = &hierarchy.levels()[0];
            self.branches.push(Branch {
                parent: Some(node),
                children: Vec::new(),
                codes: part.to_vec(),
                text: text(part),
                leaves: part
                    .iter()
                    .map(|&c| level.leaves[level.nodes[c as usize] as usize])
                    .sum(),
            });
            self.branches[node as usize].children.push(id);
        }
    }

    /// What a record loses when its value is published as `node`, 0 to the weight.
    pub(crate) fn cost(&self, node: u32) -> f64 {
        let leaves = self.branches[node as usize].leaves as f64;
        self.weight * (leaves - 1.0) / (self.leaves as f64 - 1.0).max(1.0)
    }

    /// The coarsest node of each code.
    pub(crate) fn coarsest(&self) -> Vec<u32> {
        let mut at = vec![0; self.finest.len()];
        for &root in &self.roots {
            for &code in &self.branches[root as usize].codes {
                at[code as usize] = root;
            }
        }
        at
    }

    /// How many cuts the tree has.
    pub(crate) fn cuts(&self) -> u128 {
        fn under(tree: &Tree, node: u32) -> u128 {
            let children = &tree.branches[node as usize].children;
            if children.is_empty() {
                return 1;
            }
            children
                .iter()
                .fold(1_u128, |n, &c| n.saturating_mul(under(tree, c)))
                .saturating_add(1)
        }
        self.roots
            .iter()
            .fold(1, |n, &root| n.saturating_mul(under(self, root)))
    }
}

/// The trees of a request within its limits.
pub(crate) fn trees(request: &Request<'_>) -> Vec<Tree> {
    (0..request.hierarchies.len())
        .map(|d| Tree::new(&request.hierarchies[d], request.range(d)).weighted(request.weight(d)))
        .collect()
}

/// Why a request has no answer, with what would be reachable.
pub(crate) fn refusal(request: &Request<'_>, context: &Context<'_>) -> Error {
    let lattice = Lattice::new(request);
    match nodes(*request, &lattice) {
        Ok(mut sets) => refused(request, &lattice, sets.as_mut(), context),
        Err(error) => error,
    }
}

/// The largest k of all k-anonymity that is asked; 1 without any.
#[expect(clippy::cast_sign_loss, reason = "k is a count, given as a number")]
pub(crate) fn k_asked(request: &Request<'_>) -> u64 {
    let terms = request.promises.iter().map(|promise| promise.terms());
    terms
        .filter(|terms| terms.name == "k-anonymity")
        .map(|terms| terms.bound as u64)
        .fold(1, u64::max)
}

/// Values of one quasi-identifier that go to other nodes.
#[derive(Debug, Clone)]
pub(crate) struct Move {
    pub(crate) d: usize,
    /// (code, node).
    pub(crate) to: Vec<(u32, u32)>,
}

/// Tuples that are published alike.
#[derive(Debug, Clone)]
pub(crate) struct Class {
    pub(crate) members: Vec<u32>,
    pub(crate) records: u64,
    pub(crate) safe: bool,
    /// What one of its records loses, summed over quasi-identifiers.
    pub(crate) cost: f64,
}

/// What a state of the search amounts to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Effect {
    /// Records in classes that fail a promise.
    pub(crate) failing: u64,
    /// Records of the smallest class.
    pub(crate) smallest: u64,
    /// Loss of all records, failing ones counted as suppressed.
    pub(crate) loss: f64,
}

/// A cut through every tree, with the classes it makes of the attributes in `members`.
pub(crate) struct Cut<'a> {
    pub(crate) request: &'a Request<'a>,
    pub(crate) trees: Vec<Tree>,
    /// The node of each code.
    pub(crate) at: Vec<Vec<u32>>,
    members: Vec<usize>,
    pub(crate) classes: Vec<Class>,
}

impl<'a> Cut<'a> {
    /// The cut `at`, judged on all quasi-identifiers.
    pub(crate) fn new(request: &'a Request<'a>, trees: Vec<Tree>, at: Vec<Vec<u32>>) -> Cut<'a> {
        let members = (0..trees.len()).collect();
        Cut::over(request, trees, at, members)
    }

    /// The cut `at`, judged on some quasi-identifiers.
    pub(crate) fn over(
        request: &'a Request<'a>,
        trees: Vec<Tree>,
        at: Vec<Vec<u32>>,
        members: Vec<usize>,
    ) -> Cut<'a> {
        let mut cut = Cut {
            request,
            trees,
            at,
            members,
            classes: Vec::new(),
        };
        cut.classes = group(request, &cut.members, &cut.at)
            .into_iter()
            .map(|members| cut.judged(members, None))
            .collect();
        cut
    }

    /// The coarsest cut.
    pub(crate) fn coarsest(request: &'a Request<'a>, trees: Vec<Tree>) -> Cut<'a> {
        let at = trees.iter().map(Tree::coarsest).collect();
        Cut::new(request, trees, at)
    }

    /// The finest cut.
    pub(crate) fn finest(request: &'a Request<'a>, trees: Vec<Tree>) -> Cut<'a> {
        let at = trees.iter().map(|tree| tree.finest.clone()).collect();
        Cut::new(request, trees, at)
    }

    /// Whether the quasi-identifier counts here.
    pub(crate) fn looks_at(&self, d: usize) -> bool {
        self.members.contains(&d)
    }

    fn judged(&self, members: Vec<u32>, moved: Option<(usize, u32)>) -> Class {
        let first = members[0] as usize;
        let cost = (0..self.trees.len())
            .map(|d| match moved {
                Some((moved, node)) if moved == d => self.trees[d].cost(node),
                _ => self.trees[d].cost(self.node(d, first)),
            })
            .sum();
        let records = &self.request.summary.records;
        Class {
            records: members.iter().map(|&t| records[t as usize]).sum(),
            safe: class_is_admitted(self.request, &members),
            cost,
            members,
        }
    }

    /// The node of a tuple.
    pub(crate) fn node(&self, d: usize, tuple: usize) -> u32 {
        self.at[d][self.request.summary.quasi[d][tuple] as usize]
    }

    /// What the cut amounts to.
    pub(crate) fn effect(&self) -> Effect {
        self.sum(self.classes.iter())
    }

    fn sum<'b>(&self, classes: impl Iterator<Item = &'b Class>) -> Effect {
        let mut effect = Effect {
            failing: 0,
            smallest: u64::MAX,
            loss: 0.0,
        };
        for class in classes {
            effect.smallest = effect.smallest.min(class.records);
            let cost = if class.safe {
                class.cost
            } else {
                effect.failing += class.records;
                self.trees.iter().map(|tree| tree.weight).sum()
            };
            effect.loss += cost * class.records as f64;
        }
        effect
    }

    /// Whether little enough fails, and something is left to publish.
    pub(crate) fn is_valid(&self, effect: &Effect) -> bool {
        effect.failing <= self.request.budget() && effect.failing < self.request.summary.total()
    }

    /// What the cut would amount to after a move.
    pub(crate) fn foresee(&self, step: &Move) -> Effect {
        let (kept, made) = self.moved(step);
        let kept = kept.iter().map(|&class| &self.classes[class]);
        self.sum(kept.chain(&made))
    }

    /// Makes a move.
    pub(crate) fn apply(&mut self, step: &Move) {
        if self.looks_at(step.d) {
            let (kept, made) = self.moved(step);
            let mut classes: Vec<Class> = kept
                .into_iter()
                .map(|class| self.classes[class].clone())
                .collect();
            classes.extend(made);
            classes.sort_by_key(|class| class.members[0]);
            self.classes = classes;
        }
        for &(code, node) in &step.to {
            self.at[step.d][code as usize] = node;
        }
    }

    /// The classes that a move leaves alone, and those it makes.
    fn moved(&self, step: &Move) -> (Vec<usize>, Vec<Class>) {
        let d = step.d;
        let target: HashMap<u32, u32> = step.to.iter().copied().collect();
        let mut touched = vec![false; self.trees[d].branches.len()];
        for &(code, node) in &step.to {
            touched[node as usize] = true;
            touched[self.at[d][code as usize] as usize] = true;
        }
        let mut kept = Vec::with_capacity(self.classes.len());
        // Tuples by everything but `d`, and by their new node there.
        let mut ids: HashMap<Vec<u32>, usize> = HashMap::new();
        let mut made: Vec<(u32, Vec<u32>)> = Vec::new();
        for (index, class) in self.classes.iter().enumerate() {
            let first = class.members[0] as usize;
            if !touched[self.node(d, first) as usize] {
                kept.push(index);
                continue;
            }
            let mut key: Vec<u32> = self.members.iter().map(|&e| self.node(e, first)).collect();
            let slot = self.members.iter().position(|&e| e == d).unwrap_or(0);
            // The last place of a tuple with this node; most neighbors share it.
            let mut last = (u32::MAX, 0);
            for &tuple in &class.members {
                let code = self.request.summary.quasi[d][tuple as usize];
                let node = target
                    .get(&code)
                    .copied()
                    .unwrap_or(self.at[d][code as usize]);
                if node != last.0 {
                    key[slot] = node;
                    let next = made.len();
                    let id = *ids.entry(key.clone()).or_insert(next);
                    if id == next {
                        made.push((node, Vec::new()));
                    }
                    last = (node, id);
                }
                made[last.1].1.push(tuple);
            }
        }
        let made = made
            .into_iter()
            .map(|(node, mut members)| {
                members.sort_unstable();
                self.judged(members, Some((d, node)))
            })
            .collect();
        (kept, made)
    }

    /// What is published: classes that fail are suppressed.
    pub(crate) fn recoding(&self) -> Recoding {
        let published: Vec<&Class> = self.classes.iter().filter(|class| class.safe).collect();
        recoding(
            self.request,
            &self.trees,
            &self.at,
            published.iter().map(|class| class.members.as_slice()),
        )
    }
}

/// The tuples of each class of a cut over some attributes, classes in the order of their first tuple.
pub(crate) fn group(request: &Request<'_>, members: &[usize], at: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut class_of = vec![0_u32; request.summary.tuples()];
    let mut count = 1;
    for &d in members {
        let mut grouping: Grouping<1> = Grouping::default();
        for (class, &code) in class_of.iter_mut().zip(&request.summary.quasi[d]) {
            let pair = u64::from(*class) << 32 | u64::from(at[d][code as usize]);
            *class = grouping.add([pair], 0);
        }
        count = grouping.keys.len();
    }
    let mut classes = vec![Vec::new(); count];
    for (tuple, &class) in class_of.iter().enumerate() {
        classes[class as usize].push(tuple as u32);
    }
    classes
}

/// The recoding that publishes `classes` under the nodes of a cut; all other tuples are suppressed.
pub(crate) fn recoding<'b>(
    request: &Request<'_>,
    trees: &[Tree],
    at: &[Vec<u32>],
    classes: impl Iterator<Item = &'b [u32]>,
) -> Recoding {
    let q = trees.len();
    let mut class_of = vec![None; request.summary.tuples()];
    let mut labels = vec![Labels::default(); q];
    let mut published: Vec<Vec<u32>> = vec![Vec::new(); q];
    let mut label_of: Vec<HashMap<u32, u32>> = vec![HashMap::new(); q];
    for (class, members) in classes.enumerate() {
        for &tuple in members {
            class_of[tuple as usize] = Some(class as u32);
        }
        for d in 0..q {
            let node = at[d][request.summary.quasi[d][members[0] as usize] as usize];
            let label = *label_of[d].entry(node).or_insert_with(|| {
                let tree = &trees[d];
                labels[d]
                    .texts
                    .push(tree.branches[node as usize].text.clone());
                let leaves = meant(tree, &at[d], node);
                labels[d].shares.push(leaves as f64 / tree.leaves as f64);
                labels[d].texts.len() as u32 - 1
            });
            published[d].push(label);
        }
    }
    Recoding {
        unit: Unit::Tuple,
        class_of,
        labels,
        published,
        levels: None,
    }
}

/// Leaves that a published node stands for: those under it, less those under nodes below it that are published too.
fn meant(tree: &Tree, at: &[u32], node: u32) -> u64 {
    let mut below: Vec<u32> = tree.branches[node as usize]
        .codes
        .iter()
        .map(|&code| at[code as usize])
        .filter(|&other| other != node)
        .collect();
    below.sort_unstable();
    below.dedup();
    // A node below one that was counted is part of it already, unless it is the finer exception to it.
    let outer = below.iter().filter(|&&a| {
        !below
            .iter()
            .any(|&b| b != a && is_under(tree, a, b) && b != node)
    });
    let without: u64 = outer
        .map(|&other| tree.branches[other as usize].leaves)
        .sum();
    tree.branches[node as usize]
        .leaves
        .saturating_sub(without)
        .max(1)
}

fn is_under(tree: &Tree, node: u32, above: u32) -> bool {
    let mut next = tree.branches[node as usize].parent;
    while let Some(parent) = next {
        if parent == above {
            return true;
        }
        next = tree.branches[parent as usize].parent;
    }
    false
}
