//! Decisions for whole columns of records: 0 nothing, 1 conditional, 2 full; two bits per policy column, 32 columns to a word.
//!
//! # Idea
//! Millions of records share a few consents. So a consent is looked up by the record's key once, its decisions for all columns are one
//! word, and the group's or the house's defaults fill the columns it says nothing about: `(default & !said) | own`.
//!
//! # Guarantee
//! The same as [`denym_purpose::Access::compliance`] for each cell of a permitted column; what cannot be read denies.

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringArray, UInt64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::exec_err;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use denym_purpose::{
    AccessPolicy, AccessPurpose, Compliance, IntendedPurpose, Profiles, RecordConsent, TablePolicy,
    read_code, read_companion,
};
use hashbrown::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Columns in one word.
pub(super) const PER_WORD: usize = 32;

/// A decision as two bits.
pub(super) fn number(compliance: Compliance) -> u64 {
    match compliance {
        Compliance::Denied => 0,
        Compliance::Conditional => 1,
        Compliance::Full => 2,
    }
}

/// The consents of a table by record key, numbered; the same for every purpose.
#[derive(Debug)]
pub(super) struct Numbered {
    keys: HashMap<Box<str>, u32>,
    profiles: Profiles,
}

impl Numbered {
    /// From keys as the data has them, each with its consent.
    pub(super) fn new<'a>(
        records: impl IntoIterator<Item = (Box<str>, &'a RecordConsent)>,
    ) -> Self {
        let mut profiles = Profiles::default();
        let keys = records
            .into_iter()
            .map(|(key, consent)| {
                let number = u32::try_from(profiles.number(consent)).unwrap_or(u32::MAX);
                (key, number)
            })
            .collect();
        Self { keys, profiles }
    }
}

/// One word of decisions under a purpose, for columns that have a say of their own and those that do not.
#[derive(Debug, Clone, Copy, Default)]
struct Said {
    mask: u64,
    value: u64,
}

/// Where a record's own consent is.
#[derive(Debug)]
pub(super) enum Own {
    /// Nowhere.
    None,
    /// By key.
    Table(Arc<Numbered>),
    /// In its compact code.
    Code,
}

/// What decides for one word of columns.
#[derive(Debug)]
pub(super) struct Rules {
    policy: Arc<AccessPolicy>,
    table: String,
    purpose: AccessPurpose,
    first: usize,
    /// Without an own consent: for no group, and by group.
    default: u64,
    groups: HashMap<String, u64>,
    own: Own,
    profiles: Vec<Said>,
}

impl Rules {
    /// For the columns from `word * 32`.
    pub(super) fn new(
        policy: Arc<AccessPolicy>,
        table: &TablePolicy,
        purpose: &AccessPurpose,
        word: usize,
        own: Own,
    ) -> Self {
        let first = word * PER_WORD;
        let fallback = |group: Option<&str>| {
            places(table, first).fold(0, |all, place| {
                let consent = table.consent(place, group, None).1;
                let decision = consent.map_or(Compliance::Denied, |ip| ip.check(purpose));
                all | number(decision) << (2 * (place - first))
            })
        };
        let groups = table
            .groups
            .keys()
            .map(|name| (name.clone(), fallback(Some(name))))
            .collect();
        let default = fallback(None);
        let profiles = match &own {
            Own::Table(numbered) => numbered
                .profiles
                .list()
                .iter()
                .map(|consent| said(table, first, consent, purpose))
                .collect(),
            _ => Vec::new(),
        };
        Self {
            table: table.name.clone(),
            purpose: purpose.clone(),
            policy,
            first,
            default,
            groups,
            own,
            profiles,
        }
    }

    fn base(&self, group: Option<&StringArray>, row: usize) -> u64 {
        group
            .filter(|group| group.is_valid(row))
            .and_then(|group| self.groups.get(group.value(row)))
            .copied()
            .unwrap_or(self.default)
    }

    fn decide(
        &self,
        own: Option<&StringArray>,
        group: Option<&StringArray>,
        rows: usize,
    ) -> UInt64Array {
        let plain = group.is_none();
        let base = |row: usize| {
            if plain {
                self.default
            } else {
                self.base(group, row)
            }
        };
        let with = |row: usize, said: Said| (base(row) & !said.mask) | said.value;
        match (&self.own, own) {
            (Own::Table(numbered), Some(keys)) => {
                UInt64Array::from_iter_values((0..rows).map(|row| {
                    // a record without key is nobody's
                    if keys.is_null(row) {
                        return 0;
                    }
                    match numbered.keys.get(keys.value(row)) {
                        None => base(row),
                        Some(number) => self
                            .profiles
                            .get(*number as usize)
                            .map_or(0, |said| with(row, *said)),
                    }
                }))
            }
            (Own::Code, Some(codes)) => {
                let Ok(table) = self.policy.table(&self.table) else {
                    return UInt64Array::from_value(0, rows);
                };
                let mut seen: HashMap<&str, Said> = HashMap::new();
                UInt64Array::from_iter_values((0..rows).map(|row| {
                    let code = if codes.is_null(row) {
                        ""
                    } else {
                        codes.value(row)
                    };
                    let own = *seen.entry(code).or_insert_with(|| {
                        let (consent, _) = read_code(table, &self.policy.purposes, code);
                        said(table, self.first, &consent, &self.purpose)
                    });
                    with(row, own)
                }))
            }
            (Own::None, _) => UInt64Array::from_iter_values((0..rows).map(base)),
            // a consent that should be there and is not: nothing is served
            (_, None) => UInt64Array::from_value(0, rows),
        }
    }
}

fn places(table: &TablePolicy, first: usize) -> std::ops::Range<usize> {
    first..table.columns.len().min(first + PER_WORD)
}

