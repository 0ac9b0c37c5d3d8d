//! A release as an adversary finds it: its data, and what the certificate beside it and the steward's half tell.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use denym_attack::Shape;
use denym_data::{HierarchyRow, Table};
use denym_engine::Engine;

use crate::certificate::Certificate;
pub(super) use crate::hierarchies::column_of as column;
use crate::policy::{HierarchySpec, Knowledge, Policy, names_to_show, read_policy, suggest_column};
use crate::{Error, hierarchies, source, verify};

/// A release with a certificate.
pub(crate) struct CertifiedRelease {
    /// The public half.
    pub(crate) half: PathBuf,
    pub(crate) certificate: Certificate,
    /// The file of the data.
    pub(crate) file: PathBuf,
    pub(crate) table: Table,
}

impl CertifiedRelease {
    /// The release that `path` is, holds, or is the data of; `None` for data without a certificate.
    pub(crate) fn read(engine: &Engine, path: &Path) -> Result<Option<Self>, Error> {
        let Some(half) = certified_half(path)? else {
            return Ok(None);
        };
        let certificate = verify::read_certificate(&half)?;
        let file = half.join(&certificate.data.file);
        let table = verify::read(engine, &half, &certificate.data)?;
        Ok(Some(Self {
            half,
            certificate,
            file,
            table,
        }))
    }

    /// The sensitive attributes that it publishes.
    pub(crate) fn sensitive(&self) -> Vec<String> {
        let sensitive = self.certificate.sensitive.iter();
        sensitive.map(|own| own.name.clone()).collect()
    }
}

/// Whether `path` is a bundle or the public half of one.
pub(crate) fn is_bundle(path: &Path) -> bool {
    path.join("certificate.json").is_file() || path.join("release/certificate.json").is_file()
}

/// The public half that `path` is, holds, or is the data of; `None` for a table without a certificate.
fn certified_half(path: &Path) -> Result<Option<PathBuf>, Error> {
    if is_bundle(path) {
        return verify::public_half(path).map(Some);
    }
    let (Some(half), Some(file)) = (path.parent(), path.file_name()) else {
        return Ok(None);
    };
    if !path.is_file() || !half.join("certificate.json").is_file() {
        return Ok(None);
    }
    let certificate = verify::read_certificate(half)?;
    let own = file.to_str() == Some(certificate.data.file.as_str());
    Ok(own.then(|| half.to_owned()))
}

/// What kind of release `path` is; a table when nothing says otherwise.
pub fn shape_of(path: &Path) -> Result<Shape, Error> {
    if crate::windows::is_stream(path) {
        return Ok(Shape::Windows);
    }
    let Some(half) = certified_half(path)? else {
        return Ok(Shape::Table);
    };
    Ok(shape(&verify::read_certificate(&half)?))
}

/// What kind of data a certificate speaks of.
pub(super) fn shape(certificate: &Certificate) -> Shape {
    match certificate.knows {
        Knowledge::Institutions => Shape::Trails,
        _ if certificate.paths.is_some() => Shape::Paths,
        _ if certificate.transactions.is_some() => Shape::Transactions,
        _ => Shape::Table,
    }
}

/// The source of a release: that of `policy`, or the one that the steward's half names where it lies there unchanged; an error that says
/// how to name it where neither is, or which `command` asks for it.
pub fn source_of(release: &Path, policy: Option<&Path>, command: &str) -> Result<PathBuf, Error> {
    policy_with_source(release, policy, command).map(|policy| source::location(&policy))
}

/// The policy of a release, seen from where its source is.
pub(super) fn policy_with_source(
    release: &Path,
    policy: Option<&Path>,
    command: &str,
) -> Result<Policy, Error> {
    if let Some(policy) = policy {
        return read_policy(policy);
    }
    bundled_policy(release)?.ok_or_else(|| Error::Argument {
        what: "the source is not said, and without it nobody can be looked for".into(),
        help: format!("name the policy of the release with --policy FILE, or use `{command}`"),
    })
}

