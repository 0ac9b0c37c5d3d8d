//! The screen of promises: sentences with their numbers as fields, made from what each promise declares of itself.

use denym::{Language, Parameter};
use maud::{Markup, html};

use super::{Screen, address, edit, screen, seen};
use crate::answer::{Answer, Failure};
use crate::app::App;
use crate::call::Call;
use crate::editor::{Editor, Field, Promised, meant};

pub(crate) fn show(app: &App, call: &Call) -> Result<Answer, Failure> {
    let project = app.project(call.name("project"))?;
    let text = project.policy_text()?;
    let editor = match Editor::open(&text) {
        Ok(editor) => editor,
        Err(failure) => {
            let content = super::error(&failure.document["error"], call.language);
            return screen(app, call, &project, Screen::Promises, &content);
        }
    };
    let kind = editor.kind().to_owned();
    let promises = editor.promises();
    let secrets = editor.with_role("sensitive");
    let kinds = denym::promise_kinds();
    let possible = kinds.iter().filter(|(_, cells)| {
        cells
            .iter()
            .any(|cell| cell.knowledge.data == kind && !cell.solvers.is_empty())
    });
    let content = html! {
        p.lead { (call.say("web.promises.lead", &[])) }
        (settings_form(app, call, &project.name, &text, &editor))
        @for one in &promises {
            article.card.promise id={ "promise-" (one.key) "-" (one.at) } {
                (promise(app, call, &project.name, &text, one, &secrets))
            }
        }
        form.card method="post" action=(address(&project.name, "/promises/add")) {
            (seen(app, &text))
            h2 { (call.say("web.promises.add", &[])) }
            p { label for="promise" { (call.say("web.promises.which", &[])) }
                select #promise name="promise" {
                    @for (entry, _) in possible { option value=(entry.name) { (entry.name) " — " (entry.description) } }
                }
            }
            button type="submit" { (call.say("web.promises.add", &[])) }
        }
    };
    screen(app, call, &project, Screen::Promises, &content)
}

/// What the adversary knows, and how the release is made.
fn settings_form(app: &App, call: &Call, project: &str, text: &str, editor: &Editor) -> Markup {
    let kind = editor.kind();
    let known = editor.knows().unwrap_or_default();
    let many = known
        .chars()
        .filter(char::is_ascii_digit)
        .collect::<String>();
    let suppress = editor
        .get("release", "suppress-at-most")
        .unwrap_or_default();
    let algorithm = editor
        .get("release", "algorithm")
        .unwrap_or_else(|| "auto".to_owned());
    let fits = |data: &str| data == kind || kind == "table" && data == "numbers";
    html! {
        form.card method="post" action=(address(project, "/promises/settings")) data-auto {
            (seen(app, text))
            h2 { (call.say("web.adversary", &[])) }
            @match kind {
                "table" => {
                    p {
                        (call.say("web.adversary.table", &[])) " "
                        label for="known" { (call.say("web.adversary.some", &[])) }
                        input #known name="known" type="number" min="1" max="99" value=(if known.contains("at-most") { many.as_str() } else { "" }) placeholder=(call.say("web.adversary.all", &[]));
                    }
                }
                "paths" | "transactions" => {
                    p {
                        label for="known" { @if kind == "paths" { (call.say("web.adversary.paths", &[])) } @else { (call.say("web.adversary.items", &[])) } }
                        input #known name="known" type="number" min="1" max="9" value=(many);
                    }
                }
                _ => p { (call.say("web.adversary.trails", &[])) },
            }
            @if kind != "trails" {
                p { label for="algorithm" { (call.say("web.algorithm", &[])) }
                    select #algorithm name="algorithm" {
                        @for entry in denym::catalogue::algorithms().iter().filter(|entry| fits(entry.data)) {
                            option value=(entry.name) selected[entry.name == algorithm] { (entry.name) " — " (entry.summary) }
                        }
                    }
                }
            }
            @if kind == "table" {
                p { label for="suppress" { (call.say("web.suppress", &[])) }
                    input #suppress name="suppress" inputmode="decimal" size="6" value=(suppress) placeholder="0";
                }
            }
            button.quiet.without-script type="submit" { (call.say("web.save", &[])) }
        }
    }
}

