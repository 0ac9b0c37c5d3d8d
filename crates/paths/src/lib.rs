//! LKC-privacy and kin for paths and transactions: the violation miner and the solvers on it.

pub mod generate;
