//! Trails: entries are withheld until every published trail has k possible owners.

use std::collections::HashMap;
use std::path::Path;

use denym_attack::Scene;
use denym_attack::trails::linking::LinkedTrails;
use denym_attack::trails::{TrailOptions, TrailOutcome, TrailScene, TrailSide, Truth, attack};
use denym_data::{Column, NamedTrails, Table, Trails};
use denym_engine::{Engine, ReadOptions};
use denym_report::{About, Language, Report};
use denym_sequences::trail_defence::{Defence, Options, TrailDefenceError, defend};
use serde_json::{Value, json};

use crate::account::{self, Account};
use crate::attack::{RedTeam, TrailSource, attack_error, red_team, sides};
use crate::bundle::Draft;
use crate::certificate::{Certificate, Check, Claim, ColumnRole, published as columns, share};
use crate::figures::Figures;
use crate::guard::Before;
use crate::listener::Listener;
use crate::options::RunOption;
use crate::outline::{Cost, Sketch};
use crate::pipeline::{Bundled, Kind, Made, Prepared, Run, Sheet, Statement, Told, attempt};
use crate::policy::{Policy, PromiseSpec};
use crate::{Error, reporting, source};

/// Which institutions hold data of each person.
pub(crate) struct OnTrails;

/// Who owns which published trail, in the form of the policy's own list. It stays with the steward.
pub(crate) const OWNERS: &str = "steward/owners.csv";

/// Both sides, and who owns which anonymous trail.
pub(crate) struct Source {
    sides: LinkedTrails,
    owner: Vec<u32>,
}

/// Published trails over the identified side's institutions.
pub(crate) struct Shown {
    ids: Vec<String>,
    trails: Trails,
    /// Rows of the written table.
    entries: u64,
}

/// What trails give away.
pub(crate) struct Judged {
    after: TrailOutcome,
}

/// The least number of possible owners.
fn least(policy: &Policy) -> u64 {
    let asked = policy
        .promises
        .iter()
        .filter_map(|promised| promised.promise.size());
    asked.max().unwrap_or(1)
}

impl Kind for OnTrails {
    const NAME: &'static str = "trails";
    const TAKES: &'static [RunOption] = &[RunOption::Sign];
    const COMPARED: &'static [(&'static str, &'static str)] = &[
        ("highest_risk", "highest_risk"),
        ("suppressed_records", "suppressed_records"),
        ("entries", "entries"),
        ("withheld", "withheld"),
    ];
    const ALGORITHMS: &'static [&'static str] = &["trails"];
    const ONLY: Option<&'static str> = Some("trail-defence");

    type Source = Source;
    type Plan = ();

    fn read(run: &Run<'_>) -> Result<Source, Error> {
        let policy = run.policy;
        let read = source::read_options(policy);
        let side = |path: &str| TrailSource {
            path: policy.resolve(Path::new(path)),
            ..TrailSource::default()
        };
        let (anonymous, identified) = (side(&policy.data.path), side(&policy.data.identified));
        let sides = sides(run.engine, &anonymous, &identified, &[], &read)?;
        let owner = owners(
            policy,
            run.engine,
            &read,
            &sides.anonymous,
            &sides.identified,
        )?;
        Ok(Source { sides, owner })
    }

    fn plan(_run: &Run<'_>, _source: &Source) -> Result<(), Error> {
        Ok(())
    }

    fn before<'a>(run: &Run<'a>, source: &'a Source, _plan: &'a Self::Plan) -> Before<'a> {
        Before {
            records: source.sides.anonymous.ids.len() as u64,
            ..Before::of(run.policy)
        }
    }

    fn sketch(run: &Run<'_>, source: &Source, (): &()) -> Sketch {
        let Source { sides, .. } = source;
        let (anonymous, identified) = (&sides.anonymous, &sides.identified);
        let (trails, people) = (anonymous.ids.len() as u64, identified.ids.len() as u64);
        let cost = |key, words, value| Cost { key, words, value };
        Sketch {
            steps: vec![
                "read both sides as codes, one trail per id".to_owned(),
                format!(
                    "withhold entries until every published trail has {} possible owners",
                    least(run.policy)
                ),
                "write the trails sorted by what they show".to_owned(),
                "read the written file back and re-identify with everything the catalogue knows; release only if every \
                 trail keeps its owners"
                    .to_owned(),
            ],
            costs: vec![
                cost("records", "anonymous trails", trails),
                cost("identified", "identified people", people),
                cost("entries", "entries of the anonymous trails", anonymous.trails.entries() as u64),
                cost("institutions", "institutions", anonymous.institutions.len() as u64),
            ],
            work: trails.saturating_mul(people),
            warnings: Vec::new(),
        }
    }

    fn usual_k() -> Vec<u64> {
        vec![2, 3, 5, 10, 20]
    }

    fn as_it_stands(run: &Run<'_>, source: &Source, (): &()) -> Result<Vec<Claim>, Error> {
        let sides = &source.sides;
        let (claim, after) = judged(
            run.policy,
            &sides.anonymous.trails,
            &sides.identified.trails,
        )?;
        let k = least(run.policy);
        let few = |size: &&u32| u64::from(**size) < k;
        let sizes = after.allowed_set_sizes.iter().flatten();
        Ok(vec![Claim {
            violating_records: sizes.filter(few).count() as u64,
            ..claim
        }])
    }

    fn attempt(run: &Run<'_>, source: &Self::Source) -> Result<Account, Error> {
        attempt::<Self>(run, source)
    }

    fn release(
        ready: &Prepared<Self>,
        draft: Draft,
        listener: &dyn Listener,
    ) -> Result<account::Outcome, Error> {
        ready.release(draft, listener)
    }
}

