//! The Adult census extract that shared data may hold: its columns, and how a policy names them.

use std::path::Path;

/// Every column that identifies somebody, in the order of the file's usual policies.
pub const COLUMNS: [&str; 9] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
];

/// Lines of `[attributes]` that make these columns quasi-identifiers, with the hierarchies that lie beside `data`.
pub fn quasi_identifiers<'a>(data: &Path, columns: impl IntoIterator<Item = &'a str>) -> String {
    let directory = data.parent().unwrap_or(Path::new("")).display();
    let line = |name: &str| {
        format!(
            "{name} = {{ role = \"quasi\", hierarchy = \"{directory}/adult_hierarchy_{name}.csv\" }}\n"
        )
    };
    columns.into_iter().map(line).collect()
}
