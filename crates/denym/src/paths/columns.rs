//! Which columns of a file hold the paths: as the policy names them, else by the usual names.

use denym_engine::Names;

use crate::Error;
use crate::policy::paths::{Named, PathColumns};
use crate::policy::{Mistake, Policy, suggest_column};

/// The columns of a path file, resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Columns {
    /// Events, or points when there are two columns for the place.
    Long {
        subject: String,
        place: Vec<String>,
        time: String,
    },
    /// Whole paths, and perhaps whose they are.
    Wide {
        path: String,
        subject: Option<String>,
    },
}

impl Columns {
    /// All names, in the order of the layout.
    pub(super) fn names(&self) -> Vec<String> {
        match self {
            Columns::Long {
                subject,
                place,
                time,
            } => [
                std::slice::from_ref(subject),
                place,
                std::slice::from_ref(time),
            ]
            .concat(),
            Columns::Wide { path, subject } => {
                std::iter::once(path).chain(subject).cloned().collect()
            }
        }
    }
}

/// The columns by the names given, else by the usual ones; `known` are those of the file once they are known.
pub(super) fn guess(given: &PathColumns, known: Option<&[String]>) -> Columns {
    let name = |named: &Option<Named>, usual: &str| {
        named
            .as_ref()
            .map_or_else(|| usual.to_owned(), |named| named.name.clone())
    };
    let usual = |column: &str| known.is_none_or(|known| known.iter().any(|name| name == column));
    let long = given.location.is_some() || given.time.is_some() || given.latitude.is_some();
    if given.path.is_some() || (!long && usual("path")) {
        return Columns::Wide {
            path: name(&given.path, "path"),
            subject: given.subject.as_ref().map(|named| named.name.clone()),
        };
    }
    let place = match (&given.latitude, &given.longitude) {
        (Some(latitude), Some(longitude)) => vec![latitude.name.clone(), longitude.name.clone()],
        _ => vec![name(&given.location, "location")],
    };
    Columns::Long {
        subject: name(&given.subject, "subject"),
        place,
        time: name(&given.time, "time"),
    }
}

/// Every column of the policy that the data does not have.
pub(super) fn unknown_columns(policy: &Policy, columns: &PathColumns, known: &Names) -> Error {
    let names = known.to_show();
    let mistake = |name: &str, span: std::ops::Range<usize>| Mistake {
        code: "policy-unknown-column",
        message: format!("the data has no column `{name}`"),
        span,
        help: suggest_column(name, &names),
    };
    let given = [
        &columns.subject,
        &columns.location,
        &columns.time,
        &columns.path,
        &columns.latitude,
        &columns.longitude,
    ];
    let mut mistakes: Vec<Mistake> = given
        .into_iter()
        .flatten()
        .map(|named| (&named.name, &named.span))
        .chain(
            policy
                .attributes
                .iter()
                .map(|spec| (&spec.name, &spec.span)),
        )
        .filter(|(name, _)| !known.contains(name))
        .map(|(name, span)| mistake(name, span.clone()))
        .collect();
    if mistakes.is_empty() {
        let wide = columns.path.is_some();
        let key = if wide { "path-column" } else { "subject" };
        mistakes.push(Mistake {
            code: "policy-unknown-column",
            message:
                "the data has neither a column `path` nor columns `subject`, `location`, `time`"
                    .into(),
            span: policy.data.span.clone(),
            help: format!(
                "name the columns in `[data]`, such as `{key} = \"{}\"`",
                names.first().copied().unwrap_or("card")
            ),
        });
    }
    mistakes.sort_by_key(|mistake| mistake.span.start);
    Error::Policy {
        file: policy.file.clone(),
        text: policy.text.clone(),
        mistakes,
    }
}
