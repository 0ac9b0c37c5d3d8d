//! The book and the pages beside it: every page is listed, every link leads somewhere, every command and every policy in them is one that the program takes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::support;

use support::{denym, json};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every page with its text: the book's and those of the root.
fn pages() -> Vec<(PathBuf, String)> {
    fn gather(directory: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                gather(&path, into);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                into.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    gather(&root().join("docs/src"), &mut paths);
    for name in [
        "README",
        "ARCHITECTURE",
        "CONTRIBUTING",
        "THREAT-MODEL",
        "CHANGELOG",
    ] {
        paths.push(root().join(format!("{name}.md")));
    }
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a page");
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// What stands between fences, with the word behind the opening one and its line.
fn blocks(text: &str) -> Vec<(String, usize, Vec<&str>)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, usize, Vec<&str>)> = None;
    for (number, line) in text.lines().enumerate() {
        match (line.trim_start().strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) => open = Some((language.to_owned(), number + 1, Vec::new())),
            (None, Some((_, _, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    blocks
}

/// The name that a heading has in links.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept
        .chars()
        .filter(|&c| c.is_alphanumeric() || " -_".contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_page_is_listed_and_every_link_leads_somewhere() {
    let pages = pages();
    let summary = root().join("docs/src/SUMMARY.md");
    let mut listed = 0;
    let mut links = 0;
    for (path, text) in &pages {
        let mut fenced = false;
        for line in text.lines() {
            fenced ^= line.trim_start().starts_with("```");
            if fenced {
                continue;
            }
            for rest in line.split("](").skip(1) {
                let target = rest.split(')').next().unwrap_or_default();
                if target.contains("://") {
                    continue;
                }
                links += 1;
                let (file, part) = target.split_once('#').unwrap_or((target, ""));
                let there = if file.is_empty() {
                    path.clone()
                } else {
                    path.parent().expect("a directory").join(file)
                };
                assert!(
                    there.exists(),
                    "{} links to {target}, which is not there",
                    path.display()
                );
                listed += usize::from(*path == summary);
                if !part.is_empty() {
                    let text = std::fs::read_to_string(&there).expect("a page");
                    let found = text
                        .lines()
                        .filter(|line| line.starts_with('#'))
                        .any(|line| anchor(line.trim_start_matches('#').trim()) == part);
                    assert!(
                        found,
                        "{} links to {target}: no such heading",
                        path.display()
                    );
                }
            }
        }
    }
    let of_book = pages.iter().filter(|(path, _)| {
        path.components().any(|part| part.as_os_str() == "docs") && *path != summary
    });
    assert_eq!(
        listed,
        of_book.count(),
        "SUMMARY.md lists every page of the book once"
    );
    assert!(links > 60, "{links}");
}

#[test]
fn every_command_in_the_pages_is_one_that_the_program_takes() {
    let (code, document) = json(Path::new("."), &["commands"]);
    assert_eq!(code, 0);
    let mut flags: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for command in document["commands"].as_array().expect("commands") {
        let arguments = command["arguments"].as_array().expect("arguments");
        let written = arguments
            .iter()
            .filter_map(|argument| argument["written"].as_str());
        let words = written.flat_map(|written| {
            written
                .split([' ', ','])
                .filter(|word| word.starts_with('-'))
        });
        let name = command["name"].as_str().expect("a name").to_owned();
        flags.insert(name, words.map(str::to_owned).collect());
    }
    let mut commands = 0;
    for (path, text) in pages() {
        if path.ends_with("CHANGELOG.md") {
            // It speaks of what was.
            continue;
        }
        for (language, number, lines) in blocks(&text) {
            if !["", "text", "sh", "console", "bash"].contains(&language.as_str()) {
                continue;
            }
            for line in lines {
                let typed = line.trim_start_matches("$ ");
                let Some(typed) = typed.strip_prefix("denym ") else {
                    continue;
                };
                // What another program does with the output is that program's.
                let typed = typed
                    .split(" | ")
                    .next()
                    .unwrap_or_default()
                    .split(" > ")
                    .next()
                    .unwrap_or_default()
                    .split("  #")
                    .next()
                    .unwrap_or_default();
                let words: Vec<&str> = typed.split_whitespace().collect();
                if words.first().is_some_and(|word| word.starts_with('-')) {
                    continue;
                }
                let place = format!("{} below line {number}: denym {typed}", path.display());
                let named = (1..=words.len().min(3))
                    .rev()
                    .map(|many| format!("denym {}", words[..many].join(" ")))
                    .find_map(|name| flags.get_key_value(&name));
                let Some((name, known)) = named else {
                    panic!("{place}: no such command");
                };
                commands += 1;
                if name == "denym gateway" {
                    // The default build takes its arguments as they are.
                    continue;
                }
                for word in words.iter().filter(|word| word.starts_with("--")) {
                    let flag = word.split('=').next().unwrap_or_default();
                    let global = [
                        "--json",
                        "--quiet",
                        "--threads",
                        "--help",
                        "--version",
                        "--markdown",
                        "--",
                    ];
                    assert!(
                        global.contains(&flag) || known.iter().any(|known| known == flag),
                        "{place}: no such flag: {flag}"
                    );
                }
            }
        }
    }
    assert!(commands > 60, "{commands}");
}

#[test]
fn every_whole_policy_in_the_pages_is_read_without_a_mistake() {
    let mut policies = 0;
    for (path, text) in pages() {
        for (language, number, lines) in blocks(&text) {
            if language != "toml" {
                continue;
            }
            let block = lines.join("\n");
            let place = format!("{} below line {number}", path.display());
            let whole = block.contains("[data]") && block.contains("[promise]");
            if !whole || block.contains("...") {
                continue;
            }
            let directory = tempfile::tempdir().expect("a directory");
            let file = directory.path().join("policy.toml");
            std::fs::write(&file, &block).expect("written");
            let output = denym()
                .current_dir(directory.path())
                .args(["plan", "policy.toml", "--json"])
                .output()
                .expect("runs");
            let said = String::from_utf8_lossy(&output.stdout);
            let answer: serde_json::Value =
                serde_json::from_str(&said).unwrap_or_else(|_| panic!("{place}: {output:?}"));
            // A policy without a mistake is held up by its files, which are not here.
            let code = answer["error"]["code"].as_str().unwrap_or_default();
            assert!(
                !code.starts_with("policy"),
                "{place}: {}",
                answer["error"]["message"]
            );
            policies += 1;
        }
    }
    assert!(policies >= 4, "{policies}");
}
