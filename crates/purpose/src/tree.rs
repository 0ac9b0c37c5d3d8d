//! The purpose tree and its bit encoding: what a purpose implies when allowed, conditional or prohibited.
//!
//! # Idea
//! Purposes form a tree (or several). Allowing a purpose allows everything below it; prohibiting one prohibits
//! everything below it *and above it*, because serving the wider purpose would serve the prohibited one too.
//! Each purpose is one bit, so "is this access purpose among the implied ones" is one bitwise AND.
//!
//! # Guarantee
//! [`Codes`] are exactly the closures of the definition: `down` for allowed and conditional, `up` and `down`
//! together for prohibited.
//!
//! # Reference
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: Definition 2.3.1, Figures 2.1 and 2.4, Table 2.7.
//!
//! # Departures
//! Table 2.7 prints `04F0` for the `cip_code` of D; it is `04F`. More than 64 purposes work. A `width` larger than the
//! number of purposes keeps the stored codes stable when purposes are appended later.
//!
//! # Cost
//! Building is O(purposes x depth); a lookup of a closure is an index.

use crate::bits::PurposeSet;
use crate::error::Error;
use denym_data::nearest;
use std::collections::BTreeMap;

/// A purpose of one tree, by its place in the order of declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PurposeId(pub(crate) u32);

impl PurposeId {
    /// Place in the order of declaration, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A purpose as declared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Purpose {
    /// Its name.
    pub name: String,
    /// The name of the wider purpose, if any.
    pub parent: Option<String>,
    /// Records older than this many days are not served for this purpose or any below it.
    pub retention_days: Option<u32>,
    /// What must follow an access for this purpose or any below it; recorded with the access.
    pub obligations: Vec<String>,
}

/// The four codes of one purpose, as in Table 2.7.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Codes {
    /// The purpose's own bit.
    pub code: PurposeSet,
    /// What allowing it implies: itself and all below.
    pub aip: PurposeSet,
    /// What allowing it conditionally implies: itself and all below.
    pub cip: PurposeSet,
    /// What prohibiting it implies: itself, all below and all above.
    pub pip: PurposeSet,
}

/// All purposes of an organization, widest first, with their implications.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurposeTree {
    purposes: Vec<Purpose>,
    parents: Vec<Option<PurposeId>>,
    by_name: BTreeMap<String, PurposeId>,
    width: usize,
    /// Ancestors and the purpose itself.
    up: Vec<PurposeSet>,
    /// Descendants and the purpose itself.
    down: Vec<PurposeSet>,
    /// Both of the above.
    related: Vec<PurposeSet>,
}

impl PurposeTree {
    /// Builds the tree from purposes in the order that fixes their bits; `width` is the number of bits of a code,
    /// by default one per purpose.
    pub fn new(purposes: Vec<Purpose>, width: Option<usize>) -> Result<Self, Error> {
        let count = purposes.len();
        let width = width.unwrap_or(count);
        if width < count {
            return Err(Error::WidthTooSmall { count, width });
        }
        let mut by_name = BTreeMap::new();
        for (index, purpose) in purposes.iter().enumerate() {
            if !is_name(&purpose.name) {
                return Err(Error::PurposeName {
                    name: purpose.name.clone(),
                });
            }
            let id = PurposeId(u32::try_from(index).map_err(|_| Error::WidthTooSmall {
                count,
                width: u32::MAX as usize,
            })?);
            if by_name.insert(purpose.name.clone(), id).is_some() {
                return Err(Error::PurposeTwice {
                    name: purpose.name.clone(),
                });
            }
        }
        let mut parents = Vec::with_capacity(count);
        for purpose in &purposes {
            parents.push(match &purpose.parent {
                None => None,
                Some(name) => Some(*by_name.get(name).ok_or_else(|| Error::PurposeUnknown {
                    name: name.clone(),
                    nearest: nearest(name, by_name.keys().map(String::as_str)).map(str::to_owned),
                })?),
            });
        }
        let mut up = vec![PurposeSet::empty(); count];
        let mut down = vec![PurposeSet::empty(); count];
        for index in 0..count {
            let mut at = Some(index);
            let mut steps = 0;
            while let Some(node) = at {
                if steps > count {
                    return Err(Error::PurposeCycle {
                        name: purposes[index].name.clone(),
                    });
                }
                up[index].insert(width - 1 - node);
                down[node].insert(width - 1 - index);
                at = parents[node].map(PurposeId::index);
                steps += 1;
            }
        }
        let related = up.iter().zip(&down).map(|(a, b)| a.union(b)).collect();
        Ok(Self {
            purposes,
            parents,
            by_name,
            width,
            up,
            down,
            related,
        })
    }

    /// How many purposes there are.
    pub fn len(&self) -> usize {
        self.purposes.len()
    }

    /// Whether there is no purpose at all.
    pub fn is_empty(&self) -> bool {
        self.purposes.is_empty()
    }

    /// Bits of a code.
    pub fn width(&self) -> usize {
        self.width
    }

    /// All purposes, in the order of declaration.
    pub fn ids(&self) -> impl Iterator<Item = PurposeId> + use<> {
        (0..self.purposes.len()).map(|index| PurposeId(index as u32))
    }

    /// The purpose of that name.
    pub fn find(&self, name: &str) -> Result<PurposeId, Error> {
        self.by_name
            .get(name)
            .copied()
            .ok_or_else(|| Error::PurposeUnknown {
                name: name.to_owned(),
                nearest: nearest(name, self.by_name.keys().map(String::as_str)).map(str::to_owned),
            })
    }

    /// The declaration of a purpose.
    pub fn purpose(&self, id: PurposeId) -> &Purpose {
        &self.purposes[id.index()]
    }

