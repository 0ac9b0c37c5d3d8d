//! A release as one file: packed for a recipient, and unpacked with care when somebody drops one in.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;

use crate::answer::Failure;

/// Files of a bundle; far fewer in any that we make.
const MOST_FILES: usize = 100;

/// How many times its size a file may unpack to: text packs well, a bomb far better.
const MOST_GROWTH: u64 = 200;

/// Bytes that may be unpacked of however small a file.
const AT_LEAST: u64 = 16 << 20;

/// The public half of a bundle as one file; the same bytes for the same half.
pub(crate) fn pack(half: &Path) -> Result<Vec<u8>, Failure> {
    let mut names: Vec<String> = std::fs::read_dir(half)?
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let failed = |_| Failure::from(std::io::Error::other("a file cannot be packed"));
    // Releases carry no times, and neither does this.
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default())
        .unix_permissions(0o644);
    for name in names {
        archive
            .start_file(format!("release/{name}"), options)
            .map_err(failed)?;
        std::io::copy(&mut File::open(half.join(&name))?, &mut archive)?;
    }
    Ok(archive.finish().map_err(failed)?.into_inner())
}

fn broken() -> Failure {
    Failure::bad(
        "the file is no zip file of a release",
        "send the file that was downloaded, or pack the directory `release` as a zip file",
    )
}

/// Unpacks a zip file into the empty directory `into`: plain files of one level below a directory at most, and no more bytes than
/// a release of this size can have.
pub(crate) fn unpack(file: &Path, into: &Path) -> Result<(), Failure> {
    let size = std::fs::metadata(file)?.len();
    let mut left = size.saturating_mul(MOST_GROWTH).max(AT_LEAST);
    let mut archive = zip::ZipArchive::new(File::open(file)?).map_err(|_| broken())?;
    if archive.len() > MOST_FILES {
        return Err(broken());
    }
    for at in 0..archive.len() {
        let entry = archive.by_index(at).map_err(|_| broken())?;
        if entry.is_dir() {
            continue;
        }
        // The last name alone, whatever stands before it: nothing is written anywhere else.
        let path = entry.name().map_err(|_| broken())?.into_owned();
        let parts: Vec<&str> = path.split(['/', '\\']).collect();
        let (Some(name), true) = (parts.last(), entry.is_file()) else {
            return Err(broken());
        };
        if !crate::projects::is_plain(name)
            || parts.len() > 3
            || parts.contains(&"..")
            || parts[0].is_empty()
        {
            return Err(broken());
        }
        // The steward's half has no business here, and is not needed.
        if parts.contains(&"steward") {
            continue;
        }
        let mut target = File::options()
            .write(true)
            .create_new(true)
            .open(into.join(name))
            .map_err(|_| broken())?;
        let mut bounded = entry.take(left);
        let mut buffer = vec![0; 64 << 10];
        loop {
            let read = bounded.read(&mut buffer).map_err(|_| broken())?;
            if read == 0 {
                break;
            }
            left -= read as u64;
            if left == 0 {
                return Err(broken());
            }
            target.write_all(&buffer[..read])?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zipped(files: &[(&str, &[u8])]) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, content) in files {
            archive
                .start_file(*name, SimpleFileOptions::default())
                .expect("an entry");
            archive.write_all(content).expect("written");
        }
        let bytes = archive.finish().expect("whole").into_inner();
        file.write_all(&bytes).expect("written");
        file
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let half = tempfile::tempdir().expect("a directory");
        std::fs::write(half.path().join("data.csv"), "a,b\n1,2\n").expect("a file");
        std::fs::write(half.path().join("certificate.json"), "{}").expect("a file");
        let packed = pack(half.path()).expect("packed");
        assert_eq!(packed, pack(half.path()).expect("packed"), "the same bytes");
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        file.write_all(&packed).expect("written");
        let into = tempfile::tempdir().expect("a directory");
        unpack(file.path(), into.path()).expect("unpacked");
        assert_eq!(
            std::fs::read(into.path().join("data.csv")).expect("there"),
            b"a,b\n1,2\n"
        );
    }

    #[test]
    fn nothing_is_written_elsewhere_and_no_bomb_goes_off() {
        let into = tempfile::tempdir().expect("a directory");
        let inner = into.path().join("inner");
        for name in [
            "../evil.csv",
            "release/../../evil.csv",
            "/etc/evil",
            "a/b/c/d.csv",
            "release/.hidden",
            "..\\evil",
        ] {
            std::fs::create_dir_all(&inner).expect("a directory");
            assert!(
                unpack(zipped(&[(name, b"x")]).path(), &inner).is_err(),
                "{name}"
            );
            assert_eq!(
                std::fs::read_dir(into.path()).expect("read").count(),
                1,
                "{name}"
            );
            std::fs::remove_dir_all(&inner).expect("removed");
        }
        std::fs::create_dir_all(&inner).expect("a directory");
        let bomb = vec![b'0'; 64 << 20];
        assert!(unpack(zipped(&[("data.csv", &bomb)]).path(), &inner).is_err());
        let mut noise = tempfile::NamedTempFile::new().expect("a file");
        noise.write_all(b"PK\x03\x04 no zip").expect("written");
        assert!(unpack(noise.path(), &inner).is_err());
    }
}
