//! Our bugs: whichever thread panics, the process ends with exit code 3 and one line that names the place in the code.
//!
//! What a panic says may quote a cell, so it is never printed. Bundles under construction are removed. Panics that are caught and
//! answered (a damaged file) say nothing; a gateway goes on serving the others.

use std::io::Write as _;
use std::panic::{Location, PanicHookInfo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::plain::one_line;

/// Whether the answer is a JSON document.
static JSON: AtomicBool = AtomicBool::new(false);
/// Whether the process serves several people and goes on.
static SERVES: AtomicBool = AtomicBool::new(false);
/// Whether the line was printed: two threads may fail at once.
static SAID: AtomicBool = AtomicBool::new(false);
/// Where the last panic was that somebody caught.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Watches every thread from now on.
pub(crate) fn watch() {
    std::panic::set_hook(Box::new(panicked));
}

/// Says whether the answer is a JSON document.
pub(crate) fn answer_as(json: bool) {
    JSON.store(json, Ordering::Relaxed);
}

/// The process goes on after a panic: whoever waits for the thread answers for it.
pub(crate) fn go_on() {
    SERVES.store(true, Ordering::Relaxed);
}

fn panicked(info: &PanicHookInfo<'_>) {
    let place = info
        .location()
        .map_or_else(|| "an unknown place".to_owned(), place);
    if denym::panic_is_caught_here() {
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = Some(place);
        return;
    }
    if SERVES.load(Ordering::Relaxed) {
        let _ = writeln!(
            std::io::stderr().lock(),
            "error: internal error at {place}: this is a bug of ours, please report it; the session ended, the others go on"
        );
        return;
    }
    if SAID.swap(true, Ordering::SeqCst) {
        // Another thread is about to end the process.
        return;
    }
    denym::remove_unfinished();
    let what = format!("internal error at {place}");
    if JSON.load(Ordering::Relaxed) {
        let document = serde_json::json!({"error": {
            "code": "internal",
            "message": what,
            "location": place,
            "help": HELP,
        }});
        let _ = writeln!(std::io::stdout().lock(), "{document:#}");
    }
    let _ = write!(std::io::stderr().lock(), "{}", sentence(&what));
    #[expect(
        clippy::exit,
        reason = "nothing that a thread of ours computes can be relied on any more"
    )]
    std::process::exit(3);
}

const HELP: &str =
    "this is a bug of ours: please report it with this line and the version; nothing was published";

/// The one line about an error that is our bug; where it came from, when somebody caught a panic before.
pub(crate) fn line(what: &str) -> String {
    let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
    match place {
        Some(place) => sentence(&format!("{what}, at {place}")),
        None => sentence(what),
    }
}

fn sentence(what: &str) -> String {
    format!("error: {}: {HELP}\n", one_line(what))
}

/// File and line, without the directories of the machine it was built on.
fn place(location: &Location<'_>) -> String {
    let file = location.file();
    let registry = file
        .split_once("registry/src/")
        .and_then(|(_, rest)| rest.split_once('/'))
        .map(|(_, rest)| rest);
    let library = file.find("library/").map(|at| &file[at..]);
    let ours = file.find("crates/").map(|at| &file[at..]);
    let short = registry.or(ours).or(library).unwrap_or(file);
    format!("{short}:{}", location.line())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the test below runs in a process of its own; does nothing otherwise.
    #[test]
    fn child() {
        let Ok(kind) = std::env::var("DENYM_TEST_PANIC") else {
            return;
        };
        watch();
        let fail = || -> () { panic!("Sekretna") };
        match kind.as_str() {
            "thread" => drop(std::thread::spawn(fail).join()),
            #[cfg(feature = "brokers")]
            "task" => {
                let runtime = tokio::runtime::Runtime::new().unwrap();
                drop(runtime.block_on(async { tokio::spawn(async move { fail() }).await }));
            }
            _ => fail(),
        }
    }

    #[test]
    fn a_panic_in_any_thread_ends_with_three_and_one_line_without_its_words() {
        let runtimes: &[&str] = if cfg!(feature = "brokers") {
            &["task"]
        } else {
            &[]
        };
        for kind in ["here", "thread"].iter().chain(runtimes) {
            let output = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "crash::tests::child", "--nocapture"])
                .env("DENYM_TEST_PANIC", kind)
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(3), "{kind}: {text}");
            assert_eq!(text.lines().count(), 1, "{kind}: {text}");
            assert!(text.contains("crates/cli/src/crash.rs:"), "{kind}: {text}");
            assert!(!text.contains("Sekretna"), "{kind}: {text}");
        }
    }

    #[test]
    fn a_place_says_nothing_of_the_machine() {
        let here = place(Location::caller());
        assert!(here.starts_with("crates/cli/src/crash.rs:"), "{here}");
        assert_eq!(sentence("internal error\nx").lines().count(), 1);
    }
}