    /// The name of a purpose.
    pub fn name(&self, id: PurposeId) -> &str {
        &self.purposes[id.index()].name
    }

    /// The next wider purpose.
    pub fn parent(&self, id: PurposeId) -> Option<PurposeId> {
        self.parents[id.index()]
    }

    /// The bit of a purpose: the first declared has the highest.
    pub fn bit(&self, id: PurposeId) -> usize {
        self.width - 1 - id.index()
    }

    /// The purpose and all above it.
    pub fn up(&self, id: PurposeId) -> &PurposeSet {
        &self.up[id.index()]
    }

    /// The purpose and all below it.
    pub fn down(&self, id: PurposeId) -> &PurposeSet {
        &self.down[id.index()]
    }

    /// The purpose, all above and all below it.
    pub fn related(&self, id: PurposeId) -> &PurposeSet {
        &self.related[id.index()]
    }

    /// The row of Table 2.7 for a purpose.
    pub fn codes(&self, id: PurposeId) -> Codes {
        Codes {
            code: PurposeSet::of_bit(self.bit(id)),
            aip: self.down(id).clone(),
            cip: self.down(id).clone(),
            pip: self.related(id).clone(),
        }
    }

    /// The set of the named purposes.
    pub fn set<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Result<PurposeSet, Error> {
        let mut out = PurposeSet::empty();
        for name in names {
            out.insert(self.bit(self.find(name)?));
        }
        Ok(out)
    }

    /// The names in a set, in the order of declaration. Bits that no purpose has yet are left out.
    pub fn names(&self, set: &PurposeSet) -> Vec<&str> {
        self.members(set).map(|id| self.name(id)).collect()
    }

    /// The purposes in a set, in the order of declaration.
    pub fn members<'a>(&'a self, set: &'a PurposeSet) -> impl Iterator<Item = PurposeId> + 'a {
        self.ids().filter(|id| set.contains(self.bit(*id)))
    }

    /// The union of a closure over the members of a set.
    pub(crate) fn close(
        &self,
        set: &PurposeSet,
        closure: impl Fn(PurposeId) -> PurposeSet,
    ) -> PurposeSet {
        self.members(set)
            .fold(PurposeSet::empty(), |all, id| all.union(&closure(id)))
    }

    /// The shortest retention declared for the purpose or any above it.
    pub fn retention_days(&self, id: PurposeId) -> Option<u32> {
        self.members(self.up(id))
            .filter_map(|id| self.purpose(id).retention_days)
            .min()
    }

    /// The obligations of the purpose and all above it, widest first, each once.
    pub fn obligations(&self, id: PurposeId) -> Vec<String> {
        let mut chain = Vec::new();
        let mut at = Some(id);
        while let Some(node) = at {
            chain.push(node);
            at = self.parent(node);
        }
        let mut out: Vec<String> = Vec::new();
        for node in chain.into_iter().rev() {
            for obligation in &self.purpose(node).obligations {
                if !out.contains(obligation) {
                    out.push(obligation.clone());
                }
            }
        }
        out
    }
}

/// The signs that stand for no purpose in a written consent; Kabir 2010 writes a phi.
pub(crate) const NOTHING: [&str; 4] = ["", "\u{3a6}", "\u{3c6}", "\u{2205}"];

/// Whether `<{..}, {..}, {..}>` can hold the name and be read back.
fn is_name(name: &str) -> bool {
    !NOTHING.contains(&name) && name.trim() == name && !name.contains([',', '{', '}'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn purpose(name: &str, parent: &str) -> Purpose {
        Purpose {
            name: name.into(),
            parent: (!parent.is_empty()).then(|| parent.into()),
            ..Purpose::default()
        }
    }

    #[test]
    fn refuses_cycles_doubles_and_strangers() {
        let new = |list: &[(&str, &str)]| {
            PurposeTree::new(list.iter().map(|(n, p)| purpose(n, p)).collect(), None)
                .map_err(|e| e.code())
        };
        assert_eq!(new(&[("a", "b"), ("b", "a")]), Err("purpose-cycle"));
        assert_eq!(new(&[("a", ""), ("a", "")]), Err("purpose-twice"));
        assert_eq!(new(&[("a", "x")]), Err("purpose-unknown"));
        let narrow = PurposeTree::new(vec![purpose("a", ""), purpose("b", "a")], Some(1));
        assert_eq!(narrow.map_err(|e| e.code()), Err("purpose-width-too-small"));
    }

    #[test]
    fn retention_is_the_shortest_and_obligations_add_up() {
        let mut list = vec![purpose("g", ""), purpose("m", "g"), purpose("d", "m")];
        list[0].retention_days = Some(100);
        list[0].obligations = vec!["log".into()];
        list[1].retention_days = Some(30);
        list[2].retention_days = Some(60);
        list[2].obligations = vec!["notify".into(), "log".into()];
        let tree = PurposeTree::new(list, None).expect("valid");
        let days: Vec<_> = tree.ids().map(|id| tree.retention_days(id)).collect();
        assert_eq!(days, [Some(100), Some(30), Some(30)]);
        let d = tree.find("d").expect("declared");
        assert_eq!(tree.obligations(d), ["log", "notify"]);
    }

    #[test]
    fn spare_width_keeps_codes_when_purposes_are_appended() {
        let two = vec![purpose("a", ""), purpose("b", "a")];
        let mut three = two.clone();
        three.push(purpose("c", "a"));
        let before = PurposeTree::new(two, Some(80)).expect("valid");
        let after = PurposeTree::new(three, Some(80)).expect("valid");
        let set = before.set(["b"]).expect("declared");
        assert_eq!(after.names(&set), ["b"]);
        assert_eq!(set.to_hex(20), "40000000000000000000");
    }
}
