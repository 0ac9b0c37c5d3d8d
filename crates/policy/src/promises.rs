//! Reads the `[promise]` section: each promise by what the list of promises declares of it, on data of any kind.

use denym_data::{Fraction, Role};
use denym_measure::catalogue::{Needs, PROMISES, Parameter, PromiseEntry, Takes, within};
use denym_measure::{Given, KnowledgeEntry, PromiseSpec};

use super::mistake::suggest;
use super::reader::{Mistakes, Node, Section};
use super::{AttributeSpec, HierarchySpec, Promised};

/// Data that promises are judged on.
#[derive(Debug, Clone, Copy)]
pub struct JudgedOn {
    /// What they are called.
    pub name: &'static str,
    /// The key of what is sensitive within a sequence, when anything can be.
    within: Option<&'static str>,
    /// What is known of them.
    pub knowledge: KnowledgeEntry,
}

impl JudgedOn {
    /// Records with attributes.
    pub const TABLES: JudgedOn = JudgedOn {
        name: "tables",
        within: None,
        knowledge: KnowledgeEntry::ALL_QUASI,
    };
    /// Who was where and when.
    pub const PATHS: JudgedOn = JudgedOn {
        name: "paths",
        within: Some("places"),
        knowledge: KnowledgeEntry::DOUBLETS,
    };
    /// Which items each person has.
    pub const TRANSACTIONS: JudgedOn = JudgedOn {
        name: "transactions",
        within: Some("items"),
        knowledge: KnowledgeEntry::ITEMS,
    };
    /// The institutions that hold data of each person.
    pub const TRAILS: JudgedOn = JudgedOn {
        name: "trails",
        within: None,
        knowledge: KnowledgeEntry::INSTITUTIONS,
    };
    /// Windows over live events.
    pub const STREAM: JudgedOn = JudgedOn {
        name: "a stream",
        within: None,
        knowledge: KnowledgeEntry::WINDOWS,
    };

    /// Why a promise cannot be judged on these data; `None` when it can.
    pub fn lacks(&self, entry: &PromiseEntry) -> Option<&'static str> {
        self.knowledge.lacks(entry)
    }

    /// Whether an adversary may know some of the columns only.
    fn is_table(&self) -> bool {
        self.knowledge.data == JudgedOn::TABLES.knowledge.data
    }

    /// The keys of the promises that can be judged on these data.
    fn keys(&self) -> Vec<&'static str> {
        let judged = PROMISES.iter().filter(|entry| self.lacks(entry).is_none());
        let mut keys: Vec<&str> = judged
            .filter_map(|entry| entry.in_policy.map(|(key, _)| key))
            .collect();
        keys.dedup();
        keys
    }
}

/// Every promise of the section, in its order; beside a sequence a column that only a bound on confidence names becomes a sensitive
/// attribute.
pub fn promises(
    section: &Section<'_, '_>,
    attributes: &mut Vec<AttributeSpec>,
    mistakes: &Mistakes,
    data: JudgedOn,
) -> Vec<Promised> {
    let judged = data.keys();
    if data.is_table() {
        section.only(&judged);
    }
    let mut found = Vec::new();
    for (name, span, node) in section.entries() {
        if !judged.contains(&name.as_str()) {
            if !data.is_table() {
                let lacks = of_key(&name).find_map(|entry| data.lacks(entry));
                mistakes.add(
                    "policy-unknown-key",
                    span,
                    format!("`{name}` is not judged on {}", data.name),
                    lacks.map_or_else(
                        || suggest(&name, &judged),
                        |lacks| format!("{lacks}; use one of {}", judged.join(", ")),
                    ),
                );
            }
            continue;
        }
        let items = if node.is_array() {
            node.some("[{ ... }]").unwrap_or_default()
        } else {
            vec![node]
        };
        for item in items {
            let promise = promise(&name, &item, attributes, data);
            let promise =
                promise.and_then(|promise| with_attribute(promise, &item, attributes, data));
            let quasi = scope(&item, attributes, data);
            found.extend(promise.map(|promise| Promised {
                promise,
                quasi,
                span: item.span(),
            }));
        }
    }
    found
}

