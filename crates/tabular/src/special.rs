//! Algorithms that leave the usual way from tuples to a recoding: those that touch sensitive values, publish groups beside
//! quasi-identifiers as they are, or protect combinations of a few values only.
//!
//! | algorithm | publishes | can promise |
//! |---|---|---|
//! | `anatomy` | two tables that meet in a group | what is judged on one sensitive attribute |
//! | `k-e-permutation` | one table, numbers shuffled within groups | the same, above all (k,e)-anonymity |
//! | `minimality-defence` | classes whose sensitive values may be others' | everything without a population |
//! | `greedy-personalized` | generalized sensitive values | sizes and guarding nodes |
//! | `mu-argus` | generalized and suppressed cells | k-anonymity for whoever knows up to three values |
//!
//! Each is audited on what was written, like any other release; what an algorithm cannot promise may not be asked of it.

use denym_data::{AlgorithmEntry, Column, Decimal, Standing, Table, Verdict};
use denym_measure::{PromiseSpec, SensitiveAttribute};

use crate::{
    Anatomy, Context, Error, GreedyPersonalized, KePermutation, MinimalityDefence, MuArgus,
    MuArgusRelease, Reading, Request, Solution, seated,
};

/// One of these algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecialAlgorithm {
    /// Two tables that meet in a group.
    Anatomy,
    /// Numbers shuffled within groups.
    Permutation,
    /// Classes by quasi-identifiers alone, then distortion.
    MinimalityDefence,
    /// Sensitive values generalized as far as each person's guarding node asks.
    Personalized,
    /// Combinations of up to three values.
    MuArgus,
}

/// One of these algorithms with what lists and policies say of it.
#[derive(Debug, Clone, Copy)]
pub struct SpecialEntry {
    /// It.
    pub algorithm: SpecialAlgorithm,
    /// What is said of it.
    pub entry: AlgorithmEntry,
}

const AS_THEY_ARE: &str = "publishes quasi-identifiers as they are: it can promise nothing but what is judged on the sensitive attribute";

const fn on_values(values: Standing) -> Verdict {
    Verdict {
        sizes: Standing::NotPromised,
        values,
    }
}

/// All of them, in the order in which they are shown.
pub const SPECIAL_ALGORITHMS: &[SpecialEntry] = &[
SpecialEntry { algorithm: SpecialAlgorithm::Anatomy, entry: AlgorithmEntry::new("anatomy","table",on_values(Standing::Holds),"quasi-identifiers as they are, sensitive values in a second table","Xiao, Tao 2006").cannot(AS_THEY_ARE) },
SpecialEntry { algorithm: SpecialAlgorithm::Permutation, entry: AlgorithmEntry::new("k-e-permutation","table",on_values(Standing::Holds),"quasi-identifiers as they are, numbers shuffled within groups","Zhang, Koudas, Srivastava, Yu 2007").cannot(AS_THEY_ARE) },
SpecialEntry { algorithm: SpecialAlgorithm::MinimalityDefence, entry: AlgorithmEntry::new("minimality-defence","table",on_values(Standing::Exceeded { per_mille: 344 }),"k-anonymous first, then the values of failing classes are replaced","Wong, Fu, Wang, Pei 2007").cannot("cannot honour promises with a population, guarding nodes or a set of columns of their own") },
SpecialEntry { algorithm: SpecialAlgorithm::Personalized, entry: AlgorithmEntry::new("greedy-personalized","table",on_values(Standing::Exceeded { per_mille: 343 }),"sensitive values as general as each person's guarding node asks","Xiao, Tao 2006").cannot("cannot honour promises about sensitive values other than `personalized-privacy`") },
SpecialEntry { algorithm: SpecialAlgorithm::MuArgus, entry: AlgorithmEntry::new("mu-argus","table",Verdict { sizes: Standing::Holds, values: Standing::NotPromised },"every combination of up to three values frequent; no k-anonymity","Hundepool, Willenborg 1996").cannot("can promise nothing but sizes, to whoever knows up to three values") },
];

