//! What a column can be about, and the part that such a column usually plays.

use denym_data::Role;

/// What a column is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// An address of mail or a telephone number.
    Contact,
    /// Where somebody lives, down to the house.
    Address,
    /// A number that an authority or an insurer gave to a person.
    OfficialNumber,
    /// A bank account or a payment card.
    Account,
    /// What somebody logs in with.
    Login,
    /// A device or its address.
    Device,
    /// A picture, a signature, a fingerprint.
    Likeness,
    /// A vehicle.
    Vehicle,
    /// The name of a person, said in so many words.
    FullName,
    /// Remarks, letters, findings.
    FreeText,
    /// Sex or gender.
    Sex,
    /// An age.
    Age,
    /// A date or year of birth.
    Birth,
    /// A postal code.
    PostalCode,
    /// Degrees north.
    Latitude,
    /// Degrees east.
    Longitude,
    /// A day or a moment of the calendar.
    Date,
    /// A diagnosis, an illness, a cause of death.
    Health,
    /// A treatment, a medicine, a procedure.
    Treatment,
    /// What was measured on a person, such as blood pressure.
    Measurement,
    /// Income, costs, debts, benefits.
    Money,
    /// Religion, politics, orientation.
    Belief,
    /// Offences and convictions.
    Offence,
    /// Grades, scores, ratings.
    Assessment,
    /// A country.
    Country,
    /// A town, a region, a place.
    Place,
    /// Nationality, ethnicity, place of origin.
    Origin,
    /// Marital status, children, household.
    Family,
    /// Schooling and degrees.
    Education,
    /// Work and occupation.
    Occupation,
    /// Height, weight, shoe size: what an acquaintance sees.
    Body,
    /// A language.
    Language,
    /// A hospital, a ward, a school, an insurer, a company.
    Institution,
    /// A time of day or a moment.
    Time,
    /// Items bought, seen or had, one or several.
    Items,
    /// A sequence of places.
    Path,
    /// Something with `name` in it: a person's, as long as nothing else is said.
    Name,
    /// A number of a record: a case, an invoice, a file.
    RecordNumber,
    /// Which person a record is about.
    Person,
    /// What a program noted for itself.
    Technical,
}

impl Meaning {
    /// The meaning in words that go behind "its name says".
    pub fn words(self) -> &'static str {
        match self {
            Meaning::Contact => "a way to reach somebody",
            Meaning::Address => "an address",
            Meaning::OfficialNumber => "an official number",
            Meaning::Account => "an account",
            Meaning::Login => "a login",
            Meaning::Device => "a device",
            Meaning::Likeness => "a picture or signature",
            Meaning::Vehicle => "a vehicle",
            Meaning::FullName | Meaning::Name => "a name",
            Meaning::FreeText => "free text",
            Meaning::Birth => "a birth",
            Meaning::Age => "an age",
            Meaning::Sex => "a sex",
            Meaning::PostalCode => "a postal code",
            Meaning::Latitude | Meaning::Longitude => "a coordinate",
            Meaning::Date => "a date",
            Meaning::Health => "health",
            Meaning::Treatment => "a treatment",
            Meaning::Measurement => "a measurement",
            Meaning::Money => "money",
            Meaning::Belief => "a belief",
            Meaning::Offence => "an offence",
            Meaning::Assessment => "an assessment",
            Meaning::Country => "a country",
            Meaning::Place => "a place",
            Meaning::Origin => "an origin",
            Meaning::Family => "a family",
            Meaning::Education => "education",
            Meaning::Occupation => "an occupation",
            Meaning::Body => "a body",
            Meaning::Language => "a language",
            Meaning::Institution => "an institution",
            Meaning::Time => "a time",
            Meaning::Items => "items",
            Meaning::Path => "a path",
            Meaning::RecordNumber => "a number of a record",
            Meaning::Person => "a person",
            Meaning::Technical => "a technical mark",
        }
    }

    /// Whether such a column names a person by itself, however often its values come back.
    pub fn identifies(self) -> bool {
        self <= Meaning::FullName || self == Meaning::Name
    }

    /// The part that such a column usually plays. A number of a record or a person plays one that depends on its values.
    pub fn role(self) -> Role {
        match self {
            _ if self.identifies() => Role::Identifier,
            Meaning::FreeText | Meaning::RecordNumber => Role::Identifier,
            Meaning::Person => Role::Subject,
            Meaning::Health
            | Meaning::Treatment
            | Meaning::Measurement
            | Meaning::Money
            | Meaning::Belief
            | Meaning::Offence
            | Meaning::Assessment => Role::Sensitive,
            Meaning::Technical => Role::Insensitive,
            _ => Role::QuasiIdentifier,
        }
    }
}