/// The kinds of promises that one key stands for.
fn of_key(key: &str) -> impl Iterator<Item = &'static PromiseEntry> {
    let is = move |entry: &&PromiseEntry| entry.in_policy.is_some_and(|(own, _)| own == key);
    PROMISES.iter().filter(is)
}

fn with_role(attributes: &[AttributeSpec], role: Role) -> Vec<&str> {
    let found = attributes.iter().filter(|spec| spec.role == role);
    found.map(|spec| spec.name.as_str()).collect()
}

/// The promise that one entry of the section asks for.
fn promise(
    key: &str,
    node: &Node<'_, '_>,
    attributes: &mut Vec<AttributeSpec>,
    data: JudgedOn,
) -> Option<PromiseSpec> {
    let kinds: Vec<&'static PromiseEntry> = of_key(key).collect();
    let usual = kinds.iter().find(|entry| entry.alone.is_some());
    let usual = usual.or(kinds.first()).copied()?;
    if let Some(alone) = usual.alone
        && !node.is_table()
    {
        return PromiseSpec::read(usual.form(), |one| {
            if one.name == alone {
                value(one, node, usual, attributes, data)
            } else {
                one.unsaid()
            }
        });
    }
    let section = node.open(&example(usual))?;
    let inside = data.within.and_then(within);
    let inside = inside.filter(|entry| entry.key() == key);
    let all = kinds.iter().chain(&inside).flat_map(|entry| {
        let kind = entry.kind().map(|(name, _)| name);
        entry.given().map(|one| one.name).chain(kind)
    });
    let all: Vec<&str> = all.chain(["quasi"]).collect();
    section.only(&all);
    let form = match (inside, usual.kind()) {
        (Some(inside), _) if section.get(inside.written()).is_some() => inside,
        (_, Some((name, _))) => match section.get(name) {
            None => usual,
            Some(node) => {
                let words = kinds
                    .iter()
                    .filter_map(|entry| Some((entry.kind()?.1, *entry)));
                let mut words: Vec<(&str, &PromiseEntry)> = words.collect();
                words.dedup_by_key(|(word, _)| *word);
                let Some(chosen) = node.choice(&words) else {
                    // Of a kind that nobody knows, the attribute can still be wrong.
                    if let Some(node) = section.get("attribute") {
                        attribute(&node, usual, attributes, data);
                    }
                    return None;
                };
                chosen
            }
        },
        _ => usual,
    };
    let form = form.form();
    for one in kinds.iter().flat_map(|entry| entry.given()) {
        if let Some(node) = section.get(one.name)
            && form.given().all(|own| own.name != one.name)
        {
            elsewhere(one, &node, &kinds, form);
            return None;
        }
    }
    let spec = PromiseSpec::read(form, |one| match section.get(one.name) {
        Some(node) => value(one, &node, form, attributes, data),
        None => one.unsaid().or_else(|| {
            let help = format!("add `{} = {}`: {}", one.name, one.example, one.meaning);
            section.need(one.name, &help)?;
            None
        }),
    })?;
    together(&spec, &section, node)?;
    Some(spec)
}

