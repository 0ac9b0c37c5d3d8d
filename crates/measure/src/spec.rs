//! What is asked of a promise: which one, and its parameters as a policy gives them.
//!
//! The list of promises says what each takes ([`PromiseEntry::parameters`]). A [`PromiseSpec`] is read, written into certificates,
//! shown and built into a judge by that declaration alone, so nothing here knows any promise but the few that others ask for by name.

use std::collections::BTreeMap;

use denym_data::{Code, Decimal, Fraction, Hierarchy};
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny};
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::Promise;
use crate::catalogue::{PROMISES, Parameter, PromiseEntry, Takes};
use crate::promises::{confidence, k_anonymity};
use crate::sensitive::{SensitiveAttribute, joint_name};

/// A parameter as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Given {
    /// A sensitive attribute; the only one when `None`.
    Attribute(Option<String>),
    /// A whole number.
    Whole(u64),
    /// A number.
    Number(Fraction),
    /// One of the words it may be.
    Word(&'static str),
    /// A name.
    Text(String),
    /// Several names.
    Texts(Vec<String>),
}

/// What an adversary must not learn, as a policy asks for it. Attributes are column names.
#[derive(Debug, Clone)]
pub struct PromiseSpec {
    /// Of the entries that share a key and its kind, the one that takes most.
    form: &'static PromiseEntry,
    /// In the order in which the form declares them.
    given: Vec<Given>,
}

impl PartialEq for PromiseSpec {
    fn eq(&self, other: &Self) -> bool {
        self.form.written() == other.form.written() && self.given == other.given
    }
}

