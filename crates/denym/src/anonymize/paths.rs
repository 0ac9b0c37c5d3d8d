//! Paths: read, plan, solve, apply, write, read back, judge, and only then release.

use std::path::Path;

use denym_data::{Column, Role, Table};
use denym_engine::{Engine, Format};
use denym_measure::paths::{Knowledge, PathAudit, Removal, Secret, consistent_with, covers};
use denym_paths::{Algorithm, Context, Earlier, PathRecoding, Request};

use super::path_attacks;
use super::{Account, Figures, Outcome, Refusal, Release, RunOptions, json, proceed};
use crate::attack::Seen;
use crate::bundle::Draft;
use crate::certificate::{Certificate, Claim, DataFile, FORM, Sensitive};
use crate::listener::{Listener, Phase};
use crate::paths::{
    EarlierRelease, PathClaims, PathTable, Published, SUBJECTS, claims, knowledge_of, over_bound,
    publish, read_released, request, source_of, subjects_table,
};
use crate::plan::data_name;
use crate::policy::paths::Matching;
use crate::policy::{Policy, PromiseSpec};
use crate::reporting::paths as reporting;
use crate::{Error, source};

/// Figures that only paths have.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathFigures {
    /// Critical violations of the source.
    pub critical_violations: u64,
    /// The same by length, from 1.
    pub critical_violations_by_length: Vec<u64>,
    /// Doublets in all source records.
    pub doublets: u64,
    /// Distinct source doublets that are published nowhere, not even coarser.
    pub suppressed_doublets: u64,
    /// Instances that are removed.
    pub lost_doublets: u64,
    /// Instances shown at their source place and time.
    pub unchanged_doublets: u64,
    /// Lost instances over all instances.
    pub distortion: f64,
    /// Mean loss of an instance.
    pub loss: f64,
    /// The suppressed doublets, in the order they were chosen.
    pub suppressed: Vec<String>,
    /// Which records the adversary cannot rule out.
    pub matching: Matching,
    /// Records that somebody with a source path could still tell apart, where `covers` was asked for and it was counted.
    pub exposed_records: Option<u64>,
}

