//! A tree over categories: heights, and the lowest common ancestor of any two.

use crate::Error;

/// Categories 0..n as leaves of one tree.
///
/// The height of a node is the longest way down to a leaf; the loss of generalizing to it is its height over the root's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CategoryTree {
    parent: Vec<u32>,
    depth: Vec<u32>,
    height: Vec<u32>,
    /// Leaves in an order that keeps every subtree together.
    rank: Vec<u32>,
    leaves: usize,
}

impl CategoryTree {
    /// All categories directly below one root: generalizing means suppressing.
    pub fn flat(categories: usize) -> Result<Self, Error> {
        let paths: Vec<[u32; 1]> = vec![[0]; categories];
        Self::from_paths(&paths)
    }

    /// From the ancestors of each category, nearest first, by their own numbers; the last is the root and the same for all.
    pub fn from_paths<P: AsRef<[u32]>>(paths: &[P]) -> Result<Self, Error> {
        if paths.is_empty() {
            return Err(Error::Empty { what: "categories" });
        }
        let leaves = paths.len();
        let inner = paths
            .iter()
            .flat_map(AsRef::as_ref)
            .max()
            .map_or(0, |&most| most as usize + 1);
        let mut parent: Vec<Option<u32>> = vec![None; leaves + inner];
        let mut root = None;
        for (leaf, path) in paths.iter().enumerate() {
            let mut below = leaf as u32;
            for &ancestor in path.as_ref() {
                let node = ancestor + leaves as u32;
                match parent[below as usize] {
                    None => parent[below as usize] = Some(node),
                    Some(known) if known == node => {}
                    Some(_) => {
                        return Err(Error::Tree {
                            node: leaf,
                            problem: "gives a node two parents",
                        });
                    }
                }
                below = node;
            }
            if path.as_ref().is_empty() || root.is_some_and(|root| root != below) {
                return Err(Error::Tree {
                    node: leaf,
                    problem: "does not end at the common root",
                });
            }
            root = Some(below);
        }
        let root = root.unwrap_or(0);
        if parent[root as usize].is_some() {
            return Err(Error::Tree {
                node: root as usize - leaves,
                problem: "is the root and has a parent",
            });
        }
        let parent: Vec<u32> = parent
            .into_iter()
            .map(|parent| parent.unwrap_or(root))
            .collect();
        let mut depth = vec![0; parent.len()];
        let mut height = vec![0; parent.len()];
        for leaf in 0..leaves {
            let mut way = vec![leaf as u32];
            let mut node = leaf as u32;
            while node != root {
                node = parent[node as usize];
                if way.len() > parent.len() {
                    return Err(Error::Tree {
                        node: leaf,
                        problem: "is in a cycle",
                    });
                }
                way.push(node);
            }
            for (up, &node) in way.iter().enumerate() {
                height[node as usize] = height[node as usize].max(up as u32);
                depth[node as usize] = (way.len() - 1 - up) as u32;
            }
        }
        let way_down = |leaf: u32| {
            let mut way = vec![leaf];
            let mut node = leaf;
            while node != root {
                node = parent[node as usize];
                way.push(node);
            }
            way.reverse();
            way
        };
        let mut by_way: Vec<u32> = (0..leaves as u32).collect();
        by_way.sort_by_key(|&leaf| way_down(leaf));
        let mut rank = vec![0; leaves];
        for (place, &leaf) in by_way.iter().enumerate() {
            rank[leaf as usize] = place as u32;
        }
        Ok(Self {
            parent,
            depth,
            height,
            rank,
            leaves,
        })
    }

    /// The number of categories.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// The number of categories and inner nodes.
    pub fn nodes(&self) -> usize {
        self.parent.len()
    }

    /// The height of the whole tree.
    pub fn height(&self) -> u32 {
        self.height.iter().copied().max().unwrap_or(0)
    }

    /// The lowest common ancestor of two nodes; leaves are numbered as their categories.
    #[inline]
    pub fn join(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            if self.depth[a as usize] >= self.depth[b as usize] {
                a = self.parent[a as usize];
            } else {
                b = self.parent[b as usize];
            }
        }
        a
    }

    /// The height of a node over the height of the tree: 0 for a category, 1 for the root.
    #[inline]
    pub fn share(&self, node: u32) -> f64 {
        f64::from(self.height[node as usize]) / f64::from(self.height().max(1))
    }

    /// A category's place in an order that keeps every subtree together.
    pub(crate) fn rank(&self, leaf: u32) -> u32 {
        self.rank[leaf as usize]
    }

    /// The categories below a node.
    pub fn below(&self, node: u32) -> Vec<u32> {
        (0..self.leaves as u32)
            .filter(|&leaf| self.join(leaf, node) == node)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_and_heights_of_a_small_tree() {
        // Categories 0 1 below node 0, 2 below node 1, both below the root 2.
        let tree = CategoryTree::from_paths(&[vec![0, 2], vec![0, 2], vec![1, 2]]).unwrap();
        let low = tree.join(0, 1);
        assert_eq!(tree.join(0, 0), 0);
        assert!((tree.share(low) - 0.5).abs() < 1e-12);
        assert!((tree.share(tree.join(low, 2)) - 1.0).abs() < 1e-12);
        assert_eq!(tree.below(low), [0, 1]);
    }

    #[test]
    fn refuses_what_is_no_tree() {
        assert!(CategoryTree::from_paths(&[vec![0], vec![1]]).is_err());
        assert!(CategoryTree::from_paths(&[vec![0, 1, 2], vec![0, 2]]).is_err());
        assert!(CategoryTree::from_paths(&[vec![0, 1, 0, 1]]).is_err());
        assert!(CategoryTree::flat(0).is_err());
    }
}
