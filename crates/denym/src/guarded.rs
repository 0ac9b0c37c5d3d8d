//! The entry for programs that must not end with us: a panic of ours is an error of theirs to handle.

use std::panic::AssertUnwindSafe;

use crate::Error;

/// Runs `work`, such as `|| denym::anonymize(...)`; a panic becomes [`Error::Internal`], and a bundle under construction is gone.
///
/// What the panic says may quote a cell: it is thrown away here. The panic hook of the process still sees it, so set one that does
/// not print the payload.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    std::panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        Err(Error::Internal {
            what: "a part of the program failed unexpectedly".to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_on_any_thread_of_a_pool_is_an_error_without_its_words() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let found = guarded::<()>(|| panic!("Sekretna"));
        let joined = guarded(|| {
            std::thread::scope(|scope| {
                let worker = scope.spawn(|| -> () { panic!("Sekretna") });
                worker.join().map_err(|_| Error::Stopped)
            })
        });
        std::panic::set_hook(hook);
        let error = found.expect_err("an error");
        assert_eq!(error.exit_code(), 3);
        assert!(!format!("{error} {error:?}").contains("Sekretna"));
        assert!(joined.is_err());
    }
}
