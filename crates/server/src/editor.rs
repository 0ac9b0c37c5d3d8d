//! Changes a policy as clicks ask for it, and keeps everything else in it: order, comments, spaces.

use std::path::Path;

use denym::{PROMISES, PromiseEntry};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value, value};

use crate::answer::Failure;

/// A policy that is being changed.
pub(crate) struct Editor {
    document: DocumentMut,
}

/// One promise of a policy: its key, which of several under the key, and what is declared of it.
pub(crate) struct Promised {
    /// The key in `[promise]`.
    pub(crate) key: String,
    /// Its number among those of the key.
    pub(crate) at: usize,
    /// What is declared of it.
    pub(crate) entry: Option<&'static PromiseEntry>,
    /// What the policy says, by parameter, as a form shows it.
    pub(crate) given: Vec<(String, String)>,
}

impl Editor {
    /// Opens the text of a policy; what is no TOML can only be changed by hand.
    pub(crate) fn open(text: &str) -> Result<Editor, Failure> {
        let document = text.parse().map_err(|_| {
            Failure::bad(
                "the policy is no TOML, so no click can change it",
                "correct it by hand, below the policy",
            )
        })?;
        Ok(Editor { document })
    }

    /// The text with every change.
    pub(crate) fn text(&self) -> String {
        self.document.to_string()
    }

    /// Chooses an algorithm; keys of `[release]` that only the last one had a use for go with it, as the reader of policies names them.
    pub(crate) fn set_algorithm(&mut self, name: &str) -> Result<(), Failure> {
        let unused = |editor: &Editor| -> Vec<String> {
            let found = denym::parse_policy(&editor.text(), Path::new("policy.toml"));
            let mistakes = found.err().unwrap_or_default().into_iter();
            mistakes
                .filter(|mistake| mistake.code == "policy-unused-key")
                .filter_map(|mistake| mistake.path.strip_prefix("release.").map(str::to_owned))
                .collect()
        };
        let before = unused(self);
        self.set("release", "algorithm", Some(&quoted(name)))?;
        for key in unused(self) {
            if !before.contains(&key) {
                self.set("release", &key, None)?;
            }
        }
        Ok(())
    }

    /// The kind of data.
    pub(crate) fn kind(&self) -> &str {
        let data = self.document.get("data");
        data.and_then(|data| data.get("kind")?.as_str())
            .unwrap_or("table")
    }

    fn attribute(&self, column: &str) -> Option<&Item> {
        self.document.get("attributes")?.get(column)
    }

    /// The role of a column, if it has one.
    pub(crate) fn role(&self, column: &str) -> Option<&str> {
        let item = self.attribute(column)?;
        item.as_str().or_else(|| item.get("role")?.as_str())
    }

    /// The hierarchy of a column as the policy writes it.
    pub(crate) fn hierarchy(&self, column: &str) -> Option<String> {
        let item = self.attribute(column)?;
        let own = item.get("hierarchy").or_else(|| item.get("taxonomy"))?;
        Some(written_alone(own))
    }

    /// Columns with this role.
    pub(crate) fn with_role(&self, role: &str) -> Vec<String> {
        let attributes = self
            .document
            .get("attributes")
            .and_then(Item::as_table_like);
        let names = attributes.into_iter().flat_map(|table| table.iter());
        let names = names.map(|(name, _)| name.to_owned());
        names.filter(|name| self.role(name) == Some(role)).collect()
    }

    /// Gives a column a role; without one it is not released.
    pub(crate) fn set_role(&mut self, column: &str, role: Option<&str>) -> Result<(), Failure> {
        let attributes = section(&mut self.document, "attributes")?;
        let Some(role) = role else {
            attributes.remove(column);
            return Ok(());
        };
        match attributes.get_mut(column) {
            Some(item) if item.is_table_like() => {
                let Some(table) = item.as_table_like_mut() else {
                    return Ok(());
                };
                put(table, "role", role.into());
                // A sensitive column's tree is called a taxonomy, and is a file.
                let (from, to) = match role {
                    "sensitive" => ("hierarchy", "taxonomy"),
                    _ => ("taxonomy", "hierarchy"),
                };
                let tree = table.remove(from);
                let is_file = |tree: &Item| tree.is_str() || tree.get("file").is_some();
                if let Some(tree) = tree.filter(|tree| role != "sensitive" || is_file(tree)) {
                    table.insert(to, tree);
                }
                if role != "quasi" {
                    table.remove("min-level");
                    table.remove("max-level");
                }
                shorten(item);
            }
            Some(item) => replace(item, role.into()),
            None => {
                attributes.insert(column, value(role));
            }
        }
        Ok(())
    }

