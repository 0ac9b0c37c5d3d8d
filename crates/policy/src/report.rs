//! What a policy says of its reports: their language, and who prepares them.

use super::reader::Section;

/// What a policy says of its reports.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportSpec {
    /// The word for the language.
    pub language: Option<&'static str>,
    /// Who prepares the release.
    pub prepared_by: Option<String>,
}

/// The languages that a report can have.
pub const LANGUAGES: [&str; 2] = ["en", "de"];

/// What `[report]` says.
pub(super) fn report_section(root: &Section<'_, '_>) -> ReportSpec {
    let mut spec = ReportSpec::default();
    let Some(node) = root.get("report") else {
        return spec;
    };
    let known = ["language", "prepared-by"];
    let Some(section) = node.section(&known, "{ language = \"de\" }") else {
        return spec;
    };
    if let Some(node) = section.get("language") {
        spec.language = node.choice(&LANGUAGES.map(|word| (word, word)));
    }
    if let Some(node) = section.get("prepared-by") {
        spec.prepared_by = node.string("Data office").map(str::to_owned);
    }
    spec
}
