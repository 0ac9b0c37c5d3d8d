//! Tables: read, plan, solve, apply, write, read back, audit, and only then release.

mod account;
mod proof;
mod search;
mod side;

use std::borrow::Cow;
use std::path::Path;

use denym_data::{Role, Summary, Table};
use denym_engine::{Engine, Format};
use denym_measure::{Classes, Roles};

use super::microdata::{self, Measures};
use super::table_attacks;
use super::{Outcome, Release, RunOptions, json, proceed};
use crate::attack::Attacked;
use crate::bundle::Draft;
use crate::certificate::{Certificate, DataFile, FORM, Groups};
use crate::listener::{Listener, Phase};
use crate::plan::{Plan, data_name, policy_error};
use crate::policy::Policy;
use crate::{Error, coding, groups, mapping, perturb, population, pseudonyms, reporting, source};

pub(crate) use search::solve;
use search::{grouped, search};
pub(crate) use side::SIDES;
use side::{Side, Touched};

/// Makes a release of a table.
pub(super) fn run(
    policy: &Policy,
    output: &Path,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Outcome, Error> {
    let draft = Draft::new(output, options.force)?;
    let engine = Engine::new(options.threads)?;
    listener.phase(Phase::Reading);
    let original = source::read(policy, &engine)?;
    let original = pseudonyms::replaced(policy, original, options.environment)?;
    proceed(listener)?;
    let (original, register) = population::read(policy, original, &engine)?;
    let table = perturb::perturbed(policy, &original, options.perturbation_seed)?;
    let table = coding::coded(policy, table)?;
    let plan = Plan::new(policy, &table, &engine)?;
    let kept = plan.complete(&table)?;
    let family = microdata::family(policy, &kept);
    check_options(family, policy, options)?;

    listener.phase(Phase::Summarizing);
    let columns = &plan.columns;
    let summary = if family.is_some() {
        // Groups of records need no summary of tuples.
        Summary::default()
    } else {
        engine.summarize(&kept, &columns.quasi, &columns.sensitive, columns.subject)?
    };
    proceed(listener)?;

    listener.phase(Phase::Searching);
    let mut found = match family {
        Some(family) => grouped(microdata::solve(family, &plan, &kept, options, listener)?),
        None => search(&plan, &kept, &summary, register.as_ref(), options, listener)?,
    };
    if family.is_none() {
        coding::centered(&plan, &kept, &summary, &mut found.solution.recoding);
    }
    let solution = &found.solution;
    let kept = match &found.touched {
        Some(Touched::Replaced { table, .. }) => Cow::Borrowed(table),
        _ => kept,
    };
    proceed(listener)?;

    listener.phase(Phase::Writing);
    let format = Format::parse(&policy.release.format).ok_or_else(|| Error::Internal {
        what: "a format that the policy should have refused".into(),
    })?;
    let name = data_name(&policy.data.path);
    let file = format!("{name}.{}", format.name());
    let path = draft.path(&format!("release/{file}"));
    let write = Writing {
        engine: &engine,
        draft: &draft,
        format,
        name: &name,
    };
    let in_groups = if let Some(Touched::Grouped {
        group_of,
        column,
        apart,
    }) = &found.touched
    {
        Some(write.groups(&kept, &columns.released, group_of, *column, *apart)?)
    } else {
        let published = engine.apply(
            &kept,
            &columns.quasi,
            &columns.released,
            columns.subject,
            &summary,
            &solution.recoding,
        )?;
        engine.write(&published, format, &path)?;
        None
    };
    let hidden: Vec<usize> = plan
        .sensitive
        .iter()
        .zip(&columns.sensitive)
        .filter(|(attribute, _)| attribute.hidden)
        .map(|(_, &position)| position)
        .collect();
    let guarded = if hidden.is_empty() {
        None
    } else {
        // The same table with the guarding nodes left in; it is never written.
        let columns_and_guards = [columns.released.as_slice(), &hidden].concat();
        Some(engine.apply(
            &kept,
            &columns.quasi,
            &columns_and_guards,
            columns.subject,
            &summary,
            &solution.recoding,
        )?)
    };
    proceed(listener)?;

    listener.phase(Phase::Auditing);
    let written = write.read_back(in_groups.as_ref())?;
    let people = match (&register, &solution.recoding.levels, &found.looks_like) {
        (Some(register), Some(levels), _) => {
            Some(population::generalized(&plan, register, levels)?)
        }
        (Some(register), None, Some(classes)) => {
            let recoding = &solution.recoding;
            Some(population::published(&plan, register, recoding, classes)?)
        }
        _ => None,
    };
    let proof = proof::Proof {
        plan: &plan,
        groups: in_groups.as_ref().map(|groups| groups.column.as_str()),
        guarded: guarded.as_ref(),
        population: people.as_ref(),
        values_generalized: policy.release.algorithm == "greedy-personalized",
    };
    let (classes, view, claims) = proof.measure(&written)?;
    // Several columns read as one are no columns of the source; they come last.
    let own = |column: &&usize| **column < original.columns().len();
    let roles = Roles {
        quasi: columns.quasi.clone(),
        sensitive: columns.sensitive.iter().filter(own).copied().collect(),
        subject: columns.subject,
    };
    // What the release loses has nothing to do with what the source would have given away.
    let (account, (before, fingerprint, sources)) = rayon::join(
        || account::account(&plan, &table, &summary, &written, &found, &classes, claims),
        || {
            let fingerprint = denym_engine::fingerprint(&path);
            let sources = source::fingerprints(policy);
            (Classes::of(&original, &roles), fingerprint, sources)
        },
    );
    let mut account = account?;
    let changed = account::changed(&plan, &original, &table, &found);
    account.measures = Measures::of(
        &changed,
        found.groups.as_ref().and_then(|groups| groups.adm),
    )?;
    if options.perturbation_seed.is_some() {
        account.warnings.push(SEEDED.to_owned());
    }

    listener.phase(Phase::Attacking);
    let plain = plan
        .sensitive
        .iter()
        .filter(|attribute| attribute.parts.is_empty() && !attribute.hidden);
    let names: Vec<String> = plain.map(|attribute| attribute.name.clone()).collect();
    let red_team = table_attacks::red_team(&table_attacks::Attackable {
        plan: &plan,
        engine: &engine,
        kept: &kept,
        before: Attacked {
            table: &original,
            roles,
            groups: None,
            classes: Some(&before),
        },
        after: Attacked {
            table: &view.table,
            roles: view.roles,
            groups: view.groups,
            classes: Some(&classes),
        },
        sensitive: &names,
        measures: account.measures.as_ref(),
        grouped: family.is_some() || Side::named(&policy.release.algorithm).is_some(),
    });
    account.attacks = red_team.results(&policy.attack);
    if account.refused() {
        return Ok(Outcome::Refused(Box::new(account)));
    }
    let certificate = Certificate {
        form: FORM,
        denym: env!("CARGO_PKG_VERSION").to_owned(),
        data: DataFile {
            file,
            format: format.name().to_owned(),
            records: written.records() as u64,
            sha256: fingerprint?,
        },
        knows: policy.adversary,
        quasi_identifiers: plan.quasi_names(),
        sensitive: plan
            .sensitive
            .iter()
            .filter(|attribute| !attribute.hidden)
            .map(|attribute| attribute.certified(&plan.promises))
            .collect(),
        subject: policy
            .with_role(Role::Subject)
            .next()
            .map(|spec| spec.name.clone()),
        suppressed_records: account.suppressed_records,
        altered: account::altered(&plan, &found),
        groups: in_groups,
        claims: account.claims.clone(),
        attacks: account.attacks.clone(),
        paths: None,
        transactions: None,
    };
    proceed(listener)?;

    listener.phase(Phase::Reporting);
    let mut report = reporting::report(&plan, &original, &written, &before, &classes, &account);
    report.attacks.extend(red_team.report());
    draft.write("release/certificate.json", json(&certificate)?.as_bytes())?;
    draft.write(
        "release/README.md",
        reporting::readme(&certificate).as_bytes(),
    )?;
    draft.write(
        "steward/report.html",
        denym_report::html(&report).as_bytes(),
    )?;
    draft.policy(policy)?;
    draft.write(
        "steward/plan.json",
        json(&reporting::plan_document(&plan, &account))?.as_bytes(),
    )?;
    draft.write(
        "steward/attacks.json",
        json(&red_team.document())?.as_bytes(),
    )?;
    draft.write("steward/source.json", json(&sources?)?.as_bytes())?;
    if options.mapping {
        let mapping = mapping::csv(&plan, &kept, &summary, &solution.recoding);
        draft.write("steward/mapping.csv", mapping.as_bytes())?;
    }
    if let Some(groups) = &found.groups {
        draft.write("steward/groups.json", json(&groups.published)?.as_bytes())?;
    }
    proceed(listener)?;
    let bundle = draft.finish()?;
    Ok(Outcome::Released(Box::new(Release {
        bundle,
        certificate,
        account,
    })))
}

/// What a steward must know about a seeded perturbation.
const SEEDED: &str = "the perturbation was drawn with a seed: whoever knows it can undo it; never publish this release";

/// Options that only some algorithms have.
fn check_options(
    family: Option<microdata::Family>,
    policy: &Policy,
    options: &RunOptions,
) -> Result<(), Error> {
    if let (None, Some(spec)) = (family, &policy.release.microdata.unconcerned) {
        let mistake = microdata::only_clusters(&policy.release.algorithm, spec);
        return Err(policy_error(policy, vec![mistake]));
    }
    let seeded = options.perturbation_seed.is_some();
    let perturbs = !policy.release.microdata.perturb.is_empty();
    let problem = if seeded && !perturbs {
        "a seed of the perturbation is given, but the policy perturbs nothing"
    } else if options.onto.is_some() && perturbs {
        "perturbed numbers differ every time, so no release can be added to"
    } else if options.onto.is_some() && family.is_none() {
        "only microaggregation and clustering can add to an earlier release"
    } else {
        return Ok(());
    };
    Err(Error::Argument {
        what: problem.into(),
        help: "remove the option, or change the policy".into(),
    })
}

/// Where the data of a bundle is written and read back.
struct Writing<'a> {
    engine: &'a Engine,
    draft: &'a Draft,
    format: Format,
    name: &'a str,
}