    /// Says how a column generalizes, as TOML; without it, it is kept or suppressed.
    pub(crate) fn set_hierarchy(
        &mut self,
        column: &str,
        tree: Option<&str>,
    ) -> Result<(), Failure> {
        let role = self.role(column).unwrap_or("quasi").to_owned();
        let tree = tree.map(toml).transpose()?;
        let attributes = section(&mut self.document, "attributes")?;
        if attributes.get(column).is_none() {
            attributes.insert(column, value(role.as_str()));
        }
        let Some(item) = attributes.get_mut(column) else {
            return Ok(());
        };
        if !item.is_table_like() {
            let mut table = InlineTable::new();
            table.insert("role", role.as_str().into());
            replace(item, Value::InlineTable(table));
        }
        let Some(table) = item.as_table_like_mut() else {
            return Ok(());
        };
        let key = if role == "sensitive" {
            "taxonomy"
        } else {
            "hierarchy"
        };
        match tree {
            Some(tree) => put(table, key, tree),
            None => {
                table.remove(key);
            }
        }
        shorten(item);
        Ok(())
    }

    /// The text under a key of a section, as a form shows it.
    pub(crate) fn get(&self, part: &str, key: &str) -> Option<String> {
        Some(shown(self.document.get(part)?.get(key)?))
    }

    /// What the adversary knows, as TOML.
    pub(crate) fn knows(&self) -> Option<String> {
        let own = self.document.get("adversary")?.get("knows")?;
        Some(written_alone(own))
    }

    /// Sets a key of a section to a TOML value; removes it without one.
    pub(crate) fn set(&mut self, part: &str, key: &str, text: Option<&str>) -> Result<(), Failure> {
        let text = text.map(toml).transpose()?;
        let table = section(&mut self.document, part)?;
        match text {
            Some(text) => put(table, key, text),
            None => {
                table.remove(key);
            }
        }
        Ok(())
    }

    /// Every promise, in the policy's order.
    pub(crate) fn promises(&self) -> Vec<Promised> {
        let table = self.document.get("promise").and_then(Item::as_table_like);
        let mut found = Vec::new();
        for (key, item) in table.into_iter().flat_map(|table| table.iter()) {
            for (at, one) in each(item).into_iter().enumerate() {
                let fields = match one.as_table_like() {
                    Some(table) => table
                        .iter()
                        .map(|(key, item)| (key.to_owned(), shown(item)))
                        .collect(),
                    None => Vec::new(),
                };
                let entry = declared(key, &fields);
                let alone = entry.and_then(|entry| entry.alone);
                let given = match (fields.is_empty(), alone) {
                    (true, Some(name)) => vec![(name.to_owned(), shown(&one))],
                    _ => fields,
                };
                found.push(Promised {
                    key: key.to_owned(),
                    at,
                    entry,
                    given,
                });
            }
        }
        found
    }

    /// Writes what a form says of one promise; keys that the form does not know stay.
    pub(crate) fn set_promise(
        &mut self,
        key: &str,
        at: usize,
        given: &[(String, String)],
    ) -> Result<(), Failure> {
        let own = self
            .promises()
            .into_iter()
            .find(|one| one.key == key && one.at == at);
        let own = own.ok_or_else(Failure::not_found)?;
        let mut all = own.given;
        for (name, text) in given {
            all.retain(|(own, _)| own != name);
            all.push((name.clone(), text.clone()));
        }
        let promise = written(own.entry, &all)?;
        let table = section(&mut self.document, "promise")?;
        let item = table.get_mut(key).ok_or_else(Failure::not_found)?;
        if let Some(list) = item.as_array_mut() {
            let old = list.get_mut(at).ok_or_else(Failure::not_found)?;
            let decor = old.decor().clone();
            *old = promise;
            *old.decor_mut() = decor;
        } else if let Some(tables) = item.as_array_of_tables_mut() {
            let old = tables.get_mut(at).ok_or_else(Failure::not_found)?;
            let new = promise.as_inline_table().cloned().unwrap_or_default();
            *old = new.into_table();
        } else {
            replace(item, promise);
        }
        Ok(())
    }

    /// Adds a promise with the numbers of its example; the first sensitive column is meant.
    pub(crate) fn add_promise(&mut self, name: &str) -> Result<(), Failure> {
        let entry = PROMISES.iter().find(|entry| entry.name == name);
        let known = entry.and_then(|entry| Some((entry, entry.in_policy?.0)));
        let Some((entry, key)) = known else {
            return Err(Failure::bad(
                "there is no promise of this name",
                "take one of the list",
            ));
        };
        let secret = self.with_role("sensitive").into_iter().next();
        let mut given = Vec::new();
        for one in entry.all_parameters() {
            let example = one.example.trim_matches(['"', '[', ']']).replace('"', "");
            match meant(one) {
                Field::Attribute => {
                    given.extend(secret.clone().map(|name| (one.name.to_owned(), name)));
                }
                Field::Fixed(word) => given.push((one.name.to_owned(), word.to_owned())),
                Field::None => {}
                _ => given.push((one.name.to_owned(), example)),
            }
        }
        let promise = written(Some(entry), &given)?;
        let table = section(&mut self.document, "promise")?;
        match table.get_mut(key) {
            None => {
                table.insert(key, Item::Value(promise));
            }
            Some(item) if item.is_array() => {
                if let Some(list) = item.as_array_mut() {
                    list.push(promise);
                }
            }
            Some(item) => {
                let first = item.as_value().cloned().map(|one| one.decorated("", ""));
                let list: Array = first.into_iter().chain([promise]).collect();
                replace(item, Value::Array(list));
            }
        }
        Ok(())
    }

