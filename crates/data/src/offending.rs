//! The text of a cell that an error is about, kept only where a steward asked to see it.
//!
//! No error carries a cell, so none can leave by a log or a document. Who sits at their own terminal may ask for it: the program then
//! says so once, before it reads anything, and takes the text when it prints the error.

use std::sync::Mutex;

/// Nothing was asked for; or what was kept last.
static KEPT: Mutex<Kept> = Mutex::new(Kept {
    asked: false,
    text: None,
});

struct Kept {
    asked: bool,
    text: Option<String>,
}

/// From now on the text of a cell that an error is about is kept.
pub fn ask() {
    if let Ok(mut kept) = KEPT.lock() {
        kept.asked = true;
    }
}

/// Keeps the text of a cell that an error is about, where somebody asked.
pub fn keep(text: &str) {
    if let Ok(mut kept) = KEPT.lock()
        && kept.asked
    {
        kept.text = Some(text.to_owned());
    }
}

/// What was kept last.
pub fn take() -> Option<String> {
    KEPT.lock().ok()?.text.take()
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_is_kept_unless_somebody_asked() {
        super::keep("secret");
        assert_eq!(super::take(), None);
        super::ask();
        super::keep("seen");
        assert_eq!(super::take().as_deref(), Some("seen"));
        assert_eq!(super::take(), None);
    }
}
