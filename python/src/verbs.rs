//! The verbs of the library for Python: each takes a request, runs without the interpreter, and gives back a document.
//!
//! The classes in `python/denym` make the requests and say what may stand in them; here they are only read.

use std::path::{Path, PathBuf};
use std::time::Duration;

use denym::attack::{SequencesRequest, Shape, TableRequest};
use denym::{
    AuditRequest, Elements, Error, ExploreRequest, Fraction, InMemory, Input, Language, Listener,
    Outcome, Policy, ReadOptions, RecordBatch, RunOptions, SequenceAuditRequest, WhatIf, documents,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::convert::{to_json, to_python};
use crate::errors;
use crate::policy;
use crate::release::{Bundle, Made, Release, private_directory};
use crate::table::Table;
use crate::work::{How, run};

/// What Python asks for.
struct Request(Value);

impl Request {
    fn read(value: &Bound<'_, PyDict>) -> PyResult<Request> {
        to_json(value.as_any()).map(Request)
    }

    fn text(&self, key: &str) -> Option<String> {
        self.0[key].as_str().map(str::to_owned)
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        self.0[key].as_str().map(PathBuf::from)
    }

    fn texts(&self, key: &str) -> Vec<String> {
        let list = self.0[key].as_array().into_iter().flatten();
        list.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn count(&self, key: &str) -> Option<u64> {
        self.0[key].as_u64()
    }

    fn size(&self, key: &str) -> Option<usize> {
        self.count(key)
            .and_then(|count| usize::try_from(count).ok())
    }

    fn counts(&self, key: &str) -> Vec<u64> {
        let list = self.0[key].as_array().into_iter().flatten();
        list.filter_map(Value::as_u64).collect()
    }

    fn sizes(&self, key: &str) -> Vec<usize> {
        let list = self.counts(key).into_iter();
        list.filter_map(|count| usize::try_from(count).ok())
            .collect()
    }

    fn number(&self, key: &str) -> Option<f64> {
        self.0[key].as_f64()
    }

    fn is(&self, key: &str) -> bool {
        self.0[key].as_bool().unwrap_or_default()
    }

    /// Pairs of texts.
    fn pairs(&self, key: &str) -> Vec<(String, String)> {
        let list = self.0[key].as_array().into_iter().flatten();
        let pair = |one: &Value| Some((one[0].as_str()?.to_owned(), one[1].as_str()?.to_owned()));
        list.filter_map(pair).collect()
    }

    /// Decimals, as exactly as they are written.
    fn fractions(&self, key: &str) -> Result<Vec<Fraction>, Error> {
        let list = self.texts(key).into_iter();
        list.map(|text| fraction(key, &text)).collect()
    }

    fn threads(&self) -> Option<usize> {
        self.size("threads")
    }

    fn how<'py>(&self, progress: Option<Bound<'py, PyAny>>) -> How<'py> {
        let budget = self.number("time_budget");
        How {
            progress,
            budget: budget.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        }
    }

    /// The policy of the request, on other data where the request names some.
    fn policy(&self, py: Python<'_>) -> PyResult<Policy> {
        let (text, file) = (self.text("policy"), self.path("file"));
        let file = file.unwrap_or_else(|| PathBuf::from("policy.toml"));
        let mut policy = policy::read(py, &text.unwrap_or_default(), &file)?;
        if let Some(path) = self.path("data_path") {
            policy.data.path = path.display().to_string();
            policy.data.format = None;
        }
        Ok(policy)
    }
}

fn fraction(key: &str, text: &str) -> Result<Fraction, Error> {
    Fraction::parse(text).ok_or_else(|| Error::Argument {
        what: format!("a value of `{key}` is no decimal"),
        help: "write a decimal such as 0.05".into(),
    })
}

/// The tables that stand where a policy names files.
fn input(tables: &Bound<'_, PyDict>) -> PyResult<Input> {
    let mut input = Input::default();
    for (name, batches) in held(tables)? {
        input = input.with(name, batches);
    }
    Ok(input)
}

fn held(tables: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Vec<RecordBatch>)>> {
    let one = |(name, table): (Bound<'_, PyAny>, Bound<'_, PyAny>)| -> PyResult<(String, Vec<RecordBatch>)> {
        let table = table.cast::<Table>()?.get().batches();
        Ok((name.extract::<String>()?, table))
    };
    tables.iter().map(one).collect()
}