/// One promise as a sentence with fields.
fn promise(
    app: &App,
    call: &Call,
    project: &str,
    text: &str,
    one: &Promised,
    secrets: &[String],
) -> Markup {
    let id = format!("{}-{}", one.key, one.at);
    let hidden = html! {
        (seen(app, text))
        input type="hidden" name="key" value=(one.key);
        input type="hidden" name="at" value=(one.at);
        input type="hidden" name="anchor" value={ "promise-" (id) };
    };
    let Some(entry) = one.entry else {
        return html! { h2 { (one.key) } p { (call.say("web.promises.unknown", &[])) } };
    };
    let value = |name: &str| {
        let given = one.given.iter().find(|(own, _)| own == name);
        given.map_or("", |(_, text)| text.as_str())
    };
    let sentence = call
        .language
        .sentence(&format!("promise.{}", entry.name))
        .unwrap_or(entry.sentence);
    let parameters: Vec<&Parameter> = entry.all_parameters().collect();
    html! {
        form #{ "form-" (id) } method="post" action=(address(project, "/promises/set")) data-auto {
            (hidden)
            h2 { (entry.name) }
            p.sentence { (filled(sentence, entry.bound, &parameters, &value, secrets, &id, call.language)) }
            @let rest = parameters.iter().filter(|one| one.name != entry.bound && !(meant(one) == Field::Attribute && sentence.contains("{secret}")));
            div.fields {
                @for parameter in rest {
                    @let field = field(parameter, value(parameter.name), secrets, &id);
                    @if let Some(field) = field { p { label for={ (id) "-" (parameter.name) } { (parameter.meaning) } (field) } }
                }
            }
            button.quiet.without-script type="submit" { (call.say("web.save", &[])) }
        }
        p.soft { b { (call.say("web.promises.but", &[])) } " " (entry.limits) }
        p.soft { (entry.reference) }
        form method="post" action=(address(project, "/promises/remove")) {
            (hidden)
            button.quiet type="submit" { (call.say("web.promises.remove", &[])) }
        }
    }
}

/// The sentence of a promise with a field where its number stands, and one where its column stands.
fn filled<'a>(
    sentence: &str,
    bound: &str,
    parameters: &[&Parameter],
    value: &impl Fn(&str) -> &'a str,
    secrets: &[String],
    id: &str,
    language: Language,
) -> Markup {
    let input = |of: &dyn Fn(&Parameter) -> bool| {
        let one = parameters.iter().find(|one| of(one))?;
        let field = field(one, value(one.name), secrets, id)?;
        Some(html! { label.hidden for={ (id) "-" (one.name) } { (one.meaning) } (field) })
    };
    let mut pieces = Vec::new();
    let mut rest = sentence;
    while let Some((before, after)) = rest.split_once('{') {
        pieces.push(html! { (before) });
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let piece = match name {
            "asked" => input(&|one: &Parameter| one.name == bound),
            "secret" => input(&|one: &Parameter| meant(one) == Field::Attribute),
            "unit" => Some(html! { (language.say("word.people", &[])) }),
            _ => None,
        };
        pieces.push(piece.unwrap_or_else(|| html! { "…" }));
        rest = after;
    }
    pieces.push(html! { (rest) });
    // A sentence without a place for its number has it behind.
    if !sentence.contains("{asked}") {
        pieces.extend(input(&|one: &Parameter| one.name == bound));
    }
    html! { @for piece in pieces { (piece) } }
}