/// Whose values a bound on confidence guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounded<'a> {
    /// These values of an attribute, all when there are none; the only attribute when it has no name.
    Values(Option<&'a str>, &'a [String]),
    /// Visits to these places.
    Places(&'a [String]),
    /// Having these items.
    Items(&'a [String]),
}

impl PromiseSpec {
    /// The promise listed as `name`, with these parameters and what is meant where they say nothing; `None` when there is no such
    /// promise, or it needs more or other parameters.
    pub fn new<'g>(
        name: &str,
        given: impl IntoIterator<Item = (&'g str, Given)>,
    ) -> Option<PromiseSpec> {
        let listed = crate::catalogue::promise_entry(name)?;
        let mut named: BTreeMap<&str, Given> = given.into_iter().collect();
        let spec = PromiseSpec::read(listed.form(), |parameter| {
            named.remove(parameter.name).or_else(|| parameter.unsaid())
        })?;
        named.is_empty().then_some(spec)
    }

    /// A promise of this form, each parameter as `value` gives it; `None` when it lacks one or gives it as something else.
    pub fn read(
        form: &'static PromiseEntry,
        mut value: impl FnMut(&Parameter) -> Option<Given>,
    ) -> Option<PromiseSpec> {
        // All of them are asked for, so that whoever collects mistakes sees each.
        let given: Vec<Option<Given>> = form.given().map(&mut value).collect();
        let given: Vec<Given> = given.into_iter().collect::<Option<_>>()?;
        let fits = form.given().zip(&given).all(|(one, given)| one.fits(given));
        fits.then_some(PromiseSpec { form, given })
    }

    /// At least `k` subjects in every group.
    pub fn k_anonymity(k: u64) -> PromiseSpec {
        PromiseSpec {
            form: &k_anonymity::ENTRIES[0],
            given: vec![Given::Whole(k)],
        }
    }

    /// Bounded confidence in these values of an attribute, in all when there are none.
    pub fn confidence(attribute: &str, values: Vec<String>, at_most: Fraction) -> PromiseSpec {
        let attribute = Given::Attribute(Some(attribute.to_owned()));
        PromiseSpec {
            form: &confidence::ENTRIES[0],
            given: vec![attribute, Given::Texts(values), Given::Number(at_most)],
        }
    }

    /// Bounded confidence in visits to these places.
    pub fn places(places: Vec<String>, at_most: Fraction) -> PromiseSpec {
        PromiseSpec {
            form: &confidence::WITHIN[0],
            given: vec![Given::Texts(places), Given::Number(at_most)],
        }
    }

    /// Bounded confidence in having these items.
    pub fn items(items: Vec<String>, at_most: Fraction) -> PromiseSpec {
        PromiseSpec {
            form: &confidence::WITHIN[1],
            given: vec![Given::Texts(items), Given::Number(at_most)],
        }
    }

    /// What the list of promises says about it.
    pub fn entry(&self) -> &'static PromiseEntry {
        let said: Vec<&Parameter> = self
            .parameters()
            .filter(|(parameter, given)| parameter.unsaid().as_ref() != Some(given))
            .map(|(parameter, _)| parameter)
            .collect();
        let takes = |entry: &&'static PromiseEntry| {
            let own = |one: &&Parameter| entry.given().any(|own| own.name == one.name);
            said.iter().all(own)
        };
        self.form.alike().find(takes).unwrap_or(self.form)
    }

    /// The name in policies and certificates.
    pub fn name(&self) -> &'static str {
        self.form.key()
    }

    /// The name in the list of promises, which tells kinds of one promise apart.
    pub fn listed(&self) -> &'static str {
        self.entry().name
    }

    /// Every parameter that can be given, with what was.
    pub fn parameters(&self) -> impl Iterator<Item = (&'static Parameter, &Given)> {
        self.form.given().zip(&self.given)
    }

    fn get(&self, name: &str) -> Option<&Given> {
        let mut parameters = self.parameters();
        parameters.find_map(|(parameter, given)| (parameter.name == name).then_some(given))
    }

    /// Gives a parameter another value; whether it has one of this name that may be so.
    pub fn set(&mut self, name: &str, value: Given) -> bool {
        let at = self
            .form
            .given()
            .position(|one| one.name == name && one.fits(&value));
        if let Some(at) = at {
            self.given[at] = value;
        }
        at.is_some()
    }

    /// A parameter that is a whole number.
    pub fn whole(&self, name: &str) -> Option<u64> {
        match self.get(name)? {
            Given::Whole(whole) => Some(*whole),
            _ => None,
        }
    }

    /// A parameter that is a number.
    pub fn number(&self, name: &str) -> Option<Fraction> {
        match self.get(name)? {
            Given::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// A parameter that is a list of names; none where it has no such parameter.
    pub fn texts(&self, name: &str) -> &[String] {
        match self.get(name) {
            Some(Given::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// The first parameter of this type, where it is a name.
    fn text_of(&self, takes: Takes) -> Option<&str> {
        self.parameters()
            .find_map(|(parameter, given)| match given {
                Given::Text(text) if parameter.takes == takes => Some(text.as_str()),
                _ => None,
            })
    }

    /// The least number of subjects, where that is all it promises.
    pub fn size(&self) -> Option<u64> {
        let alone = self.form.written() == k_anonymity::ENTRIES[0].written();
        self.whole("k").filter(|_| alone)
    }

    /// What is guarded by a bound on confidence, and the bound.
    pub fn bounded(&self) -> Option<(Bounded<'_>, Fraction)> {
        let guarded = match self.form.written() {
            "confidence" => Bounded::Values(self.attribute_name(), self.texts("values")),
            "places" => Bounded::Places(self.texts("places")),
            "items" => Bounded::Items(self.texts("items")),
            _ => return None,
        };
        Some((guarded, self.number("at-most")?))
    }

    /// Whether it guards places, whose names stay with the steward.
    pub fn is_about_places(&self) -> bool {
        matches!(self.bounded(), Some((Bounded::Places(_), _)))
    }

    /// Whether it names values of its attribute.
    pub fn names_values(&self) -> bool {
        self.parameters().any(|(parameter, given)| {
            parameter.takes == Takes::Values
                && matches!(given, Given::Texts(texts) if !texts.is_empty())
        })
    }

    /// The other columns that it counts together; none where it counts none.
    pub fn counted(&self) -> &[String] {
        self.parameters()
            .find_map(|(parameter, given)| match given {
                Given::Texts(texts) if parameter.takes == Takes::Columns => Some(texts.as_slice()),
                _ => None,
            })
            .unwrap_or_default()
    }

    /// Whether it is judged against the distribution over all source records.
    pub fn needs_reference(&self) -> bool {
        self.form.compares
    }

    /// The register it is judged against, when there is one.
    pub fn population(&self) -> Option<&str> {
        self.text_of(Takes::File)
    }

    /// The column of guarding nodes it is judged with, when there is one.
    pub fn guards(&self) -> Option<&str> {
        self.text_of(Takes::Hidden)
    }

    /// Whether only the publisher can judge it: it needs what is not released.
    pub fn is_private(&self) -> bool {
        self.population().is_some() || self.guards().is_some()
    }

    /// Whether whoever looks like no group must not be known to be absent: there is a least chance of presence.
    pub fn forbids_absence(&self) -> bool {
        let least = self.number("least").filter(|_| self.population().is_some());
        least.is_some_and(|least| least > Fraction::ZERO)
    }

    /// The sensitive attribute it speaks of, when it speaks of one.
    pub fn attribute(&self) -> Option<&Option<String>> {
        self.given.iter().find_map(|given| match given {
            Given::Attribute(attribute) => Some(attribute),
            _ => None,
        })
    }

    /// The name of that attribute, where it is said.
    pub fn attribute_name(&self) -> Option<&str> {
        self.attribute()?.as_deref()
    }

    /// The same promise with its attribute named.
    #[must_use]
    pub fn about(mut self, name: &str) -> PromiseSpec {
        for given in &mut self.given {
            if let Given::Attribute(attribute) = given {
                *attribute = Some(name.to_owned());
            }
        }
        self
    }

    /// The fewest records that a group can have: each of so many subjects or different values takes one. People of a register take none.
    pub fn fewest(&self) -> u64 {
        let l = || self.number("l").map(|l| l.numerator() / l.denominator());
        let least = self.whole("k").filter(|_| self.population().is_none());
        least.or_else(l).unwrap_or(1)
    }

    /// The bound that is compared with what is measured.
    pub fn bound(&self) -> f64 {
        let mut own = self
            .parameters()
            .filter(|(one, _)| one.name == self.form.bound);
        match own.next() {
            Some((one, Given::Whole(many))) if one.takes == Takes::OneIn => {
                1.0 / (*many).max(1) as f64
            }
            Some((_, Given::Whole(whole))) => *whole as f64,
            Some((_, Given::Number(number))) => number.to_f64(),
            _ => 0.0,
        }
    }

    /// Whether every parameter is such as a policy may have: it may have come from somewhere else.
    pub fn is_sound(&self) -> bool {
        self.parameters().all(|(parameter, given)| match given {
            Given::Whole(whole) => *whole > 0,
            Given::Number(number) => match parameter.takes {
                Takes::Count => number.denominator() == 1 && number.numerator() > 0,
                Takes::FromOne => number.numerator() >= number.denominator(),
                _ => true,
            },
            Given::Texts(texts) => {
                !matches!(parameter.takes, Takes::Columns | Takes::Items) || !texts.is_empty()
            }
            _ => true,
        })
    }

    /// The promise over these sensitive attributes; a problem in words when it cannot be built.
    pub fn build(
        &self,
        sensitive: &[SensitiveAttribute],
    ) -> Result<Box<dyn Promise>, &'static str> {
        let asked = Parameters {
            spec: self,
            sensitive,
        };
        (self.entry().build)(&asked)
    }
}

/// What a promise is built from: its parameters, and the sensitive attributes of the data.
#[derive(Clone, Copy)]
pub struct Parameters<'a> {
    spec: &'a PromiseSpec,
    sensitive: &'a [SensitiveAttribute],
}

impl<'a> Parameters<'a> {
    fn called(&self, name: Option<&str>) -> Result<usize, &'static str> {
        let is = |own: &SensitiveAttribute| name.is_none_or(|name| own.name == name);
        let found = self.sensitive.iter().position(is);
        found.ok_or("the sensitive attribute is not there")
    }

    /// The position of the attribute it speaks of.
    pub(crate) fn position(&self) -> Result<usize, &'static str> {
        self.called(self.spec.attribute_name())
    }

    /// The position of the attribute that stands for several columns.
    pub(crate) fn counted(&self) -> Result<usize, &'static str> {
        self.called(Some(&joint_name(self.spec.counted())))
    }

    /// The attribute it speaks of.
    pub(crate) fn attribute(&self) -> Result<&'a SensitiveAttribute, &'static str> {
        Ok(&self.sensitive[self.position()?])
    }

    /// How often each value of the attribute occurs in all the data.
    pub(crate) fn reference(&self) -> Result<&'a [u64], &'static str> {
        Ok(&self.attribute()?.reference)
    }

    /// The tree of the attribute's values; `lacks` says that it has none.
    pub(crate) fn taxonomy(&self, lacks: &'static str) -> Result<&'a Hierarchy, &'static str> {
        self.attribute()?.taxonomy.as_ref().ok_or(lacks)
    }

    /// The numbers that the attribute's values are.
    pub(crate) fn numbers(&self) -> Result<Vec<Option<Decimal>>, &'static str> {
        self.attribute()?.numbers()
    }

    /// The position of the column of guarding nodes, and the column.
    pub(crate) fn guards(&self) -> Result<(usize, &'a SensitiveAttribute), &'static str> {
        let name = self.spec.guards();
        let is = |own: &SensitiveAttribute| own.hidden && Some(own.name.as_str()) == name;
        let found = self.sensitive.iter().position(is);
        let at = found.ok_or("the column of guarding nodes is not there")?;
        Ok((at, &self.sensitive[at]))
    }

    /// A whole number.
    pub(crate) fn whole(&self, name: &str) -> u64 {
        let whole = || self.number(name).numerator() / self.number(name).denominator();
        self.spec.whole(name).unwrap_or_else(whole)
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> Fraction {
        self.spec.number(name).unwrap_or(Fraction::ZERO)
    }

    /// A number that is compared with cells.
    pub(crate) fn decimal(&self, name: &str) -> Result<Decimal, &'static str> {
        Decimal::exactly(self.number(name)).ok_or("the bound has too many digits")
    }

    /// Whether a parameter is this word.
    pub(crate) fn says(&self, name: &str, word: &str) -> bool {
        matches!(self.spec.get(name), Some(Given::Word(given)) if *given == word)
    }

    /// The codes of the values that are listed and occur.
    pub(crate) fn codes(&self, name: &str) -> Result<Vec<Code>, &'static str> {
        Ok(self.attribute()?.codes(self.spec.texts(name)))
    }

    /// Bounded confidence in the values that are listed, or in all when none are.
    pub(crate) fn confidence(&self) -> Result<confidence::Confidence, &'static str> {
        let (position, at_most) = (self.position()?, self.number("at-most"));
        if self.spec.texts("values").is_empty() {
            return Ok(confidence::Confidence::of_all(position, at_most));
        }
        let bounds = self.codes("values")?.into_iter();
        Ok(confidence::Confidence::of_values(
            position,
            bounds.map(|code| (code, at_most)),
        ))
    }
}