/// The tables that are read under the names of a request.
fn memory(tables: &Bound<'_, PyDict>) -> PyResult<ReadOptions> {
    let mut memory = InMemory::default();
    for (name, batches) in held(tables)? {
        memory.hold(name, batches);
    }
    Ok(ReadOptions {
        memory,
        ..ReadOptions::default()
    })
}

fn run_options(request: &Request, input: Input) -> Result<RunOptions, Error> {
    let language = request.text("language").map(|word| {
        let known = Language::ALL.iter().find(|(name, _)| *name == word);
        known.map(|(_, language)| *language).ok_or_else(|| {
            let words: Vec<&str> = Language::ALL.iter().map(|(name, _)| *name).collect();
            Error::Argument {
                what: "the language is none that reports can have".into(),
                help: format!("one of {}", words.join(", ")),
            }
        })
    });
    Ok(RunOptions {
        threads: request.threads(),
        force: request.is("force"),
        effort: request.count("effort"),
        until_told: request.number("time_budget").is_some(),
        patience: Some(denym::USUAL_PATIENCE),
        onto: request.path("onto"),
        ledger: request.path("ledger"),
        sign: request.path("sign"),
        perturbation_seed: request.count("perturbation_seed"),
        mapping: request.is("mapping"),
        show_suppressed: request.is("show_suppressed"),
        environment: Some(|name| std::env::var(name).ok()),
        input,
        language: language.transpose()?,
        date: request.text("date"),
        prepared_by: request.text("prepared_by"),
    })
}

/// What a policy would do, at what cost.
#[pyfunction]
#[pyo3(signature = (request, tables, progress=None))]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyDict>,
    tables: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (request, input) = (Request::read(request)?, input(tables)?);
    let policy = request.policy(py)?;
    let document = run(py, &request.how(progress), move |ears| {
        let options = RunOptions {
            threads: request.threads(),
            patience: Some(denym::USUAL_PATIENCE),
            environment: Some(|name| std::env::var(name).ok()),
            input,
            ..RunOptions::default()
        };
        Ok(documents::plan(
            denym::plan(&policy, &options, ears)?.outline(),
        ))
    })?;
    to_python(py, &document)
}

/// How a run ended.
enum Ended {
    Released(Made),
    Refused(Value),
}

/// Makes a release; a refusal is an exception with its account.
#[pyfunction]
#[pyo3(signature = (request, tables, progress=None))]
pub(crate) fn anonymize<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyDict>,
    tables: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Release> {
    let (request, input) = (Request::read(request)?, input(tables)?);
    let policy = request.policy(py)?;
    let ended = run(py, &request.how(progress), move |ears| {
        let options = run_options(&request, input)?;
        let output = request.path("output");
        // A ledger names the bundle of each entry and reads it again before the next one.
        if output.is_none() && (policy.ledger.is_some() || options.ledger.is_some()) {
            return Err(Error::Argument {
                what: "a release that a ledger writes down must stay where it is".into(),
                help: "say where the bundle goes with output=...".into(),
            });
        }
        let place = private_directory()?;
        let target = output
            .clone()
            .unwrap_or_else(|| place.path().join("bundle"));
        match denym::anonymize(&policy, &target, &options, ears)? {
            Outcome::Released(release) => {
                let mut document = documents::account(release.account(), "released");
                document["bundle"] = json!(output);
                let keep = output.is_some();
                Made::read(document, release.bundle(), keep, options.threads).map(Ended::Released)
            }
            Outcome::Refused(account) => {
                let mut document = documents::account(&account, "refused");
                document["bundle"] = Value::Null;
                if document["error"].is_null() {
                    document["error"] = json!({
                        "code": "refused",
                        "message": "the audit does not confirm every promise, or an attack achieves more than the policy allows",
                        "location": Value::Null,
                        "help": "see `claims`, `attacks` and `findings` of the account",
                    });
                }
                Ok(Ended::Refused(document))
            }
        }
    })?;
    match ended {
        Ended::Released(made) => Release::new(py, made),
        Ended::Refused(document) => Err(errors::refused(py, &document)),
    }
}

/// Checks a release, or the windows of a stream, from the public half.
#[pyfunction]
#[pyo3(signature = (bundle, request, progress=None))]
pub(crate) fn verify<'py>(
    py: Python<'py>,
    bundle: &Bound<'py, PyAny>,
    request: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (request, bundle) = (Request::read(request)?, Bundle::of(bundle)?);
    let document = run(py, &request.how(progress), move |_| {
        let found = bundle.within(|path| denym::verify(path, request.threads()))?;
        Ok(documents::verification(&found))
    })?;
    to_python(py, &document)
}

