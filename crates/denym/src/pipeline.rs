//! The one way from a policy to a release, for every kind of data.
//!
//! ```text
//!  read ──> plan ──> solve ──> show ──write──> file ──read back──> see ──> prove ──> attack ──gate──> certificate, report, bundle
//! ```
//!
//! A kind of data says how it is read, planned, solved, shown and seen, and what there is to tell about it; phases, options, files,
//! the gate, the certificate and the bundle are written here and nowhere else. Nothing leaves unless the proof on what was *written* holds
//! and the red team stays below the policy's bounds ([`crate::stages`]).

use std::path::Path;

use denym_data::{AlgorithmEntry, Table};
use denym_engine::{Engine, Format};
use denym_release::codebook::{self, Codebook};
use denym_release::signature::{self, Signed, SigningKey};
use denym_report::{Language, Report};
use serde_json::Value;

use crate::account::{Account, Outcome, Refusal, Release};
use crate::anonymize::red_team::ToldFindings;
use crate::attack::RedTeam;
use crate::audit::against::{self, Judged};
use crate::bundle::Draft;
use crate::certificate::{
    Altered, Certificate, Claim, DataFile, Document, FORM, Groups, KnownTogether, PathClaims,
    PublishedColumn, Sensitive, TransactionForm,
};
use crate::explore::{Grid, Layout, Points, Setting};
use crate::figures::Figures;
use crate::guard::{self, After, Before, Fate, Finding};
use crate::kinds::Verb;
use crate::ledger::{Joined, Keeper};
use crate::listener::{Listener, Phase};
use crate::options::{Input, RunOption, RunOptions};
use crate::outline::{Outline, Sketch};
use crate::plan::data_name;
use crate::policy::Policy;
use crate::stages::Written;
use crate::{Error, reporting, signing, source, threads};

/// The report that may be handed out.
const EXTERNAL: &str = "steward/report-external.html";

/// Files of the public half that no data may stand in the place of.
const OWN_FILES: [&str; 3] = ["certificate.json", codebook::FILE, signature::FILE];

/// What every step of a run has at hand.
#[derive(Clone, Copy)]
pub(crate) struct Run<'a> {
    /// What is wanted.
    pub(crate) policy: &'a Policy,
    /// Reads and writes files.
    pub(crate) engine: &'a Engine,
    /// How it is made.
    pub(crate) options: &'a RunOptions,
    /// Who is told, and who may stop it.
    pub(crate) listener: &'a dyn Listener,
    /// Nothing will be released: figures that only a release shows are left out.
    pub(crate) trying: bool,
    /// Where it is written down, and judged with what is there.
    pub(crate) ledger: Option<&'a Keeper>,
    /// What it is signed with.
    pub(crate) key: Option<&'a SigningKey>,
}

impl Run<'_> {
    /// The language of what people read.
    pub(crate) fn language(&self) -> Language {
        self.options.language(self.policy)
    }

    /// Stops the run when the listener wants that.
    pub(crate) fn proceed(&self) -> Result<(), Error> {
        if self.listener.keep_going() {
            Ok(())
        } else {
            Err(Error::Stopped)
        }
    }

    fn phase(&self, phase: Phase) -> Result<(), Error> {
        self.proceed()?;
        self.listener.phase(phase);
        Ok(())
    }
}

/// A file of the release before it is written.
pub(crate) struct Sheet {
    /// What its name has after the name of the data.
    pub(crate) suffix: &'static str,
    /// Its content.
    pub(crate) table: Table,
    /// Its columns with their parts.
    pub(crate) columns: Vec<PublishedColumn>,
}

/// Everything up to what was found.
pub(crate) struct Made<'a, K: Bundled> {
    /// What every step has at hand.
    pub(crate) run: Run<'a>,
    /// As read.
    pub(crate) source: &'a K::Source,
    /// What was settled.
    pub(crate) plan: &'a K::Plan,
    /// What was found.
    pub(crate) solved: &'a K::Solved,
    /// The files as they were written.
    pub(crate) files: &'a [DataFile],
}

