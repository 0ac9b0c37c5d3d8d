//! Projects: directories below the one that is served, each with data, a policy and releases. No path leads out of it.

use std::path::{Component, Path, PathBuf};

use axum::http::StatusCode;
use denym::{Policy, ReadOptions, ReadingWords};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::answer::Failure;
use crate::app::{private_directory, write_whole};

/// Letters of a name.
const LONGEST_NAME: usize = 64;

/// Ends of files that may be data.
const DATA: [&str; 11] = [
    "csv", "tsv", "txt", "json", "jsonl", "ndjson", "parquet", "xlsx", "xls", "gz", "zst",
];

/// A project.
#[derive(Debug, Clone)]
pub(crate) struct Project {
    /// Its name, which is that of its directory.
    pub(crate) name: String,
    /// Its directory.
    pub(crate) directory: PathBuf,
}

/// A project without a policy yet: which file is its data, and how it is read so far.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Start {
    /// The file, as a policy in the project's directory would write it.
    pub(crate) file: String,
    /// The fields of the form that says how it is read.
    pub(crate) fields: Vec<(String, String)>,
}

/// Every project of the directory `root`, by name.
pub(crate) fn all(root: &Path) -> std::io::Result<Vec<Project>> {
    let mut found: Vec<Project> = std::fs::read_dir(root)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| Project::find(root, &name).ok())
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// Files of the directory `root` that may be data, by name.
pub(crate) fn files(root: &Path) -> std::io::Result<Vec<String>> {
    let mut found: Vec<String> = std::fs::read_dir(root)?
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_plain(name) && is_data(name))
        .collect();
    found.sort();
    Ok(found)
}

/// Whether the end of a name is one of data.
pub(crate) fn is_data(name: &str) -> bool {
    let end = Path::new(name).extension().and_then(|end| end.to_str());
    end.is_some_and(|end| DATA.iter().any(|own| own.eq_ignore_ascii_case(end)))
}

/// Whether a name is one of a file or project: no path, nothing hidden, nothing that a shell or a page acts upon.
pub(crate) fn is_plain(name: &str) -> bool {
    let known = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    !name.is_empty()
        && name.chars().count() <= LONGEST_NAME
        && !name.starts_with(['.', ' ', '-'])
        && !name.ends_with(['.', ' '])
        && name.chars().all(known)
}

fn no_name() -> Failure {
    Failure::bad(
        "this is no name for a project or a file",
        "take letters, digits, `-`, `_`, `.` and spaces inside; at most 64 of them",
    )
}

impl Project {
    /// The project of this name: a directory of its own with a policy, or with the start of one.
    pub(crate) fn find(root: &Path, name: &str) -> Result<Project, Failure> {
        let directory = root.join(name);
        let own =
            is_plain(name) && std::fs::symlink_metadata(&directory).is_ok_and(|meta| meta.is_dir());
        let project = Project {
            name: name.to_owned(),
            directory,
        };
        if own && (project.policy_file().is_file() || project.start_file().is_file()) {
            return Ok(project);
        }
        Err(Failure::not_found())
    }

    /// A new and empty project.
    pub(crate) fn create(root: &Path, name: &str) -> Result<Project, Failure> {
        if !is_plain(name) {
            return Err(no_name());
        }
        let directory = root.join(name);
        if std::fs::symlink_metadata(&directory).is_ok() {
            return Err(Failure::new(
                StatusCode::CONFLICT,
                "output-exists",
                "there is a project or a file of this name already",
                "choose another name",
            ));
        }
        private_directory(&directory)?;
        Ok(Project {
            name: name.to_owned(),
            directory,
        })
    }

    /// The policy.
    pub(crate) fn policy_file(&self) -> PathBuf {
        self.directory.join("policy.toml")
    }

    fn start_file(&self) -> PathBuf {
        self.directory.join(".start.json")
    }

    /// Whether it has a policy yet.
    pub(crate) fn has_policy(&self) -> bool {
        self.policy_file().is_file()
    }

    /// The policy as it is written.
    pub(crate) fn policy_text(&self) -> Result<String, Failure> {
        Ok(std::fs::read_to_string(self.policy_file())?)
    }

    /// The policy, when it has no mistake and no path in it leads out of `root`.
    pub(crate) fn policy(&self, root: &Path) -> Result<Policy, Failure> {
        stays_inside(root, &self.directory, &self.policy_text()?)?;
        Ok(denym::read_policy(&self.policy_file())?)
    }

    /// Writes the policy, if it is still the one that whoever changes it has seen.
    pub(crate) fn write_policy(&self, seen: &str, text: &str) -> Result<(), Failure> {
        if version(&self.policy_text().unwrap_or_default()) != seen {
            return Err(Failure::new(
                StatusCode::CONFLICT,
                "policy-changed",
                "the policy was changed in the meantime",
                "load the page again and repeat what you did",
            ));
        }
        write_whole(&self.policy_file(), text.as_bytes())?;
        Ok(())
    }