/// Measures any data; the request says its columns.
#[pyfunction]
#[pyo3(signature = (request, tables, progress=None))]
pub(crate) fn audit<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyDict>,
    tables: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (request, read) = (Request::read(request)?, memory(tables)?);
    let document = run(py, &request.how(progress), move |ears| {
        if let Some(elements) = elements(&request) {
            return sequences(&request, elements, read, ears);
        }
        let roles = AuditRequest {
            data: request.path("data").unwrap_or_default(),
            read,
            quasi: request.texts("quasi"),
            sensitive: request.texts("sensitive"),
            subject: request.text("subject"),
            ..AuditRequest::default()
        };
        let found = denym::audit(&measures(&request, roles), ears)?;
        Ok(documents::audit(&found))
    })?;
    to_python(py, &document)
}

/// How many records each group of quasi-identifiers has.
#[pyfunction]
#[pyo3(signature = (request, tables, progress=None))]
pub(crate) fn group_sizes<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyDict>,
    tables: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Vec<u64>> {
    let (request, read) = (Request::read(request)?, memory(tables)?);
    run(py, &request.how(progress), move |ears| {
        let asked = AuditRequest {
            data: request.path("data").unwrap_or_default(),
            read,
            quasi: request.texts("quasi"),
            threads: request.threads(),
            ..AuditRequest::default()
        };
        denym::group_sizes(&asked, ears)
    })
}

/// Whether paths or transactions are meant.
fn elements(request: &Request) -> Option<Elements> {
    if request.count("doublets").is_some() {
        Some(Elements::Doublets)
    } else {
        request.count("items").map(|_| Elements::Items)
    }
}

fn sequences(
    request: &Request,
    elements: Elements,
    read: ReadOptions,
    listener: &dyn Listener,
) -> Result<Value, Error> {
    let (known, within, location, cell) = match elements {
        Elements::Doublets => ("doublets", "sensitive_places", "location", "path"),
        Elements::Items => ("items", "sensitive_items", "item", "items_column"),
    };
    let bounds = request.pairs(within).into_iter();
    let bounds = bounds.map(|(name, bound)| Ok((name, fraction(within, &bound)?)));
    let asked = SequenceAuditRequest {
        elements,
        data: request.path("data").unwrap_or_default(),
        read,
        cell: request.text(cell),
        subject: request.text("subject"),
        location: request.text(location),
        time: request.text("time"),
        separator: request
            .text("separator")
            .and_then(|text| text.chars().next()),
        keep_repeats: request.is("keep_repeats"),
        several_places: request.is("several_places"),
        quasi: request.texts("quasi"),
        known: request.size(known).unwrap_or(2),
        k: request.count("k").unwrap_or(2),
        within: bounds.collect::<Result<_, Error>>()?,
        threads: request.threads(),
        ..SequenceAuditRequest::default()
    };
    let found = denym::audit_sequences(&asked, listener)?;
    Ok(documents::audit_sequences(&found, &asked))
}

/// What is to be measured, with the roles of `roles`.
fn measures(request: &Request, roles: AuditRequest) -> AuditRequest {
    AuditRequest {
        levels: request
            .pairs("levels")
            .into_iter()
            .filter_map(|(name, level)| Some((name, level.parse().ok()?)))
            .collect(),
        hierarchies: request.path("hierarchies"),
        suppress_below: request.count("suppress_below").unwrap_or(0),
        population: request.count("population"),
        population_file: request.path("population_file"),
        wildcard: request.text("wildcard"),
        k: request.count("k"),
        what_if: match request.text("what_if").as_deref() {
            Some("always") => WhatIf::Always,
            Some("never") => WhatIf::Never,
            _ => WhatIf::Affordable,
        },
        background: request.size("background").unwrap_or(0),
        special_uniques: request.size("special_uniques").unwrap_or(0),
        threads: request.threads(),
        ..roles
    }
}

