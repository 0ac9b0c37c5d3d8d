//! The book holds together: every page is in its table of contents, every link and anchor leads somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).to_owned()
}

/// All Markdown files under a folder.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
    found.sort();
}

/// A page without its code blocks and code spans: nothing in them is a link.
fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            let outside = line.split('`').step_by(2);
            out.extend(outside.map(|part| format!("{part}`")));
        }
        out.push('\n');
    }
    out
}

/// Targets of `[words](target)`.
fn links(text: &str) -> Vec<String> {
    let parts = prose(text);
    let parts = parts.split("](").skip(1);
    parts
        .filter_map(|part| part.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}

/// The anchors that mdBook gives to the headings of a page.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block || !line.starts_with('#') {
            continue;
        }
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
        let name: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let twice = (1..).map(|count| format!("{name}-{count}"));
        let mut names = std::iter::once(name.clone()).chain(twice);
        found.extend(names.find(|name| !found.contains(name)));
    }
    found
}

/// Links of a file that lead nowhere.
fn broken(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).expect("a page");
    let folder = file.parent().expect("a folder");
    let leads = |target: &str| {
        if target.contains("://") || target.starts_with("mailto:") {
            return true;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let page = if path.is_empty() {
            file.to_owned()
        } else {
            folder.join(path)
        };
        if anchor.is_empty() {
            return page.exists();
        }
        std::fs::read_to_string(page).is_ok_and(|text| anchors(&text).contains(anchor))
    };
    let broken = links(&text).into_iter().filter(|target| !leads(target));
    broken
        .map(|target| format!("{}: {target}", file.display()))
        .collect()
}

#[test]
fn every_page_is_in_the_table_of_contents_and_every_entry_is_a_page() {
    let folder = root().join("docs/src");
    let summary = folder.join("SUMMARY.md");
    let listed = links(&std::fs::read_to_string(&summary).expect("a table of contents"));
    let listed: Vec<PathBuf> = listed.iter().map(|target| folder.join(target)).collect();
    let mut there = Vec::new();
    pages(&folder, &mut there);
    there.retain(|page| *page != summary);
    let mut sorted = listed.clone();
    sorted.sort();
    assert_eq!(sorted, there, "listed beside there");
    assert!(there.len() > 20, "{}", there.len());
}

#[test]
fn every_link_leads_somewhere() {
    let mut files = Vec::new();
    pages(&root().join("docs/src"), &mut files);
    for name in [
        "README.md",
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "THREAT-MODEL.md",
    ] {
        files.push(root().join(name));
    }
    let broken: Vec<String> = files.iter().flat_map(|file| broken(file)).collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    let all: usize = files
        .iter()
        .map(|file| links(&std::fs::read_to_string(file).expect("a page")).len())
        .sum();
    assert!(all > 60, "only {all} links were looked at");
}

#[test]
fn headings_have_the_anchors_of_the_book() {
    let text = "# Files or PostgreSQL\n```\n# not one\n```\n## `--json`\n## Twice\n## Twice\n";
    let found: Vec<String> = anchors(text).into_iter().collect();
    assert_eq!(found, ["--json", "files-or-postgresql", "twice", "twice-1"]);
    assert_eq!(links("a [b](c.md#d) `[x](y)` e"), ["c.md#d"]);
}
