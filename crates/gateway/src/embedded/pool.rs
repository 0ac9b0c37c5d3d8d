//! The memory of one statement, the memory of all, and how many statements of one user may be open.
//!
//! # Guarantee
//! What operators collect and what is in flight is counted twice: against the statement's own bound and against the bound of all statements.
//! So one statement cannot take what the others need, and one user cannot take all places.

use super::failure::Halt;
use crate::request::Refusal;
use datafusion::common::DataFusionError;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A statement's part of the memory of all.
#[derive(Debug)]
pub(super) struct StatementPool {
    all: Arc<dyn MemoryPool>,
    most: usize,
    used: AtomicUsize,
}

impl StatementPool {
    pub(super) fn new(all: Arc<dyn MemoryPool>, most: usize) -> Self {
        Self {
            all,
            most,
            used: AtomicUsize::new(0),
        }
    }
}

impl std::fmt::Display for StatementPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("statement")
    }
}

impl MemoryPool for StatementPool {
    fn name(&self) -> &'static str {
        "statement"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.all.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.all.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.used.fetch_add(additional, Ordering::Relaxed);
        self.all.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.used.fetch_sub(shrink, Ordering::Relaxed);
        self.all.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let fits = |used: usize| used.checked_add(additional).filter(|sum| *sum <= self.most);
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits)
            .map_err(|_| DataFusionError::ResourcesExhausted("one statement".into()))?;
        self.all.try_grow(reservation, additional).inspect_err(|_| {
            self.used.fetch_sub(additional, Ordering::Relaxed);
        })
    }

    fn reserved(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.most)
    }
}

/// Reserves what a statement has in flight.
pub(super) fn in_flight(
    pool: &Arc<dyn MemoryPool>,
    bytes: usize,
) -> Result<MemoryReservation, Refusal> {
    let reservation = MemoryConsumer::new("in flight").register(pool);
    match reservation.try_grow(bytes) {
        Ok(()) => Ok(reservation),
        Err(_) => Err(Refusal::from(&Halt::Memory)),
    }
}

/// How long a statement waits for a place before it is refused.
const PATIENCE: Duration = Duration::from_secs(10);

/// Open statements by user.
#[derive(Debug)]
pub(super) struct Places {
    most: usize,
    users: Mutex<BTreeMap<String, Arc<Semaphore>>>,
}

/// A user's place; gives itself back.
#[derive(Debug)]
pub(super) struct Place {
    _permit: OwnedSemaphorePermit,
}

impl Places {
    /// So many for each user.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            users: Mutex::default(),
        }
    }

    /// One more statement of a user. Many short ones wait for each other; one that waits for long is told why.
    pub(super) async fn take(&self, user: &str) -> Result<Place, Refusal> {
        let places = {
            let mut users = self.users.lock().unwrap_or_else(PoisonError::into_inner);
            let places = users
                .entry(user.to_owned())
                .or_insert_with(|| Arc::new(Semaphore::new(self.most.max(1))));
            places.clone()
        };
        match tokio::time::timeout(PATIENCE, places.acquire_owned()).await {
            Ok(Ok(permit)) => Ok(Place { _permit: permit }),
            _ => {
                let mut refusal = Refusal::new(
                    "53300",
                    "too-many-statements",
                    "too many statements of this user are open",
                );
                refusal.hint = Some(
                    "read the answers that are on their way and close cursors; the one who runs the gateway sets the bound with --statements-per-user".into(),
                );
                Err(refusal)
            }
        }
    }
}