/// Judges the promises of a policy on data as it stands.
#[pyfunction]
#[pyo3(signature = (request, tables, progress=None))]
pub(crate) fn audit_policy<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyDict>,
    tables: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (request, input) = (Request::read(request)?, input(tables)?);
    let policy = request.policy(py)?;
    let document = run(py, &request.how(progress), move |ears| {
        let judged = denym::audit_input(&policy, &input, request.threads(), ears)?;
        let roles = AuditRequest::of_policy(&policy, None)?;
        let found = roles.map(|roles| {
            let roles = measures(&request, roles.held(&policy, &input));
            denym::audit(&roles, ears)
        });
        Ok(documents::judged(&judged, found.transpose()?.as_ref()))
    })?;
    to_python(py, &document)
}

/// Attacks a release, or any table, with what an adversary has.
#[pyfunction]
#[pyo3(signature = (bundle, request, tables, progress=None))]
pub(crate) fn attack<'py>(
    py: Python<'py>,
    bundle: Option<&Bound<'py, PyAny>>,
    request: &Bound<'py, PyDict>,
    tables: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (request, read) = (Request::read(request)?, memory(tables)?);
    let bundle = bundle.map(Bundle::of).transpose()?;
    let document = run(py, &request.how(progress), move |ears| match &bundle {
        Some(bundle) => bundle.within(|path| attacked(&request, path, read, ears)),
        None => {
            let table = request.path("data").unwrap_or_default();
            attacked_table(&request, &table, read, ears)
        }
    })?;
    to_python(py, &document)
}

fn attacked(
    request: &Request,
    release: &Path,
    read: ReadOptions,
    listener: &dyn Listener,
) -> Result<Value, Error> {
    let policy = request.path("policy_file");
    let shape = denym::attack::shape_of(release)?;
    let seed = request.count("seed").unwrap_or(1);
    match shape {
        Shape::Paths | Shape::Transactions => {
            let raw = match request.path("raw") {
                Some(raw) => raw,
                None => denym::attack::source_of(
                    release,
                    policy.as_deref(),
                    "denym.attack(..., raw=...)",
                )?,
            };
            let asked = SequencesRequest {
                release: release.to_owned(),
                raw,
                policy,
                exhaustive: request.is("exhaustive"),
                seed,
                read,
                threads: request.threads(),
                ..SequencesRequest::default()
            };
            let victims = request.is("victims");
            Ok(if shape == Shape::Paths {
                let found = denym::attack::paths(&asked, listener)?;
                documents::attacked_sequences(&found, "doublets", victims)
            } else {
                let found = denym::attack::transactions(&asked, listener)?;
                documents::attacked_sequences(&found, "items", victims)
            })
        }
        Shape::Trails => {
            let (policy, threads) = (policy.as_deref(), request.threads());
            let team = denym::attack::trail_bundle(release, policy, threads, listener)?;
            Ok(documents::red_team(&team))
        }
        Shape::Windows => {
            let found = denym::attack::windows(release, seed, request.threads(), listener)?;
            Ok(documents::attacked_windows(&found))
        }
        _ => attacked_table(request, release, read, listener),
    }
}

fn attacked_table(
    request: &Request,
    release: &Path,
    read: ReadOptions,
    listener: &dyn Listener,
) -> Result<Value, Error> {
    let asked = TableRequest {
        release: release.to_owned(),
        external: request.path("external"),
        links: request.pairs("links"),
        sensitive: request.texts("sensitive"),
        id: request.text("id"),
        subject: request.text("subject"),
        hierarchies: request.path("hierarchies"),
        policy: request.path("policy_file"),
        control: request.path("control"),
        confidence: request.number("confidence"),
        rule_out: request.size("rule_out").unwrap_or(1),
        gain: request.number("gain").unwrap_or(5.0),
        within: request.number("within"),
        victims: request.is("victims"),
        attempts: request.count("attempts").unwrap_or(1000),
        seed: request.count("seed").unwrap_or(1),
        read,
        threads: request.threads(),
    };
    let found = denym::attack::table(&asked, listener)?;
    Ok(documents::attacked_table(&found))
}

/// Tries bounds and says what each would cost; the document has the plot as `chart`, and which trials are on the `frontier`.
#[pyfunction]
#[pyo3(signature = (request, tables, progress=None))]
pub(crate) fn explore<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyDict>,
    tables: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (request, input) = (Request::read(request)?, input(tables)?);
    let policy = request.policy(py)?;
    let document = run(py, &request.how(progress), move |ears| {
        let asked = ExploreRequest {
            k: request.counts("k"),
            l: request.fractions("l")?,
            t: request.fractions("t")?,
            suppress: request.fractions("suppress")?,
            doublets: request.sizes("doublets"),
            items: request.sizes("items"),
            confidence: request.fractions("confidence")?,
            algorithms: request.texts("algorithms"),
            until_told: request.number("time_budget").is_some(),
            threads: request.threads(),
            input,
        };
        let found = denym::explore(&policy, &asked, ears)?;
        let mut document = documents::exploration(&found, None);
        document["frontier"] = json!(found.frontier());
        document["chart"] = json!(found.chart().standalone());
        Ok(document)
    })?;
    to_python(py, &document)
}

