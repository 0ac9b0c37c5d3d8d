//! How a release stands against somebody who knows the program, as a certificate says it.

use denym_data::Standing;
use serde::{Deserialize, Serialize};

/// What a certificate says about adversaries who know the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Whether the policy demands that promises hold against them (`knows = { algorithm = true }`).
    pub demanded: bool,
    /// What was found of the algorithm that the policy names, for promises like its own.
    pub standing: Found,
    /// Of a thousand people in the small tables of the test, those of whom such an adversary believes more than was promised.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub beyond_per_mille: Option<u16>,
}

/// What was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Found {
    /// No release of any source made such an adversary believe more than was promised.
    Holds,
    /// Some did.
    Exceeded,
    /// Nobody tried promises or options like these.
    NotMeasured,
}

impl Program {
    /// What was found of an algorithm; `None` when nobody measured.
    pub fn new(demanded: bool, standing: Option<Standing>) -> Program {
        let (standing, beyond_per_mille) = match standing {
            Some(Standing::Holds) => (Found::Holds, None),
            Some(Standing::Exceeded { per_mille }) => (Found::Exceeded, Some(per_mille)),
            Some(Standing::NotPromised) | None => (Found::NotMeasured, None),
        };
        Program {
            demanded,
            standing,
            beyond_per_mille,
        }
    }

    /// The same in a sentence, for the report, the plan and the recipient.
    pub fn sentence(&self) -> String {
        match (self.standing, self.beyond_per_mille) {
            (Found::Holds, _) => "Who knows the program learns no more than was promised: no source of the small tables on which this was tried \
                 tells more."
                .to_owned(),
            (Found::Exceeded, Some(per_mille)) => format!(
                "Not safe against who knows the program: on small tables, whoever runs it backwards believes more of up to {} % of the \
                 people than was promised.",
                percent(per_mille)
            ),
            _ => "Whether who knows the program learns more than was promised was not measured for promises like these.".to_owned(),
        }
    }

    /// The same as a step of a plan.
    pub fn step(self) -> String {
        let asked = if self.demanded {
            "the adversary knows the program"
        } else {
            "an adversary who knows the program is not part of the policy"
        };
        format!("{asked}; the algorithm is {}", self.words())
    }

    /// The same in a few words, for the console.
    pub fn words(&self) -> String {
        match (self.standing, self.beyond_per_mille) {
            (Found::Holds, _) => "safe against who knows it".to_owned(),
            (Found::Exceeded, Some(per_mille)) => format!(
                "not safe against who knows it: up to {} % of people on small tables",
                percent(per_mille)
            ),
            _ => "not measured against who knows it".to_owned(),
        }
    }
}

/// Thousandths as a percentage.
pub fn percent(per_mille: u16) -> String {
    format!("{}.{}", per_mille / 10, per_mille % 10)
}
