//! One table under attack: linkage with an external table, and what the candidates have in common.

use std::path::PathBuf;

use denym_attack::Shape;
use denym_attack::table::{Attacked, Lookup, People, PeopleFound, SourceNumbers, Wish};
use denym_data::Table;
use denym_engine::{Engine, ReadOptions};
use denym_measure::Roles;

use super::certified::{CertifiedRelease, column, explained, policy_of, position, shape};
use super::minimality::{originals_of_table, unfit};
use super::{NO_SENSITIVE, at_most, attack_error};
use crate::certificate::{Altered, Certificate};
use crate::listener::{Listener, Phase};
use crate::plan::Plan;
use crate::policy::Policy;
use crate::{Error, source, threads, verify};

/// What is to be attacked, and with what.
#[derive(Debug, Clone, Default)]
pub struct TableRequest {
    /// A table, a bundle, or the public half of one.
    pub release: PathBuf,
    /// What the adversary has: a table of people. Without it, everybody's published quasi-identifiers are known.
    pub external: Option<PathBuf>,
    /// Columns (release, external) that mean the same; those of one name when empty.
    pub links: Vec<(String, String)>,
    /// What the adversary is after; a bundle says it itself.
    pub sensitive: Vec<String>,
    /// The external column that names people.
    pub id: Option<String>,
    /// The column of the release that tells which records of one class are one person's; a bundle says it itself.
    pub subject: Option<String>,
    /// Hierarchy files that explain generalized values.
    pub hierarchies: Option<PathBuf>,
    /// A policy whose hierarchies explain them.
    pub policy: Option<PathBuf>,
    /// People of the same kind who are not in the data.
    pub control: Option<PathBuf>,
    /// How sure the adversary wants to be of a sensitive value; 1 for certain.
    pub confidence: Option<f64>,
    /// How many other values the adversary can rule out.
    pub rule_out: usize,
    /// How many times likelier than overall a value must be.
    pub gain: f64,
    /// How close numbers must be, for the proximity attack.
    pub within: Option<f64>,
    /// Name the people found.
    pub victims: bool,
    /// Attempts of the attacks that draw, and their seed.
    pub attempts: u64,
    /// Seed of the draws.
    pub seed: u64,
    /// How to read the tables.
    pub read: ReadOptions,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
}

/// What the attacks on a table found.
#[derive(Debug, Clone, PartialEq)]
pub struct TableFound {
    /// Columns that were linked: (release, external).
    pub links: Vec<(String, String)>,
    /// What the adversary was taken to know.
    pub knows: String,
    /// What looking people up came to.
    pub people: PeopleFound,
}

/// A share that somebody wants to be sure by: against what is no such number every attack would fail, and reassure.
pub(super) fn sure(flag: &str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value <= 1.0 {
        return Ok(());
    }
    Err(Error::Argument {
        what: format!("--{flag} is no share above 0 and up to 1"),
        help: format!("write for example --{flag} 0.9"),
    })
}

/// A number of at least `least`, with an end.
fn finite(flag: &str, value: f64, least: f64) -> Result<(), Error> {
    if value.is_finite() && value >= least {
        return Ok(());
    }
    Err(Error::Argument {
        what: format!("--{flag} must be a positive number"),
        help: format!("write for example --{flag} 5"),
    })
}

/// Attacks the release of `request`.
pub fn table(request: &TableRequest, listener: &dyn Listener) -> Result<TableFound, Error> {
    sure("confidence", request.confidence.unwrap_or(1.0))?;
    finite("gain", request.gain, f64::MIN_POSITIVE)?;
    finite("within", request.within.unwrap_or_default(), 0.0)?;
    let engine = Engine::new(request.threads)?;
    listener.phase(Phase::Reading);
    let release = Release::read(&engine, request)?;
    let read = |path: &Option<PathBuf>| {
        let path = path.as_ref();
        path.map(|path| engine.read(path, &request.read))
            .transpose()
    };
    let (external, control) = (read(&request.external)?, read(&request.control)?);
    listener.phase(Phase::Attacking);
    let run = || release.attacked(request, &engine, external.as_ref(), control.as_ref());
    threads::pool(request.threads)?.install(run)
}

/// The release and what is known of it.
struct Release {
    table: Table,
    path: PathBuf,
    certificate: Option<Certificate>,
    /// What the adversary is after.
    sensitive: Vec<String>,
    policy: Option<Policy>,
    /// The source, where a policy that was named says which it is.
    source: Option<Table>,
}

