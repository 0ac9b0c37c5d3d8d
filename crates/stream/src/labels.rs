//! Labels with codes in order of first appearance, and the order in which ties between labels are broken.

use denym_release::windows::label_order;
use hashbrown::HashMap;

/// Labels of locations or of one sensitive attribute.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels {
    texts: Vec<String>,
    codes: HashMap<String, u32>,
    /// Place of each label in the order of ties, once [`Labels::rank_all`] has run.
    ranks: Vec<u32>,
}

impl Labels {
    pub(crate) fn from_texts(texts: Vec<String>) -> Self {
        let codes = texts.iter().cloned().zip(0..).collect();
        Self {
            texts,
            codes,
            ranks: Vec::new(),
        }
    }

    pub(crate) fn code(&mut self, text: &str) -> u32 {
        if let Some(&code) = self.codes.get(text) {
            return code;
        }
        let code = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.codes.insert(text.to_owned(), code);
        code
    }

    pub(crate) fn text(&self, code: u32) -> &str {
        &self.texts[code as usize]
    }

    /// Finds the place of every label in the order of ties; nothing to do unless there are new ones.
    pub(crate) fn rank_all(&mut self) {
        if self.ranks.len() == self.texts.len() {
            return;
        }
        let mut order: Vec<u32> = (0..self.texts.len() as u32).collect();
        order.sort_by(|&a, &b| label_order(self.text(a), self.text(b)));
        self.ranks = vec![0; order.len()];
        for (rank, code) in order.into_iter().enumerate() {
            self.ranks[code as usize] = rank as u32;
        }
    }

    /// The place of a label in the order of ties; all must have been ranked.
    pub(crate) fn rank(&self, code: u32) -> u32 {
        self.ranks[code as usize]
    }

    pub(crate) fn texts(&self) -> &[String] {
        &self.texts
    }

    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }
}
