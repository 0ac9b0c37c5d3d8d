//! How data is read: a preview that follows every correction, then a draft of a policy.

use std::io::Read as _;

use denym::{Language, Look};
use maud::{Markup, html};

use super::{address, plain, token};
use crate::answer::{Answer, Failure};
use crate::app::{App, SHOWN_ROWS};
use crate::call::Call;
use crate::projects::{Project, words};
use crate::tasks::Task;

/// Bytes of a large text file that a preview looks at.
const SAMPLE: u64 = 256 << 10;

/// The fields of the form, with what is usual.
const FIELDS: [&str; 9] = [
    "delimiter",
    "quote",
    "no-header",
    "encoding",
    "skip-rows",
    "sheet",
    "decimal",
    "thousands",
    "missing",
];

pub(crate) fn show(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    if project.has_policy() {
        return Ok(Answer::See(address(&project.name, "/columns")));
    }
    let start = project.start()?;
    let value = |key: &str| {
        let found = start.fields.iter().find(|(name, _)| name == key);
        found.map_or("", |(_, text)| text.as_str())
    };
    let field = |key: &'static str, label: String, size: usize, hint: &str| {
        html! { p { label for=(key) { (label) } input id=(key) name=(key) value=(value(key)) size=(size) placeholder=(hint) autocomplete="off"; } }
    };
    let found = call.say("web.reading.found", &[]);
    let title = call.say("web.reading", &[]);
    let preview = preview(app, &project, call.language);
    let main = html! {
        h1 { (title) ": " (project.name) }
        p.lead { (call.say("web.reading.lead", &[])) }
        div.beside.even {
            form.card method="post" action=(address(&project.name, "/reading")) data-live="preview" {
                (token(app))
                p.soft { code { (start.file) } }
                div.fields {
                    (field("delimiter", call.say("web.reading.delimiter", &[]), 6, &found))
                    (field("quote", call.say("web.reading.quote", &[]), 6, "\""))
                    (field("decimal", call.say("web.reading.decimal", &[]), 6, &found))
                    (field("thousands", call.say("web.reading.thousands", &[]), 6, &found))
                    (field("encoding", call.say("web.reading.encoding", &[]), 14, &found))
                    (field("skip-rows", call.say("web.reading.skip-rows", &[]), 6, &found))
                    (field("sheet", call.say("web.reading.sheet", &[]), 10, "1"))
                    (field("missing", call.say("web.reading.missing", &[]), 18, "NA, -99"))
                }
                p { label.inline { input type="checkbox" name="no-header" value="yes" checked[!value("no-header").is_empty()]; " " (call.say("web.reading.no-header", &[])) } }
                button.quiet.without-script type="submit" { (call.say("web.reading.again", &[])) }
            }
            div #preview { (preview) }
        }
        form method="post" action=(address(&project.name, "/draft")) {
            (token(app))
            button.main type="submit" { (call.say("web.reading.go", &[])) }
        }
    };
    Ok(plain(call, &format!("{title} · {}", project.name), &main))
}

/// The first rows as they are read now, or what stands in the way.
fn preview(app: &App, project: &Project, language: Language) -> Markup {
    match sample(app, project, language) {
        Ok(look) => html! { div.card.scroll { (rows(&look, language)) (in_words(&look)) } },
        Err(failure) => super::error(&failure.document["error"], language),
    }
}

/// The first rows.
pub(crate) fn rows(look: &Look, language: Language) -> Markup {
    html! {
        table.data {
            thead { tr { @for column in &look.profile.columns { th scope="col" { (column.name) br; span.chip { (column.kind.name()) } } } } }
            tbody {
                @for row in &look.rows {
                    tr { @for cell in row {
                        @match cell {
                            Some(text) => td { (denym_report::shorten(text, 60)) },
                            None => td.soft { (language.say("word.missing", &[])) },
                        }
                    } }
                }
            }
        }
    }
}

fn in_words(look: &Look) -> Markup {
    html! { ul.soft { @for line in look.reading.in_words() { li { (line) } } } }
}

/// Looks at the beginning of a large text file, at the whole of any other.
fn sample(app: &App, project: &Project, language: Language) -> Result<Look, Failure> {
    let (path, options) = project.data(&app.root)?;
    let end = path
        .extension()
        .and_then(|end| end.to_str())
        .unwrap_or_default()
        .to_lowercase();
    let is_text = matches!(end.as_str(), "csv" | "tsv" | "txt" | "jsonl" | "ndjson");
    let look = |path: &std::path::Path| {
        denym::guarded(|| {
            denym::look_at(
                path,
                &options,
                SHOWN_ROWS,
                language,
                Some(1),
                &denym::Silent,
            )
        })
    };
    let size = std::fs::metadata(&path)?.len();
    if !is_text || size <= SAMPLE {
        return Ok(look(&path)?);
    }
    let mut bytes = Vec::new();
    std::fs::File::open(&path)?
        .take(SAMPLE)
        .read_to_end(&mut bytes)?;
    // Whole lines only; what has none is looked at as it is.
    if let Some(last) = bytes.iter().rposition(|byte| *byte == b'\n') {
        bytes.truncate(last + 1);
    }
    let place = tempfile::Builder::new()
        .prefix("sample-")
        .tempdir_in(app.own())?;
    let copy = place.path().join(format!("sample.{end}"));
    std::fs::write(&copy, bytes)?;
    Ok(look(&copy)?)
}

pub(crate) fn change(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let mut start = project.start()?;
    let kept = call
        .form
        .iter()
        .filter(|(name, _)| FIELDS.contains(&name.as_str()));
    start.fields = kept.filter(|(_, text)| !text.is_empty()).cloned().collect();
    // What means nothing is not kept.
    words(&start.fields)?.options()?;
    project.write_start(&start)?;
    Ok(Answer::See(address(&project.name, "/reading")))
}

pub(crate) fn draft(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let job = app.jobs.add(&project.name, Task::Draft, call.language);
    Ok(Answer::See(super::job::wait(
        app,
        &job,
        &address(&project.name, "/columns"),
    )))
}