/// Compares two tables; each is a path, a table of the request, or a release.
#[pyfunction]
#[pyo3(signature = (before, after, request, tables, progress=None))]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    before: Option<&Bound<'py, PyAny>>,
    after: Option<&Bound<'py, PyAny>>,
    request: &Bound<'py, PyDict>,
    tables: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (request, read) = (Request::read(request)?, memory(tables)?);
    // What is not given is a table of the request.
    let of = |side: Option<&Bound<'py, PyAny>>, name: &str| match side {
        Some(side) => Bundle::of(side),
        None => Ok(Bundle::At(PathBuf::from(name))),
    };
    let (before, after) = (of(before, "before")?, of(after, "after")?);
    let policy = match request.text("policy") {
        Some(_) => Some(request.policy(py)?),
        None => None,
    };
    let document = run(py, &request.how(progress), move |ears| {
        before.within(|before| {
            after.within(|after| {
                let (threads, paired) = (request.threads(), request.is("paired"));
                let found = denym::compare_tables(before, after, &read, threads, ears)?;
                let numbers = denym::compare_numbers(before, after, &read, paired, threads, ears)?;
                let metrics = policy
                    .as_ref()
                    .map(|policy| denym::utility(policy, before, after, &read, threads, ears));
                let metrics = metrics.transpose()?;
                Ok(documents::comparison(
                    &found,
                    numbers.as_ref(),
                    metrics.as_ref(),
                ))
            })
        })
    })?;
    to_python(py, &document)
}

/// Says what is in a table; the document has a draft of a policy as `draft`.
#[pyfunction]
#[pyo3(signature = (request, tables, progress=None))]
pub(crate) fn profile<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyDict>,
    tables: &Bound<'py, PyDict>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let (request, read) = (Request::read(request)?, memory(tables)?);
    let document = run(py, &request.how(progress), move |ears| {
        let path = request.path("data").unwrap_or_default();
        let (found, reading) = denym::profile_source(&path, &read, request.threads(), ears)?;
        let mut document = documents::profile(&found, &reading);
        let named = path.display().to_string();
        document["draft"] = json!(denym::draft_policy(&found, &named, &reading));
        Ok(document)
    })?;
    to_python(py, &document)
}

/// Invented data, the same for the same seed; written to the request's `path` as CSV where there is one.
#[pyfunction]
pub(crate) fn generate<'py>(
    py: Python<'py>,
    request: &Bound<'py, PyDict>,
) -> PyResult<Option<Table>> {
    use denym::generate::{self, Form};
    let request = Request::read(request)?;
    let how = request.how(None);
    let batches = run(py, &how, move |_| {
        let name = request.text("name").unwrap_or_default();
        let rows = request.size("rows");
        let rows = rows.unwrap_or_else(|| generate::default_rows(&name));
        let seed = request.count("seed").unwrap_or(1);
        let place = private_directory()?;
        let path = request.path("path");
        let target = path
            .clone()
            .unwrap_or_else(|| place.path().join("generated.csv"));
        let failed = |error: std::io::Error| Error::Io {
            action: "write the data",
            path: target.clone(),
            kind: error.kind(),
        };
        let file = std::fs::File::create_new(&target).map_err(failed)?;
        let mut file = std::io::BufWriter::new(file);
        let made = generate::write(&name, seed, rows, Form::Csv, &mut file);
        let made = made.map(|written| written.and_then(|()| std::io::Write::flush(&mut file)));
        match made {
            Some(written) => written.map_err(failed)?,
            None => {
                // Nothing of it is left behind.
                let _ = std::fs::remove_file(&target);
                return Err(Error::Argument {
                    what: format!("there is no generator called `{name}`"),
                    help: format!("known here: {}", generate::NAMES.join(", ")),
                });
            }
        }
        match path {
            Some(_) => Ok(None),
            None => denym::batches(&target, &ReadOptions::default()).map(Some),
        }
    })?;
    Ok(batches.and_then(Table::of))
}