fn said(
    table: &TablePolicy,
    first: usize,
    consent: &RecordConsent,
    purpose: &AccessPurpose,
) -> Said {
    let mut out = Said::default();
    for place in places(table, first) {
        if let Some(ip) = consent.cells.get(&place).or(consent.all.as_ref()) {
            let shift = 2 * (place - first);
            out.mask |= 3 << shift;
            out.value |= number(ip.check(purpose)) << shift;
        }
    }
    out
}

/// `decide(own?, group?)` as a function of the query engine; it is in no registry, so that no query can name it.
#[derive(Debug)]
pub(super) struct Decide {
    pub(super) rules: Arc<Rules>,
    signature: Signature,
    has_own: bool,
}

impl Decide {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            has_own: !matches!(rules.own, Own::None),
            rules: Arc::new(rules),
            signature: Signature::variadic_any(Volatility::Immutable),
        }
    }
}

impl PartialEq for Decide {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rules, &other.rules)
    }
}

impl Eq for Decide {}

impl Hash for Decide {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.rules).hash(state);
    }
}

impl ScalarUDFImpl for Decide {
    fn name(&self) -> &'static str {
        "denym_decide"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::UInt64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let texts = args
            .args
            .iter()
            .map(|value| Ok(cast(&value.to_array(rows)?, &DataType::Utf8)?))
            .collect::<Result<Vec<ArrayRef>>>()?;
        let mut texts = texts.iter().map(AsArray::as_string::<i32>);
        let own = if self.has_own { texts.next() } else { None };
        let group = texts.next();
        let decided = self.rules.decide(own, group, rows);
        Ok(ColumnarValue::Array(Arc::new(decided)))
    }
}

/// The decision of one column from its companion numbers: `companion(aip, cip, pip, group?)`.
#[derive(Debug)]
pub(super) struct CompanionDecide {
    rules: Arc<CompanionRules>,
    signature: Signature,
}

#[derive(Debug)]
struct CompanionRules {
    purpose: AccessPurpose,
    /// Up and related bits when they fit in a number.
    bits: Option<(i64, i64)>,
    default: u64,
    groups: HashMap<String, u64>,
}

impl CompanionDecide {
    pub(super) fn new(table: &TablePolicy, place: usize, purpose: &AccessPurpose) -> Self {
        let fallback = |group: Option<&str>| {
            let consent = table.consent(place, group, None).1;
            number(consent.map_or(Compliance::Denied, |ip| ip.check(purpose)))
        };
        let groups = table
            .groups
            .keys()
            .map(|name| (name.clone(), fallback(Some(name))))
            .collect();
        Self {
            rules: Arc::new(CompanionRules {
                bits: purpose.up().to_i64().zip(purpose.related().to_i64()),
                purpose: purpose.clone(),
                default: fallback(None),
                groups,
            }),
            signature: Signature::variadic_any(Volatility::Immutable),
        }
    }
}

impl CompanionRules {
    fn own(&self, a: Option<i64>, c: Option<i64>, p: Option<i64>) -> Option<u64> {
        let Some((up, related)) = self.bits else {
            let consent: Option<IntendedPurpose> = read_companion([a, c, p]);
            return consent.map(|ip| number(ip.check(&self.purpose)));
        };
        if a.is_none() && c.is_none() && p.is_none() {
            return None;
        }
        let (a, c, p) = (a.unwrap_or(0), c.unwrap_or(0), p.unwrap_or(0));
        Some(if a < 0 || c < 0 || p < 0 || p & related != 0 {
            0
        } else if c & up != 0 {
            1
        } else if a & up != 0 {
            2
        } else {
            0
        })
    }
}

impl PartialEq for CompanionDecide {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.rules, &other.rules)
    }
}

impl Eq for CompanionDecide {}

impl Hash for CompanionDecide {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.rules).hash(state);
    }
}

impl ScalarUDFImpl for CompanionDecide {
    fn name(&self) -> &'static str {
        "denym_companion"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::UInt64)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let [a, c, p, rest @ ..] = &args.args[..] else {
            return exec_err!("a companion needs three numbers");
        };
        let [a, c, p] = [numbers(a, rows)?, numbers(c, rows)?, numbers(p, rows)?];
        let group = match rest.first() {
            Some(value) => Some(cast(&value.to_array(rows)?, &DataType::Utf8)?),
            None => None,
        };
        let group = group.as_ref().map(AsArray::as_string::<i32>);
        let at = |array: &Int64Array, row: usize| array.is_valid(row).then(|| array.value(row));
        let decided = UInt64Array::from_iter_values((0..rows).map(|row| {
            self.rules
                .own(at(&a, row), at(&c, row), at(&p, row))
                .unwrap_or_else(|| {
                    group
                        .filter(|group| group.is_valid(row))
                        .and_then(|group| self.rules.groups.get(group.value(row)))
                        .copied()
                        .unwrap_or(self.rules.default)
                })
        }));
        Ok(ColumnarValue::Array(Arc::new(decided)))
    }
}

/// Companion numbers; what is there and no number is -1, which denies.
fn numbers(value: &ColumnarValue, rows: usize) -> Result<Int64Array> {
    let array = value.to_array(rows)?;
    if *array.data_type() == DataType::Utf8 {
        let texts = array.as_string::<i32>();
        return Ok(texts
            .iter()
            .map(|text| text.map(|text| text.trim().parse().unwrap_or(-1)))
            .collect());
    }
    let whole = cast(&array, &DataType::Int64)?;
    let whole: &Int64Array = whole.as_primitive();
    Ok((0..rows)
        .map(|row| {
            array.is_valid(row).then(|| {
                if whole.is_valid(row) {
                    whole.value(row)
                } else {
                    -1
                }
            })
        })
        .collect())
}