impl Release {
    fn read(engine: &Engine, request: &TableRequest) -> Result<Release, Error> {
        let named = request.policy.as_deref();
        let Some(own) = CertifiedRelease::read(engine, &request.release)? else {
            return Ok(Release {
                table: engine.read(&request.release, &request.read)?,
                path: request.release.clone(),
                certificate: None,
                sensitive: request.sensitive.clone(),
                policy: policy_of(named, None)?,
                source: None,
            });
        };
        let elsewhere = match shape(&own.certificate) {
            Shape::Trails => Some(format!(
                "use `denym attack trails --anonymous {} --identified FILE`",
                own.file.display()
            )),
            shape @ (Shape::Paths | Shape::Transactions) => Some(format!(
                "use `denym attack {} --policy FILE`, or `denym attack {}` with --raw",
                request.release.display(),
                shape.words()
            )),
            _ => None,
        };
        if let Some(help) = elsewhere {
            let what = shape(&own.certificate).words();
            return Err(Error::Argument {
                what: format!("this is a release of {what}"),
                help,
            });
        }
        let policy = policy_of(named, Some(&own.half.join("../steward")))?;
        let source = match (named, &policy) {
            (Some(_), Some(policy)) => Some(source::read(policy, engine)?),
            _ => None,
        };
        let asked = &request.sensitive;
        let sensitive = if asked.is_empty() {
            own.sensitive()
        } else {
            asked.clone()
        };
        let (table, _) = verify::with_groups(engine, &own.half, &own.certificate, own.table)?;
        Ok(Release {
            table,
            path: own.file,
            certificate: Some(own.certificate),
            sensitive,
            policy,
            source,
        })
    }

    /// The column that tells which records of one class are one person's.
    fn subject<'a>(&'a self, request: &'a TableRequest) -> Option<&'a String> {
        let certified = self
            .certificate
            .as_ref()
            .and_then(|own| own.subject.as_ref());
        request.subject.as_ref().or(certified)
    }