/// The policy in the steward's half, with a place from which its source is found; `None` where the half is not there, or no file by that name
/// beside the bundle or here has the fingerprint that the release was made from.
fn bundled_policy(release: &Path) -> Result<Option<Policy>, Error> {
    let Some(half) = certified_half(release)? else {
        return Ok(None);
    };
    let Some(bundle) = half.parent().filter(|_| half.ends_with("release")) else {
        return Ok(None);
    };
    let steward = bundle.join("steward");
    let Ok(mut policy) = read_policy(&steward.join("policy.toml")) else {
        return Ok(None);
    };
    let sources = std::fs::read_to_string(steward.join("source.json")).unwrap_or_default();
    let sources: Vec<SourcePrint> = serde_json::from_str(&sources).unwrap_or_default();
    let expected: Vec<(String, String)> = sources
        .into_iter()
        .map(|source| (source.file, source.sha256))
        .collect();
    let engine = Engine::new(Some(1))?;
    let beside = bundle.parent().unwrap_or(Path::new(""));
    let above = beside.parent().unwrap_or(Path::new(""));
    for base in [beside, above, Path::new("")] {
        let found = engine.fingerprints(base.join(&policy.data.path), policy.data.format);
        if found.is_ok_and(|found| !found.is_empty() && found == expected) {
            policy.file = base.join("policy.toml");
            return Ok(Some(policy));
        }
    }
    Ok(None)
}

/// An entry of `source.json`.
#[derive(serde::Deserialize)]
struct SourcePrint {
    file: String,
    sha256: String,
}

/// The policy that is `named`, or that of a steward's half where it can be read.
pub(super) fn policy_of(
    named: Option<&Path>,
    steward: Option<&Path>,
) -> Result<Option<Policy>, Error> {
    match named {
        Some(path) => read_policy(path).map(Some),
        None => Ok(steward.and_then(|half| read_policy(&half.join("policy.toml")).ok())),
    }
}

/// The hierarchies that explain the labels of these attributes: of a directory of files, or of a policy.
pub(super) fn explained(
    engine: &Engine,
    directory: Option<&Path>,
    policy: Option<&Policy>,
    attributes: impl IntoIterator<Item = String>,
) -> Result<BTreeMap<String, Vec<HierarchyRow>>, Error> {
    let mut explained = BTreeMap::new();
    for attribute in attributes {
        let mut file = directory.and_then(|all| hierarchies::find(all, &attribute).ok());
        let mut specs = policy.into_iter().flat_map(|policy| &policy.attributes);
        let spec = specs.find(|spec| spec.name == attribute);
        let rows = match (&file, policy, spec.map(|spec| &spec.hierarchy)) {
            (None, _, Some(HierarchySpec::Ordered(order, sizes))) => ordered(order, sizes),
            (None, Some(policy), Some(HierarchySpec::File(path))) => {
                file = Some(policy.resolve(path)).filter(|path: &PathBuf| path.is_file());
                Vec::new()
            }
            _ => Vec::new(),
        };
        let rows = match file {
            Some(file) => engine.read_hierarchy(&file)?,
            None => rows,
        };
        explained.insert(attribute, rows);
    }
    Ok(explained)
}

/// Rows for a hierarchy that groups neighbors of an order.
fn ordered(order: &[String], sizes: &[usize]) -> Vec<HierarchyRow> {
    let label = |rank: usize, width: usize| {
        let first = rank / width * width;
        let last = (first + width).min(order.len()) - 1;
        if first == last {
            order[first].clone()
        } else {
            format!("{} to {}", order[first], order[last])
        }
    };
    let labels = |rank: usize| {
        let mut width = 1;
        let coarser = sizes.iter().map(|size| {
            width *= size;
            label(rank, width)
        });
        std::iter::once(order[rank].clone())
            .chain(coarser)
            .collect()
    };
    let rows = 0..order.len();
    rows.map(|rank| HierarchyRow {
        line: 0,
        labels: labels(rank),
    })
    .collect()
}

/// Where the column called `name` stands.
pub(super) fn position(table: &Table, name: &str, path: &Path) -> Result<usize, Error> {
    let found = table
        .columns()
        .iter()
        .position(|column| column.name == name);
    found.ok_or_else(|| unknown(name, path, &names_to_show(table)))
}

/// A column that is not there.
pub(super) fn unknown(name: &str, path: &Path, known: &[&str]) -> Error {
    Error::UnknownColumn {
        column: name.to_owned(),
        place: path.display().to_string(),
        help: suggest_column(name, known),
    }
}
