//! InfoGain Mondrian: cuts the table where the cut helps a stated task most, while promises hold.
//!
//! # Idea
//!
//! Like Mondrian, but the cut is chosen for what the data will be used for: predicting a class attribute (largest information
//! gain), estimating a number (largest decrease of squared error), or answering given count queries (largest decrease of the records
//! that a query has to count although it does not ask for them). Every place of a number's range and every node of a
//! hierarchy is a candidate.
//!
//! # Guarantee
//!
//! Every class meets every promise, judged on the class itself, so all promises are honoured. Nothing is suppressed; when the
//! whole table does not meet a promise the request is infeasible. Minimal: no single further cut is allowed.
//!
//! # Reference
//!
//! K. `LeFevre`, D. `DeWitt`, R. Ramakrishnan, "Workload-aware anonymization", KDD 2006. Survey section 5.2.
//!
//! # Departures
//!
//! Cuts that do not help the task are made all the same, evenest first, since they still show more of the values. Limits on levels
//! are refused.
//!
//! # Cost
//!
//! O(q x (tuples + values x classes)) per part; parts are cut on all cores.

use denym_data::{Code, Hierarchy};
use denym_measure::added;
use denym_measure::metrics::CountQuery;

use crate::cut::refusal;
use crate::grouped::{Tuples, refuse_limits, solution_of};
use crate::partition::{Axis, common_node};
use crate::target::gain;
use crate::{Context, Error, Request, Solution, Solver};

/// What the release is for.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Predicting the sensitive attribute at this position.
    Classify(usize),
    /// Estimating the sensitive attribute at this position; one number per code, `None` where it has none.
    Regress(usize, Vec<Option<f64>>),
    /// Answering these queries.
    Answer(Vec<CountQuery>),
}

/// Multidimensional generalization for a task.
#[derive(Debug, Clone)]
pub struct InfoGainMondrian {
    /// What the release is for.
    pub task: Task,
}

impl Default for InfoGainMondrian {
    /// Predicts the first sensitive attribute.
    fn default() -> Self {
        InfoGainMondrian {
            task: Task::Classify(0),
        }
    }
}

impl Solver for InfoGainMondrian {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        refuse_limits(request)?;
        let found = request.summary.sensitive.len();
        match &self.task {
            Task::Classify(attribute) | Task::Regress(attribute, _) if *attribute >= found => {
                return Err(Error::SensitiveMissing {
                    attribute: *attribute,
                    found,
                });
            }
            _ => {}
        }
        let tuples = Tuples::new(request);
        let all: Vec<u32> = (0..tuples.len() as u32).collect();
        if !tuples.admits(&all) {
            return Err(refusal(request, context));
        }
        let axes: Vec<Axis> = request.hierarchies.iter().map(Axis::of).collect();
        let cutter = GainCutter {
            tuples: &tuples,
            task: &self.task,
            axes: &axes,
            keep_going: context.keep_going,
        };
        let classes = cutter.cut(all);
        solution_of(request, classes, &axes).ok_or_else(|| refusal(request, context))
    }
}

struct GainCutter<'a> {
    tuples: &'a Tuples<'a>,
    task: &'a Task,
    axes: &'a [Axis],
    keep_going: &'a (dyn Fn() -> bool + Sync),
}

/// A way to cut a part: which attribute, and the piece of each of its codes.
struct CutCandidate {
    gain: f64,
    evenness: f64,
    d: usize,
    /// Codes up to each of these, or nodes, make a piece.
    pieces: Pieces,
}

#[derive(Clone, Copy)]
enum Pieces {
    /// Codes up to this one, and the others.
    UpTo(u32),
    /// By node of this level.
    Level(usize),
}