impl PromiseEntry {
    /// The key in policies; of what can only be measured, its name.
    pub fn key(&self) -> &'static str {
        self.in_policy.map_or(self.name, |(key, _)| key)
    }

    /// The word by which certificates tell it from others: the key, or what is guarded within sequences.
    pub fn written(&self) -> &'static str {
        let within = |one: &&Parameter| matches!(one.takes, Takes::Places | Takes::Items);
        let mut within = self.parameters.iter().filter(within);
        within.next().map_or(self.key(), |one| one.name)
    }

    /// Every parameter, with those that its kind brings along.
    pub fn all_parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        let parameters = self.parameters.iter();
        parameters.flat_map(|one| std::iter::once(one).chain(one.holds()))
    }

    /// Every parameter that can be given.
    pub fn given(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        let all = self.all_parameters();
        all.filter(|one| !matches!(one.takes, Takes::OfTheAttribute | Takes::Is(_)))
            .filter(|one| !matches!(one.takes, Takes::Holds(..)))
    }

    /// The parameter that says which kind of its key it is, and the word for it.
    pub fn kind(&self) -> Option<(&'static str, &'static str)> {
        let word = |one: &Parameter| match one.takes {
            Takes::Is(word) | Takes::Holds(word, _) => Some((one.name, word)),
            _ => None,
        };
        self.parameters.iter().find_map(word)
    }

    /// The entries of its key and kind, the one that takes least first.
    fn alike(&self) -> impl Iterator<Item = &'static PromiseEntry> + use<> {
        let (written, kind) = (self.written(), self.kind());
        let is = move |one: &&PromiseEntry| one.written() == written && one.kind() == kind;
        let mut alike: Vec<&'static PromiseEntry> = PROMISES.iter().filter(is).collect();
        alike.sort_by_key(|one| one.given().count());
        alike.into_iter()
    }

    /// The entry of its key and kind that takes most: whatever can be given of it.
    pub fn form(&'static self) -> &'static PromiseEntry {
        self.alike().last().unwrap_or(self)
    }
}

