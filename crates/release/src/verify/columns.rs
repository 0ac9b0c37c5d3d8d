//! Whether the columns of the data are those that the certificate lists, and play one part each.

use denym_data::Table;

use super::grounds::Grounds;
use crate::Error;
use crate::certificate::{ColumnRole, DataFile, Shape, parts};

/// The columns of `table` are exactly those listed for `file`, in their order.
pub(super) fn same(grounds: &Grounds<'_>, file: &DataFile, table: &Table) -> Result<(), Error> {
    let there: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
    let listed: Vec<&str> = file.columns.iter().map(|c| c.name.as_str()).collect();
    if there == listed {
        return Ok(());
    }
    let beyond = |these: &[&str], others: &[&str]| -> Vec<String> {
        let names = these.iter().filter(|name| !others.contains(name));
        names.map(|name| format!("`{name}`")).collect()
    };
    let (more, less) = (beyond(&there, &listed), beyond(&listed, &there));
    let what = match (more.is_empty(), less.is_empty()) {
        (false, _) => format!(
            "`{}` has columns that the certificate does not list: {}",
            file.file,
            more.join(", ")
        ),
        (true, false) => format!(
            "`{}` lacks columns that the certificate lists: {}",
            file.file,
            less.join(", ")
        ),
        (true, true) => format!(
            "the columns of `{}` stand in another order than the certificate lists them",
            file.file
        ),
    };
    Err(grounds.unjudged(what))
}

/// Every column plays the part that the rest of the certificate gives it, and none that it does not give.
pub(super) fn roles(grounds: &Grounds<'_>, shape: Shape) -> Result<(), Error> {
    let certificate = grounds.certificate;
    let mut named: Vec<(&str, ColumnRole)> = Vec::new();
    let quasi = match shape {
        Shape::Trails => ColumnRole::Institution,
        _ => ColumnRole::QuasiIdentifier,
    };
    named.extend(
        certificate
            .quasi_identifiers
            .iter()
            .map(|n| (n.as_str(), quasi)),
    );
    let attributes = certificate.sensitive.iter().filter(|s| s.parts.is_empty());
    named.extend(attributes.map(|s| (s.name.as_str(), ColumnRole::Sensitive)));
    if let Some(subject) = &certificate.subject {
        // Trails may have ids of their own, which are published as they are.
        let own = certificate
            .data
            .columns
            .iter()
            .any(|column| column.name == *subject && column.role == ColumnRole::Pseudonym);
        named.push(match shape {
            Shape::Trails if own => (subject, ColumnRole::Pseudonym),
            _ => (subject, ColumnRole::SubjectNumber),
        });
    }
    let sequences = certificate.sequences();
    if let Some((form, _)) = &sequences {
        named.extend(parts(form));
    }
    let mut columns = certificate.data.columns.clone();
    if let Some(groups) = &certificate.groups {
        named.push((&groups.column, ColumnRole::Group));
        if let Some(second) = &groups.sensitive {
            let roles: Vec<ColumnRole> = second.columns.iter().map(|c| c.role).collect();
            let group = second
                .columns
                .first()
                .is_some_and(|c| c.name == groups.column);
            grounds.demand(
                roles == [ColumnRole::Group, ColumnRole::Sensitive, ColumnRole::Count] && group,
                "the second table has other columns than a group, a value and a count",
            )?;
            // The group stands in both tables.
            columns.extend(second.columns[1..2].iter().cloned());
        }
    }
    let beside = match shape {
        Shape::Table => [ColumnRole::Insensitive, ColumnRole::Pseudonym].as_slice(),
        Shape::Paths => &[ColumnRole::Insensitive],
        Shape::Transactions | Shape::Trails => &[],
    };
    for (at, (name, _)) in named.iter().enumerate() {
        let twice = named[..at].iter().any(|(other, _)| other == name);
        let there = columns.iter().filter(|c| c.name == *name).count();
        grounds.demand(
            !twice && there == 1,
            format!("the certificate does not give `{name}` exactly one part to play"),
        )?;
    }
    for column in &columns {
        let given = named.iter().find(|(name, _)| *name == column.name);
        let right = match given {
            Some((_, role)) => column.role == *role,
            None => beside.contains(&column.role),
        };
        grounds.demand(
            right,
            format!(
                "the certificate lists `{}` as {}, but does not treat it so",
                column.name,
                column.role.name()
            ),
        )?;
    }
    for part in certificate.sensitive.iter().flat_map(|s| &s.parts) {
        let there = columns.iter().any(|column| column.name == *part);
        grounds.demand(there, "several columns read as one are not all published")?;
    }
    Ok(())
}
