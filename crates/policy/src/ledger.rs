//! What a policy says of its ledger: where it is, and where the key of its tokens is.

use std::ops::Range;
use std::path::PathBuf;

use denym_data::Role;

use crate::AttributeSpec;
use crate::kinds::DataKind;
use crate::operations::KeySource;
use crate::reader::Section;

/// Where a release is written down, and judged with those before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerSpec {
    /// The directory, relative to the policy.
    pub path: PathBuf,
    /// The key of the tokens that people have in it; one of its own when not given.
    pub key: Option<KeySource>,
    /// Place of the section in the policy.
    pub span: Range<usize>,
}

/// What `[ledger]` says; only tables with a subject are judged together by their people.
pub(super) fn ledger_section(
    root: &Section<'_, '_>,
    kind: DataKind,
    attributes: &[AttributeSpec],
) -> Option<LedgerSpec> {
    let node = root.get("ledger")?;
    let example = "{ path = \"ledger\" }";
    if kind != DataKind::Table {
        node.mistake(
            "policy-unused-key",
            "only releases of tables are judged together in a ledger",
            "remove the section",
        );
        return None;
    }
    if !attributes.iter().any(|spec| spec.role == Role::Subject) {
        node.mistake(
            "policy-no-subject",
            "releases are judged together by their people, and no column says whose a record is",
            "give the column that does the role `subject`",
        );
    }
    let section = node.section(&["path", "key-file", "key-env"], example)?;
    let path = section.need("path", "write for example `path = \"ledger\"`")?;
    let path = path.string("ledger")?;
    let key = match (section.get("key-file"), section.get("key-env")) {
        (None, None) => None,
        (Some(file), None) => Some(KeySource::File(PathBuf::from(file.string("secret.key")?))),
        (None, Some(name)) => Some(KeySource::Environment(name.string("DENYM_KEY")?.to_owned())),
        (Some(_), Some(_)) => {
            node.mistake(
                "policy-two-forms",
                "a ledger has one key, and `key-file` and `key-env` are two",
                "keep one of them",
            );
            None
        }
    };
    Some(LedgerSpec {
        path: PathBuf::from(path),
        key,
        span: node.span(),
    })
}