impl Parameter {
    fn holds(&self) -> &'static [Parameter] {
        match self.takes {
            Takes::Holds(_, inner) => inner,
            _ => &[],
        }
    }

    /// Whether a value is of its type.
    fn fits(&self, given: &Given) -> bool {
        match given {
            Given::Attribute(_) => self.takes == Takes::Attribute,
            Given::Whole(_) => matches!(self.takes, Takes::Whole | Takes::OneIn),
            Given::Number(_) => matches!(
                self.takes,
                Takes::Count | Takes::Number | Takes::FromOne | Takes::Share | Takes::ShareOrZero
            ),
            Given::Word(word) => matches!(self.takes, Takes::Choice(words) if words.contains(word)),
            Given::Text(_) => matches!(self.takes, Takes::Hidden | Takes::File),
            Given::Texts(_) => matches!(
                self.takes,
                Takes::Values | Takes::Columns | Takes::Places | Takes::Items
            ),
        }
    }

    /// What is meant where nothing is said; `None` where something must be.
    pub fn unsaid(&self) -> Option<Given> {
        match self.takes {
            Takes::Attribute => Some(Given::Attribute(None)),
            Takes::ShareOrZero => Some(Given::Number(Fraction::ZERO)),
            Takes::Choice(words) => words.first().map(|word| Given::Word(word)),
            Takes::Values => Some(Given::Texts(Vec::new())),
            _ => None,
        }
    }

    /// The key in certificates; `None` for what is never released.
    fn certified(&self) -> Option<String> {
        let stays = matches!(
            self.takes,
            Takes::Hidden | Takes::File | Takes::Places | Takes::OfTheAttribute
        );
        (!stays).then(|| self.name.replace('-', "_"))
    }
}

