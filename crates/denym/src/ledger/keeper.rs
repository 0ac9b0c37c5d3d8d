//! A ledger while a release is made with it: the earlier releases, who must wait, and what all of them promise together.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use denym_data::{Column, Recoding, Role, Summary, Table, Unit};
use denym_engine::pseudonyms::tokens;
use denym_release::ledger::chain::hash;
use denym_release::ledger::entry::FORM;
use denym_release::ledger::{Entry, Exposed, History, Issued, Members, Published, Token, What};
use denym_release::signature::SigningKey;

use super::hold_back::hold_back;
use super::{LedgerError, Store, relative};
use crate::account::Refusal;
use crate::bundle::Draft;
use crate::certificate::{Certificate, OverReleases};
use crate::options::RunOptions;
use crate::plan::Plan;
use crate::policy::{Knowledge, Policy};
use crate::reporting::history::Moment;
use crate::{Error, pseudonyms, verify};

/// The key of tokens, where the policy names no other.
const KEY: &str = "subjects.key";

/// A ledger while a release is made with it.
pub(crate) struct Keeper {
    store: std::sync::Mutex<Store>,
    directory: PathBuf,
    key: Vec<u8>,
    key_check: String,
    earlier: Vec<Issued>,
    /// Every earlier release, in numbers.
    moments: Vec<Moment>,
    /// The quasi-identifiers of the last release and their levels.
    last_levels: Option<(Vec<String>, Vec<usize>)>,
    number: u64,
    before: String,
    /// What was found unfinished, in words.
    pub(crate) recovered: Option<String>,
}

/// What a release is together with those before it.
#[derive(Clone)]
pub(crate) struct Joined {
    /// Who is in it.
    members: Members,
    /// What is claimed.
    pub(crate) certified: OverReleases,
    /// What is broken.
    exposed: Vec<Exposed>,
    /// The fewest people whom nobody can tell apart.
    pub(crate) smallest_block: u64,
    /// People who were in the release before.
    pub(crate) stayed: u64,
    levels: Option<Vec<usize>>,
}

impl Keeper {
    /// The ledger that `options` or `policy` names, with every release in it.
    pub(crate) fn open(policy: &Policy, options: &RunOptions) -> Result<Option<Keeper>, Error> {
        let spec = policy.ledger.as_ref();
        let asked = options.ledger.clone();
        let Some(directory) = asked.or_else(|| spec.map(|spec| policy.resolve(&spec.path))) else {
            return Ok(None);
        };
        check(policy, options)?;
        let store = Store::open(&directory, true)?;
        let directory = store.directory().to_owned();
        let first = store.chain().entries().is_empty();
        let key = match spec.and_then(|spec| spec.key.as_ref()) {
            Some(source) => pseudonyms::key(policy, source, options.environment)?,
            None => own_key(&store, first)?,
        };
        let key_check = key_check(&key)?;
        let subject = subject(policy)?;
        let mut earlier = Vec::new();
        let mut last_levels = None;
        let mut moments = Vec::new();
        for sealed in store.chain().entries() {
            let number = sealed.entry.number;
            let Some(published) = sealed.entry.release() else {
                continue;
            };
            same_data(published, subject, &key_check).map_err(|error| error.at(&directory))?;
            last_levels = published
                .levels
                .clone()
                .map(|levels| (published.quasi_identifiers.clone(), levels));
            moments.push(Moment {
                number,
                people: published.people,
                stayed: published.stayed,
                smallest_block: published.smallest_block,
            });
            let certificate = certificate_of(&directory, number, published)?;
            let members = store.members(number, &published.members)?;
            earlier.push(Issued::certified(number, &certificate, members)?);
        }
        Ok(Some(Keeper {
            number: store.chain().next(),
            before: store.chain().last_hash().to_owned(),
            recovered: store.recovery.map(super::Recovery::words),
            store: std::sync::Mutex::new(store),
            directory,
            key,
            key_check,
            earlier,
            moments,
            last_levels,
        }))
    }

    /// How many releases there are before.
    pub(crate) fn earlier(&self) -> usize {
        self.earlier.len()
    }

    /// Every release up to this one, in numbers.
    pub(crate) fn moments(&self, joined: &Joined) -> Vec<Moment> {
        let mut moments = self.moments.clone();
        moments.push(Moment {
            number: self.number,
            people: joined.people(),
            stayed: joined.stayed,
            smallest_block: joined.smallest_block,
        });
        moments
    }

