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
//! Each is audited on what was written, like any other release; what an algorithm cannot promise the policy may not ask of it.

use denym_data::{Column, Decimal, Table};
use denym_measure::SensitiveAttribute;
use denym_tabular::{
    Anatomy, Context, GreedyPersonalized, KePermutation, MinimalityDefence, MuArgus,
    MuArgusRelease, Reading, Request, seated,
};

use super::search::{Found, nothing_found};
use crate::catalogue::Algorithm;
use crate::plan::{Plan, policy_error};
use crate::policy::{Knowledge, Mistake, PromiseSpec};
use crate::randomness::SecretDraws;
use crate::{Error, pseudonyms};

/// One of these algorithms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpecialAlgorithm {
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

/// What a policy can name.
pub(crate) const SPECIAL_ALGORITHMS: [(SpecialAlgorithm, Algorithm); 5] = [
    (
        SpecialAlgorithm::Anatomy,
        Algorithm {
            name: "anatomy",
            data: "table",
            summary: "quasi-identifiers as they are, sensitive values in a second table",
            reference: "Xiao, Tao 2006",
        },
    ),
    (
        SpecialAlgorithm::Permutation,
        Algorithm {
            name: "k-e-permutation",
            data: "table",
            summary: "quasi-identifiers as they are, numbers shuffled within groups",
            reference: "Zhang, Koudas, Srivastava, Yu 2007",
        },
    ),
    (
        SpecialAlgorithm::MinimalityDefence,
        Algorithm {
            name: "minimality-defence",
            data: "table",
            summary: "k-anonymous first, then the values of failing classes are replaced",
            reference: "Wong, Fu, Wang, Pei 2007",
        },
    ),
    (
        SpecialAlgorithm::Personalized,
        Algorithm {
            name: "greedy-personalized",
            data: "table",
            summary: "sensitive values as general as each person's guarding node asks",
            reference: "Xiao, Tao 2006",
        },
    ),
    (
        SpecialAlgorithm::MuArgus,
        Algorithm {
            name: "mu-argus",
            data: "table",
            summary: "every combination of up to three values frequent; no k-anonymity",
            reference: "Hundepool, Willenborg 1996",
        },
    ),
];

/// What such an algorithm did beside, or instead of, recoding quasi-identifiers.
pub(crate) enum SpecialOutput {
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
    pub(crate) fn named(name: &str) -> Option<SpecialAlgorithm> {
        let found = SPECIAL_ALGORITHMS
            .iter()
            .find(|(_, algorithm)| algorithm.name == name);
        found.map(|&(special, _)| special)
    }