/// What such an algorithm is given beside the request.
pub struct SpecialTask<'a> {
    /// The records.
    pub table: &'a Table,
    /// Positions of the quasi-identifiers.
    pub quasi: &'a [usize],
    /// Positions of the sensitive attributes.
    pub columns: &'a [usize],
    /// The sensitive attributes.
    pub sensitive: &'a [SensitiveAttribute],
    /// Whether the table says whose records are whose.
    pub has_subject: bool,
    /// What is promised.
    pub promises: &'a [PromiseSpec],
    /// For each promise, the quasi-identifiers that it is made on; all when `None`.
    pub scopes: &'a [Option<Vec<String>>],
    /// Whether tokens are made for each class.
    pub has_class_tokens: bool,
    /// How many columns the adversary knows, when that is not all.
    pub known_columns: Option<usize>,
    /// Summary, hierarchies, promises as they are judged.
    pub request: &'a Request<'a>,
}

impl SpecialTask<'_> {
    /// Whether a promise is made on some of the quasi-identifiers only.
    fn has_scopes(&self) -> bool {
        self.scopes.iter().any(Option::is_some)
    }
}

/// What such an algorithm found.
pub struct SpecialRelease {
    /// What is published of the quasi-identifiers; `None` when it is they themselves.
    pub solution: Option<Solution>,
    /// What was done beside.
    pub output: Option<SpecialOutput>,
    /// What the steward should know.
    pub warnings: Vec<String>,
}

/// What such an algorithm did beside, or instead of, recoding quasi-identifiers.
pub enum SpecialOutput {
    /// The table with other sensitive values.
    Replaced {
        /// It.
        table: Table,
        /// How the values were changed, for the recipient.
        method: &'static str,
        /// Whether the same source and policy give the same values again.
        reproducible: bool,
    },
    /// Groups beside quasi-identifiers as they are.
    Grouped {
        /// The group of each record.
        group_of: Vec<u32>,
        /// The sensitive attribute, by position in the table.
        column: usize,
        /// Whether sensitive values go to a table of their own.
        apart: bool,
    },
}

impl SpecialAlgorithm {
    /// The algorithm of this name.
    pub fn named(name: &str) -> Option<SpecialAlgorithm> {
        let mut entries = SPECIAL_ALGORITHMS.iter();
        let found = entries.find(|special| special.entry.name == name);
        found.map(|special| special.algorithm)
    }

