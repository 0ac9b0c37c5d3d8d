//! The one list of attacks: what each is called, what it threatens, what it needs, and where it is described.

/// What an adversary gains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threat {
    /// A person is linked to a record (survey section 2.1).
    RecordLinkage,
    /// A person is linked to a sensitive value (2.2).
    AttributeLinkage,
    /// A person's presence or absence is learned (2.3).
    TableLinkage,
    /// Beliefs about a person change a lot (2.4).
    Probabilistic,
}

/// What kind of data an attack works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// One table.
    Table,
    /// One table of numbers.
    Microdata,
    /// Paths.
    Paths,
    /// Sets of items.
    Transactions,
    /// Trails over institutions.
    Trails,
    /// Two or more releases of the same people.
    Releases,
    /// Answers to statistical queries.
    Queries,
}

/// One attack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Name in reports and flags.
    pub name: &'static str,
    /// What the adversary gains.
    pub threat: Threat,
    /// What it works on.
    pub shape: Shape,
    /// One line for a reader.
    pub summary: &'static str,
    /// Where it is described.
    pub reference: &'static str,
}

const MALIN: &str = "Malin, CMU-CALD-02-108, 2002";
const SURVEY: &str = "Fung, Wang, Chen, Yu, ACM Computing Surveys 42(4), 2010";
const ITSA: &str = "Al-Hussaeni, Fung, Cheung, ITSA, section 4.5.1";

macro_rules! catalogue {
    ($($name:literal $threat:ident $shape:ident $summary:literal $reference:expr;)*) => {
        /// Every attack.
        pub const CATALOGUE: &[Entry] = &[$(Entry {
            name: $name, threat: Threat::$threat, shape: Shape::$shape, summary: $summary, reference: $reference,
        }),*];
    };
}

catalogue! {
    "reidit-c" RecordLinkage Trails "anonymous trail equal to exactly one identified trail" MALIN;
    "reidit-i" RecordLinkage Trails "incomplete trail with one remaining owner, repeatedly" MALIN;
    "reidit-m" RecordLinkage Trails "incomplete trail with exactly one owner, owners may be shared" MALIN;
    "forced" RecordLinkage Trails "pairs in every assignment of distinct owners" "beyond Malin 2002; Regin, AAAI 1994";
    "trail-posterior" Probabilistic Trails "most likely owner under false and missing entries" "Fellegi and Sunter, JASA 64, 1969; future work of Malin 2002";
    "find-multiple" RecordLinkage Trails "one complete trail behind several incomplete ones" "Malin 2002, section 7";
    "linkage" RecordLinkage Table "join with an external table, generalized values understood" SURVEY;
    "homogeneity" AttributeLinkage Table "everybody who matches has the same sensitive value" SURVEY;
    "skewness" AttributeLinkage Table "a sensitive value much likelier among those who match than overall" SURVEY;
    "background-knowledge" AttributeLinkage Table "a sensitive value left after ruling others out" SURVEY;
    "proximity" AttributeLinkage Table "a narrow range of a numeric sensitive value" SURVEY;
    "presence" TableLinkage Table "presence or absence in the release" SURVEY;
    "minimality" AttributeLinkage Table "originals that would have been published otherwise are ruled out" "Wong, Fu, Wang, Pei, VLDB 2007";
    "distance-linkage" RecordLinkage Microdata "nearest published record" "Domingo-Ferrer and Torra, 2001";
    "doublets" RecordLinkage Paths "any L doublets of the victim's path" "Fung et al., LKC-privacy";
    "top-locations" RecordLinkage Paths "the victim's most visited places" "Zang and Bolot, MobiCom 2011";
    "home-work" RecordLinkage Paths "where the victim is at night and by day" "Golle and Partridge, Pervasive 2009";
    "contradiction" RecordLinkage Paths "records that show another place at a known time are discarded" "ours";
    "path-correlation" AttributeLinkage Paths "a suppressed doublet deduced from its neighbors" ITSA;
    "path-minimality" AttributeLinkage Paths "raw paths that would not have been suppressed are ruled out" ITSA;
    "items" RecordLinkage Transactions "any m items of the victim's set, and the sensitive items that follow" "Terrovitis, Mamoulis, Kalnis, VLDB 2008; Xu, Wang, Fu, Yu, KDD 2008";
    "join" RecordLinkage Releases "two releases joined on what they share" SURVEY;
    "intersection" AttributeLinkage Releases "sensitive values common to the victim's groups in all releases" SURVEY;
    "correspondence" AttributeLinkage Releases "records that must be old or must be gone are cracked" "Fung, Wang, Fu, Pei, EDBT 2008";
    "m-invariance" AttributeLinkage Releases "groups of one person with different sensitive values over time" "Xiao and Tao, SIGMOD 2007";
    "window-difference" RecordLinkage Releases "what two overlapping windows show together" "ours";
    "query-difference" AttributeLinkage Queries "two answers whose difference is one person" SURVEY;
    "query-tracker" AttributeLinkage Queries "a refused query padded by a tracker" "Denning, Denning, Schwartz, TODS 4(1), 1979";
    "singling-out" RecordLinkage Table "a predicate that one person satisfies, against a control group" "Giomi et al., PoPETs 2023";
    "linkability" RecordLinkage Table "two halves of a record linked through the release, against a control group" "Giomi et al., PoPETs 2023";
    "inference" AttributeLinkage Table "a sensitive value guessed from the nearest published record, against a control group" "Giomi et al., PoPETs 2023";
}

/// The entry called `name`.
pub fn entry(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

/// The entry called `name`, which the caller knows to exist; the first entry otherwise.
pub(crate) fn known(name: &str) -> &'static Entry {
    debug_assert!(entry(name).is_some(), "`{name}` is in the catalogue");
    entry(name).unwrap_or(&CATALOGUE[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_kebab_case() {
        for (at, one) in CATALOGUE.iter().enumerate() {
            assert!(
                one.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{}",
                one.name
            );
            assert!(
                CATALOGUE[..at].iter().all(|other| other.name != one.name),
                "{} twice",
                one.name
            );
            assert!(!one.reference.is_empty() && !one.summary.is_empty());
        }
    }
}