impl Bundled for OnTrails {
    const MAY_BE_EMPTY: bool = true;
    type Solved = Defence;
    type Shown = Shown;
    type Judged = Judged;

    fn solve(run: &Run<'_>, source: &Source, (): &()) -> Result<Defence, Error> {
        let options = Options {
            k: usize::try_from(least(run.policy)).unwrap_or(usize::MAX),
            ..Options::default()
        };
        let Source { sides, owner } = source;
        defend(
            &sides.anonymous.trails,
            &sides.identified.trails,
            owner,
            &options,
        )
        .map_err(|error| undefended(&error))
    }

    fn show(
        run: &Run<'_>,
        source: &Source,
        (): &(),
        solved: &mut Defence,
    ) -> Result<Vec<Sheet>, Error> {
        let (table, _) = published(run.policy, &source.sides.anonymous, solved, &source.owner)?;
        if table.records() == 0 {
            return Err(Error::Infeasible {
                what: "every entry would have to be withheld, and nothing would be published"
                    .into(),
                code: "nothing-left",
                help: "ask for a smaller k".into(),
            });
        }
        let columns = columns(["id", "institution"], |name| match name {
            "institution" => ColumnRole::Institution,
            // Ids of their own are published as they are.
            _ if run.policy.data.owners.is_some() => ColumnRole::Pseudonym,
            _ => ColumnRole::SubjectNumber,
        });
        Ok(vec![Sheet {
            suffix: "",
            table,
            columns,
        }])
    }

    fn see(made: &Made<'_, Self>, files: Vec<Table>) -> Result<Shown, Error> {
        seen(&files[0], &made.source.sides.identified)
    }

    fn prove(made: &Made<'_, Self>, shown: &Shown) -> Result<(Account, Judged), Error> {
        let Source { sides, .. } = made.source;
        let anonymous = &sides.anonymous;
        let (claim, after) = judged(made.run.policy, &shown.trails, &sides.identified.trails)?;
        let judged = Judged { after };
        let entries = anonymous.trails.entries() as u64;
        let withheld = made.solved.withheld.len() as u64;
        let (published, all) = (shown.trails.len(), anonymous.ids.len());
        let figures = Figures::default()
            .with("classes", Value::Null)
            .with("entries", entries)
            .said(
                "published",
                format!("{published} of {all} trails; {withheld} of {entries} entries withheld"),
            )
            .with("withheld", withheld)
            .with("optimal", made.solved.optimal)
            .with("institutions", anonymous.institutions.len() as u64);
        let account = Account {
            algorithm: crate::program::algorithm(made.run.policy).to_owned(),
            suppressed_records: (all - published) as u64,
            metric: ("withheld".into(), share(withheld, entries)),
            claims: vec![claim],
            ..Account::of(made.run.policy, anonymous.ids.len() as u64, figures)
        };
        Ok((account, judged))
    }

    fn attack(
        made: &Made<'_, Self>,
        shown: &Shown,
        judged: &Judged,
        _account: &Account,
    ) -> Result<RedTeam, Error> {
        let Source { sides, owner } = made.source;
        let (_, owner_of) = published(made.run.policy, &sides.anonymous, made.solved, owner)?;
        let owner_of = |id: &String| owner_of.get(id).copied();
        let owners: Vec<Option<u32>> = shown.ids.iter().map(owner_of).collect();
        let before: Vec<Option<u32>> = owner.iter().copied().map(Some).collect();
        let mut scene = TrailScene::new(
            TrailSide::new(&shown.trails),
            TrailSide::new(&sides.identified.trails),
            &|_, _| true,
            TrailOptions::default(),
        );
        scene.truth = Some(Truth {
            owners: &owners,
            source: Some((TrailSide::new(&sides.anonymous.trails), &before)),
        });
        let scene = scene.known(judged.after.clone());
        red_team(&Scene::Trails(&scene))
    }

