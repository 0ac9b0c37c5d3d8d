//! Reads `task` of `[release]`: what the release will be used for.

use std::ops::Range;

use denym_data::{AlgorithmEntry, AlgorithmUse, Fraction};

use super::mistake::suggest;
use super::reader::{Node, Section};
use super::vocabulary::Words;

/// What a release is for, where the algorithm cares.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskSpec {
    /// The task itself.
    pub task: Task,
    /// Its place in the policy.
    pub span: Range<usize>,
}

/// A task that decides where values stay fine.
#[derive(Debug, Clone, PartialEq)]
pub enum Task {
    /// Predicting this sensitive attribute.
    Classify(String),
    /// Estimating this numeric sensitive attribute.
    Estimate(String),
    /// Answering these count queries.
    Answer(Vec<Query>),
    /// Keeping so many clusters of the original records apart.
    Clusters(usize),
}

/// "How many records have these values?": a condition for each of some quasi-identifiers.
pub type Query = Vec<(String, Condition)>;

/// What a query asks of one quasi-identifier.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// One of these values.
    Values(Vec<String>),
    /// A number from the first to the second, both included.
    Range(Fraction, Fraction),
}

impl Task {
    /// The word in policies.
    pub fn name(&self) -> &'static str {
        match self {
            Task::Classify(_) => "classify",
            Task::Estimate(_) => "estimate",
            Task::Answer(_) => "answer",
            Task::Clusters(_) => "clusters",
        }
    }

    /// What an algorithm must have a use for to work for it.
    pub fn needs(&self) -> AlgorithmUse {
        match self {
            Task::Classify(_) => AlgorithmUse::Classify,
            Task::Estimate(_) => AlgorithmUse::Estimate,
            Task::Answer(_) => AlgorithmUse::Answer,
            Task::Clusters(_) => AlgorithmUse::Clusters,
        }
    }
}

/// The task of the section, if it states one.
pub(super) fn task(
    section: &Section<'_, '_>,
    algorithm: &AlgorithmEntry,
    words: &Words,
    sensitive: &[&str],
    quasi: &[&str],
) -> Option<TaskSpec> {
    let node = section.get("task")?;
    let task = read(&node, sensitive, quasi)?;
    if !algorithm.has(task.needs()) {
        node.mistake(
            "policy-unused-key",
            format!("`{}` has no use for `{}`", algorithm.name, task.name()),
            format!(
                "remove `task`, or use the algorithm {}",
                words.using(task.needs()).join(" or ")
            ),
        );
    }
    Some(TaskSpec {
        task,
        span: node.span(),
    })
}

/// Whether intervals of numbers are grown instead of taken from hierarchies.
pub(super) fn grows(section: &Section<'_, '_>, algorithm: &AlgorithmEntry) -> bool {
    let Some(node) = section.get("grow-intervals") else {
        return false;
    };
    if !algorithm.has(AlgorithmUse::GrowIntervals) {
        node.mistake(
            "policy-unused-key",
            format!("`{}` grows no intervals", algorithm.name),
            "remove `grow-intervals`, or use the algorithm `top-down-specialization`",
        );
    }
    node.boolean().unwrap_or(false)
}

fn read(node: &Node<'_, '_>, sensitive: &[&str], quasi: &[&str]) -> Option<Task> {
    const FORMS: [&str; 4] = ["classify", "estimate", "answer", "clusters"];
    let section = node.section(&FORMS, r#"{ classify = "disease" }"#)?;
    let given: Vec<&str> = FORMS
        .into_iter()
        .filter(|form| section.get(form).is_some())
        .collect();
    let [form] = given[..] else {
        node.mistake(
            "policy-task-form",
            "a task is exactly one of `classify`, `estimate`, `answer`, `clusters`",
            "write for example `task = { classify = \"disease\" }`",
        );
        return None;
    };
    let value = section.get(form)?;
    match form {
        "answer" => {
            let example = r#"[{ age = { from = 30, to = 39 }, sex = ["F"] }]"#;
            let queries = value.some(example)?;
            let read = |node: &Node<'_, '_>| query(node, quasi);
            Some(Task::Answer(
                queries.iter().map(read).collect::<Option<_>>()?,
            ))
        }
        "clusters" => value.whole(2).map(|count| Task::Clusters(count as usize)),
        _ => {
            let name = value.string("disease")?;
            if !sensitive.contains(&name) {
                value.mistake(
                    "policy-unknown-column",
                    format!("`{name}` is no sensitive attribute"),
                    suggest(name, sensitive),
                );
            }
            Some(if form == "classify" {
                Task::Classify(name.to_owned())
            } else {
                Task::Estimate(name.to_owned())
            })
        }
    }
}

fn query(node: &Node<'_, '_>, quasi: &[&str]) -> Option<Query> {
    let section = node.open(r#"{ sex = ["F"] }"#)?;
    let conditions = section.entries().into_iter().map(|(name, _, node)| {
        if !quasi.contains(&name.as_str()) {
            node.mistake(
                "policy-unknown-column",
                format!("a query asks for `{name}`, which is no quasi-identifier"),
                suggest(&name, quasi),
            );
        }
        Some((name, condition(&node)?))
    });
    conditions.collect()
}

fn condition(node: &Node<'_, '_>) -> Option<Condition> {
    if !node.is_table() {
        return node.some_strings("F").map(Condition::Values);
    }
    let section = node.section(&["from", "to"], "{ from = 30, to = 39 }")?;
    let bound = |key: &str| {
        section
            .need(key, "write for example `{ from = 30, to = 39 }`")?
            .fraction(Fraction::ZERO, None)
    };
    let (from, to) = (bound("from"), bound("to"));
    Some(Condition::Range(from?, to?))
}