    /// Takes a promise away.
    pub(crate) fn remove_promise(&mut self, key: &str, at: usize) -> Result<(), Failure> {
        let table = section(&mut self.document, "promise")?;
        let item = table.get_mut(key).ok_or_else(Failure::not_found)?;
        let left = if let Some(list) = item.as_array_mut() {
            if at < list.len() {
                list.remove(at);
            }
            list.len()
        } else if let Some(tables) = item.as_array_of_tables_mut() {
            if at < tables.len() {
                tables.remove(at);
            }
            tables.len()
        } else {
            0
        };
        if left == 0 {
            table.remove(key);
        }
        Ok(())
    }

    /// Writes the bounds of a point of the frontier.
    pub(crate) fn choose(&mut self, settings: &[(String, String)]) -> Result<(), Failure> {
        for (name, text) in settings {
            match name.as_str() {
                "suppress" => self.set("release", "suppress-at-most", Some(text))?,
                "doublets" | "items" => {
                    self.set(
                        "adversary",
                        "knows",
                        Some(&format!("{{ {name} = {text} }}")),
                    )?;
                }
                "algorithm" => self.set_algorithm(text)?,
                "k" | "l" | "t" | "confidence" => {
                    let (key, parameter) = match name.as_str() {
                        "k" => ("k-anonymity", "k"),
                        "l" => ("l-diversity", "l"),
                        "t" => ("t-closeness", "t"),
                        _ => ("confidence", "at-most"),
                    };
                    let ours = self.promises();
                    for one in ours.iter().filter(|one| one.key == key) {
                        let given = [(parameter.to_owned(), text.clone())];
                        self.set_promise(key, one.at, &given)?;
                    }
                    if name == "k" && !ours.iter().any(|one| one.key == key) {
                        self.set("promise", key, Some(text))?;
                    }
                }
                _ => {
                    return Err(Failure::bad(
                        "there is no such bound",
                        "choose a point of the list",
                    ));
                }
            }
        }
        Ok(())
    }
}

/// What a form asks for a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// A sensitive column.
    Attribute,
    /// A whole number.
    Whole,
    /// Any number.
    Number,
    /// A number between 0 and 1.
    Share,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Texts, with commas between them.
    Texts,
    /// A text.
    Text,
    /// This word and no other.
    Fixed(&'static str),
    /// Nothing.
    None,
}

/// What a form asks for a parameter.
pub(crate) fn meant(one: &denym::Parameter) -> Field {
    use denym::Takes;
    match one.takes {
        Takes::Attribute => Field::Attribute,
        Takes::Whole | Takes::Count | Takes::OneIn => Field::Whole,
        Takes::Number | Takes::FromOne => Field::Number,
        Takes::Share | Takes::ShareOrZero => Field::Share,
        Takes::Choice(words) => Field::Choice(words),
        Takes::Values | Takes::Columns | Takes::Places | Takes::Items => Field::Texts,
        Takes::Hidden | Takes::File => Field::Text,
        Takes::Is(word) | Takes::Holds(word, _) => Field::Fixed(word),
        Takes::OfTheAttribute => Field::None,
    }
}

/// The declaration of a promise with this key and these fields: the first whose parameters they are.
fn declared(key: &str, fields: &[(String, String)]) -> Option<&'static PromiseEntry> {
    let of_key = || {
        PROMISES
            .iter()
            .filter(move |entry| entry.in_policy.is_some_and(|(own, _)| own == key))
    };
    let fits = |entry: &&PromiseEntry| {
        fields.iter().all(|(name, text)| {
            name == "quasi"
                || entry.all_parameters().any(|one| {
                    one.name == name
                        && match meant(one) {
                            Field::Fixed(word) => word == text,
                            _ => true,
                        }
                })
        })
    };
    let names_none = !fields.iter().any(|(name, _)| name == "kind");
    let usual = of_key()
        .filter(fits)
        .find(|entry| names_none && entry.alone.is_some());
    usual
        .or_else(|| of_key().find(fits))
        .or_else(|| of_key().next())
}

