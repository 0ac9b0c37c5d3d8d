//! Lists the files of `src/guard/findings`, so that a new finding is one new file and nothing else.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=src/guard/findings");
    // Another checkout may share the target directory, and what is written below names files of this one.
    println!("cargo::rerun-if-env-changed=PWD");
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let directory = Path::new(&root).join("src/guard/findings");
    let mut names: Vec<String> = fs::read_dir(&directory)?
        .filter_map(|file| {
            let path = file.ok()?.path();
            let rust = path.extension().is_some_and(|end| end == "rs");
            Some(path.file_stem().filter(|_| rust)?.to_str()?.to_owned())
        })
        .collect();
    names.sort_unstable();
    let mut text = String::new();
    for name in &names {
        let file = directory.join(format!("{name}.rs")).display().to_string();
        writeln!(text, "#[path = {file:?}]\nmod {name};").map_err(io::Error::other)?;
    }
    text.push_str(
        "\n/// The entries in the order of their files' names.\nconst LISTED: &[FindingEntry] = &[",
    );
    for name in &names {
        write!(text, "{name}::ENTRY, ").map_err(io::Error::other)?;
    }
    text.push_str("];\n");
    fs::write(Path::new(&out).join("findings.rs"), text)
}