    /// The level that each of these quasi-identifiers had in the last release, where each had one.
    pub(crate) fn last_levels(&self, quasi: &[String]) -> Option<Vec<usize>> {
        let (names, levels) = self.last_levels.as_ref()?;
        (names == quasi).then(|| levels.clone())
    }

    /// Leaves out of `recoding` whoever must wait; how many records that are.
    pub(crate) fn hold_back(
        &self,
        plan: &Plan,
        kept: &Table,
        summary: &Summary,
        recoding: &mut Recoding,
    ) -> Result<u64, Error> {
        let quasi = &plan.columns.quasi;
        let mut class_of = recoding.class_of_rows(kept, quasi, summary);
        let shown = alike(recoding);
        let people = self.tokens(kept, plan)?;
        let rows: Vec<usize> = (0..kept.records())
            .filter(|&row| class_of.get(row).copied().flatten().is_some())
            .collect();
        let own: Vec<Token> = rows.iter().map(|&row| people[row]).collect();
        let classes: Vec<u32> = rows
            .iter()
            .filter_map(|&row| Some(shown[class_of[row]? as usize]))
            .collect();
        let columns: Vec<Column> = read_by_promises(plan, kept)
            .into_iter()
            .map(|column| Column {
                name: column.name.clone(),
                dictionary: column.dictionary.clone(),
                codes: rows.iter().map(|&row| column.codes[row]).collect(),
            })
            .collect();
        let columns: Vec<&Column> = columns.iter().collect();
        let members = Members::new(&own, &classes, &columns);
        self.known_people(&members)?;
        let mut history = History::of(&self.earlier)?;
        history.see(&self.issued(plan, members))?;
        let held = hold_back(&history);
        if held.is_empty() {
            return Ok(0);
        }
        let mut many = 0;
        for &row in &rows {
            if held.binary_search(&people[row]).is_ok() {
                class_of[row] = None;
                many += 1;
            }
        }
        recoding.unit = Unit::Record;
        recoding.class_of = class_of;
        Ok(many)
    }

    /// What `real`, the published records with the people of the source, is together with all earlier releases.
    pub(crate) fn join(
        &self,
        plan: &Plan,
        real: &Table,
        levels: Option<&[usize]>,
    ) -> Result<Joined, Error> {
        let quasi: Vec<&[u32]> = plan
            .quasi
            .iter()
            .filter_map(|name| Some(real.column(name)?.codes.as_slice()))
            .collect();
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        let classes: Vec<u32> = (0..real.records())
            .map(|row| {
                let next = known.len() as u32;
                let shown = quasi.iter().map(|codes| codes[row]).collect();
                *known.entry(shown).or_insert(next)
            })
            .collect();
        let own = self.tokens(real, plan)?;
        let members = Members::new(&own, &classes, &read_by_promises(plan, real));
        let mut history = History::of(&self.earlier)?;
        history.see(&self.issued(plan, members.clone()))?;
        history.settle();
        let (claims, exposed) = history.judge();
        Ok(Joined {
            members,
            certified: OverReleases {
                covered: history.releases(),
                claims,
            },
            exposed,
            smallest_block: history.smallest_block().unwrap_or(0),
            stayed: history.stayed(),
            levels: levels.map(<[usize]>::to_vec),
        })
    }

    /// Moves the bundle to its place and writes it down, both or neither.
    pub(crate) fn publish(
        &self,
        draft: Draft,
        policy: &Policy,
        certificate: &Certificate,
        joined: &Joined,
        key: Option<&SigningKey>,
    ) -> Result<PathBuf, Error> {
        let internal = |what: &str| Error::Internal { what: what.into() };
        let place = draft.path("release/certificate.json");
        let bytes = std::fs::read(&place)
            .map_err(|error| Error::io("read the certificate", &place, &error))?;
        let members = joined.members.bytes();
        let members = members.map_err(|_| internal("members have no form"))?;
        let bundle = relative(&self.directory, &draft.absolute_target()?);
        let published = Published {
            data: policy.data_name(),
            of: "tables".to_owned(),
            subject: subject(policy)?.to_owned(),
            bundle: bundle.to_string_lossy().into_owned(),
            certificate: hash(&bytes),
            files: certificate
                .files()
                .map(|file| (file.file.clone(), file.sha256.clone()))
                .collect(),
            columns: certificate
                .files()
                .flat_map(|file| file.columns.iter().map(|column| column.name.clone()))
                .collect(),
            quasi_identifiers: certificate.quasi_identifiers.clone(),
            knows: certificate.knows,
            promises: certificate
                .claims
                .iter()
                .map(|claim| claim.terms.clone())
                .collect(),
            records: certificate.data.records,
            suppressed_records: certificate.suppressed_records,
            people: joined.members.people(),
            stayed: joined.stayed,
            smallest_block: joined.smallest_block,
            levels: joined.levels.clone(),
            members: hash(&members),
            key_check: self.key_check.clone(),
            spent: None,
        };
        let entry = Entry {
            form: FORM,
            number: self.number,
            before: self.before.clone(),
            denym: env!("CARGO_PKG_VERSION").to_owned(),
            what: What::Release(Box::new(published)),
        };
        let mut store = self.store.lock().map_err(|_| internal("a lock is lost"))?;
        store.publish(draft, &entry, &members, key)
    }