/// Makes a release of paths.
pub(super) fn run(
    policy: &Policy,
    output: &Path,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Outcome, Error> {
    let draft = Draft::new(output, options.force)?;
    let engine = Engine::new(options.threads)?;
    listener.phase(Phase::Reading);
    let table = crate::paths::read(policy, &engine)?;
    proceed(listener)?;
    let (request, mut warnings) = request(policy, &table, &engine)?;

    listener.phase(Phase::Searching);
    let keep_going = || listener.keep_going();
    let context = Context {
        seed: policy.release.seed,
        keep_going: &keep_going,
    };
    let earlier = policy.paths.as_ref().and_then(|spec| spec.earlier.as_ref());
    let earlier = earlier
        .map(|directory| EarlierRelease::read(&policy.resolve(directory), &table, &engine))
        .transpose()?;
    let earlier = earlier.as_ref().map(|before| Earlier {
        released: &before.released,
        record_of: &before.record_of,
    });
    let solved = match &earlier {
        Some(earlier) => denym_paths::republish(earlier, &table.paths, &request, &context),
        None => denym_paths::solve(&table.paths, &request, &context),
    };
    let recoding = match solved {
        Ok(recoding) => recoding,
        Err(error) if error.is_refusal() => {
            let account = refused(policy, &table, &request, &context, &error.into(), warnings)?;
            return Ok(Outcome::Refused(Box::new(account)));
        }
        Err(denym_paths::Error::Stopped) => return Err(Error::Stopped),
        Err(error) => return Err(error.into()),
    };
    let records = table.paths.len() as u64;
    let allowed = policy.release.suppress_at_most.floor_of(records);
    if earlier.is_some() && !recoding.dropped_records.is_empty() {
        warnings.push(format!(
            "{} records are left out: published now, they would stand out beside the earlier release",
            recoding.dropped_records.len()
        ));
    } else if recoding.dropped_records.len() as u64 > allowed {
        let error = Error::TooManyDropped {
            dropped: recoding.dropped_records.len() as u64,
            allowed,
        };
        let account = refused(policy, &table, &request, &context, &error, warnings)?;
        return Ok(Outcome::Refused(Box::new(account)));
    }
    proceed(listener)?;

    listener.phase(Phase::Writing);
    let format = Format::parse(&policy.release.format).ok_or_else(|| Error::Internal {
        what: "a format that the policy should have refused".into(),
    })?;
    let file = format!("{}.{}", data_name(&policy.data.path), format.name());
    let path = draft.path(&format!("release/{file}"));
    let Published {
        table: published,
        record_of,
    } = publish(&table, &recoding)?;
    engine.write(&published, format, &path)?;
    drop(published);
    proceed(listener)?;

    listener.phase(Phase::Auditing);
    let written = source::read_release(&engine, &path, format)?;
    let written = aligned(written, &table.attributes)?;
    let sensitive = names(policy, Role::Sensitive);
    let quasi = names(policy, Role::QuasiIdentifier);
    let released = read_released(&path, &written, &table.form, &sensitive, &quasi)?;
    drop(written);
    let matching = policy
        .paths
        .as_ref()
        .map(|p| p.matching)
        .unwrap_or_default();
    let promises: Vec<PromiseSpec> = policy.promises.iter().map(|p| p.promise.clone()).collect();
    let hidden = over_bound(&table.paths, &promises);
    if !hidden.is_empty() {
        warnings.push(format!(
            "{} of the sensitive places were visited by more subjects than the bound allows; they are published nowhere, \
             but their share among all subjects is not hidden",
            hidden.len()
        ));
    }
    let l = knowledge_of(policy);
    // Whose source path each written record comes from; the judge and the red team both look at it.
    let victims = source_of(&table.paths, &recoding, &record_of)?;
    let judge = || match matching {
        Matching::Covers => claims(
            &released,
            &promises,
            l,
            matching,
            &hidden,
            &mut |knowledge| {
                proceed(listener)?;
                Ok(covers(&released, knowledge))
            },
        ),
        Matching::Consistent => {
            let judge = Raw::new(&victims, &released, &recoding)?;
            claims(
                &victims,
                &promises,
                l,
                matching,
                &hidden,
                &mut |knowledge| {
                    proceed(listener)?;
                    judge.judge(knowledge)
                },
            )
        }
    };
    // While one core judges, the other counts what the report shows and reads the source's bytes once more.
    let (judged, (losses, fingerprints)) = rayon::join(judge, || {
        (
            reporting::Losses::new(&table.paths, &recoding),
            source::fingerprints(policy),
        )
    });
    let (claims, _) = judged?;
    if let Some(earlier) = &earlier {
        let kept: Vec<usize> = record_of.iter().map(|&record| record as usize).collect();
        let mut joint =
            denym_paths::check_republication(earlier, &released, &kept, &request, &context);
        if joint.is_ok() && matching == Matching::Consistent {
            joint =
                denym_paths::check_contradiction(earlier, &table.paths, &released, &kept, &request);
        }
        match joint {
            Err(error) if error.is_refusal() => {
                let account = refused(policy, &table, &request, &context, &error.into(), warnings)?;
                return Ok(Outcome::Refused(Box::new(account)));
            }
            joint => joint?,
        }
    }
    let exposed_records = match matching {
        Matching::Consistent => None,
        Matching::Covers => exposed(&table, &request, &recoding, &released, &victims)?,
    };
    let mut account = account(policy, &table, &recoding, claims, warnings, exposed_records);
    if account.claims.iter().any(|claim| claim.holds != Some(true)) {
        return Ok(Outcome::Refused(Box::new(account)));
    }
    proceed(listener)?;

    listener.phase(Phase::Attacking);
    let seen = Seen {
        raw: &victims,
        own: Some((0..victims.len() as u32).collect()),
        stands_for: Raw::new(&victims, &released, &recoding)?.stands_for,
        released: &released,
        everywhere: removal(&recoding) == Removal::Everywhere,
        promises: &promises,
        hidden: &hidden,
        doublets: l,
        consistent: matching == Matching::Consistent,
    };
    let red_team = path_attacks::red_team(
        &seen,
        &table.paths,
        &request,
        &recoding,
        policy.release.seed,
    )?;
    drop(seen);
    drop(victims);
    account.attacks = red_team.results(&policy.attack);
    if account.refused() {
        return Ok(Outcome::Refused(Box::new(account)));
    }
    let certificate = Certificate {
        altered: Vec::new(),
        form: FORM,
        denym: env!("CARGO_PKG_VERSION").to_owned(),
        data: DataFile {
            file,
            format: format.name().to_owned(),
            records: released.len() as u64,
            sha256: denym_engine::fingerprint(&path)?,
        },
        knows: policy.adversary,
        quasi_identifiers: quasi,
        sensitive: sensitive
            .into_iter()
            .map(|name| Sensitive {
                parts: Vec::new(),
                name,
                reference: None,
                taxonomy: None,
            })
            .collect(),
        subject: None,
        suppressed_records: account.suppressed_records,
        groups: None,
        claims: account.claims.clone(),
        attacks: account.attacks.clone(),
        paths: Some(PathClaims {
            form: table.form.clone(),
            matching,
        }),
        transactions: None,
    };
    proceed(listener)?;

    listener.phase(Phase::Reporting);
    let mut report = reporting::report(policy, &table, &released, &losses, &account);
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
        json(&reporting::plan_document(policy, &account))?.as_bytes(),
    )?;
    draft.write(
        "steward/attacks.json",
        json(&red_team.document())?.as_bytes(),
    )?;
    draft.write("steward/source.json", json(&fingerprints?)?.as_bytes())?;
    if let Some(subjects) = subjects_table(&table, &record_of)? {
        engine.write(&subjects, Format::Csv, draft.path(SUBJECTS))?;
    }
    proceed(listener)?;
    let bundle = draft.finish()?;
    Ok(Outcome::Released(Box::new(Release {
        bundle,
        certificate,
        account,
    })))
}