/// What only one kind of data has in its certificate.
#[derive(Default)]
pub(crate) struct Statement {
    /// How many records, or people, the data has.
    pub(crate) records: u64,
    pub(crate) quasi_identifiers: Vec<String>,
    pub(crate) sensitive: Vec<Sensitive>,
    pub(crate) subject: Option<String>,
    pub(crate) known_together: Vec<KnownTogether>,
    pub(crate) altered: Vec<Altered>,
    pub(crate) groups: Option<Groups>,
    pub(crate) paths: Option<PathClaims>,
    pub(crate) transactions: Option<TransactionForm>,
}

/// What is told about a release.
pub(crate) struct Told {
    /// For the steward.
    pub(crate) report: Report,
    /// For the recipient.
    pub(crate) readme: String,
    /// The plan and what came of it.
    pub(crate) plan: Value,
    /// Further documents, by their place in the bundle.
    pub(crate) documents: Vec<(&'static str, String)>,
    /// Further tables, by their place in the bundle.
    pub(crate) tables: Vec<(&'static str, Table)>,
}

/// One kind of data, as every verb knows it.
pub(crate) trait Kind: Sized + 'static {
    /// The word for it in messages.
    const NAME: &'static str;
    /// The options of a run that have a use here; others are refused.
    const TAKES: &'static [RunOption];
    /// The bounds that can be varied to see what they cost.
    const VARIES: &'static [Setting] = &[Setting::K];
    /// How the trials of such bounds are laid out.
    const LAYOUT: Layout = Layout::Frontier;
    /// The figures that a trial shows beside the metric: under which name, and by which key of the account.
    const COMPARED: &'static [(&'static str, &'static str)] = &[];
    /// What the catalogue says that the algorithms for this kind work on.
    const ALGORITHMS: &'static [&'static str];
    /// The algorithm, where there is but one.
    const ONLY: Option<&'static str> = None;
    /// What `auto` stands for where the adversary knows the program; `None` where it is a portfolio of what is safe.
    const SAFE: Option<&'static str> = None;
    /// Whether the data are records with attributes, whose columns can be measured and compared.
    const IS_TABLE: bool = false;