    /// The token of the person of each record.
    fn tokens(&self, table: &Table, plan: &Plan) -> Result<Vec<Token>, Error> {
        let name = plan.subject().unwrap_or_default();
        let column = table.column(name).ok_or_else(|| Error::Internal {
            what: "the table has no column of people".into(),
        })?;
        let own = Column {
            name: "subject".to_owned(),
            ..column.clone()
        };
        let texts = tokens(&own, &self.key)?;
        let nobody = || Error::Argument {
            what: format!(
                "a record has no `{name}`: nobody knows whose it is, and releases are judged by people"
            ),
            help: format!(
                "complete the column, or leave such records out with `{name} = {{ role = \"subject\", missing = \"suppress\" }}`"
            ),
        };
        (0..texts.codes.len())
            .map(|row| texts.text(row).and_then(token).ok_or_else(nobody))
            .collect()
    }

    fn issued(&self, plan: &Plan, members: Members) -> Issued {
        Issued {
            number: self.number,
            promises: plan.promises.clone(),
            sensitive: plan.sensitive.clone(),
            members,
        }
    }

    /// Refuses people of whom nobody was ever published, where others were: the ledger is another's, or subjects have other keys.
    fn known_people(&self, members: &Members) -> Result<(), Error> {
        let Some(last) = self.earlier.last() else {
            return Ok(());
        };
        let mut own = members.tokens().iter();
        let known = |token: &Token| {
            let mut earlier = self.earlier.iter();
            earlier.any(|issued| issued.members.tokens().binary_search(token).is_ok())
        };
        if members.tokens().is_empty() || last.members.tokens().is_empty() || own.any(known) {
            return Ok(());
        }
        let error = LedgerError::Another {
            code: "ledger-other-people",
            what: "nobody of this data is in any release of the ledger: it is another data set, or subjects were given other keys".to_owned(),
            help: "name the ledger of this data set, or begin a new one: releases that share nobody need not be judged together",
        };
        Err(error.at(&self.directory))
    }
}

impl Joined {
    /// People in the release.
    pub(crate) fn people(&self) -> u64 {
        self.members.people()
    }

    /// Why there can be no release beside those before it, where that is so.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        let worst = self.exposed.first()?;
        let broken: Vec<String> = self
            .exposed
            .iter()
            .map(|one| {
                let (name, number) = (one.promise.name(), one.number);
                format!("`{name}` of entry {number} for {} people", one.people)
            })
            .collect();
        Some(Refusal {
            code: "ledger-promise-broken",
            message: format!(
                "together with the earlier releases of the ledger it breaks {}",
                broken.join(", ")
            ),
            help: format!(
                "promise less than it was: over all releases `{}` comes to {}; or give columns the levels that the last release had",
                worst.promise.name(),
                crate::figures::number(worst.measured)
            ),
        })
    }
}

/// What a ledger cannot judge together.
fn check(policy: &Policy, options: &RunOptions) -> Result<(), Error> {
    subject(policy)?;
    let problem = if options.force {
        "a release that stands in a ledger is not replaced: what was published cannot be taken back"
    } else if options.onto.is_some() {
        "`--onto` adds to one earlier release, and a ledger judges with all of them"
    } else if policy.knows_program {
        "the adversary knows the program, and who waits for a later release is not measured against who knows it"
    } else if policy.adversary != Knowledge::QuasiIdentifiers {
        "over several releases promises are judged on people who look alike in every quasi-identifier, and this adversary knows fewer"
    } else if policy.promises.iter().any(|one| one.quasi.is_some()) {
        "over several releases promises are judged on every quasi-identifier, and this one is about some of them"
    } else if policy.promises.iter().any(|one| one.promise.is_private()) {
        "promises about a population or about guarding nodes are not judged over several releases"
    } else {
        return Ok(());
    };
    Err(Error::Argument {
        what: problem.to_owned(),
        help: "leave out the ledger, or the other".to_owned(),
    })
}