/// The names of the columns with a role.
fn names(policy: &Policy, role: Role) -> Vec<String> {
    policy
        .with_role(role)
        .map(|spec| spec.name.clone())
        .collect()
}

/// Doublets up to which the judge counts whom a release by local suppression exposes: a week of a city's journeys and a
/// day of web sessions are within. Beyond that its bits, one per doublet and distinct record, may not fit into memory.
const MOST_JUDGED: usize = 2_500_000;

/// Records that somebody who knows their source path can still tell apart, which `covers` does not see.
fn exposed(
    table: &PathTable,
    request: &Request,
    recoding: &PathRecoding,
    released: &denym_data::paths::Paths,
    victims: &denym_data::paths::Paths,
) -> Result<Option<u64>, Error> {
    if recoding.stats.lost_doublets == 0
        && recoding.stats.unchanged_doublets == recoding.stats.doublets
    {
        // Nothing was hidden, so nothing can contradict.
        return Ok(Some(0));
    }
    if removal(recoding) == Removal::Everywhere {
        let exposed = denym_paths::exposed_records(&table.paths, request, &recoding.suppressed)?;
        return Ok(Some(exposed));
    }
    if table.paths.instances() > MOST_JUDGED {
        return Ok(None);
    }
    let secrets = request.bounds.iter().map(|bound| match &bound.secret {
        denym_paths::Secret::Value { attribute, value } => {
            Secret::value(attribute, value, bound.at_most)
        }
        denym_paths::Secret::Place { location } => Secret::place(location, bound.at_most),
    });
    let knowledge = Knowledge::new(request.l, request.k, secrets.collect());
    let audit = Raw::new(victims, released, recoding)?.judge(&knowledge)?;
    Ok(Some(audit.exposed_records))
}

/// How a recoding removes doublets, as the judge has to know.
fn removal(recoding: &PathRecoding) -> Removal {
    match recoding.algorithm {
        Algorithm::GlobalSuppression | Algorithm::Optimum => Removal::Everywhere,
        _ => Removal::SomeRecords,
    }
}

/// The written table with the attributes in the codes of the source.
fn aligned(written: Table, attributes: &[Column]) -> Result<Table, Error> {
    let mut columns = Vec::with_capacity(written.columns().len());
    for column in written.columns() {
        let Some(own) = attributes.iter().find(|own| own.name == column.name) else {
            columns.push(column.clone());
            continue;
        };
        let code = |code: u32| match column.dictionary.text(code) {
            Some(text) => own.dictionary.code_of(text),
            None => own.dictionary.missing(),
        };
        let map: Vec<u32> = (0..column.dictionary.len() as u32)
            .map(code)
            .collect::<Option<_>>()
            .ok_or_else(|| Error::Internal {
                what: "the written data has a value that the source does not have".into(),
            })?;
        columns.push(Column {
            name: column.name.clone(),
            dictionary: own.dictionary.clone(),
            codes: column
                .codes
                .iter()
                .map(|&code| map[code as usize])
                .collect(),
        });
    }
    drop(written);
    Ok(Table::new(columns)?)
}

/// The judge who knows the source paths.
struct Raw<'a> {
    source: &'a denym_data::paths::Paths,
    released: &'a denym_data::paths::Paths,
    stands_for: Vec<Vec<u32>>,
    removal: Removal,
}

