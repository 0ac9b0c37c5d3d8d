//! A request as handlers see it: names, fields, the language of whoever asks.

use std::collections::BTreeMap;
use std::path::PathBuf;

use denym::Language;
use serde_json::Value;

use crate::answer::Failure;
use crate::gate::Visitor;

/// A request as handlers see it.
#[derive(Debug)]
pub(crate) struct Call {
    /// The parts of the address that have names.
    pub(crate) names: BTreeMap<String, String>,
    /// The fields behind the question mark.
    pub(crate) query: Vec<(String, String)>,
    /// The fields of a form.
    pub(crate) form: Vec<(String, String)>,
    /// The document of a program.
    pub(crate) json: Value,
    /// The file that was sent along, and the name it had; it is gone when the request is answered.
    pub(crate) upload: Option<(tempfile::TempPath, String)>,
    /// The language of pages.
    pub(crate) language: Language,
    /// Who asks.
    pub(crate) visitor: Visitor,
    /// The address without what is behind the question mark.
    pub(crate) path: String,
}

impl Call {
    /// A part of the address.
    pub(crate) fn name(&self, key: &str) -> &str {
        self.names.get(key).map_or("", String::as_str)
    }

    /// A field: of the form, else of the document, else behind the question mark; without spaces at its ends.
    pub(crate) fn field(&self, key: &str) -> Option<&str> {
        let of = |list: &[(String, String)]| list.iter().rposition(|(name, _)| name == key);
        let text = match (of(&self.form), self.json.get(key).and_then(Value::as_str)) {
            (Some(at), _) => &self.form[at].1,
            (None, Some(text)) => text,
            (None, None) => &self.query[of(&self.query)?].1,
        };
        Some(text.trim()).filter(|text| !text.is_empty())
    }

    /// A field as it was sent, spaces and all.
    pub(crate) fn whole(&self, key: &str) -> Option<&str> {
        let sent = self.form.iter().rfind(|(name, _)| name == key);
        sent.map(|(_, text)| text.as_str())
            .or_else(|| self.json.get(key).and_then(Value::as_str))
    }

    /// A field that must be there.
    pub(crate) fn need(&self, key: &str) -> Result<&str, Failure> {
        self.field(key).ok_or_else(|| {
            Failure::bad(
                &format!("the field `{key}` is missing"),
                "fill it in, or see the description of the interface at /api/v1/openapi.json",
            )
        })
    }

    /// The uploaded file, if one was sent.
    pub(crate) fn uploaded(&self) -> Option<(PathBuf, &str)> {
        let (path, name) = self.upload.as_ref()?;
        Some((path.to_path_buf(), name.as_str()))
    }

    /// A sentence in the language of whoever asks.
    pub(crate) fn say(&self, key: &str, values: &[(&str, &str)]) -> String {
        self.language.say(key, values)
    }
}