/// The column that says whose a record is.
fn subject(policy: &Policy) -> Result<&str, Error> {
    let mut subjects = policy.with_role(Role::Subject);
    let subject = subjects.next().map(|spec| spec.name.as_str());
    subject.ok_or_else(|| Error::Argument {
        what: "releases are judged together by their people, and no column says whose a record is"
            .to_owned(),
        help: "give the column that does the role `subject`, or leave out the ledger".to_owned(),
    })
}

/// The key that lies beside the ledger; drawn where there is no entry yet.
fn own_key(store: &Store, first: bool) -> Result<Vec<u8>, Error> {
    let path = store.directory().join(KEY);
    match std::fs::read(&path) {
        Ok(key) => Ok(key),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && first => {
            let mut key = [0_u8; 32];
            getrandom::fill(&mut key).map_err(|_| Error::NoRandomness)?;
            let text = denym_release::ledger::chain::hex(&key);
            store.put(KEY, text.as_bytes())?;
            Ok(text.into_bytes())
        }
        Err(error) => Err(Error::io("read the key of the ledger", &path, &error)),
    }
}

/// What a key makes of a fixed text.
pub(super) fn key_check(key: &[u8]) -> Result<String, Error> {
    let fixed = Column::from_texts("denym", [Some("ledger")]);
    Ok(tokens(&fixed, key)?.text(0).unwrap_or_default().to_owned())
}

/// Whether an entry is about the same people, by the same key.
fn same_data(published: &Published, subject: &str, key_check: &str) -> Result<(), LedgerError> {
    if published.subject != subject {
        return Err(LedgerError::Another {
            code: "ledger-other-data",
            what: format!(
                "the people of this ledger are told by the column `{}`, not by `{subject}`: it is the ledger of another data set",
                published.subject
            ),
            help: "name the ledger of this data set, or begin a new one",
        });
    }
    if published.key_check != key_check {
        return Err(LedgerError::Another {
            code: "ledger-other-key",
            what: "the key of the ledger's tokens is not the one that its entries were made with"
                .to_owned(),
            help: "put the key back: with another one nobody is known again, and promises over releases mean nothing",
        });
    }
    Ok(())
}

/// The certificate of an earlier release, which must be the one that was published.
pub(super) fn certificate_of(
    directory: &Path,
    number: u64,
    published: &Published,
) -> Result<Certificate, Error> {
    let wrong = |what| {
        let entry = number;
        LedgerError::Beside { entry, what }.at(directory)
    };
    let half = directory.join(&published.bundle).join("release");
    let path = half.join("certificate.json");
    let bytes = std::fs::read(&path).map_err(|_| wrong("is missing: its bundle"))?;
    if hash(&bytes) != published.certificate {
        return Err(wrong("was changed: the certificate of its bundle"));
    }
    verify::read_certificate(&half)
}

/// For each class a number that it shares with every class that publishes the same: they are one to whoever looks.
fn alike(recoding: &Recoding) -> Vec<u32> {
    let mut known: HashMap<Vec<Option<&str>>, u32> = HashMap::new();
    let number = |class: usize| {
        let texts = recoding.labels.iter().zip(&recoding.published);
        let texts = texts.map(|(labels, own)| labels.texts[own[class] as usize].as_deref());
        let next = known.len() as u32;
        *known.entry(texts.collect()).or_insert(next)
    };
    (0..recoding.classes()).map(number).collect()
}

/// The columns that promises read, as `table` has them.
fn read_by_promises<'a>(plan: &Plan, table: &'a Table) -> Vec<&'a Column> {
    let mut columns: Vec<&Column> = Vec::new();
    for attribute in plan.sensitive.iter().filter(|attribute| !attribute.hidden) {
        let own = std::slice::from_ref(&attribute.name);
        let names = if attribute.parts.is_empty() {
            own
        } else {
            &attribute.parts
        };
        for column in names.iter().filter_map(|name| table.column(name)) {
            if !columns.iter().any(|other| other.name == column.name) {
                columns.push(column);
            }
        }
    }
    columns
}

/// The token that hexadecimal digits stand for.
fn token(text: &str) -> Option<Token> {
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}
