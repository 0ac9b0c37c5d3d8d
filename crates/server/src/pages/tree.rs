//! A hierarchy by hand: a row for each value, ever larger groups to the right; every value covered, or it says which are not.

use denym::{Form, HierarchySource};
use maud::html;

use super::{Screen, address, screen, seen};
use crate::answer::{Answer, Failure};
use crate::app::{App, Seen, private_directory, write_whole};
use crate::call::Call;
use crate::editor::{Editor, quoted};
use crate::projects::Project;

/// Values that are listed as not covered.
const LISTED: usize = 30;

/// The column that an address means.
fn column(app: &App, call: &Call, project: &Project) -> Result<String, Failure> {
    let at: usize = call
        .name("column")
        .parse()
        .map_err(|_| Failure::not_found())?;
    let Seen::Look(look) = app.look(project, call.language)? else {
        return Err(Failure::new(
            axum::http::StatusCode::CONFLICT,
            "still-reading",
            "the data is still being read",
            "wait a moment and load the page again",
        ));
    };
    let column = look
        .profile
        .columns
        .get(at)
        .ok_or_else(Failure::not_found)?;
    Ok(column.name.clone())
}

/// The file of a column's hierarchy, as the policy names it.
fn file(column: &str) -> String {
    let name: String = column
        .chars()
        .map(|c| if c.is_alphanumeric() { c } else { '-' })
        .take(40)
        .collect();
    format!(
        "hierarchies/{}.csv",
        if name.trim_matches('-').is_empty() {
            "column"
        } else {
            &name
        }
    )
}

pub(crate) fn show(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let column = column(app, call, &project)?;
    let policy = project.policy_text()?;
    let editor = Editor::open(&policy)?;
    let (data, options) = project.data(&app.root)?;
    let known = editor.hierarchy(&column);
    let own = known
        .as_deref()
        .map(|tree| tree.trim_matches('"').to_owned());
    let own = own.filter(|path| project.directory.join(path).is_file());
    let rows = match &own {
        Some(path) => std::fs::read_to_string(project.directory.join(path))?,
        None => {
            let draft = denym::guarded(|| {
                denym::draft_hierarchy(
                    &data,
                    &options,
                    &column,
                    Form::Auto,
                    app.config.threads,
                    &denym::Silent,
                )
            })?;
            let place = tempfile::Builder::new()
                .prefix("draft-")
                .tempdir_in(app.own())?;
            let copy = place.path().join("draft.csv");
            draft.write(&copy)?;
            std::fs::read_to_string(copy)?
        }
    };
    let check = own.map(|path| {
        let source = HierarchySource::File(project.directory.join(path));
        denym::guarded(|| {
            denym::check_hierarchy(
                &data,
                &options,
                &column,
                &source,
                app.config.threads,
                &denym::Silent,
            )
        })
    });
    let content = html! {
        h2 { (call.say("web.tree.of", &[("column", &column)])) }
        p.lead { (call.say("web.tree.rows", &[])) }
        @match &check {
            None => p { (call.say("web.tree.drafted", &[])) },
            Some(Err(error)) => (super::error(&denym::documents::error(error)["error"], call.language)),
            Some(Ok(check)) => {
                @if check.uncovered.is_empty() {
                    p.badge.good { (call.say("web.tree.covered", &[("values", &check.distinct.to_string()), ("levels", &check.levels.to_string())])) }
                } @else {
                    ul.box.bad role="alert" { li {
                        b { (call.say("web.tree.uncovered", &[("values", &check.uncovered.len().to_string()), ("records", &check.uncovered_records().to_string())])) }
                        p { @for (value, records) in check.uncovered.iter().take(LISTED) { code { (value) } " (" (records) ") " } }
                    } }
                }
            }
        }
        form method="post" action=(call.path) {
            (seen(app, &policy))
            label for="tree" { code { (file(&column)) } }
            textarea #tree name="tree" rows="24" spellcheck="false" { (rows) }
            button type="submit" { (call.say("web.tree.save", &[])) }
            " " a href=(address(&project.name, "/columns")) { (call.say("web.back", &[])) }
        }
    };
    screen(app, call, &project, Screen::Columns, &content)
}

pub(crate) fn change(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let column = column(app, call, &project)?;
    let rows = call.whole("tree").unwrap_or_default().replace("\r\n", "\n");
    let mut editor = Editor::open(&project.policy_text()?)?;
    let file = file(&column);
    editor.set_hierarchy(&column, Some(&quoted(&file)))?;
    private_directory(&project.directory.join("hierarchies"))?;
    write_whole(&project.directory.join(&file), rows.as_bytes())?;
    project.write_policy(call.need("seen")?, &editor.text())?;
    Ok(Answer::See(call.path.clone()))
}