    fn state(_made: &Made<'_, Self>, shown: &Shown, _account: &Account) -> Statement {
        Statement {
            records: shown.entries,
            quasi_identifiers: vec!["institution".into()],
            subject: Some("id".into()),
            ..Statement::default()
        }
    }

    fn tell(
        made: &Made<'_, Self>,
        shown: &Shown,
        _judged: Judged,
        account: &Account,
        certificate: &Certificate,
    ) -> Result<Told, Error> {
        let k = least(made.run.policy);
        let anonymous = &made.source.sides.anonymous;
        let Source { sides, owner } = made.source;
        let (_, owner_of) = published(made.run.policy, anonymous, made.solved, owner)?;
        let name = |id: &String| {
            let owner = owner_of.get(id).copied().unwrap_or_default();
            sides.identified.ids.get(owner as usize)
        };
        let ids = shown.ids.iter().map(|id| Some(id.as_str()));
        let names = shown.ids.iter().map(|id| name(id).map(String::as_str));
        let owned = Table::new(vec![
            Column::from_texts("anonymous", ids),
            Column::from_texts("identified", names),
        ])?;
        let withheld = made.solved.withheld.iter();
        let withheld = withheld.map(|&(row, at)| {
            json!([
                anonymous.ids[row as usize],
                anonymous.institutions[at as usize]
            ])
        });
        Ok(Told {
            report: report(made.run.policy, account, made.run.language()),
            readme: readme(certificate, shown.trails.len(), k, made.run.language()),
            plan: json!({
                "denym": env!("CARGO_PKG_VERSION"),
                "algorithm": account.algorithm,
                "k": k,
                "optimal": made.solved.optimal,
                "withheld": withheld.collect::<Vec<_>>(),
            }),
            documents: Vec::new(),
            tables: vec![(OWNERS, owned)],
        })
    }

    fn hopeless(_: &Run<'_>, _: &Source, (): &()) -> Result<Option<Account>, Error> {
        Ok(None)
    }
}

/// Judges trails against those of identified people: the fewest possible owners of any of them, and what the methods make of it.
fn judged(
    policy: &Policy,
    trails: &Trails,
    identified: &Trails,
) -> Result<(Claim, TrailOutcome), Error> {
    let k = least(policy);
    let after = attack(
        TrailSide::new(trails),
        TrailSide::new(identified),
        &TrailOptions::default(),
    )
    .map_err(|error| attack_error(&error))?;
    let sizes = after.allowed_set_sizes.as_ref();
    let fewest = sizes.map_or(0, |sizes| sizes.iter().copied().min().map_or(k, u64::from));
    let claim = Claim {
        quasi_identifiers: Vec::new(),
        violating_records: 0,
        promise: "k-anonymity".into(),
        attribute: None,
        asked: k as f64,
        measured: fewest as f64,
        holds: Some(fewest >= k),
        check: Check::Attested,
        terms: PromiseSpec::k_anonymity(k),
    };
    Ok((claim, after))
}

fn undefended(error: &TrailDefenceError) -> Error {
    match error {
        TrailDefenceError::Infeasible { .. } => Error::Infeasible {
            what: error.to_string(),
            code: error.code(),
            help: error.help(),
        },
        _ => Error::Attack {
            what: error.to_string(),
            code: error.code(),
            help: error.help(),
        },
    }
}

/// The identified row of each anonymous one.
pub(crate) fn owners(
    policy: &Policy,
    engine: &Engine,
    read: &ReadOptions,
    anonymous: &NamedTrails,
    identified: &NamedTrails,
) -> Result<Vec<u32>, Error> {
    let row_of: HashMap<&str, u32> = identified.ids.iter().map(String::as_str).zip(0..).collect();
    let mut owner_of: HashMap<String, String> = HashMap::new();
    if let Some(file) = &policy.data.owners {
        let path = policy.resolve(Path::new(file));
        let table = engine.read(&path, read)?;
        let column = |name: &str| {
            table.column(name).ok_or_else(|| Error::UnknownColumn {
                column: name.to_owned(),
                place: path.display().to_string(),
                help: "the file of owners has the columns `anonymous` and `identified`".into(),
            })
        };
        let (a, i) = (column("anonymous")?, column("identified")?);
        for row in 0..table.records() {
            if let (Some(a), Some(i)) = (a.text(row), i.text(row)) {
                owner_of.insert(a.to_owned(), i.to_owned());
            }
        }
    }
    anonymous
        .ids
        .iter()
        .enumerate()
        .map(|(row, id)| {
            let owner = if policy.data.owners.is_some() {
                owner_of.get(id).map(String::as_str)
            } else {
                Some(id.as_str())
            };
            owner
                .and_then(|owner| row_of.get(owner).copied())
                .ok_or_else(|| Error::Argument {
                    what: format!("anonymous trail number {} has no identified owner", row + 1),
                    help: "name the owners with `owners = \"owners.csv\"` (columns anonymous,identified), or use the same ids on both sides"
                        .into(),
                })
        })
        .collect()
}

