//! Sequences without what no record shows.

use super::Sequences;

impl Sequences {
    /// The same records with a dictionary of only the doublets, locations and times that occur.
    #[must_use]
    pub fn without_unused_doublets(&self) -> Self {
        let mut used = vec![false; self.doublets.len()];
        for &item in &self.items {
            used[item as usize] = true;
        }
        let mut new_location = vec![u32::MAX; self.locations.len()];
        let mut new_time = vec![u32::MAX; self.times.len()];
        for (doublet, _) in self.doublets.iter().zip(&used).filter(|(_, used)| **used) {
            new_location[doublet.location as usize] = 0;
            new_time[doublet.time as usize] = 0;
        }
        let keep = |labels: &[String], new: &mut [u32]| {
            let mut kept = Vec::new();
            for (label, code) in labels.iter().zip(new) {
                if *code == 0 {
                    *code = kept.len() as u32;
                    kept.push(label.clone());
                }
            }
            kept
        };
        let locations = keep(&self.locations, &mut new_location);
        let times = keep(&self.times, &mut new_time);
        let mut new_id = vec![0u32; self.doublets.len()];
        let mut doublets = Vec::new();
        for (id, doublet) in self.doublets.iter().enumerate() {
            if used[id] {
                new_id[id] = doublets.len() as u32;
                doublets.push(super::Doublet {
                    time: new_time[doublet.time as usize],
                    location: new_location[doublet.location as usize],
                });
            }
        }
        Self {
            locations,
            times,
            doublets,
            starts: self.starts.clone(),
            items: self.items.iter().map(|&id| new_id[id as usize]).collect(),
            sensitive: self.sensitive.clone(),
            quasi: self.quasi.clone(),
        }
    }
}
