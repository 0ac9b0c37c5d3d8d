//! Distinctive attribute (DA): the attribute with the most distinct values, which a greedy search generalizes next.
//!
//! # Reference
//!
//! L. Sweeney, "Datafly", 1998. Survey section 4.1: it guides a search and says nothing about the utility of the result.

/// The position of the attribute with the most distinct values, the first of equals; `None` without attributes.
///
/// `columns` yields one slice of codes per attribute, one code per record or tuple.
pub fn distinctive_attribute<'a>(columns: impl IntoIterator<Item = &'a [u32]>) -> Option<usize> {
    let mut best: Option<(usize, usize)> = None;
    for (position, codes) in columns.into_iter().enumerate() {
        let mut seen = vec![false; codes.iter().max().map_or(0, |&code| code as usize + 1)];
        for &code in codes {
            seen[code as usize] = true;
        }
        let distinct = seen.iter().filter(|&&seen| seen).count();
        if best.is_none_or(|(most, _)| distinct > most) {
            best = Some((distinct, position));
        }
    }
    best.map(|(_, position)| position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_the_most_distinct() {
        let columns: [&[u32]; 3] = [&[0, 0, 1], &[2, 0, 1], &[0, 1, 2]];
        assert_eq!(distinctive_attribute(columns), Some(1));
        assert_eq!(distinctive_attribute([]), None);
    }
}