impl Serialize for PromiseSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("promise", self.form.written())?;
        for parameter in self.form.parameters {
            let Some(key) = parameter.certified() else {
                continue;
            };
            match (parameter.takes, self.get(parameter.name)) {
                (Takes::Is(word), _) => map.serialize_entry(&key, word)?,
                (Takes::Holds(..), _) => map.serialize_entry(&key, &Inner(self, parameter))?,
                (_, Some(given)) => map.serialize_entry(&key, given)?,
                (_, None) => {}
            }
        }
        map.end()
    }
}

/// What a kind brings along, written inside of it; lists that say nothing are left out.
struct Inner<'a>(&'a PromiseSpec, &'static Parameter);

impl Serialize for Inner<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Takes::Holds(word, _) = self.1.takes {
            map.serialize_entry(self.1.name, word)?;
        }
        for parameter in self.1.holds() {
            match self.0.get(parameter.name) {
                Some(Given::Texts(texts)) if texts.is_empty() => {}
                Some(given) => map.serialize_entry(parameter.name, given)?,
                None => {}
            }
        }
        map.end()
    }
}

impl Serialize for Given {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Given::Attribute(name) => name.serialize(serializer),
            Given::Whole(whole) => serializer.serialize_u64(*whole),
            Given::Number(number) => serializer.collect_str(&format_args!(
                "{}/{}",
                number.numerator(),
                number.denominator()
            )),
            Given::Word(word) => serializer.serialize_str(word),
            Given::Text(text) => serializer.serialize_str(text),
            Given::Texts(texts) => texts.serialize(serializer),
        }
    }
}

