//! Opens what is published and has it checked; the check itself is `denym-release`, which knows no solver.

use std::path::{Path, PathBuf};

use denym_data::Table;
use denym_engine::{Engine, Format, RecordBatch};

use crate::certificate::{Certificate, DataFile, Document, FORM};
use crate::{Error, source, windows};
use denym_release::{groups, signature};

pub use denym_release::Verdict;
use denym_release::verify::Sound;
pub use denym_release::verify::{
    JudgedColumn, JudgedFile, Verification, Verified, VerifiedRelease,
};
pub use denym_release::windows::{BrokenWindow, VerifiedWindows};

/// Measures every claim of what lies in `directory` as far as anybody can: a bundle, its public half, or the windows of a stream.
pub fn verify(directory: &Path, threads: Option<usize>) -> Result<Verification, Error> {
    if windows::is_stream(directory) {
        return windows::verify(directory).map(Verification::Windows);
    }
    release(directory, threads).map(Verification::Release)
}

/// The data files of what lies in `directory`, a bundle or its public half, by their names, as record batches; nothing is measured.
pub fn released(
    directory: &Path,
    threads: Option<usize>,
) -> Result<Vec<(String, Vec<RecordBatch>)>, Error> {
    let half = public_half(directory)?;
    let certificate = read_certificate(&half)?;
    let engine = Engine::new(threads)?;
    let one = |file: &DataFile| {
        // Paths and trails may be released with nobody in them.
        let table = match read(&engine, &half, file) {
            Err(Error::Engine(denym_engine::Error::NoRecords { .. })) => Table::default(),
            read => read?,
        };
        Ok((file.file.clone(), denym_engine::batches(&table)?))
    };
    certificate.files().map(one).collect()
}

fn release(directory: &Path, threads: Option<usize>) -> Result<VerifiedRelease, Error> {
    let half = public_half(directory)?;
    let certificate = read_certificate(&half)?;
    let sound = Sound::new(&certificate, &half.join("certificate.json"))?;
    let engine = Engine::new(threads)?;
    let path = data_path(&half, &certificate.data)?;
    let table = read(&engine, &half, &certificate.data)?;
    sound.same_columns(&certificate.data, &table)?;
    let mut data_intact = denym_engine::fingerprint(&path)? == certificate.data.sha256;
    let mut joined = None;
    if let Some(second) = certificate
        .groups
        .as_ref()
        .and_then(|g| g.sensitive.as_ref())
    {
        let values = read(&engine, &half, second)?;
        sound.same_columns(second, &values)?;
        let intact = denym_engine::fingerprint(data_path(&half, second)?)? == second.sha256;
        data_intact &= intact && values.records() as u64 == second.records;
        joined = Some(meet(&half, &certificate, &table, &values)?);
    }
    let table = joined.as_ref().unwrap_or(&table);
    let pool = crate::threads::pool(threads)?;
    let mut found = pool.install(|| sound.judge(table, data_intact))?;
    if let Some(codebook) = &certificate.codebook {
        let intact = is_intact(&half, codebook)?;
        found.codebook_intact = Some(intact);
        if !intact {
            found
                .problems
                .push("the codebook is not the one that the certificate speaks of");
        }
    }
    found.other_files = others(&half, &certificate)?;
    Ok(found)
}

/// Files of the public half that the certificate says nothing about.
fn others(half: &Path, certificate: &Certificate) -> Result<Vec<String>, Error> {
    let failed = |error: std::io::Error| Error::io("list the release", half, &error);
    let known = |name: &str| {
        let mut files = certificate.files().map(|file| file.file.as_str());
        let codebook = certificate.codebook.as_ref();
        ["certificate.json", "README.md", signature::FILE].contains(&name)
            || codebook.is_some_and(|codebook| codebook.file == name)
            || files.any(|file| file == name)
    };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(half).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.to_string_lossy().into_owned();
        if !known(&name) {
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}

/// Whether a document beside the data is there, byte for byte what the certificate speaks of.
fn is_intact(half: &Path, document: &Document) -> Result<bool, Error> {
    let path = plain_path(half, &document.file)?;
    Ok(path.is_file() && denym_engine::fingerprint(path)? == document.sha256)
}

/// Where a file of the data is.
fn data_path(half: &Path, file: &DataFile) -> Result<PathBuf, Error> {
    plain_path(half, &file.file)
}

/// Where a file of the release is; only a plain name beside the certificate will do.
fn plain_path(half: &Path, file: &str) -> Result<PathBuf, Error> {
    let mut parts = Path::new(file).components();
    match (parts.next(), parts.next()) {
        (Some(std::path::Component::Normal(_)), None) => Ok(half.join(file)),
        _ => Err(Error::Bundle {
            what: "the name of the data is not a plain file name",
            path: half.join("certificate.json"),
        }),
    }
}

/// A file of a release, as its certificate says that it is written.
pub(crate) fn read(engine: &Engine, half: &Path, file: &DataFile) -> Result<Table, Error> {
    let format = Format::parse(&file.format).ok_or_else(|| Error::Bundle {
        what: "the format of the data is unknown",
        path: half.join("certificate.json"),
    })?;
    source::read_release(
        engine,
        &data_path(half, file)?,
        format,
        file.written.as_ref(),
    )
}

/// The data with the sensitive values of its groups.
fn meet(
    half: &Path,
    certificate: &Certificate,
    table: &Table,
    values: &Table,
) -> Result<Table, Error> {
    let broken = |what| Error::Bundle {
        what,
        path: half.join("certificate.json"),
    };
    let groups = certificate.groups.as_ref();
    let groups = groups.ok_or_else(|| broken("the certificate speaks of no groups"))?;
    groups::joined(table, values, groups).map_err(broken)
}

/// The data with the sensitive values that a release in groups has in a second table, and whether that table is intact.
pub(crate) fn with_groups(
    engine: &Engine,
    half: &Path,
    certificate: &Certificate,
    table: Table,
) -> Result<(Table, bool), Error> {
    let groups = certificate.groups.as_ref();
    let Some(file) = groups.and_then(|g| g.sensitive.as_ref()) else {
        return Ok((table, true));
    };
    let intact = denym_engine::fingerprint(data_path(half, file)?)? == file.sha256;
    let values = read(engine, half, file)?;
    Ok((meet(half, certificate, &table, &values)?, intact))
}

/// The public half: the directory itself, or its `release`.
pub(crate) fn public_half(directory: &Path) -> Result<PathBuf, Error> {
    for half in [directory.to_owned(), directory.join("release")] {
        if half.join("certificate.json").is_file() {
            return Ok(half);
        }
    }
    if !directory.exists() {
        return Err(Error::Argument {
            what: format!("there is no directory {}", directory.display()),
            help: "name a bundle, its `release` half, or the directory of a stream".into(),
        });
    }
    Err(Error::Bundle {
        what: "there is no certificate.json",
        path: directory.to_owned(),
    })
}

/// The certificate of a release; earlier forms are read too, though [`verify`] gives no verdict on them.
pub(crate) fn read_certificate(half: &Path) -> Result<Certificate, Error> {
    let path = half.join("certificate.json");
    let text = std::fs::read_to_string(&path)
        .map_err(|error| Error::io("read the certificate", &path, &error))?;
    let certificate: Certificate = serde_json::from_str(&text).map_err(|_| Error::Bundle {
        what: "the certificate is not one of ours",
        path: path.clone(),
    })?;
    if !(1..=FORM).contains(&certificate.form) {
        return Err(Error::Bundle {
            what: "the certificate has a form that this version does not know",
            path,
        });
    }
    Ok(certificate)
}