    /// As read.
    type Source: Send + Sync + 'static;
    /// What is settled before anything is searched.
    type Plan: Send + Sync + 'static;
    /// Reads the source.
    fn read(run: &Run<'_>) -> Result<Self::Source, Error>;
    /// The source's files as they are now.
    fn stamps(run: &Run<'_>) -> Result<Vec<source::Stamp>, Error> {
        source::stamps(run.policy, run.engine)
    }
    /// Settles what will be done, against the data.
    fn plan(run: &Run<'_>, source: &Self::Source) -> Result<Self::Plan, Error>;
    /// What will be done and how large it is.
    fn sketch(run: &Run<'_>, source: &Self::Source, plan: &Self::Plan) -> Sketch;
    /// What guards look at before the search.
    fn before<'a>(run: &Run<'a>, _source: &'a Self::Source, _plan: &'a Self::Plan) -> Before<'a> {
        Before::of(run.policy)
    }
    /// What a run would come to; nothing is written.
    fn attempt(run: &Run<'_>, source: &Self::Source) -> Result<Account, Error>;
    /// Does it.
    fn release(
        ready: &Prepared<Self>,
        draft: Draft,
        listener: &dyn Listener,
    ) -> Result<Outcome, Error>;

    /// Every promise judged on the source as it stands; nothing where this kind has another way to ask.
    fn as_it_stands(
        _run: &Run<'_>,
        _source: &Self::Source,
        _plan: &Self::Plan,
    ) -> Result<Vec<Claim>, Error> {
        Ok(Vec::new())
    }
    /// The bounds of k-anonymity that are tried when nothing is said.
    fn usual_k() -> Vec<u64> {
        // Those of Al-Hussaeni's figures on paths.
        vec![10, 20, 30, 40, 50]
    }
    /// Every point of a grid for each of `asked`, where points share work; `None` where each is a run of its own.
    fn at_once(
        _run: &Run<'_>,
        _source: &Self::Source,
        _grid: &Grid,
        _asked: &[&'static AlgorithmEntry],
    ) -> Result<Option<Points>, Error> {
        Ok(None)
    }
}

/// A kind of data that is released as a bundle, in these steps.
pub(crate) trait Bundled: Kind {
    /// Whether a release may show nobody at all.
    const MAY_BE_EMPTY: bool = false;

    /// What a search found.
    type Solved: Sync;
    /// As written and read back: all that judge and adversary see.
    type Shown: Send + Sync;
    /// What the judge found beside the claims.
    type Judged: Send;

    /// Searches; that there is nothing is an error that is a refusal.
    fn solve(
        run: &Run<'_>,
        source: &Self::Source,
        plan: &Self::Plan,
    ) -> Result<Self::Solved, Error>;
    /// The files of the release.
    fn show(
        run: &Run<'_>,
        source: &Self::Source,
        plan: &Self::Plan,
        solved: &mut Self::Solved,
    ) -> Result<Vec<Sheet>, Error>;
    /// How values that will be shown were changed beside being made coarser.
    fn altered(_run: &Run<'_>, _plan: &Self::Plan, _solved: &Self::Solved) -> Vec<Altered> {
        Vec::new()
    }
    /// What the files show, once they are read back.
    fn see(made: &Made<'_, Self>, files: Vec<Table>) -> Result<Self::Shown, Error>;

    /// Judges every promise on what is seen; how the run went, as far as it is known.
    fn prove(made: &Made<'_, Self>, shown: &Self::Shown) -> Result<(Account, Self::Judged), Error>;
    /// Attacks what is seen.
    fn attack(
        made: &Made<'_, Self>,
        shown: &Self::Shown,
        judged: &Self::Judged,
        account: &Account,
    ) -> Result<RedTeam, Error>;
    /// What became of the records, for guards to look at.
    fn fate<'a>(_made: &'a Made<'a, Self>, _shown: &'a Self::Shown) -> Fate<'a> {
        Fate::default()
    }
    /// What the certificate states.
    fn state(made: &Made<'_, Self>, shown: &Self::Shown, account: &Account) -> Statement;
    /// What is told.
    fn tell(
        made: &Made<'_, Self>,
        shown: &Self::Shown,
        judged: Self::Judged,
        account: &Account,
        certificate: &Certificate,
    ) -> Result<Told, Error>;

    /// The account of a run that found nothing: how bad the source is.
    fn hopeless(
        run: &Run<'_>,
        source: &Self::Source,
        plan: &Self::Plan,
    ) -> Result<Option<Account>, Error>;
    /// What the release is together with those before it, where it is judged with them.
    fn joined(_judged: &Self::Judged) -> Option<&Joined> {
        None
    }
    /// What else stands in the way of a release whose proof failed.
    fn failed(_judged: &Self::Judged) -> Option<Refusal> {
        None
    }
}

/// The verb `anonymize`.
pub(crate) struct Releasing<'a> {
    pub(crate) output: &'a Path,
    pub(crate) options: &'a RunOptions,
    pub(crate) listener: &'a dyn Listener,
}

impl Verb for Releasing<'_> {
    type Output = Result<Outcome, Error>;

    fn on<K: Kind>(self, policy: &Policy) -> Self::Output {
        self.options.check::<K>(policy)?;
        // A target that cannot be written is said before the data is read.
        let draft = Draft::new(self.output, self.options.force)?;
        let prepared = Prepared::<K>::new(policy, self.options, self.listener)?;
        K::release(&prepared, draft, self.listener)
    }
}

/// The verb `plan`.
pub(crate) struct Planning<'a> {
    pub(crate) options: &'a RunOptions,
    pub(crate) listener: &'a dyn Listener,
}

impl Verb for Planning<'_> {
    type Output = Result<(Outline, Box<dyn Ready>), Error>;

    fn on<K: Kind>(self, policy: &Policy) -> Self::Output {
        self.options.check::<K>(policy)?;
        let prepared = Prepared::<K>::new(policy, self.options, self.listener)?;
        let run = prepared.run(self.listener);
        let sketch = K::sketch(&run, &prepared.source, &prepared.plan);
        let mut findings = guard::before(&K::before(&run, &prepared.source, &prepared.plan));
        findings.extend(guard::unused(policy, &findings, false));
        let outline = Outline::new(K::NAME, policy, sketch, findings);
        Ok((outline, Box::new(prepared)))
    }
}