impl<'a> Raw<'a> {
    /// Finds by its label which written doublets may stand for a source doublet.
    fn new(
        raw: &'a denym_data::paths::Paths,
        released: &'a denym_data::paths::Paths,
        recoding: &PathRecoding,
    ) -> Result<Raw<'a>, Error> {
        let words = &recoding.vocabulary;
        let known: std::collections::HashMap<(&str, &str), u32> = words
            .doublets
            .iter()
            .zip(0..)
            .map(|(doublet, id)| {
                let place = words.locations[doublet.location as usize].as_str();
                let time = words.times[doublet.time as usize].as_str();
                ((place, time), id)
            })
            .collect();
        let mut written = vec![None; words.doublets.len()];
        for (doublet, id) in released.doublets().iter().zip(0_u32..) {
            let place = released.locations()[doublet.location as usize].as_str();
            let time = released.times()[doublet.time as usize].as_str();
            let word = known.get(&(place, time)).ok_or_else(|| Error::Internal {
                what: "the written data has a doublet that was not to be published".into(),
            })?;
            written[*word as usize] = Some(id);
        }
        let stands_for = words
            .stands_for
            .iter()
            .map(|chain| {
                let ids = chain.iter();
                ids.filter_map(|&word| written[word as usize]).collect()
            })
            .collect();
        Ok(Raw {
            source: raw,
            released,
            stands_for,
            removal: removal(recoding),
        })
    }

    fn judge(&self, knowledge: &Knowledge) -> Result<PathAudit, Error> {
        consistent_with(
            self.source,
            self.released,
            &self.stands_for,
            self.removal,
            knowledge,
        )
        .map_err(|_| Error::Internal {
            what: "the written data has not the records that were to be published".into(),
        })
    }
}

fn account(
    policy: &Policy,
    table: &PathTable,
    recoding: &PathRecoding,
    claims: Vec<Claim>,
    warnings: Vec<String>,
    exposed_records: Option<u64>,
) -> Account {
    let stats = &recoding.stats;
    let metric = match policy.release.metric.as_str() {
        "distortion" => stats.distortion,
        _ => stats.loss,
    };
    let suppressed = recoding.suppressed.iter();
    Account {
        attempts: Vec::new(),
        measures: None,
        attacks: Vec::new(),
        algorithm: recoding.algorithm.name().to_owned(),
        records: table.paths.len() as u64,
        suppressed_records: recoding.dropped_records.len() as u64,
        metric: (policy.release.metric.clone(), metric),
        figures: Figures::Paths(PathFigures {
            critical_violations: stats.critical_violations,
            critical_violations_by_length: stats.critical_violations_by_length.clone(),
            doublets: stats.doublets,
            suppressed_doublets: recoding.suppressed.len() as u64,
            lost_doublets: stats.lost_doublets,
            unchanged_doublets: stats.unchanged_doublets,
            distortion: stats.distortion,
            loss: stats.loss,
            suppressed: suppressed.map(|&id| table.paths.label(id)).collect(),
            matching: policy
                .paths
                .as_ref()
                .map(|p| p.matching)
                .unwrap_or_default(),
            exposed_records,
        }),
        claims,
        warnings,
        refusal: None,
    }
}

/// The account of a run that found nothing to release: what stands in the way, and how bad the source is.
fn refused(
    policy: &Policy,
    table: &PathTable,
    request: &Request,
    context: &Context,
    error: &Error,
    warnings: Vec<String>,
) -> Result<Account, Error> {
    let violations = denym_paths::critical_violations(&table.paths, request, context)?;
    Ok(Account {
        attempts: Vec::new(),
        measures: None,
        attacks: Vec::new(),
        algorithm: policy.release.algorithm.clone(),
        records: table.paths.len() as u64,
        suppressed_records: 0,
        metric: (policy.release.metric.clone(), 0.0),
        figures: Figures::Paths(PathFigures {
            critical_violations: violations.len() as u64,
            critical_violations_by_length: violations.by_length(),
            doublets: table.paths.instances() as u64,
            matching: policy
                .paths
                .as_ref()
                .map(|p| p.matching)
                .unwrap_or_default(),
            ..PathFigures::default()
        }),
        claims: Vec::new(),
        warnings,
        refusal: Some(Refusal {
            code: error.code(),
            message: error.to_string(),
            help: error.help(),
        }),
    })
}