    fn attacked(
        &self,
        request: &TableRequest,
        engine: &Engine,
        external: Option<&Table>,
        control: Option<&Table>,
    ) -> Result<TableFound, Error> {
        let at = |name: &String| position(&self.table, name, &self.path);
        let all =
            |names: &mut dyn Iterator<Item = &String>| names.map(at).collect::<Result<_, _>>();
        let links = self.links(request, external.unwrap_or(&self.table))?;
        let knows = self.knows(request, &links);
        let groups = self
            .certificate
            .as_ref()
            .and_then(|own| own.groups.as_ref());
        let shown = Attacked {
            table: &self.table,
            roles: Roles {
                quasi: all(&mut links.iter().map(|(ours, _)| ours))?,
                sensitive: all(&mut self.sensitive.iter())?,
                subject: self.subject(request).map(at).transpose()?,
            },
            groups: groups.map(|groups| at(&groups.column)).transpose()?,
            classes: None,
        };
        let people = |table: &'_ Table, path: &Option<PathBuf>| -> Result<_, Error> {
            let path = path.as_deref().unwrap_or(&self.path);
            let known = links
                .iter()
                .map(|(_, theirs)| position(table, theirs, path));
            let own = |name| {
                table
                    .columns()
                    .iter()
                    .position(|column| &column.name == name)
            };
            Ok((
                known.collect::<Result<Vec<usize>, Error>>()?,
                self.sensitive.iter().map(own).collect(),
            ))
        };
        let of_people = |table: Option<&'_ Table>, path: &Option<PathBuf>| {
            table.map(|table| people(table, path)).transpose()
        };
        let (known, others) = (
            of_people(external, &request.external)?,
            of_people(control, &request.control)?,
        );
        let joined = |table, columns| -> Option<People<'_>> {
            let (known, sensitive) = columns?;
            Some(People {
                table: table?,
                known,
                sensitive,
            })
        };
        let explained = match (external, control) {
            (None, None) => explained(engine, None, None, [])?,
            _ => {
                let names = links.iter().map(|(ours, _)| ours).chain(&self.sensitive);
                let directory = request.hierarchies.as_deref();
                explained(engine, directory, self.policy.as_ref(), names.cloned())?
            }
        };
        let named = external.unwrap_or(&self.table);
        let place = request.external.as_deref().unwrap_or(&self.path);
        let id = request
            .id
            .as_ref()
            .map(|name| column(named, name, place))
            .transpose()?;
        let plan = self.plan(engine);
        let originals = match (&plan, &self.source) {
            (Ok(plan), Some(source)) => originals_of_table(plan, source, engine),
            (Err(why), _) => Err(why.clone()),
            (Ok(_), None) => Err(NO_SOURCE.to_owned()),
        };
        let certified_most = self.certificate.as_ref().and_then(|own| at_most(own.knows));
        let lookup = Lookup {
            shown,
            sensitive: &self.sensitive,
            no_sensitive: match self.certificate {
                Some(_) => NO_SENSITIVE,
                None => "no sensitive attribute is named; say which with --sensitive",
            },
            external: joined(external, known),
            control: joined(control, others),
            id,
            hierarchies: &explained,
            at_most: certified_most.filter(|_| request.links.is_empty()),
            wish: Wish {
                confidence: request.confidence.unwrap_or(1.0),
                rule_out: request.rule_out,
                gain: request.gain,
                within: request.within,
            },
            knows: knows.clone(),
            numbers: self.numbers(),
            originals,
            victims: request.victims,
            attempts: request.attempts,
            seed: request.seed,
        };
        let people = lookup.run().map_err(|error| attack_error(&error))?;
        Ok(TableFound {
            links,
            knows,
            people,
        })
    }

    /// The numbers that were changed, where the source is at hand.
    fn numbers(&self) -> Result<SourceNumbers, String> {
        let altered = self
            .certificate
            .as_ref()
            .map(|own| changed_columns(&own.altered));
        let altered = altered.unwrap_or_default();
        match &self.source {
            _ if altered.is_empty() => Err("no numbers were changed".to_owned()),
            Some(source) => SourceNumbers::between(source, &self.table, &altered),
            None => Err("it needs the source: name the policy with --policy".to_owned()),
        }
    }

    /// What the search was to do, where running it again is little work; why not, where it is not.
    fn plan(&self, engine: &Engine) -> Result<Plan, String> {
        let (Some(policy), Some(source)) = (&self.policy, &self.source) else {
            return Err(NO_SOURCE.to_owned());
        };
        match unfit(policy, source) {
            Some(why) => Err(why),
            None => Plan::new(policy, source, engine).map_err(|error| error.to_string()),
        }
    }

    /// The columns of the release and of the external table that mean the same.
    fn links(
        &self,
        request: &TableRequest,
        external: &Table,
    ) -> Result<Vec<(String, String)>, Error> {
        if !request.links.is_empty() {
            return Ok(request.links.clone());
        }
        let names: Vec<String> = match &self.certificate {
            Some(own) => own.quasi_identifiers.clone(),
            None => {
                let columns = self.table.columns().iter();
                columns.map(|column| column.name.clone()).collect()
            }
        };
        let subject = self.subject(request);
        let links: Vec<(String, String)> = names
            .into_iter()
            .filter(|name| !self.sensitive.contains(name) && subject != Some(name))
            .filter(|name| request.id.as_ref() != Some(name) && external.column(name).is_some())
            .map(|name| (name.clone(), name))
            .collect();
        if links.is_empty() {
            return Err(Error::Argument {
                what: "the release and the external table have no column in common".into(),
                help: "say which columns mean the same with --link RELEASE=EXTERNAL".into(),
            });
        }
        Ok(links)
    }

    /// What the adversary was taken to know, in words.
    fn knows(&self, request: &TableRequest, links: &[(String, String)]) -> String {
        let columns: Vec<String> = links.iter().map(|(ours, _)| format!("`{ours}`")).collect();
        let whom = if request.external.is_some() {
            "of the people of the external table"
        } else {
            "of everybody in the release, as published"
        };
        let told = match (&self.certificate, request.links.is_empty()) {
            (_, false) => "as asked",
            (Some(_), true) => "the quasi-identifiers of its certificate",
            (None, true) => {
                "every column that is not sensitive; say others with --link or --subject"
            }
        };
        let counted = if self.subject(request).is_some() {
            "people are counted, once in each class"
        } else {
            "every record counts as a person"
        };
        format!("{} {whom} ({told}); {counted}", columns.join(", "))
    }
}

/// Why the search is not run again.
const NO_SOURCE: &str = "it needs the policy and the source: see `denym attack minimality`";

/// The columns whose values were changed.
pub(crate) fn changed_columns(altered: &[Altered]) -> Vec<String> {
    let mut names: Vec<String> = altered.iter().flat_map(|one| one.columns.clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}