/// A promise as a policy writes it: a number alone where that says it all.
fn written(entry: Option<&PromiseEntry>, given: &[(String, String)]) -> Result<Value, Failure> {
    let field = |name: &str| {
        let found = entry.and_then(|entry| entry.all_parameters().find(|one| one.name == name));
        found.map_or(Field::Texts, meant)
    };
    let given: Vec<&(String, String)> = given
        .iter()
        .filter(|(_, text)| !text.trim().is_empty())
        .collect();
    if let ([(name, text)], Some(alone)) = (&given[..], entry.and_then(|entry| entry.alone))
        && name == alone
    {
        return number(text);
    }
    let mut table = InlineTable::new();
    let declared: Vec<&str> = entry
        .map(|entry| entry.all_parameters().map(|one| one.name).collect())
        .unwrap_or_default();
    let place = |name: &str| {
        declared
            .iter()
            .position(|own| *own == name)
            .unwrap_or(usize::MAX)
    };
    let mut given = given;
    given.sort_by_key(|(name, _)| place(name));
    for (name, text) in given {
        let text = text.trim();
        let own = match field(name) {
            Field::Whole | Field::Number | Field::Share => number(text)?,
            Field::Texts => {
                let parts = text
                    .split(',')
                    .map(str::trim)
                    .filter(|part| !part.is_empty());
                Value::Array(parts.collect())
            }
            _ => Value::from(text),
        };
        table.insert(name, own);
    }
    Ok(Value::InlineTable(table))
}

/// A number as it was typed: 0.60 stays 0.60.
fn number(text: &str) -> Result<Value, Failure> {
    let text = text.trim().replace(',', ".");
    let wrong = || {
        Failure::bad(
            "a field for a number has something else",
            "write a number such as 5 or 0.25",
        )
    };
    let plain = text.parse::<f64>().is_ok_and(f64::is_finite)
        && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    if !plain {
        return Err(wrong());
    }
    text.parse::<Value>().map_err(|_| wrong())
}

/// A TOML value.
fn toml(text: &str) -> Result<Value, Failure> {
    text.parse::<Value>().map_err(|_| {
        Failure::bad(
            "a field has something that no policy can have",
            "look at the guide to policies",
        )
    })
}

/// A text as a TOML string.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// A section of a policy; made at its end where there is none.
fn section<'a>(
    document: &'a mut DocumentMut,
    name: &str,
) -> Result<&'a mut dyn toml_edit::TableLike, Failure> {
    if document.get(name).is_none() {
        document.insert(name, Item::Table(Table::new()));
    }
    let item = document.get_mut(name).and_then(Item::as_table_like_mut);
    item.ok_or_else(|| {
        Failure::bad(
            &format!("`{name}` is no section of this policy"),
            "correct it by hand, below the policy",
        )
    })
}

/// Sets a key and keeps what stands around it.
fn put(table: &mut dyn toml_edit::TableLike, key: &str, new: Value) {
    match table.get_mut(key) {
        Some(item) => replace(item, new),
        None => {
            table.insert(key, Item::Value(new));
        }
    }
}

/// Puts a new value where the old one stood; the comment beside it stays.
fn replace(item: &mut Item, new: Value) {
    let decor = item.as_value().map(|old| old.decor().clone());
    *item = Item::Value(new);
    if let (Some(own), Some(decor)) = (item.as_value_mut(), decor) {
        *own.decor_mut() = decor;
    }
}

/// `{ role = "quasi" }` is `"quasi"`.
fn shorten(item: &mut Item) {
    let only = item
        .as_inline_table()
        .filter(|table| table.len() == 1)
        .and_then(|table| Some(table.get("role")?.as_str()?.to_owned()));
    if let Some(role) = only {
        replace(item, Value::from(role));
    } else if let Some(table) = item.as_inline_table_mut() {
        table.fmt();
    }
}

/// A value as a form shows it: texts without quotes, lists with commas, no comment.
fn shown(item: &Item) -> String {
    if let Some(text) = item.as_str() {
        return text.to_owned();
    }
    if let Some(list) = item.as_array() {
        let texts = list.iter().map(|one| shown(&Item::Value(one.clone())));
        return texts.collect::<Vec<_>>().join(", ");
    }
    written_alone(item)
}

/// A value as the policy writes it, without what stands around it.
fn written_alone(item: &Item) -> String {
    match item.as_value() {
        Some(own) => own.clone().decorated("", "").to_string(),
        None => item.to_string().trim().to_owned(),
    }
}

/// The promises under one key.
fn each(item: &Item) -> Vec<Item> {
    if let Some(list) = item.as_array() {
        return list.iter().map(|one| Item::Value(one.clone())).collect();
    }
    if let Some(tables) = item.as_array_of_tables() {
        return tables.iter().map(|one| Item::Table(one.clone())).collect();
    }
    vec![item.clone()]
}

#[cfg(test)]
mod tests;
