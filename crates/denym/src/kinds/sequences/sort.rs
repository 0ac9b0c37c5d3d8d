//! The two sorts of sequences: what is said and counted of paths, and of transactions.

use crate::explore::Setting;

/// One sort of sequences, in words and keys; what is done with it is the same for both.
pub(crate) trait Sort: Sync + Send + 'static {
    /// The word for it in messages.
    const NAME: &'static str;
    /// The word for what an adversary knows of a record.
    const KNOWN: &'static str;
    /// What the catalogue says that its algorithms work on.
    const ALGORITHMS: &'static [&'static str];
    /// The bounds that can be varied.
    const VARIES: &'static [Setting];
    /// The figures that a trial shows beside the metric.
    const COMPARED: &'static [(&'static str, &'static str)];
    /// What is counted before a search: by which key, in which words.
    const COSTS: [(&'static str, &'static str); 4];
    /// The keys of all instances, of what is published nowhere, of lost instances and of unchanged ones.
    const COUNTS: [&'static str; 4];
}

/// Who was where and when.
pub(crate) struct Paths;

/// Which items each person has.
pub(crate) struct Transactions;

impl Sort for Paths {
    const NAME: &'static str = "paths";
    const KNOWN: &'static str = "doublets";
    const ALGORITHMS: &'static [&'static str] = &["paths"];
    const VARIES: &'static [Setting] = &[Setting::K, Setting::Doublets, Setting::Confidence];
    const COMPARED: &'static [(&'static str, &'static str)] = &[
        ("distortion", "distortion"),
        ("loss", "loss"),
        ("critical_violations", "critical_violations"),
        ("suppressed_doublets", "suppressed_doublets"),
        ("lost_doublets", "lost_doublets"),
        ("source_doublets", "doublets"),
    ];
    const COSTS: [(&'static str, &'static str); 4] = [
        ("records", "paths"),
        ("doublets", "places with their times, over all paths"),
        ("distinct_doublets", "different ones"),
        ("sequences", "sequences to look at, at most"),
    ];
    const COUNTS: [&'static str; 4] = [
        "doublets",
        "suppressed_doublets",
        "lost_doublets",
        "unchanged_doublets",
    ];
}

impl Sort for Transactions {
    const NAME: &'static str = "transactions";
    const KNOWN: &'static str = "items";
    const ALGORITHMS: &'static [&'static str] = &["transactions"];
    const VARIES: &'static [Setting] = &[Setting::K, Setting::Items, Setting::Confidence];
    const COMPARED: &'static [(&'static str, &'static str)] = &[
        ("loss", "loss"),
        ("critical_violations", "critical_violations"),
        ("suppressed_items", "suppressed_items"),
        ("lost_instances", "lost_instances"),
    ];
    const COSTS: [(&'static str, &'static str); 4] = [
        ("records", "transactions"),
        ("instances", "items, over all transactions"),
        ("items", "different ones"),
        ("itemsets", "sets of items to look at, at most"),
    ];
    const COUNTS: [&'static str; 4] = [
        "instances",
        "suppressed_items",
        "lost_instances",
        "unchanged_instances",
    ];
}