    /// How a project without a policy begins.
    pub(crate) fn start(&self) -> Result<Start, Failure> {
        let text = std::fs::read_to_string(self.start_file())?;
        serde_json::from_str(&text).map_err(|_| Failure::not_found())
    }

    /// Keeps how a project without a policy begins.
    pub(crate) fn write_start(&self, start: &Start) -> Result<(), Failure> {
        let text = json!({"file": start.file, "fields": start.fields}).to_string();
        write_whole(&self.start_file(), text.as_bytes())?;
        Ok(())
    }

    /// Where the data is, and how it is read.
    pub(crate) fn data(&self, root: &Path) -> Result<(PathBuf, ReadOptions), Failure> {
        if self.has_policy() {
            return Ok(denym::data_of(&self.policy(root)?));
        }
        let start = self.start()?;
        let path = self.directory.join(&start.file);
        if !is_inside(root, &path) {
            return Err(outside());
        }
        Ok((path, words(&start.fields)?.options()?))
    }

    /// The names of the releases, the newest last.
    pub(crate) fn releases(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.join("releases"));
        let mut found: Vec<String> = entries
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| self.release(name).is_ok())
            .collect();
        found.sort_by_key(|name| (name.parse::<u64>().unwrap_or(0), name.clone()));
        found
    }

    /// The bundle of this name.
    pub(crate) fn release(&self, name: &str) -> Result<PathBuf, Failure> {
        let bundle = self.directory.join("releases").join(name);
        let known = is_plain(name) && bundle.join("release/certificate.json").is_file();
        known.then_some(bundle).ok_or_else(Failure::not_found)
    }

    /// The name of the next release.
    pub(crate) fn next_release(&self) -> String {
        let taken = self.releases().into_iter();
        let last = taken.filter_map(|name| name.parse::<u64>().ok()).max();
        (last.unwrap_or(0) + 1).to_string()
    }

    /// Where a candidate is built that is looked at and never handed out.
    pub(crate) fn candidate(&self) -> PathBuf {
        self.directory.join(".candidate")
    }

    /// Removes what a server that was killed left half-written.
    pub(crate) fn remove_unfinished(&self) {
        for place in [self.directory.clone(), self.directory.join("releases")] {
            let entries = std::fs::read_dir(place).into_iter().flatten();
            for entry in entries.filter_map(Result::ok) {
                let name = entry.file_name();
                if name.to_string_lossy().starts_with(".denym-") {
                    // Whichever of the two it is.
                    let _ = std::fs::remove_dir_all(entry.path());
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        }
    }

    /// For programs.
    pub(crate) fn document(&self) -> Value {
        json!({
            "name": self.name,
            "policy": self.has_policy(),
            "releases": self.releases(),
        })
    }
}

/// What a text is told apart by.
pub(crate) fn version(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// How data is read, by the fields of a form.
pub(crate) fn words(fields: &[(String, String)]) -> Result<ReadingWords, Failure> {
    let field = |key: &str| {
        let found = fields.iter().rfind(|(name, _)| name == key);
        found
            .map(|(_, text)| text.as_str())
            .filter(|text| !text.trim().is_empty() || *text == " ")
    };
    let letter = |key: &str| match field(key) {
        None => Ok(None),
        Some("tab") => Ok(Some('\t')),
        Some("space") => Ok(Some(' ')),
        Some(text) => {
            let mut letters = text.chars();
            match (letters.next(), letters.next()) {
                (Some(letter), None) => Ok(Some(letter)),
                _ => Err(Failure::bad(
                    &format!("the field `{key}` is more than one character"),
                    "write one character, `tab` or `space`",
                )),
            }
        }
    };
    let skip_rows = field("skip-rows").map(|text| {
        text.trim().parse().map_err(|_| {
            Failure::bad(
                "the rows before the header are no number",
                "write 0, 1, 2, ...",
            )
        })
    });
    let missing = field("missing").unwrap_or_default().split(',');
    Ok(ReadingWords {
        format: None,
        delimiter: letter("delimiter")?,
        quote: letter("quote")?,
        no_header: field("no-header").is_some(),
        encoding: field("encoding").map(|text| text.trim().to_owned()),
        skip_rows: skip_rows.transpose()?,
        sheet: field("sheet").map(|text| text.trim().to_owned()),
        decimal: letter("decimal")?,
        thousands: letter("thousands")?,
        missing: missing
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
            .collect(),
    })
}

fn outside() -> Failure {
    Failure::new(
        StatusCode::FORBIDDEN,
        "outside",
        "the policy names a file outside of the directory that is served",
        "bring the file into the directory, or run `denym anonymize` yourself",
    )
}

/// Refuses a policy that names anything outside of `root`: a server reads no file that its directory does not have.
///
/// Every text in the policy is looked at, whatever its key: a key that is a path some day is guarded already.
pub(crate) fn stays_inside(root: &Path, directory: &Path, text: &str) -> Result<(), Failure> {
    let Ok(document) = text.parse::<toml_edit::DocumentMut>() else {
        // The reader of policies says what is wrong with it, and reads nothing else.
        return Ok(());
    };
    let mut texts = Vec::new();
    texts_of(document.as_item(), &mut texts);
    let is_path = |text: &&String| {
        let path = Path::new(text.as_str());
        path.is_absolute()
            || path.components().any(|part| part == Component::ParentDir)
            || std::fs::symlink_metadata(directory.join(path)).is_ok()
            || text.contains('*') && text.contains('/')
    };
    let leads_out = |text: &String| !is_inside(root, &directory.join(text));
    if texts.iter().filter(is_path).any(leads_out) {
        return Err(outside());
    }
    Ok(())
}

fn texts_of(item: &toml_edit::Item, found: &mut Vec<String>) {
    if let Some(text) = item.as_str() {
        found.push(text.to_owned());
    } else if let Some(table) = item.as_table_like() {
        for (_, item) in table.iter() {
            texts_of(item, found);
        }
    } else if let Some(array) = item.as_array() {
        for value in array {
            texts_of(&toml_edit::Item::Value(value.clone()), found);
        }
    } else if let Some(tables) = item.as_array_of_tables() {
        for table in tables {
            texts_of(&toml_edit::Item::Table(table.clone()), found);
        }
    }
}

/// Whether a path stays below `root`, links followed as far as it exists.
fn is_inside(root: &Path, path: &Path) -> bool {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    if !plain.starts_with(root) || plain.starts_with(root.join(".denym")) {
        return false;
    }
    let mut there = Some(plain.as_path());
    while let Some(path) = there {
        if let Ok(real) = std::fs::canonicalize(path) {
            return real.starts_with(root);
        }
        // A link that leads nowhere now may lead somewhere soon.
        if std::fs::symlink_metadata(path).is_ok() {
            return false;
        }
        there = path.parent();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn served() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(directory.path())
            .unwrap()
            .join("served");
        std::fs::create_dir_all(root.join("one/hierarchies")).unwrap();
        std::fs::write(root.join("one/people.csv"), "age\n1\n").unwrap();
        std::fs::write(root.join("shared.csv"), "age\n1\n").unwrap();
        std::fs::write(root.parent().unwrap().join("secret.csv"), "age\n1\n").unwrap();
        (directory, root)
    }

    #[test]
    fn no_policy_leads_out_of_the_directory() {
        let (_kept, root) = served();
        let one = root.join("one");
        let check = |text: &str| stays_inside(&root, &one, text).is_ok();
        assert!(check("[data]\npath = \"people.csv\""));
        assert!(check("[data]\npath = \"../shared.csv\""));
        assert!(check(
            "[promise]\nconfidence = { values = [\"a/b\", \"..x\"] }"
        ));
        for path in [
            "../../secret.csv",
            "/etc/passwd",
            "hierarchies/../../../secret.csv",
            "../../*.csv",
            "../.denym/audit.jsonl",
        ] {
            assert!(!check(&format!("[data]\npath = \"{path}\"")), "{path}");
            assert!(
                !check(&format!(
                    "[attributes]\nzip = {{ hierarchy = {{ file = \"{path}\" }} }}"
                )),
                "{path}"
            );
            assert!(
                !check(&format!("[[data.details]]\npath = \"{path}\"")),
                "{path}"
            );
        }
        #[cfg(unix)]
        {
            let link = one.join("link.csv");
            std::os::unix::fs::symlink(root.parent().unwrap().join("secret.csv"), &link).unwrap();
            std::os::unix::fs::symlink(root.parent().unwrap(), one.join("up")).unwrap();
            assert!(!check("[data]\npath = \"link.csv\""));
            assert!(!check("[data]\npath = \"up/secret.csv\""));
            assert!(!check("[data]\npath = \"up/*.csv\""));
        }
    }

    #[test]
    fn a_name_is_no_path() {
        for name in [
            "", ".", "..", "a/b", "a\\b", ".hidden", "a\0", "-x", "a<b", "a\n", "x ",
        ] {
            assert!(!is_plain(name), "{name:?}");
        }
        assert!(is_plain("Patienten 2024") && is_plain("zürich.v2"));
    }
}