/// Notes a parameter of another kind of the promise.
fn elsewhere(
    one: &Parameter,
    node: &Node<'_, '_>,
    kinds: &[&'static PromiseEntry],
    form: &PromiseEntry,
) {
    let owner = kinds
        .iter()
        .find(|entry| entry.given().any(|own| own.name == one.name));
    match owner.and_then(|entry| entry.kind()) {
        Some((kind, word)) => node.mistake(
            "policy-unused-key",
            format!("`{}` belongs to `{kind} = \"{word}\"`", one.name),
            format!("remove `{}`, or set the {kind}", one.name),
        ),
        None => node.mistake(
            "policy-two-forms",
            format!(
                "a bound speaks of an attribute or of {}, not of both",
                form.written()
            ),
            "write two bounds",
        ),
    }
}

/// Notes parameters that say nothing without each other, or contradict each other.
fn together(spec: &PromiseSpec, section: &Section<'_, '_>, node: &Node<'_, '_>) -> Option<()> {
    let (least, most) = (spec.number("least"), spec.number("most"));
    if let (Some(least), Some(most)) = (least, most)
        && least > most
    {
        node.mistake(
            "policy-out-of-range",
            "`least` is above `most`",
            "exchange the two",
        );
        return None;
    }
    let floor = section.get("floor");
    if most.is_none()
        && let Some(unused) = floor.clone().xor(section.get("least"))
    {
        unused.mistake(
            "policy-unused-key",
            "`floor` names values and `least` their least share: one says nothing without the other",
            if floor.is_some() { "add `least = 0.1`" } else { "add `floor = [\"flu\"]`" },
        );
        return None;
    }
    Some(())
}

/// A promise of this kind as a policy writes it.
fn example(entry: &PromiseEntry) -> String {
    let one = |one: &Parameter| format!("{} = {}", one.name, one.example);
    let given = entry.given().filter(|one| !one.example.is_empty());
    let parts: Vec<String> = given.map(one).collect();
    format!("{{ {} }}", parts.join(", "))
}

/// What stands behind the key of a parameter.
fn value(
    one: &Parameter,
    node: &Node<'_, '_>,
    form: &'static PromiseEntry,
    attributes: &mut Vec<AttributeSpec>,
    data: JudgedOn,
) -> Option<Given> {
    let (zero, whole) = (Fraction::ZERO, Fraction::ONE);
    let plain = one.example.trim_matches(['[', ']', '"']);
    Some(match one.takes {
        Takes::Attribute => Given::Attribute(Some(attribute(node, form, attributes, data)?)),
        Takes::Whole | Takes::OneIn => Given::Whole(node.whole(1)?),
        Takes::Count => Given::Number(count(one, node, form)?),
        Takes::Number => Given::Number(node.fraction(zero, None)?),
        Takes::FromOne => Given::Number(node.fraction(whole, None)?),
        Takes::Share | Takes::ShareOrZero => Given::Number(node.fraction(zero, Some(whole))?),
        Takes::Choice(words) => {
            let words: Vec<(&str, &str)> = words.iter().map(|&word| (word, word)).collect();
            Given::Word(node.choice(&words)?)
        }
        Takes::Values | Takes::Columns | Takes::Places | Takes::Items => {
            Given::Texts(node.some_strings(plain)?)
        }
        Takes::Hidden | Takes::File => Given::Text(node.string(plain)?.to_owned()),
        Takes::OfTheAttribute | Takes::Is(_) | Takes::Holds(..) => return None,
    })
}

/// A whole number, where another kind of the same promise takes any.
fn count(one: &Parameter, node: &Node<'_, '_>, form: &PromiseEntry) -> Option<Fraction> {
    let number = node.fraction(Fraction::ONE, None)?;
    if number.denominator() == 1 {
        return Some(number);
    }
    let any = |own: &&Parameter| own.name == one.name && own.takes == Takes::FromOne;
    let other = of_key(form.key()).find(|entry| entry.given().any(|own| any(&own)));
    let (kind, word) = other.and_then(PromiseEntry::kind).unwrap_or_default();
    node.mistake(
        "policy-out-of-range",
        format!(
            "`{}` must be a whole number unless the {kind} is {word}",
            one.name
        ),
        format!(
            "write a whole number, or `{{ {kind} = \"{word}\", {} = 2.5 }}`",
            one.name
        ),
    );
    None
}

/// The attribute a promise speaks of; it must be a sensitive one.
fn attribute(
    node: &Node<'_, '_>,
    form: &PromiseEntry,
    attributes: &mut Vec<AttributeSpec>,
    data: JudgedOn,
) -> Option<String> {
    let name = node.string("disease")?;
    let sensitive = with_role(attributes, Role::Sensitive);
    if sensitive.contains(&name) {
        return Some(name.to_owned());
    }
    // Beside a sequence the bound alone may say that a column is sensitive.
    let may_declare = data
        .within
        .and_then(within)
        .is_some_and(|own| own.key() == form.key());
    if may_declare && attributes.iter().all(|spec| spec.name != name) {
        attributes.push(AttributeSpec::plain(
            name.to_owned(),
            node.span(),
            Role::Sensitive,
        ));
        return Some(name.to_owned());
    }
    node.mistake(
        "policy-not-sensitive",
        format!("`{name}` is not a sensitive attribute"),
        suggest(name, &sensitive),
    );
    // In a table its columns may yet be wrong in other ways, which are told as well.
    data.is_table().then(|| name.to_owned())
}

/// The promise with the attribute it speaks of, which need not be named where there is only one, and must have what is looked at.
fn with_attribute(
    promise: PromiseSpec,
    node: &Node<'_, '_>,
    attributes: &[AttributeSpec],
    data: JudgedOn,
) -> Option<PromiseSpec> {
    let sensitive = with_role(attributes, Role::Sensitive);
    let promise = match (promise.attribute(), &sensitive[..]) {
        (Some(None), [only]) => promise.about(only),
        (Some(None), _) => {
            let help = match (data.within.and_then(within), sensitive.first()) {
                (Some(inside), _) if inside.key() == promise.name() => {
                    let own = inside.given().next();
                    let own = own.map(|one| format!("{} = {}", one.name, one.example));
                    format!(
                        "add `attribute = \"status\"`, or `{}`",
                        own.unwrap_or_default()
                    )
                }
                (_, Some(first)) if data.is_table() => format!("add `attribute = \"{first}\"`"),
                (_, None) if data.is_table() => {
                    "give one attribute the role `sensitive`".to_owned()
                }
                _ => "give one attribute the role `sensitive`, or add `attribute = \"status\"`"
                    .to_owned(),
            };
            node.mistake(
                "policy-which-attribute",
                format!(
                    "`{}` does not say which of {} sensitive attributes it speaks of",
                    promise.name(),
                    sensitive.len()
                ),
                help,
            );
            return None;
        }
        _ => promise,
    };
    // A table's taxonomies may be files, which are read before it is judged.
    if !data.is_table() && promise.entry().needs() == Needs::Taxonomy {
        let about = promise.attribute_name().unwrap_or_default();
        let own = attributes.iter().find(|spec| spec.name == about);
        if own.is_none_or(|spec| spec.hierarchy == HierarchySpec::Flat) {
            let help = if data.knowledge.has.contains(&Needs::Taxonomy) {
                "give the attribute `taxonomy = \"diseases.csv\"`, or use another distance"
            } else {
                "use `distance = \"equal\"` or `distance = \"ordered\"`"
            };
            node.mistake(
                "policy-no-taxonomy",
                format!("`{about}` has no taxonomy"),
                help,
            );
            return None;
        }
    }
    Some(promise)
}

/// The quasi-identifiers that the adversary of this promise knows; `None` when it does not say.
fn scope(node: &Node<'_, '_>, attributes: &[AttributeSpec], data: JudgedOn) -> Option<Vec<String>> {
    if !node.is_table() {
        return None;
    }
    let list = node.open("")?.get("quasi")?;
    if !data.is_table() {
        list.mistake(
            "policy-unused-key",
            format!(
                "on {} every promise is judged on all that the adversary knows",
                data.name
            ),
            "remove `quasi`",
        );
        return None;
    }
    let names = list.some_strings("age")?;
    let quasi = with_role(attributes, Role::QuasiIdentifier);
    for name in &names {
        if !quasi.contains(&name.as_str()) {
            list.mistake(
                "policy-not-quasi",
                format!("`{name}` is not a quasi-identifier"),
                suggest(name, &quasi),
            );
        }
    }
    if names.is_empty() {
        list.mistake(
            "policy-out-of-range",
            "an adversary who knows nothing needs no promise",
            "name at least one quasi-identifier, or leave `quasi` out",
        );
    }
    Some(names)
}