/// What stands behind a key of a certificate.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Raw {
    Whole(u64),
    Text(String),
    Texts(Vec<String>),
    Table(BTreeMap<String, Raw>),
    Other(IgnoredAny),
}

impl Raw {
    fn text(&self) -> Option<&str> {
        match self {
            Raw::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for PromiseSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = BTreeMap::<String, Raw>::deserialize(deserializer)?;
        certified(&raw).ok_or_else(|| D::Error::custom("not the terms of a promise"))
    }
}

/// The promise that a certificate writes so.
fn certified(raw: &BTreeMap<String, Raw>) -> Option<PromiseSpec> {
    let written = raw.get("promise")?.text()?;
    let inner = |name: &str| match raw.get(name) {
        Some(Raw::Table(inner)) => Some(inner),
        _ => None,
    };
    let is = |entry: &&PromiseEntry| {
        entry.written() == written
            && entry.kind().is_none_or(|(name, word)| {
                let said = inner(name).map_or(raw.get(name), |inner| inner.get(name));
                said.and_then(Raw::text) == Some(word)
            })
    };
    let mut entries = PROMISES.iter().chain(&confidence::WITHIN);
    let form = entries.find(is)?.form();
    PromiseSpec::read(form, |parameter| {
        let Some(key) = parameter.certified() else {
            return Some(match parameter.takes {
                Takes::Places => Given::Texts(Vec::new()),
                _ => Given::Text(String::new()),
            });
        };
        let holder = form.kind().and_then(|(name, _)| inner(name));
        match raw.get(&key).or_else(|| holder?.get(&key)) {
            None if holder.is_some() || parameter.takes == Takes::Attribute => parameter.unsaid(),
            None => None,
            Some(value) => parameter.certified_value(value),
        }
    })
}

impl Parameter {
    fn certified_value(&self, raw: &Raw) -> Option<Given> {
        Some(match (self.takes, raw) {
            (Takes::Attribute, Raw::Other(_)) => Given::Attribute(None),
            (Takes::Attribute, Raw::Text(name)) => Given::Attribute(Some(name.clone())),
            (Takes::Whole | Takes::OneIn, Raw::Whole(whole)) => Given::Whole(*whole),
            (Takes::Choice(words), Raw::Text(text)) => {
                Given::Word(words.iter().find(|word| *word == text)?)
            }
            (_, Raw::Texts(texts)) => Given::Texts(texts.clone()),
            (_, Raw::Text(text)) => {
                let (numerator, denominator) = text.split_once('/')?;
                let number = Fraction::new(numerator.parse().ok()?, denominator.parse().ok()?);
                Given::Number(number?)
            }
            _ => return None,
        })
    }
}