    fn name(self) -> &'static str {
        let found = SPECIAL_ALGORITHMS
            .iter()
            .find(|(special, _)| *special == self);
        found.map_or("", |(_, algorithm)| algorithm.name)
    }

    /// Runs the algorithm.
    pub(super) fn solve(
        self,
        plan: &Plan,
        table: &Table,
        request: &Request<'_>,
        context: &mut Context<'_>,
    ) -> Result<Found, Error> {
        match self {
            SpecialAlgorithm::Anatomy | SpecialAlgorithm::Permutation => {
                self.grouped(plan, table, request)
            }
            SpecialAlgorithm::MinimalityDefence => self.distorted(plan, table, request, context),
            SpecialAlgorithm::Personalized => self.personalized(plan, table, request, context),
            SpecialAlgorithm::MuArgus => self.argus(plan, request, context),
        }
    }

    fn grouped(self, plan: &Plan, table: &Table, request: &Request<'_>) -> Result<Found, Error> {
        let summary = request.summary;
        let shown: Vec<&SensitiveAttribute> = plan.sensitive.iter().filter(|a| !a.hidden).collect();
        if shown.len() != 1 || plan.columns.subject.is_some() {
            return Err(self.misfit(
                plan,
                "needs exactly one sensitive attribute and no subject",
                "give the others the role `insensitive` or `identifier`, or choose another algorithm",
            ));
        }
        if pseudonyms::per_class(&plan.policy).next().is_some() {
            return Err(self.misfit(
                plan,
                "publishes quasi-identifiers as they are, so that there are no classes to make tokens for",
                "remove `per = \"class\"`, or choose another algorithm",
            ));
        }
        for (spec, scope) in plan.promises.iter().zip(&plan.scopes) {
            if spec.attribute().is_none() || spec.guards().is_some() || scope.is_some() {
                return Err(self.misfit(
                    plan,
                    &format!(
                        "publishes quasi-identifiers as they are, so it cannot promise `{}`",
                        spec.name()
                    ),
                    "promise something about the sensitive attribute only, or choose another algorithm",
                ));
            }
        }
        // What protects is that nobody can repeat the draws, so they are never seeded.
        let mut secret = SecretDraws::default();
        let mut draw = |bound: u64| secret.below(bound);
        let placed = if self == SpecialAlgorithm::Anatomy {
            let Some(l) = plan.promises.iter().filter_map(diversity).max() else {
                return Err(self.misfit(
                    plan,
                    "deals records into groups of l different values, but nothing says how many",
                    "add `l-diversity = 3` or a bound of `confidence` to `[promise]`",
                ));
            };
            let dealer = Anatomy { l, attribute: 0 };
            let found = dealer.solve_for(summary, request.promises, &mut draw);
            found.map_err(Error::Solver)?.placed
        } else {
            let mut promises = plan.promises.iter();
            let asked = promises.find_map(|spec| spec.whole("k").zip(spec.number("e")));
            let Some((k, e)) = asked else {
                return Err(self.misfit(
                    plan,
                    "needs (k,e)-anonymity of a numeric attribute",
                    "add `k-e-anonymity = { k = 3, e = 1000 }` to `[promise]`",
                ));
            };
            let broken = |what: &'static str| Error::Internal { what: what.into() };
            let solver = KePermutation {
                attribute: 0,
                k,
                e: Decimal::exactly(e).ok_or_else(|| broken("the bound has too many digits"))?,
                numbers: shown[0].numbers().map_err(broken)?,
            };
            let found = solver.solve(summary, &mut draw);
            found.map_err(Error::Solver)?.placed
        };
        let column = plan.columns.sensitive[0];
        let values = &table.columns()[column].codes;
        let tuples = summary.tuples_of(table, &plan.columns.quasi);
        let group_of = seated(&placed, &tuples, values, &mut draw);
        secret.check()?;
        let warning = "quasi-identifiers are published as they are: whoever knows a person's finds the record, and that the \
                       person is in the data";
        Ok(Found {
            special: Some(SpecialOutput::Grouped {
                group_of,
                column,
                apart: self == SpecialAlgorithm::Anatomy,
            }),
            warnings: vec![warning.to_owned()],
            ..nothing_found(self.name(), plan.hierarchies.len())
        })
    }

    fn distorted(
        self,
        plan: &Plan,
        table: &Table,
        request: &Request<'_>,
        context: &mut Context<'_>,
    ) -> Result<Found, Error> {
        let own = |spec: &PromiseSpec| spec.population().is_none() && spec.guards().is_none();
        if !plan.promises.iter().all(own)
            || plan.scopes.iter().any(Option::is_some)
            || plan.sensitive.len() != 1
        {
            return Err(self.misfit(
                plan,
                "works on one sensitive attribute, with promises on all quasi-identifiers and without a population",
                "leave such promises out, or choose another algorithm",
            ));
        }
        let sizes: Vec<PromiseSpec> = plan
            .promises
            .iter()
            .filter(|spec| spec.attribute().is_none())
            .cloned()
            .collect();
        if sizes.is_empty() {
            return Err(self.misfit(
                plan,
                "makes classes by their size first, but no size is promised",
                "add `k-anonymity = 5` to `[promise]`",
            ));
        }
        let size = crate::plan::judges(&sizes, &plan.sensitive)?;
        let mut secret = SecretDraws::default();
        let mut draw = |bound: u64| secret.below(bound);
        let found = MinimalityDefence::default().run(request, &size, context, &mut draw);
        let found = found.map_err(Error::Solver)?;
        let column = plan.columns.sensitive[0];
        let old = &table.columns()[column];
        let tuples = request.summary.tuples_of(table, &plan.columns.quasi);
        let (codes, changed) = found.assigned(&tuples, old.codes.clone(), &mut draw);
        secret.check()?;
        Ok(Found {
            solution: found.solution,
            special: Some(SpecialOutput::Replaced {
                table: table.with_column(
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
            ..nothing_found(self.name(), plan.hierarchies.len())
        })
    }

    fn personalized(
        self,
        plan: &Plan,
        table: &Table,
        request: &Request<'_>,
        context: &mut Context<'_>,
    ) -> Result<Found, Error> {
        let mut guarding = plan.promises.iter().filter(|spec| spec.guards().is_some());
        let about_values =
            |spec: &PromiseSpec| spec.attribute().is_some() && spec.guards().is_none();
        let (Some(spec), None) = (guarding.next(), guarding.next()) else {
            return Err(self.misfit(
                plan,
                "needs one promise with guarding nodes",
                "add `personalized-privacy = { guards = \"guard\", at-most = 0.5 }` to `[promise]`",
            ));
        };
        if plan.promises.iter().any(about_values) || plan.scopes.iter().any(Option::is_some) {
            return Err(self.misfit(
                plan,
                "publishes sensitive values at several levels, on which no other promise about values can be judged",
                "keep `personalized-privacy` and promises on sizes, or choose another algorithm",
            ));
        }
        let internal = || Error::Internal {
            what: "a promise with guarding nodes that the plan should have refused".into(),
        };
        let (Some(guards), Some(at_most)) = (spec.guards(), spec.number("at-most")) else {
            return Err(internal());
        };
        let attribute = spec.attribute_name();
        let at = |wanted: &str, hidden: bool| {
            let is = |a: &SensitiveAttribute| a.name == wanted && a.hidden == hidden;
            plan.sensitive.iter().position(is).ok_or_else(internal)
        };
        let attribute = at(attribute.unwrap_or_default(), false)?;
        let guards = at(guards, true)?;
        let taxonomy = plan.sensitive[attribute]
            .taxonomy
            .clone()
            .ok_or_else(internal)?;
        let guarded = plan.sensitive[guards]
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
        let found = solver.run(request, context).map_err(|error| match error {
            denym_tabular::Error::Infeasible { .. } => Error::Infeasible {
                what: error.to_string(),
                code: error.code(),
                help: "this search keeps the guards of a class for everybody in it; `full-domain` judges each person by their own, and may find levels".into(),
            },
            error => Error::Solver(error),
        })?;
        let column = plan.columns.sensitive[attribute];
        let tuples = request.summary.tuples_of(table, &plan.columns.quasi);
        let shown = found.shown(&table.columns()[column], &taxonomy, &tuples);
        let changed = table.with_column(column, shown)?;
        Ok(Found {
            solution: found.solution,
            special: Some(SpecialOutput::Replaced {
                table: changed,
                method: "generalization as far as each person asked",
                reproducible: true,
            }),
            ..nothing_found(self.name(), plan.hierarchies.len())
        })
    }

    fn argus(
        self,
        plan: &Plan,
        request: &Request<'_>,
        context: &mut Context<'_>,
    ) -> Result<Found, Error> {
        let most = match plan.policy.adversary {
            Knowledge::AtMost(most) if most <= 3 => most,
            _ => {
                return Err(self.misfit(
                    plan,
                    "protects combinations of up to three values and gives no k-anonymity",
                    "say so with `knows = { at-most = 3 }` under `[adversary]`, or choose another algorithm",
                ));
            }
        };
        let k = plan.promises.iter().map(PromiseSpec::size);
        let Some(k) = k.collect::<Option<Vec<u64>>>() else {
            return Err(self.misfit(
                plan,
                "can promise nothing but a number of records per combination",
                "keep `k-anonymity` alone under `[promise]`, or choose another algorithm",
            ));
        };
        if plan.columns.subject.is_some() || plan.scopes.iter().any(Option::is_some) {
            return Err(self.misfit(
                plan,
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
        let found = argus.run(request, context).map_err(Error::Solver)?;
        let mut warning = MuArgusRelease::WARNING.replace("three", &most.to_string());
        if found.happens_to_be_k_anonymous {
            warning.push_str(", though this release happens to have it");
        }
        Ok(Found {
            solution: found.solution,
            warnings: vec![warning],
            ..nothing_found(self.name(), plan.hierarchies.len())
        })
    }

    /// The policy asks for something that the algorithm cannot do.
    fn misfit(self, plan: &Plan, what: &str, help: &str) -> Error {
        let mistake = Mistake {
            code: "policy-algorithm",
            message: format!("`{}` {what}", self.name()),
            span: plan.policy.release.algorithm_span.clone(),
            help: help.to_owned(),
        };
        policy_error(&plan.policy, vec![mistake])
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
