//! The screen of columns: what each is, how far it singles people out, its role, how it generalizes.

use denym::ReadyMade;
use maud::{Markup, PreEscaped, html};

use super::{Screen, address, edit, screen, seen};
use crate::answer::{Answer, Failure};
use crate::app::{App, Seen};
use crate::call::Call;
use crate::editor::{Editor, quoted};
use crate::projects::Project;

/// Roles, the key for each, and the sentence that says what it means.
const ROLES: [(&str, &str); 5] = [
    ("identifier", "i"),
    ("quasi", "q"),
    ("sensitive", "s"),
    ("insensitive", "o"),
    ("subject", "p"),
];

pub(crate) fn show(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    if !project.has_policy() {
        return Ok(Answer::See(address(&project.name, "/reading")));
    }
    let text = project.policy_text()?;
    let look = match app.look(&project, call.language) {
        Ok(Seen::Look(look)) => look,
        Ok(Seen::Later(job)) => return Ok(Answer::See(format!("/jobs/{job}"))),
        Err(failure) => {
            let content = super::error(&failure.document["error"], call.language);
            return screen(app, call, &project, Screen::Columns, &content);
        }
    };
    let editor = Editor::open(&text).ok();
    let is_table = editor
        .as_ref()
        .is_some_and(|editor| editor.kind() == "table");
    let profile = &look.profile;
    let share = |part: u64| denym::percent(part as f64 / profile.records.max(1) as f64);
    let content = html! {
        p.lead {
            (call.say("web.columns.lead", &[("records", &denym_report::count(profile.records)), ("uniques", &denym_report::count(profile.uniques)), ("share", &share(profile.uniques))]))
        }
        @if !is_table { p { (call.say("web.columns.no-table", &[])) } }
        details { summary { (call.say("web.columns.rows", &[])) } div.card.scroll { (super::reading::rows(&look, call.language)) } }
        @if is_table { p.soft.keys { (call.say("web.columns.keys", &[])) } }
        @for (at, column) in profile.columns.iter().enumerate() {
            article.card.column id={ "column-" (at) } {
                div {
                    h2 { (column.name) " " span.chip { (column.kind.name()) } }
                    p.soft {
                        (call.say("web.columns.distinct", &[("distinct", &denym_report::count(column.distinct as u64)), ("missing", &denym_report::count(column.missing))]))
                        " " (call.say("web.columns.alone", &[("uniques", &denym_report::count(column.uniques)), ("share", &share(column.uniques))]))
                    }
                    p {
                        (call.say("web.columns.suggested", &[("role", column.role.name())])) ": "
                        (column.left_out.map_or_else(|| column.reasons.join("; "), |why| why.reason().to_owned()))
                    }
                    @if let (true, Some(editor)) = (is_table, &editor) {
                        (role(app, call, &project, &text, editor, at, &column.name))
                        @if editor.role(&column.name) == Some("quasi") { (hierarchy(app, call, &project, &text, editor, at, &column.name)) }
                    }
                }
                @if let Some(chart) = look.charts.get(at) { div.picture { (PreEscaped(chart.inline())) } }
            }
        }
        @if !profile.combinations.best.is_empty() {
            section.card {
                h2 { (call.say("web.columns.together", &[])) }
                table.stack {
                    thead { tr { th { (call.say("web.columns", &[])) } th.n { (call.say("web.columns.pairs", &[])) } th.n { (call.say("web.columns.stand-alone", &[])) } } }
                    tbody {
                        @for one in profile.combinations.best.iter().take(8) {
                            @let names: Vec<&str> = one.columns.iter().map(|&at| profile.columns[at].name.as_str()).collect();
                            tr { td { (names.join(" + ")) } td.n { (denym::percent(one.separation)) } td.n { (denym_report::count(one.uniques)) } }
                        }
                    }
                }
            }
        }
    };
    screen(app, call, &project, Screen::Columns, &content)
}