/// The verb `audit`, on data as it stands: the policy's own, or another file.
pub(crate) struct Auditing<'a> {
    pub(crate) data: Option<&'a Path>,
    pub(crate) input: &'a Input,
    pub(crate) threads: Option<usize>,
    pub(crate) listener: &'a dyn Listener,
}

impl Verb for Auditing<'_> {
    type Output = Result<Judged, Error>;

    fn on<K: Kind>(self, policy: &Policy) -> Self::Output {
        if K::IS_TABLE {
            return against::table(policy, self.data, self.input, self.threads, self.listener);
        }
        if self.data.is_some() {
            return Err(Error::Argument {
                what: "only a table can be judged in place of the policy's own data".into(),
                help:
                    "leave the file out to judge the source, or check a release with `denym verify`"
                        .into(),
            });
        }
        let options = RunOptions {
            threads: self.threads,
            input: self.input.clone(),
            ..RunOptions::default()
        };
        let prepared = Prepared::<K>::new(policy, &options, self.listener)?;
        let run = prepared.run(self.listener);
        run.phase(Phase::Auditing)?;
        let claims = K::as_it_stands(&run, &prepared.source, &prepared.plan)?;
        if claims.is_empty() {
            return Err(Error::Argument {
                what: format!("a policy about {} is not judged on its source", K::NAME),
                help: "check a release of it with `denym verify`".into(),
            });
        }
        Ok(Judged {
            claims,
            left_out: Vec::new(),
        })
    }
}

/// What is read and settled, whatever its kind.
pub(crate) trait Ready: Send + Sync {
    /// Searches, proves, attacks and writes a bundle in the directory `output`.
    fn run(self: Box<Self>, output: &Path, listener: &dyn Listener) -> Result<Outcome, Error>;
}

/// A source that was read and a plan that was checked against it.
pub(crate) struct Prepared<K: Kind> {
    policy: Policy,
    options: RunOptions,
    engine: Engine,
    /// The source's files as they were when they were read.
    stamps: Vec<source::Stamp>,
    source: K::Source,
    plan: K::Plan,
}

impl<K: Kind> Ready for Prepared<K> {
    fn run(self: Box<Self>, output: &Path, listener: &dyn Listener) -> Result<Outcome, Error> {
        let draft = Draft::new(output, self.options.force)?;
        threads::pool(self.options.threads)?.install(|| K::release(&self, draft, listener))
    }
}

impl<K: Kind> Prepared<K> {
    /// Reads the source and settles what will be done.
    fn new(
        policy: &Policy,
        options: &RunOptions,
        listener: &dyn Listener,
    ) -> Result<Prepared<K>, Error> {
        let engine = options.input.engine(policy, options.threads)?;
        let run = Run {
            policy,
            engine: &engine,
            options,
            listener,
            trying: false,
            ledger: None,
            key: None,
        };
        listener.phase(Phase::Reading);
        let stamps = K::stamps(&run);
        let source = K::read(&run)?;
        run.phase(Phase::Summarizing)?;
        let plan = K::plan(&run, &source)?;
        Ok(Prepared {
            policy: policy.clone(),
            options: options.clone(),
            engine,
            stamps: stamps?,
            source,
            plan,
        })
    }

    fn run<'a>(&'a self, listener: &'a dyn Listener) -> Run<'a> {
        Run {
            policy: &self.policy,
            engine: &self.engine,
            options: &self.options,
            listener,
            trying: false,
            ledger: None,
            key: None,
        }
    }
}

impl<K: Bundled> Prepared<K> {
    /// Makes the release in `draft`.
    pub(crate) fn release(&self, draft: Draft, listener: &dyn Listener) -> Result<Outcome, Error> {
        // Locked until the release is in its place: nobody else may add to what it is judged with.
        let key = self.options.sign.as_deref();
        let key = key.map(signing::signing_key).transpose()?;
        let keeper = Keeper::open(&self.policy, &self.options)?;
        let run = Run {
            ledger: keeper.as_ref(),
            key: key.as_ref(),
            ..self.run(listener)
        };
        let view = K::before(&run, &self.source, &self.plan);
        let findings = guard::before(&view);
        if let Some(refusal) = guard::refusal(&findings) {
            let nothing = Figures::default().with("classes", Value::Null);
            let account = Account {
                findings,
                program: None,
                ..Account::of(run.policy, view.records, nothing)
            };
            return Ok(refused(account, Some(refusal)));
        }
        run.phase(Phase::Searching)?;
        let mut outcome = match K::solve(&run, &self.source, &self.plan) {
            Err(error) => hopeless::<K>(&run, &self.source, &self.plan, error),
            Ok(solved) => self.publish(draft, &run, solved, (&view, &findings)),
        };
        if let Ok(Outcome::Refused(account)) = &mut outcome
            && account.findings.is_empty()
        {
            account.findings = findings;
        }
        outcome
    }