impl Writing<'_> {
    /// Writes a table in groups: one file, or two when sensitive values go apart.
    fn groups(
        &self,
        kept: &Table,
        released: &[usize],
        group_of: &[u32],
        column: usize,
        apart: bool,
    ) -> Result<Groups, Error> {
        let attribute = kept.columns()[column].name.clone();
        let (linked, group) = groups::linked(kept, released, group_of, column)?;
        let file = |name: &str| format!("{name}.{}", self.format.name());
        let path = |file: &str| self.draft.path(&format!("release/{file}"));
        let mut claims = Groups {
            column: group,
            attribute,
            sensitive: None,
        };
        if !apart {
            let main = path(&file(self.name));
            self.engine.write(&linked, self.format, &main)?;
            return Ok(claims);
        }
        let (first, second) = groups::apart(&linked, &claims.column, &claims.attribute)?;
        self.engine
            .write(&first, self.format, path(&file(self.name)))?;
        let second_file = file(&format!("{}-sensitive", self.name));
        let second_path = path(&second_file);
        self.engine.write(&second, self.format, &second_path)?;
        claims.sensitive = Some(DataFile {
            file: second_file,
            format: self.format.name().to_owned(),
            records: second.records() as u64,
            sha256: denym_engine::fingerprint(&second_path)?,
        });
        Ok(claims)
    }

    /// The written data; tables that meet in groups as one.
    fn read_back(&self, groups: Option<&Groups>) -> Result<Table, Error> {
        let read = |file: &str| {
            let path = self.draft.path(&format!("release/{file}"));
            source::read_release(self.engine, &path, self.format)
        };
        let written = read(&format!("{}.{}", self.name, self.format.name()))?;
        let Some((groups, second)) = groups.and_then(|g| Some((g, g.sensitive.as_ref()?))) else {
            return Ok(written);
        };
        groups::joined(&written, &read(&second.file)?, groups).map_err(|what| Error::Internal {
            what: what.to_owned(),
        })
    }
}