/// The role of a column, by click or key.
fn role(
    app: &App,
    call: &Call,
    project: &Project,
    text: &str,
    editor: &Editor,
    at: usize,
    column: &str,
) -> Markup {
    let now = editor.role(column);
    let choice = |word: &str, key: &str, label: String| {
        html! { label.choice title=(key) { input type="radio" name="role" value=(word) data-key=(key) id={ "role-" (at) "-" (key) } checked[now.unwrap_or("") == word]; span { (label) } } }
    };
    html! {
        form method="post" action=(address(&project.name, "/columns/role")) data-auto {
            (seen(app, text))
            input type="hidden" name="column" value=(column);
            input type="hidden" name="anchor" value={ "column-" (at) };
            fieldset.roles {
                legend { (call.say("web.columns.role", &[])) }
                @for (word, key) in ROLES { (choice(word, key, role_name(word, call))) }
                (choice("", "n", call.say("web.role.none", &[])))
            }
            button.quiet.without-script type="submit" { (call.say("web.save", &[])) }
        }
    }
}

/// A role in the reader's language.
pub(crate) fn role_name(word: &str, call: &Call) -> String {
    match word {
        "identifier" => call.say("web.role.identifier", &[]),
        "quasi" => call.say("web.role.quasi", &[]),
        "sensitive" => call.say("web.role.sensitive", &[]),
        "insensitive" => call.say("web.role.insensitive", &[]),
        _ => call.say("web.role.subject", &[]),
    }
}

/// How a column generalizes.
fn hierarchy(
    app: &App,
    call: &Call,
    project: &Project,
    text: &str,
    editor: &Editor,
    at: usize,
    column: &str,
) -> Markup {
    let now = editor.hierarchy(column);
    let now_form = now.as_deref().map_or("none", form_of);
    let forms = [
        ("none", call.say("web.tree.none", &[])),
        ("interval", call.say("web.tree.interval", &[])),
        ("date", call.say("web.tree.date", &[])),
        ("redact", call.say("web.tree.redact", &[])),
        ("order", call.say("web.tree.order", &[])),
        ("priority", call.say("web.tree.priority", &[])),
        ("ready-made", call.say("web.tree.ready-made", &[])),
        ("file", call.say("web.tree.file", &[])),
    ];
    html! {
        details.tree {
            summary { (call.say("web.tree", &[])) ": " code { (now.as_deref().unwrap_or("—")) } }
            form method="post" action=(address(&project.name, "/columns/hierarchy")) {
                (seen(app, text))
                input type="hidden" name="column" value=(column);
                input type="hidden" name="anchor" value={ "column-" (at) };
                div.fields {
                    p { label for={ "form-" (at) } { (call.say("web.tree.form", &[])) }
                        select id={ "form-" (at) } name="form" {
                            @for (word, label) in &forms { option value=(word) selected[now_form == *word] { (label) } }
                        }
                    }
                    p { label for={ "value-" (at) } { (call.say("web.tree.value", &[])) }
                        input id={ "value-" (at) } name="value" list={ "values-" (at) } value=(shown(now.as_deref())) size="28" autocomplete="off";
                        datalist id={ "values-" (at) } {
                            option value="5, 10, 20" {}
                            option value="month, quarter, year" {}
                            option value="right" {}
                            @for ready in ReadyMade::all() { option value=(ready.name) {} }
                            @for file in tree_files(project) { option value=(file) {} }
                        }
                    }
                }
                p.soft { (call.say("web.tree.help", &[])) }
                button type="submit" { (call.say("web.save", &[])) }
                " " a href=(address(&project.name, &format!("/columns/{at}/tree"))) { (call.say("web.tree.by-hand", &[])) }
            }
        }
    }
}

/// Files that may be hierarchies, as a policy names them.
fn tree_files(project: &Project) -> Vec<String> {
    let entries = std::fs::read_dir(project.directory.join("hierarchies"))
        .into_iter()
        .flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut files: Vec<String> = names
        .filter(|name| crate::projects::is_plain(name))
        .map(|name| format!("hierarchies/{name}"))
        .collect();
    files.sort();
    files
}