impl GainCutter<'_> {
    fn cut(&self, part: Vec<u32>) -> Vec<Vec<u32>> {
        if part.len() < 2 || !(self.keep_going)() {
            return vec![part];
        }
        let mut candidates: Vec<CutCandidate> = (0..self.axes.len())
            .flat_map(|d| self.candidates(&part, d))
            .collect();
        candidates.sort_by(|a, b| {
            let order = b.gain.total_cmp(&a.gain);
            order.then(b.evenness.total_cmp(&a.evenness))
        });
        for candidate in candidates {
            let pieces = self.split(&part, candidate.d, candidate.pieces);
            if pieces.iter().all(|piece| self.tuples.admits(piece)) {
                return self.go_on(pieces);
            }
        }
        vec![part]
    }

    fn go_on(&self, mut pieces: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
        match pieces.len() {
            0 => Vec::new(),
            1 => self.cut(pieces.remove(0)),
            count => {
                let rest = pieces.split_off(count / 2);
                let (mut left, right) = rayon::join(|| self.go_on(pieces), || self.go_on(rest));
                left.extend(right);
                left
            }
        }
    }

    fn code(&self, tuple: u32, d: usize) -> u32 {
        self.tuples.codes(tuple)[d]
    }

    fn hierarchy(&self, d: usize) -> &Hierarchy {
        &self.tuples.request.hierarchies[d]
    }

    fn split(&self, part: &[u32], d: usize, pieces: Pieces) -> Vec<Vec<u32>> {
        let key = |tuple: u32| match pieces {
            Pieces::UpTo(last) => u32::from(self.code(tuple, d) > last),
            Pieces::Level(level) => self.hierarchy(d).node(level, self.code(tuple, d)),
        };
        let mut keyed: Vec<(u32, u32)> = part.iter().map(|&t| (key(t), t)).collect();
        keyed.sort_unstable();
        keyed
            .chunk_by(|a, b| a.0 == b.0)
            .map(|piece| piece.iter().map(|&(_, tuple)| tuple).collect())
            .collect()
    }

    /// All ways to cut a part in one attribute.
    fn candidates(&self, part: &[u32], d: usize) -> Vec<CutCandidate> {
        let mut codes: Vec<u32> = part.iter().map(|&tuple| self.code(tuple, d)).collect();
        codes.sort_unstable();
        codes.dedup();
        if codes.len() < 2 {
            return Vec::new();
        }
        let ways: Vec<Pieces> = match self.axes[d] {
            Axis::Ordered => {
                let last = codes[codes.len() - 1];
                let labels = &self.hierarchy(d).levels()[0].labels;
                // The missing value has no place in a range: it is cut off first.
                if labels[last as usize].is_none() {
                    vec![Pieces::UpTo(codes[codes.len() - 2])]
                } else {
                    codes[..codes.len() - 1]
                        .iter()
                        .map(|&c| Pieces::UpTo(c))
                        .collect()
                }
            }
            Axis::Tree => match common_node(self.hierarchy(d), &codes.iter().copied()) {
                Some((0, _)) => return Vec::new(),
                Some((level, _)) => vec![Pieces::Level(level as usize - 1)],
                None => vec![Pieces::Level(self.hierarchy(d).height() - 1)],
            },
        };
        // What the task sees of each code, added up once.
        let mut seen: Vec<CodeTally> = vec![CodeTally::default(); codes.len()];
        for &tuple in part {
            let at = codes.binary_search(&self.code(tuple, d)).unwrap_or(0);
            self.look(&mut seen[at], tuple);
        }
        for one in &mut seen {
            one.histogram = added(std::mem::take(&mut one.histogram));
        }
        let worth = self.worth(part, d);
        ways.into_iter()
            .map(|pieces| {
                let key = |code: u32| match pieces {
                    Pieces::UpTo(last) => u32::from(code > last),
                    Pieces::Level(level) => self.hierarchy(d).node(level, code),
                };
                let mut keyed: Vec<(u32, usize)> = codes
                    .iter()
                    .enumerate()
                    .map(|(i, &c)| (key(c), i))
                    .collect();
                keyed.sort_unstable();
                let groups: Vec<Vec<usize>> = keyed
                    .chunk_by(|a, b| a.0 == b.0)
                    .map(|group| group.iter().map(|&(_, index)| index).collect())
                    .collect();
                let total: u64 = seen.iter().map(|one| one.records).sum();
                let evenness = -groups
                    .iter()
                    .map(|group| {
                        let records: u64 = group.iter().map(|&i| seen[i].records).sum();
                        (records as f64 / total as f64).powi(2)
                    })
                    .sum::<f64>();
                CutCandidate {
                    gain: worth(&codes, &seen, &groups),
                    evenness,
                    d,
                    pieces,
                }
            })
            .collect()
    }

    fn look(&self, seen: &mut CodeTally, tuple: u32) {
        seen.records += self.tuples.records(tuple);
        let sensitive = &self.tuples.request.summary.sensitive;
        match self.task {
            Task::Classify(attribute) => {
                let row = sensitive[*attribute].row(tuple as usize);
                seen.histogram.extend_from_slice(row);
            }
            Task::Regress(attribute, numbers) => {
                for &(code, count) in sensitive[*attribute].row(tuple as usize) {
                    if let Some(number) = numbers.get(code as usize).copied().flatten() {
                        seen.moments[0] += count as f64;
                        seen.moments[1] += count as f64 * number;
                        seen.moments[2] += count as f64 * number * number;
                    }
                }
            }
            Task::Answer(_) => {}
        }
    }

    /// How good a way to cut is, for this part and attribute; larger is better.
    #[expect(clippy::type_complexity, reason = "a local judge, named nowhere else")]
    fn worth<'b>(
        &'b self,
        part: &[u32],
        d: usize,
    ) -> Box<dyn Fn(&[u32], &[CodeTally], &[Vec<usize>]) -> f64 + 'b> {
        match self.task {
            Task::Classify(_) => Box::new(|_, seen, groups| {
                let histogram = |indices: &[usize]| -> Vec<(Code, u64)> {
                    let all = indices
                        .iter()
                        .flat_map(|&i| seen[i].histogram.iter().copied());
                    added(all.collect())
                };
                let all: Vec<usize> = (0..seen.len()).collect();
                let parts: Vec<Vec<(Code, u64)>> = groups.iter().map(|g| histogram(g)).collect();
                gain(&histogram(&all), &parts)
            }),
            Task::Regress(..) => Box::new(|_, seen, groups| {
                let error = |indices: &[usize]| {
                    let mut m = [0.0; 3];
                    for &i in indices {
                        for (sum, value) in m.iter_mut().zip(seen[i].moments) {
                            *sum += value;
                        }
                    }
                    if m[0] > 0.0 {
                        m[2] - m[1] * m[1] / m[0]
                    } else {
                        0.0
                    }
                };
                let all: Vec<usize> = (0..seen.len()).collect();
                (error(&all) - groups.iter().map(|g| error(g)).sum::<f64>()).max(0.0)
            }),
            Task::Answer(queries) => {
                // Queries that this part meets in every other attribute, and what they ask of this one.
                let asked: Vec<&[Code]> = queries
                    .iter()
                    .filter(|query| {
                        query
                            .quasi
                            .iter()
                            .all(|(e, codes)| *e == d || self.meets(part, *e, codes))
                    })
                    .filter_map(|query| {
                        let (_, codes) = query.quasi.iter().find(|(e, _)| *e == d)?;
                        Some(codes.as_slice())
                    })
                    .collect();
                Box::new(move |codes, seen, groups| {
                    let counted = |indices: &[usize], asked: &[Code]| -> u64 {
                        let low = indices.iter().map(|&i| codes[i]).min().unwrap_or(0);
                        let high = indices.iter().map(|&i| codes[i]).max().unwrap_or(0);
                        let meets = match self.axes[d] {
                            Axis::Ordered => asked.iter().any(|&c| (low..=high).contains(&c)),
                            Axis::Tree => indices.iter().any(|&i| asked.contains(&codes[i])),
                        };
                        let records = indices.iter().map(|&i| seen[i].records).sum();
                        if meets { records } else { 0 }
                    };
                    let all: Vec<usize> = (0..codes.len()).collect();
                    asked
                        .iter()
                        .map(|asked| {
                            let after: u64 = groups.iter().map(|g| counted(g, asked)).sum();
                            counted(&all, asked).saturating_sub(after) as f64
                        })
                        .sum()
                })
            }
        }
    }

    /// Whether the values of a part include one that is asked for.
    fn meets(&self, part: &[u32], d: usize, asked: &[Code]) -> bool {
        if d >= self.axes.len() {
            return false;
        }
        let codes = || part.iter().map(|&tuple| self.code(tuple, d));
        match self.axes[d] {
            Axis::Ordered => {
                let (low, high) = (codes().min().unwrap_or(0), codes().max().unwrap_or(0));
                asked.iter().any(|&code| (low..=high).contains(&code))
            }
            Axis::Tree => codes().any(|code| asked.contains(&code)),
        }
    }
}

/// What the task sees of some records.
#[derive(Debug, Clone, Default)]
struct CodeTally {
    records: u64,
    histogram: Vec<(Code, u64)>,
    /// Count, sum and sum of squares.
    moments: [f64; 3],
}
