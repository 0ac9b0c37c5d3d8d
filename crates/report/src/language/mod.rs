//! The language of what people read: every sentence by its key, from one catalogue per language.

use std::collections::HashMap;
use std::sync::OnceLock;

/// A language that reports are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}

type Catalogue = HashMap<&'static str, &'static str>;

impl Language {
    /// Every language with the word that a policy uses for it.
    pub const ALL: [(&'static str, Language); 2] =
        [("en", Language::English), ("de", Language::German)];

    /// The word a policy uses for it, which is also what a page says of itself.
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
        }
    }

    /// The sentence with this key, each `{name}` in it replaced by its value.
    ///
    /// A sentence that the catalogue lacks is its key; a test holds that there is none.
    pub fn say(self, key: &str, values: &[(&str, &str)]) -> String {
        let template = self.sentence(key).unwrap_or(key);
        let mut out = String::with_capacity(template.len() + 32);
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                out.push('{');
                rest = after;
                continue;
            };
            match values.iter().find(|(own, _)| *own == name) {
                Some((_, value)) => out.push_str(value),
                None => out.push_str(name),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// The sentence with this key, if there is one.
    pub fn sentence(self, key: &str) -> Option<&'static str> {
        self.catalogue().get(key).copied()
    }

    /// Every key of the catalogue.
    pub fn keys(self) -> impl Iterator<Item = &'static str> {
        self.catalogue().keys().copied()
    }

    fn catalogue(self) -> &'static Catalogue {
        static ENGLISH: OnceLock<Catalogue> = OnceLock::new();
        static GERMAN: OnceLock<Catalogue> = OnceLock::new();
        match self {
            Language::English => ENGLISH.get_or_init(|| read(include_str!("en.txt"))),
            Language::German => GERMAN.get_or_init(|| read(include_str!("de.txt"))),
        }
    }
}

/// A catalogue: `key = sentence` on each line; empty lines and those that start with `#` say nothing.
fn read(text: &'static str) -> Catalogue {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| line.split_once(" = ")).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// The names in braces of a sentence.
    fn names(sentence: &str) -> BTreeSet<&str> {
        let parts = sentence.split('{').skip(1);
        parts
            .filter_map(|part| part.split_once('}'))
            .map(|(name, _)| name)
            .collect()
    }

    /// The keys that source code asks for: the first argument of `say`.
    fn asked(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                asked(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = std::fs::read_to_string(&path).expect("a source");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                for call in code.split(".say(").skip(1) {
                    let call = call.trim_start();
                    let key = call.strip_prefix('"').and_then(|rest| rest.split_once('"'));
                    found.extend(key.map(|(key, _)| key.to_owned()));
                }
            }
        }
    }

    #[test]
    fn every_sentence_has_both_languages_with_the_same_values() {
        let (english, german) = (Language::English, Language::German);
        let keys = |language: Language| language.keys().collect::<BTreeSet<_>>();
        assert_eq!(keys(english), keys(german));
        for key in english.keys() {
            let (one, other) = (english.sentence(key), german.sentence(key));
            let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
            assert_eq!(names(one), names(other), "{key}");
            assert!(!one.is_empty() && !other.is_empty(), "{key}");
        }
    }

    #[test]
    fn no_sentence_is_asked_for_that_is_not_there_and_none_is_there_twice() {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        let mut found = BTreeSet::new();
        for folder in ["report/src", "denym/src", "server/src"] {
            asked(&root.join(folder), &mut found);
        }
        assert!(found.len() > 20, "{}", found.len());
        for key in &found {
            assert!(Language::English.sentence(key).is_some(), "{key}");
        }
        for text in [include_str!("en.txt"), include_str!("de.txt")] {
            let lines = text
                .lines()
                .filter(|line| line.contains(" = ") && !line.starts_with('#'));
            assert_eq!(lines.count(), read(text).len());
        }
    }

    #[test]
    fn values_are_put_in_and_braces_of_values_stay() {
        let said = Language::English.say("codebook.range", &[("from", "{to}"), ("to", "7")]);
        assert!(said.contains("{to}") && said.contains('7'), "{said}");
        assert_eq!(Language::English.say("no such", &[]), "no such");
    }
}