/// The form that a hierarchy in a policy has.
fn form_of(tree: &str) -> &'static str {
    let forms = [
        "interval",
        "date",
        "redact",
        "order",
        "priority",
        "ready-made",
    ];
    forms
        .into_iter()
        .find(|form| tree.contains(&format!("{form} =")))
        .unwrap_or("file")
}

/// The value of a form, of what a policy has.
fn shown(tree: Option<&str>) -> String {
    let Some(tree) = tree else {
        return String::new();
    };
    let inner = tree.trim_matches(['{', '}', ' ']);
    let value = inner
        .split_once('=')
        .filter(|_| tree.starts_with('{'))
        .map_or(inner, |(_, value)| value);
    value.trim().replace(['[', ']', '"'], "")
}

pub(crate) fn set_role(app: &App, call: &Call) -> Result<Answer, Failure> {
    let column = call.whole("column").unwrap_or_default();
    let role = call.field("role");
    if role.is_some_and(|role| !ROLES.iter().any(|(word, _)| *word == role)) {
        return Err(Failure::bad(
            "there is no such role",
            "take one of identifier, quasi, sensitive, insensitive, subject",
        ));
    }
    edit(app, call, Screen::Columns, |editor| {
        editor.set_role(column, role)
    })
}

pub(crate) fn set_hierarchy(app: &App, call: &Call) -> Result<Answer, Failure> {
    let column = call.whole("column").unwrap_or_default();
    let value = call.field("value").unwrap_or_default();
    let tree = written(call.need("form")?, value)?;
    edit(app, call, Screen::Columns, |editor| {
        editor.set_hierarchy(column, tree.as_deref())
    })
}

/// A hierarchy as a policy writes it.
fn written(form: &str, value: &str) -> Result<Option<String>, Failure> {
    let parts = || value.split([',', ' ']).filter(|part| !part.is_empty());
    let wrong = |help: &str| Failure::bad("this is no hierarchy of the form that was chosen", help);
    let quoted_list = |list: Vec<&str>| list.into_iter().map(quoted).collect::<Vec<_>>().join(", ");
    Ok(Some(match form {
        "none" => return Ok(None),
        "interval" => {
            let is_width = |part: &str| {
                part.parse::<f64>()
                    .is_ok_and(|width| width.is_finite() && width > 0.0)
            };
            if parts().next().is_none() || !parts().all(is_width) {
                return Err(wrong("write widths such as 5, 10, 20"));
            }
            format!(
                "{{ interval = [{}] }}",
                parts().collect::<Vec<_>>().join(", ")
            )
        }
        "date" => format!("{{ date = [{}] }}", quoted_list(parts().collect())),
        "redact" => {
            let mut parts = value
                .split([',', ' ', '='])
                .filter(|part| !part.is_empty() && *part != "step");
            let end = parts.next().unwrap_or("right");
            let step = parts.next().unwrap_or("1");
            if !matches!(end, "left" | "right") || step.parse::<u32>().is_err() {
                return Err(wrong(
                    "write `right` or `left`, and how many characters go at a time, such as `right, 2`",
                ));
            }
            format!("{{ redact = \"{end}\", step = {step} }}")
        }
        "order" => {
            let list: Vec<&str> = value
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .collect();
            if list.len() < 2 {
                return Err(wrong(
                    "write the values in their order with commas between them",
                ));
            }
            format!("{{ order = [{}], groups = [2, 2] }}", quoted_list(list))
        }
        "priority" if matches!(value, "" | "frequency") => {
            "{ priority = \"frequency\" }".to_owned()
        }
        "priority" => {
            let list = value
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty());
            format!("{{ priority = [{}] }}", quoted_list(list.collect()))
        }
        "ready-made" => format!("{{ ready-made = {} }}", quoted(value)),
        "file" => quoted(value),
        _ => return Err(wrong("choose a form of the list")),
    }))
}