    /// Its name in policies.
    pub fn name(self) -> &'static str {
        let mut entries = SPECIAL_ALGORITHMS.iter();
        entries
            .find(|special| special.algorithm == self)
            .map_or("", |special| special.entry.name)
    }

    /// Whether quasi-identifiers are published as other values than they are.
    pub fn recodes(self) -> bool {
        !matches!(
            self,
            SpecialAlgorithm::Anatomy | SpecialAlgorithm::Permutation
        )
    }

    /// Runs the algorithm; `draw(n)` is a secret random number below `n`.
    pub fn solve(
        self,
        task: &SpecialTask<'_>,
        context: &mut Context<'_>,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Result<SpecialRelease, Error> {
        match self {
            SpecialAlgorithm::Anatomy | SpecialAlgorithm::Permutation => self.grouped(task, draw),
            SpecialAlgorithm::MinimalityDefence => self.distorted(task, context, draw),
            SpecialAlgorithm::Personalized => self.personalized(task, context),
            SpecialAlgorithm::MuArgus => self.argus(task, context),
        }
    }

    fn grouped(
        self,
        task: &SpecialTask<'_>,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Result<SpecialRelease, Error> {
        let summary = task.request.summary;
        let shown: Vec<&SensitiveAttribute> = task.sensitive.iter().filter(|a| !a.hidden).collect();
        if shown.len() != 1 || task.has_subject {
            return Err(self.misfit(
                "needs exactly one sensitive attribute and no subject",
                "give the others the role `insensitive` or `identifier`, or choose another algorithm",
            ));
        }
        if task.has_class_tokens {
            return Err(self.misfit(
                "publishes quasi-identifiers as they are, so that there are no classes to make tokens for",
                "remove `per = \"class\"`, or choose another algorithm",
            ));
        }
        for (spec, scope) in task.promises.iter().zip(task.scopes) {
            if spec.attribute().is_none() || spec.guards().is_some() || scope.is_some() {
                return Err(self.misfit(
                    &format!(
                        "publishes quasi-identifiers as they are, so it cannot promise `{}`",
                        spec.name()
                    ),
                    "promise something about the sensitive attribute only, or choose another algorithm",
                ));
            }
        }
        let placed = if self == SpecialAlgorithm::Anatomy {
            let Some(l) = task.promises.iter().filter_map(diversity).max() else {
                return Err(self.misfit(
                    "deals records into groups of l different values, but nothing says how many",
                    "add `l-diversity = 3` or a bound of `confidence` to `[promise]`",
                ));
            };
            let dealer = Anatomy { l, attribute: 0 };
            let found = dealer.solve_for(summary, task.request.promises, draw);
            found?.placed
        } else {
            let mut promises = task.promises.iter();
            let asked = promises.find_map(|spec| spec.whole("k").zip(spec.number("e")));
            let Some((k, e)) = asked else {
                return Err(self.misfit(
                    "needs (k,e)-anonymity of a numeric attribute",
                    "add `k-e-anonymity = { k = 3, e = 1000 }` to `[promise]`",
                ));
            };
            let (digits, numbers) = (
                self.misfit("cannot take a bound of so many digits", "shorten `e`"),
                self.misfit("needs numbers", "choose a numeric attribute"),
            );
            let solver = KePermutation {
                attribute: 0,
                k,
                e: Decimal::exactly(e).ok_or(digits)?,
                numbers: shown[0].numbers().map_err(|_| numbers)?,
            };
            let found = solver.solve(summary, draw);
            found?.placed
        };
        let column = task.columns[0];
        let values = &task.table.columns()[column].codes;
        let tuples = summary.tuples_of(task.table, task.quasi);
        let group_of = seated(&placed, &tuples, values, draw);
        let warning = "quasi-identifiers are published as they are: whoever knows a person's finds the record, and that the \
                       person is in the data";
        Ok(SpecialRelease {
            solution: None,
            output: Some(SpecialOutput::Grouped {
                group_of,
                column,
                apart: self == SpecialAlgorithm::Anatomy,
            }),
            warnings: vec![warning.to_owned()],
        })
    }

    fn distorted(
        self,
        task: &SpecialTask<'_>,
        context: &mut Context<'_>,
        draw: &mut dyn FnMut(u64) -> u64,
    ) -> Result<SpecialRelease, Error> {
        let own = |spec: &PromiseSpec| spec.population().is_none() && spec.guards().is_none();
        if !task.promises.iter().all(own) || task.has_scopes() || task.sensitive.len() != 1 {
            return Err(self.misfit(
                "works on one sensitive attribute, with promises on all quasi-identifiers and without a population",
                "leave such promises out, or choose another algorithm",
            ));
        }
        let promises = task.promises.iter();
        let sizes: Vec<&PromiseSpec> = promises.filter(|spec| spec.attribute().is_none()).collect();
        if sizes.is_empty() {
            return Err(self.misfit(
                "makes classes by their size first, but no size is promised",
                "add `k-anonymity = 5` to `[promise]`",
            ));
        }
        let unfit = |_| self.misfit("cannot judge a size that is promised", "promise another");
        let size = sizes.iter().map(|spec| spec.build(task.sensitive));
        let size = size.collect::<Result<Vec<_>, _>>().map_err(unfit)?;
        let found = MinimalityDefence::default().run(task.request, &size, context, draw);
        let found = found?;
        let column = task.columns[0];
        let old = &task.table.columns()[column];
        let tuples = task.request.summary.tuples_of(task.table, task.quasi);
        let (codes, changed) = found.assigned(&tuples, old.codes.clone(), draw);
        Ok(SpecialRelease {
            solution: Some(found.solution),
            output: Some(SpecialOutput::Replaced {
                table: task.table.with_column(
                    column,
                    Column {
                        codes,
                        ..old.clone()
                    },
                )?,
                method: "distortion of classes that failed",
                reproducible: false,
            }),
            warnings: vec![format!(
                "{changed} sensitive values are not those of their records: truth is lost where a class failed"
            )],
        })
    }

    fn personalized(
        self,
        task: &SpecialTask<'_>,
        context: &mut Context<'_>,
    ) -> Result<SpecialRelease, Error> {
        let mut guarding = task.promises.iter().filter(|spec| spec.guards().is_some());
        let about_values =
            |spec: &PromiseSpec| spec.attribute().is_some() && spec.guards().is_none();
        let (Some(spec), None) = (guarding.next(), guarding.next()) else {
            return Err(self.misfit(
                "needs one promise with guarding nodes",
                "add `personalized-privacy = { guards = \"guard\", at-most = 0.5 }` to `[promise]`",
            ));
        };
        if task.promises.iter().any(about_values) || task.has_scopes() {
            return Err(self.misfit(
                "publishes sensitive values at several levels, on which no other promise about values can be judged",
                "keep `personalized-privacy` and promises on sizes, or choose another algorithm",
            ));
        }
        let internal = || {
            self.misfit(
                "finds no attribute with a taxonomy for the guarding nodes",
                "name both in the promise",
            )
        };
        let (Some(guards), Some(at_most)) = (spec.guards(), spec.number("at-most")) else {
            return Err(internal());
        };
        let attribute = spec.attribute_name();
        let at = |wanted: &str, hidden: bool| {
            let is = |a: &SensitiveAttribute| a.name == wanted && a.hidden == hidden;
            task.sensitive.iter().position(is).ok_or_else(internal)
        };
        let attribute = at(attribute.unwrap_or_default(), false)?;
        let guards = at(guards, true)?;
        let taxonomy = task.sensitive[attribute]
            .taxonomy
            .clone()
            .ok_or_else(internal)?;
        let guarded = task.sensitive[guards]
            .values
            .iter()
            .map(|name| taxonomy.node_called(name.as_deref()?))
            .collect();
        let solver = GreedyPersonalized {
            attribute,
            guards,
            guarded,
            taxonomy: taxonomy.clone(),
            bound: at_most,
        };
        let found = solver.run(task.request, context)?;
        let column = task.columns[attribute];
        let tuples = task.request.summary.tuples_of(task.table, task.quasi);
        let shown = found.shown(&task.table.columns()[column], &taxonomy, &tuples);
        let changed = task.table.with_column(column, shown)?;
        Ok(SpecialRelease {
            solution: Some(found.solution),
            output: Some(SpecialOutput::Replaced {
                table: changed,
                method: "generalization as far as each person asked",
                reproducible: true,
            }),
            warnings: Vec::new(),
        })
    }

    fn argus(
        self,
        task: &SpecialTask<'_>,
        context: &mut Context<'_>,
    ) -> Result<SpecialRelease, Error> {
        let Some(most) = task.known_columns.filter(|&most| most <= 3) else {
            return Err(self.misfit(
                "protects combinations of up to three values and gives no k-anonymity",
                "say so with `knows = { at-most = 3 }` under `[adversary]`, or choose another algorithm",
            ));
        };
        let k = task.promises.iter().map(PromiseSpec::size);
        let Some(k) = k.collect::<Option<Vec<u64>>>() else {
            return Err(self.misfit(
                "can promise nothing but a number of records per combination",
                "keep `k-anonymity` alone under `[promise]`, or choose another algorithm",
            ));
        };
        if task.has_subject || task.has_scopes() {
            return Err(self.misfit(
                "counts records on all quasi-identifiers",
                "leave the subject and `quasi` of promises out, or choose another algorithm",
            ));
        }
        let argus = MuArgus {
            k: k.into_iter().max().unwrap_or(1),
            values: most,
            suppressed: Reading::Value,
            ..MuArgus::default()
        };
        let found = argus.run(task.request, context)?;
        let mut warning = MuArgusRelease::WARNING.replace("three", &most.to_string());
        if found.happens_to_be_k_anonymous {
            warning.push_str(", though this release happens to have it");
        }
        Ok(SpecialRelease {
            solution: Some(found.solution),
            output: None,
            warnings: vec![warning],
        })
    }

    /// Something is asked that the algorithm cannot do.
    fn misfit(self, what: &str, help: &'static str) -> Error {
        Error::Misfit {
            algorithm: self.name(),
            what: what.to_owned(),
            help,
        }
    }

    /// What to do when it finds nothing, where that is more than its error says.
    pub fn instead(self) -> Option<&'static str> {
        (self == SpecialAlgorithm::Personalized).then_some(
            "this search keeps the guards of a class for everybody in it; `full-domain` judges each person by their own, and may find levels",
        )
    }
}

/// The number of different values that a promise asks of a group, one record each.
fn diversity(spec: &PromiseSpec) -> Option<u64> {
    let up = |numerator: u64, denominator: u64| numerator.div_ceil(denominator.max(1));
    let most = spec.number("alpha").or_else(|| spec.number("at-most"));
    match (spec.number("l"), most) {
        (Some(l), _) => Some(up(l.numerator(), l.denominator())),
        (None, Some(most)) if spec.guards().is_none() => {
            Some(up(most.denominator(), most.numerator()))
        }
        _ => None,
    }
}