    /// Writes, proves and attacks what was found; publishes it if nothing stands in the way.
    fn publish(
        &self,
        draft: Draft,
        run: &Run<'_>,
        mut solved: K::Solved,
        (view, found_before): (&Before<'_>, &[Finding]),
    ) -> Result<Outcome, Error> {
        let (policy, engine) = (run.policy, run.engine);
        let (source, plan) = (&self.source, &self.plan);
        run.phase(Phase::Writing)?;
        let format = policy.release.format;
        let writing = source::Writing::of(policy, engine);
        let mut files = Vec::new();
        let sheets = K::show(run, source, plan, &mut solved)?;
        let altered = K::altered(run, plan, &solved);
        for sheet in sheets {
            let name = data_name(&policy.data.path);
            let mut file = format!("{name}{}.{}", sheet.suffix, format.name());
            if OWN_FILES.contains(&file.as_str()) {
                file = format!("data-{file}");
            }
            let path = draft.path(&format!("release/{file}"));
            let mut file = DataFile {
                file,
                written: None,
                format: format.name().to_owned(),
                records: sheet.table.records() as u64,
                sha256: String::new(),
                columns: sheet.columns,
            };
            if format == Format::Excel {
                // Whoever is handed the workbook alone has what explains it.
                let tables = std::slice::from_ref(&sheet.table);
                let mut codebook = Codebook::new(policy, std::slice::from_ref(&file), tables);
                codebook.tell(&altered);
                let explained = reporting::codebook::sheet(&codebook, run.language());
                let further = [(reporting::codebook::SHEET, &explained)];
                engine.write_workbook(&sheet.table, &further, &path)?;
            } else {
                let formulas = policy.release.formulas;
                file.written =
                    source::write_release(engine, &sheet.table, format, formulas, &path, &writing)?;
            }
            files.push(file);
        }

        run.phase(Phase::Auditing)?;
        let path = |file: &DataFile| draft.path(&format!("release/{}", file.file));
        let mut tables = Vec::with_capacity(files.len());
        for file in &files {
            tables.push(read_back::<K>(engine, &path(file), format, file)?);
        }
        for file in &mut files {
            file.sha256 = denym_engine::fingerprint(path(file))?;
        }
        let made = Made {
            run: *run,
            source,
            plan,
            solved: &solved,
            files: &files,
        };
        let mut codebook = Codebook::new(policy, &files, &tables);
        let outside = reporting::external::Shown::of(&files, &tables, run.language());
        let written = Written::new(K::see(&made, tables)?);
        // The source's bytes are read once more while the judge is at work.
        let (proven, sources) = rayon::join(
            || {
                written.prove(|shown| {
                    let (account, judged) = K::prove(&made, shown)?;
                    Ok::<_, Error>((account.claims.clone(), (account, judged)))
                })
            },
            || source::fingerprints(policy, engine, &self.stamps),
        );
        let (proven, (mut account, judged)) = match proven {
            Err(error) => return hopeless::<K>(run, source, plan, error),
            Ok(proven) => proven,
        };

        account
            .warnings
            .extend(run.ledger.and_then(|keeper| keeper.recovered.clone()));
        if let Some(refusal) = K::joined(&judged).and_then(Joined::refusal) {
            return Ok(refused(account, Some(refusal)));
        }

        run.phase(Phase::Attacking)?;
        let red_team = K::attack(&made, proven.shown(), &judged, &account)?;
        let gated = match proven.gate(red_team.results(&policy.attack)) {
            Ok(gated) => gated,
            Err(at_the_gate) => {
                (account.claims, account.attacks) = (at_the_gate.claims, at_the_gate.attacks);
                return Ok(refused(account, K::failed(&judged)));
            }
        };
        let mut findings = found_before.to_vec();
        findings.extend(guard::after(&After {
            before: view,
            account: &account,
            red_team: &red_team,
            fate: K::fate(&made, gated.shown()),
        }));
        findings.extend(guard::unused(policy, &findings, true));
        guard::sort(&mut findings);
        account.findings = findings;
        if let Some(refusal) = guard::refusal(&account.findings) {
            account.attacks = gated.attacks().to_vec();
            return Ok(refused(account, Some(refusal)));
        }
        let mut certificate = gated.certificate(statement(
            policy,
            &files,
            &account,
            K::state(&made, gated.shown(), &account),
            run.language(),
        )?);
        let joined = K::joined(&judged).cloned();
        certificate.releases = joined.as_ref().map(|joined| joined.certified.clone());
        account.claims.clone_from(&certificate.claims);
        account.attacks.clone_from(&certificate.attacks);

        run.phase(Phase::Reporting)?;
        codebook.tell(&certificate.altered);
        let language = run.language();
        let document = reporting::codebook::document(&codebook, language);
        let place = format!("release/{}", codebook::FILE);
        draft.write(&place, json(&document)?.as_bytes())?;
        certificate.codebook = Some(Document {
            file: codebook::FILE.to_owned(),
            sha256: denym_engine::fingerprint(draft.path(&place))?,
        });
        let mut told = K::tell(&made, gated.shown(), judged, &account, &certificate)?;
        told.readme += &reporting::codebook::readme(&codebook, &certificate, language);
        told.readme += &reporting::findings(&certificate, language);
        told.readme += &reporting::how_to_check(language);
        let sources = sources?;
        let signed = reporting::sign_off(run, &certificate, &sources);
        let mut outside =
            reporting::external::report(&certificate, &codebook, outside, signed.clone(), language);
        let findings = account.findings.iter();
        let findings = findings.filter_map(|found| found.outside(language));
        outside.findings = findings.collect();
        draft.write(EXTERNAL, denym_report::html(&outside).as_bytes())?;
        told.report.sign_off = Some(signed);
        told.report.attacks.extend(red_team.report(language));
        if let (Some(keeper), Some(joined)) = (run.ledger, &joined) {
            let history = reporting::history::figures(&keeper.moments(joined), language);
            told.report.figures.extend(history);
        }
        let findings = account.findings.iter();
        told.report.findings = findings.map(|found| found.reported(language)).collect();
        let text = json(&certificate)?;
        draft.write("release/certificate.json", text.as_bytes())?;
        if let Some(key) = run.key {
            let signature = key.sign(Signed::Certificate, text.as_bytes()) + "\n";
            draft.write(
                &format!("release/{}", signature::FILE),
                signature.as_bytes(),
            )?;
        }
        draft.write("release/README.md", told.readme.as_bytes())?;
        let page = denym_report::html(&told.report);
        draft.write("steward/report.html", page.as_bytes())?;
        draft.policy(policy)?;
        told.documents.extend([
            ("steward/plan.json", json(&told.plan)?),
            ("steward/attacks.json", json(&red_team.document())?),
            ("steward/source.json", json(&sources)?),
            ("steward/findings.json", json(&findings_document(&account))?),
        ]);
        for (name, text) in &told.documents {
            draft.write(name, text.as_bytes())?;
        }
        for (name, table) in &told.tables {
            // The steward opens them in a spreadsheet too.
            let formulas = policy.release.formulas.for_the_steward();
            let path = draft.path(name);
            let plain = source::Writing::default();
            source::write_release(engine, table, Format::Csv, formulas, &path, &plain)?;
        }
        run.proceed()?;
        let bundle = match (run.ledger, &joined) {
            (Some(keeper), Some(joined)) => {
                keeper.publish(draft, policy, &certificate, joined, run.key)?
            }
            (None, _) => draft.finish()?,
            (Some(_), None) => {
                return Err(Error::Internal {
                    what: "a release for a ledger without its members".into(),
                });
            }
        };
        Ok(Outcome::Released(Box::new(Release::new(
            bundle,
            certificate,
            account,
        ))))
    }
}

/// What a run under the policy of `run` would come to: everything but files, red team and bundle.
pub(crate) fn attempt<K: Bundled>(run: &Run<'_>, source: &K::Source) -> Result<Account, Error> {
    let plan = K::plan(run, source)?;
    let mut solved = K::solve(run, source, &plan)?;
    let (mut files, mut tables) = (Vec::new(), Vec::new());
    for sheet in K::show(run, source, &plan, &mut solved)? {
        files.push(DataFile {
            file: sheet.suffix.to_owned(),
            written: None,
            format: run.policy.release.format.name().to_owned(),
            records: sheet.table.records() as u64,
            sha256: String::new(),
            columns: sheet.columns,
        });
        tables.push(sheet.table);
    }
    let made = Made {
        run: *run,
        source,
        plan: &plan,
        solved: &solved,
        files: &files,
    };
    let shown = K::see(&made, tables)?;
    let (account, judged) = K::prove(&made, &shown)?;
    if !account.refused() {
        return Ok(account);
    }
    let (what, help) = K::failed(&judged).map_or_else(
        || {
            let what = "the audit does not confirm what was found";
            (what.to_owned(), "try another algorithm".to_owned())
        },
        |refusal| (refusal.message, refusal.help),
    );
    Err(Error::Infeasible {
        what,
        code: "infeasible",
        help,
    })
}

/// A run that ended with `error`: a refusal with an account of the source, where the error is one.
fn hopeless<K: Bundled>(
    run: &Run<'_>,
    source: &K::Source,
    plan: &K::Plan,
    error: Error,
) -> Result<Outcome, Error> {
    if error.exit_code() != 1 {
        return Err(error);
    }
    match K::hopeless(run, source, plan)? {
        Some(account) => Ok(refused(account, Some(Refusal::of(&error)))),
        None => Err(error),
    }
}

fn refused(mut account: Account, refusal: Option<Refusal>) -> Outcome {
    account.refusal = refusal;
    Outcome::Refused(Box::new(account))
}

/// The written data, exactly as it was written.
fn read_back<K: Bundled>(
    engine: &Engine,
    path: &Path,
    format: Format,
    file: &DataFile,
) -> Result<Table, Error> {
    match source::read_release(engine, path, format, file.written.as_ref()) {
        Err(Error::Engine(denym_engine::Error::NoRecords { .. })) if K::MAY_BE_EMPTY => {
            Ok(Table::default())
        }
        read => read,
    }
}

/// The certificate without claims and attacks, which only the gate adds.
fn statement(
    policy: &Policy,
    files: &[DataFile],
    account: &Account,
    kind: Statement,
    language: Language,
) -> Result<Certificate, Error> {
    let data = files.first().cloned().ok_or_else(|| Error::Internal {
        what: "a release without a file".into(),
    })?;
    Ok(Certificate {
        form: FORM,
        denym: env!("CARGO_PKG_VERSION").to_owned(),
        data: DataFile {
            records: kind.records,
            ..data
        },
        knows: policy.adversary,
        quasi_identifiers: kind.quasi_identifiers,
        sensitive: kind.sensitive,
        subject: kind.subject,
        known_together: kind.known_together,
        suppressed_records: account.suppressed_records,
        altered: kind.altered,
        groups: kind.groups,
        codebook: None,
        claims: Vec::<Claim>::new(),
        program: Some(crate::program::of(policy)),
        releases: None,
        attacks: Vec::new(),
        findings: account
            .findings
            .iter()
            .filter_map(|found| found.certified(language))
            .collect(),
        paths: kind.paths,
        transactions: kind.transactions,
    })
}

/// What guards found, for the steward.
fn findings_document(account: &Account) -> Value {
    let findings = account.findings.iter().map(Finding::document);
    serde_json::json!({ "findings": findings.collect::<Vec<_>>() })
}

/// A document of a bundle.
pub(crate) fn json(value: &impl serde::Serialize) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(value).map_err(|_| Error::Internal {
        what: "a document has no JSON form".into(),
    })?;
    Ok(text + "\n")
}
