//! What a walk along the windows of a stream found, for people.

use denym::VerifiedWindows;

/// What was found, a line each.
pub(super) fn lines(found: &VerifiedWindows) -> Vec<String> {
    let or =
        |value: Option<u64>, none: &str| value.map_or_else(|| none.to_owned(), |n| n.to_string());
    let mut lines = vec![format!(
        "chain      {} published, {} withheld, {} passed over, last window {}",
        found.published,
        found.withheld,
        found.passed_over,
        or(found.last_window, "-"),
    )];
    lines.push(match found.measured {
        Some(count) => format!("windows    {count} measured again"),
        None => "windows    NOT here: only the chain was walked".to_owned(),
    });
    if let Some(asked) = &found.claims {
        let columns = asked.columns.iter().map(|column| column.name.as_str());
        lines.push(format!(
            "columns    {}",
            columns.collect::<Vec<_>>().join(", ")
        ));
        lines.push(format!(
            "groups     {} subjects or more promised for any {} doublets, smallest stated {}, smallest found {}",
            asked.k,
            asked.l,
            or(found.stated_group, "-"),
            or(found.smallest_group, "-"),
        ));
        for (at, bound) in asked.confidence.iter().enumerate() {
            let share = found.confidences.get(at);
            lines.push(format!(
                "confidence at most {} promised for a value of {}, {} found",
                bound.at_most,
                bound.attribute,
                share.map_or_else(|| "-".to_owned(), ToString::to_string),
            ));
        }
        for (at, promise) in asked.promises.iter().enumerate() {
            let value = found.values.get(at).copied().flatten();
            let about = promise.attribute().and_then(Option::as_ref);
            lines.push(format!(
                "promise    {}{} asked {}, {} found",
                promise.name(),
                about.map_or_else(String::new, |about| format!(" of {about}")),
                promise.bound(),
                value.map_or_else(|| "-".to_owned(), |value| value.to_string()),
            ));
        }
    }
    if found.attested_matching {
        lines.push(
            "matching   `consistent` is the publisher's word: it is judged from the source"
                .to_owned(),
        );
    }
    lines.extend(found.together().map(|what| format!("together   {what}")));
    if let Some(last) = &found.last_line {
        lines.push(format!(
            "last line  {last}: compare it with the publisher's"
        ));
    }
    if let Some(broken) = &found.broken {
        lines.push(format!(
            "BROKEN     {}:{}: {}",
            broken.file.display(),
            broken.line,
            broken.what
        ));
    }
    lines
}