/// The field of a parameter; none where there is nothing to say.
fn field(one: &Parameter, value: &str, secrets: &[String], id: &str) -> Option<Markup> {
    let id = format!("{id}-{}", one.name);
    let name = format!("given-{}", one.name);
    Some(match meant(one) {
        Field::None | Field::Fixed(_) => return None,
        Field::Whole => {
            html! { input id=(id) name=(name) type="number" min="1" step="1" value=(value); }
        }
        Field::Number | Field::Share => {
            html! { input id=(id) name=(name) inputmode="decimal" size="6" value=(value) placeholder=(one.example); }
        }
        Field::Choice(words) => {
            html! { select id=(id) name=(name) { @for word in words { option selected[*word == value] { (word) } } } }
        }
        Field::Attribute => html! {
            select id=(id) name=(name) {
                @if value.is_empty() { option value="" selected { "—" } }
                @for secret in secrets { option selected[secret == value] { (secret) } }
                @if !value.is_empty() && !secrets.iter().any(|secret| secret == value) { option selected { (value) } }
            }
        },
        Field::Texts | Field::Text => {
            html! { input id=(id) name=(name) value=(value) size="24" placeholder=(one.example.replace(['[', ']', '"'], "")); }
        }
    })
}

pub(crate) fn set(app: &App, call: &Call) -> Result<Answer, Failure> {
    let (key, at) = which(call)?;
    let given = call
        .form
        .iter()
        .filter_map(|(name, text)| Some((name.strip_prefix("given-")?.to_owned(), text.clone())));
    let given: Vec<(String, String)> = given.collect();
    edit(app, call, Screen::Promises, |editor| {
        editor.set_promise(key, at, &given)
    })
}

pub(crate) fn add(app: &App, call: &Call) -> Result<Answer, Failure> {
    let name = call.need("promise")?;
    edit(app, call, Screen::Promises, |editor| {
        editor.add_promise(name)
    })
}

pub(crate) fn remove(app: &App, call: &Call) -> Result<Answer, Failure> {
    let (key, at) = which(call)?;
    edit(app, call, Screen::Promises, |editor| {
        editor.remove_promise(key, at)
    })
}

fn which(call: &Call) -> Result<(&str, usize), Failure> {
    let at = call.need("at")?.parse().map_err(|_| Failure::not_found())?;
    Ok((call.need("key")?, at))
}

pub(crate) fn settings(app: &App, call: &Call) -> Result<Answer, Failure> {
    edit(app, call, Screen::Promises, |editor| {
        let wrong = || {
            Failure::bad(
                "a field for a number has something else",
                "write a number such as 2 or 0.05",
            )
        };
        let known = call
            .field("known")
            .map(|text| text.parse::<u32>().map_err(|_| wrong()));
        let known = known.transpose()?;
        let kind = editor.kind().to_owned();
        let knows = match (kind.as_str(), known) {
            ("table", Some(many)) => Some(format!("{{ at-most = {many} }}")),
            ("table", None) => Some("\"quasi-identifiers\"".to_owned()),
            ("paths", Some(many)) => Some(format!("{{ doublets = {many} }}")),
            ("transactions", Some(many)) => Some(format!("{{ items = {many} }}")),
            _ => None,
        };
        if let Some(knows) = knows
            && editor.knows().as_deref().unwrap_or("\"quasi-identifiers\"") != knows
        {
            editor.set("adversary", "knows", Some(&knows))?;
        }
        if let Some(algorithm) = call.field("algorithm")
            && editor.get("release", "algorithm").as_deref() != Some(algorithm)
        {
            editor.set_algorithm(algorithm)?;
        }
        if kind == "table" {
            let share = call.field("suppress").map(|text| text.replace(',', "."));
            if share.as_deref().is_some_and(|text| {
                !text.chars().all(|c| c.is_ascii_digit() || c == '.')
                    || text.parse::<f64>().is_err()
            }) {
                return Err(wrong());
            }
            if editor.get("release", "suppress-at-most") != share {
                editor.set("release", "suppress-at-most", share.as_deref())?;
            }
        }
        Ok(())
    })
}
