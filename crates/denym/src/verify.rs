//! Checks a release from its public half alone.

mod paths;
pub(crate) mod stream;
mod transactions;

use std::path::{Path, PathBuf};

use denym_data::Table;
use denym_engine::{Engine, Format};

use crate::anonymize::Evidence;
use crate::certificate::{Certificate, Check, Claim, FORM};
use crate::judge::SensitiveAttribute;
use crate::policy::{Knowledge, PromiseSpec};
use crate::{Error, groups, source};

/// What a check of a release found.
#[derive(Debug, Clone, PartialEq)]
pub struct Verification {
    /// Whether the data is byte for byte what the certificate speaks of.
    pub data_intact: bool,
    /// Every claim, measured again; `holds` is `None` where the public half cannot tell.
    pub claims: Vec<Claim>,
    /// Whether the data is intact and no claim fails.
    pub holds: bool,
}

/// Measures every claim of the release in `directory`, a bundle or its public half.
pub fn verify(directory: &Path, threads: Option<usize>) -> Result<Verification, Error> {
    let half = public_half(directory)?;
    let certificate = read_certificate(&half)?;
    let path = half.join(&certificate.data.file);
    let broken = |what| Error::Bundle {
        what,
        path: half.join("certificate.json"),
    };
    if Path::new(&certificate.data.file).components().count() != 1 {
        return Err(broken("the name of the data is not a plain file name"));
    }
    let format = Format::parse(&certificate.data.format)
        .ok_or_else(|| broken("the format of the data is unknown"))?;
    let engine = Engine::new(threads)?;
    let table = source::read_release(&engine, &path, format)?;
    let (table, whole) = with_groups(&engine, &half, &certificate, table)?;
    let data_intact = whole && denym_engine::fingerprint(&path)? == certificate.data.sha256;
    if let Some(layout) = &certificate.paths {
        let pool = crate::threads::pool(threads)?;
        return pool.install(|| paths::verify(&certificate, layout, &table, &path, data_intact));
    }
    if let Some(form) = &certificate.transactions {
        let pool = crate::threads::pool(threads)?;
        return pool
            .install(|| transactions::verify(&certificate, form, &table, &path, data_intact));
    }
    if certificate.knows == Knowledge::Institutions {
        // How many owners a trail has only the identified side tells.
        let counted = table.records() as u64 == certificate.data.records;
        let attested = |mut claim: Claim| {
            claim.holds = claim.holds.filter(|holds| !holds);
            claim
        };
        let claims: Vec<Claim> = certificate.claims.into_iter().map(attested).collect();
        let holds = data_intact && counted && claims.iter().all(|claim| claim.holds != Some(false));
        return Ok(Verification {
            data_intact,
            claims,
            holds,
        });
    }
    let column = |name: &String| {
        table
            .column(name)
            .ok_or_else(|| broken("the data lacks a column of the certificate"))
    };
    let mut sensitive = Vec::new();
    for certified in &certificate.sensitive {
        for part in &certified.parts {
            column(part)?;
        }
        // Several columns read as one have no values of their own to list.
        let values = if certified.parts.is_empty() {
            Some(column(&certified.name)?)
        } else {
            None
        };
        sensitive.push(SensitiveAttribute::from_certificate(certified, values));
    }
    for name in certificate
        .quasi_identifiers
        .iter()
        .chain(&certificate.subject)
    {
        column(name)?;
    }
    // What needs a register or guarding nodes is the publisher's word.
    let public: Vec<&Claim> = certificate
        .claims
        .iter()
        .filter(|claim| !claim.terms.is_private())
        .collect();
    let promises: Vec<PromiseSpec> = public.iter().map(|claim| claim.terms.clone()).collect();
    let scopes: Vec<Option<Vec<String>>> = public
        .iter()
        .map(|claim| {
            let names = claim.quasi_identifiers.clone();
            (!names.is_empty()).then_some(names)
        })
        .collect();
    for name in public.iter().flat_map(|claim| &claim.quasi_identifiers) {
        column(name)?;
    }
    let subject = certificate.subject.as_deref();
    // Records in groups are told apart by nothing but their group.
    let grouped = certificate.groups.as_ref().map(|g| vec![g.column.clone()]);
    for name in grouped.iter().flatten() {
        column(name)?;
    }
    let pool = crate::threads::pool(threads)?;
    let evidence = Evidence {
        table: &table,
        knows: certificate.knows,
        quasi: grouped.as_ref().unwrap_or(&certificate.quasi_identifiers),
        sensitive: &sensitive,
        subject,
        promises: &promises,
        scopes: &scopes,
        population: None,
    };
    let (_, measured) = pool
        .install(|| evidence.measure())
        .map_err(|_| broken("a claim cannot be judged on this data"))?;
    let mut measured = evidence.claims(&measured).into_iter();
    let mut claims: Vec<Claim> = certificate
        .claims
        .iter()
        .filter_map(|certified| {
            if certified.terms.is_private() {
                Some(certified.clone())
            } else {
                measured.next()
            }
        })
        .collect();
    for (claim, certified) in claims.iter_mut().zip(&certificate.claims) {
        claim.check = certified.check;
        if claim.check == Check::Attested && claim.holds == Some(true) {
            // The numbering of subjects is the publisher's word.
            claim.holds = None;
        }
    }
    let counted = table.records() as u64 == certificate.data.records;
    let holds = data_intact && counted && claims.iter().all(|claim| claim.holds != Some(false));
    Ok(Verification {
        data_intact,
        claims,
        holds,
    })
}

/// The data with the sensitive values that a release in groups has in a second table, and whether that table is intact.
pub(crate) fn with_groups(
    engine: &Engine,
    half: &Path,
    certificate: &Certificate,
    table: Table,
) -> Result<(Table, bool), Error> {
    let groups = certificate.groups.as_ref();
    let Some((groups, file)) = groups.and_then(|g| Some((g, g.sensitive.as_ref()?))) else {
        return Ok((table, true));
    };
    let broken = |what| Error::Bundle {
        what,
        path: half.join("certificate.json"),
    };
    if Path::new(&file.file).components().count() != 1 {
        return Err(broken(
            "the name of the second table is not a plain file name",
        ));
    }
    let format = Format::parse(&file.format)
        .ok_or_else(|| broken("the format of the second table is unknown"))?;
    let path = half.join(&file.file);
    let intact = denym_engine::fingerprint(&path)? == file.sha256;
    let values = source::read_release(engine, &path, format)?;
    match groups::joined(&table, &values, groups) {
        Ok(joined) => Ok((joined, intact)),
        Err(what) => Err(broken(what)),
    }
}

/// The public half: the directory itself, or its `release`.
pub(crate) fn public_half(directory: &Path) -> Result<PathBuf, Error> {
    for half in [directory.to_owned(), directory.join("release")] {
        if half.join("certificate.json").is_file() {
            return Ok(half);
        }
    }
    Err(Error::Bundle {
        what: "there is no certificate.json",
        path: directory.to_owned(),
    })
}

pub(crate) fn read_certificate(half: &Path) -> Result<Certificate, Error> {
    let path = half.join("certificate.json");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Error::io("read the certificate", &path, &error))?;
    let certificate: Certificate = serde_json::from_str(&text).map_err(|_| Error::Bundle {
        what: "the certificate is not one of ours",
        path: path.clone(),
    })?;
    if certificate.form != FORM {
        return Err(Error::Bundle {
            what: "the certificate has a form that this version does not know",
            path,
        });
    }
    Ok(certificate)
}