/// The table that is published, and the owner of each published id.
///
/// Ids of their own are published as they are; ids shared with the identified side are numbered anew, in the order of what is
/// published, so that a number says nothing.
fn published(
    policy: &Policy,
    anonymous: &NamedTrails,
    defence: &Defence,
    owner: &[u32],
) -> Result<(Table, HashMap<String, u32>), Error> {
    let mut rows: Vec<usize> = (0..anonymous.ids.len())
        .filter(|&row| !defence.published.get(row).is_empty())
        .collect();
    let keep = policy.data.owners.is_some();
    if keep {
        rows.sort_by(|&a, &b| anonymous.ids[a].cmp(&anonymous.ids[b]));
    } else {
        rows.sort_by_key(|&row| defence.published.get(row));
    }
    let mut owner_of = HashMap::new();
    let (mut ids, mut places): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    for (number, &row) in rows.iter().enumerate() {
        let id = if keep {
            anonymous.ids[row].clone()
        } else {
            (number + 1).to_string()
        };
        for &at in defence.published.get(row) {
            ids.push(id.clone());
            places.push(&anonymous.institutions[at as usize]);
        }
        owner_of.insert(id, owner[row]);
    }
    let table = Table::new(vec![
        Column::from_texts("id", ids.iter().map(|id| Some(id.as_str()))),
        Column::from_texts("institution", places.iter().map(|place| Some(*place))),
    ])?;
    Ok((table, owner_of))
}

/// The written trails over the identified side's institutions; an empty release has none.
fn seen(table: &Table, identified: &NamedTrails) -> Result<Shown, Error> {
    let broken = || Error::Internal {
        what: "the written trails cannot be read back".into(),
    };
    let code: HashMap<&str, u32> = identified
        .institutions
        .iter()
        .map(String::as_str)
        .zip(0..)
        .collect();
    let (mut ids, mut rows): (Vec<String>, Vec<Vec<u32>>) = (Vec::new(), Vec::new());
    let mut row_of: HashMap<String, usize> = HashMap::new();
    if let (Some(id), Some(place)) = (table.column("id"), table.column("institution")) {
        for row in 0..table.records() {
            let (Some(id), Some(at)) = (
                id.text(row),
                place.text(row).and_then(|name| code.get(name)),
            ) else {
                return Err(broken());
            };
            let at_row = *row_of.entry(id.to_owned()).or_insert_with(|| {
                ids.push(id.to_owned());
                rows.push(Vec::new());
                rows.len() - 1
            });
            rows[at_row].push(*at);
        }
    }
    let trails = Trails::from_rows(identified.institutions.len(), rows).map_err(|_| broken())?;
    Ok(Shown {
        ids,
        trails,
        entries: table.records() as u64,
    })
}

fn report(policy: &Policy, account: &Account, language: Language) -> Report {
    let figures = &account.figures;
    let (entries, withheld) = (figures.count("entries"), figures.count("withheld"));
    let people = language.say("word.people", &[]);
    Report {
        language,
        about: About::Trails,
        title: reporting::title(policy, language),
        data_name: policy.data.path.clone(),
        outcome: denym_report::Outcome::Released,
        unit: people.clone(),
        summary: vec![language.say(
            "trails.summary",
            &[
                (
                    "shown",
                    &denym_report::count(account.records - account.suppressed_records),
                ),
                ("all", &denym_report::count(account.records)),
                ("withheld", &denym_report::count(withheld)),
                ("entries", &denym_report::count(entries)),
                ("share", &denym_report::percent(share(withheld, entries))),
                ("owners", &account.claims[0].measured.to_string()),
            ],
        )]
        .into_iter()
        .chain(
            account
                .program
                .map(|found| reporting::about_program(found, language)),
        )
        .collect(),
        claims: account
            .claims
            .iter()
            .map(|one| reporting::claim(one, &people, language))
            .collect(),
        ..Report::default()
    }
}

fn readme(certificate: &Certificate, trails: usize, k: u64, language: Language) -> String {
    format!(
        "# {}\n\n{}\n\n# {}\n\n{}\n",
        language.say("readme.what", &[]),
        language.say(
            "readme.trails",
            &[
                ("file", &certificate.data.file),
                ("people", &trails.to_string()),
                ("version", &certificate.denym),
            ]
        ),
        language.say("readme.promised", &[]),
        language.say("readme.trails.promise", &[("k", &k.to_string())]),
    )
}
