//! The style and the script of every page, from this binary and from nowhere else.

use std::sync::LazyLock;

use crate::answer::{Answer, Failure, File};
use crate::app::App;
use crate::call::Call;
use crate::projects::version;

const SCRIPT: &str = include_str!("../../assets/app.js");

static STYLE: LazyLock<String> =
    LazyLock::new(|| denym_report::style() + include_str!("../../assets/web.css"));

/// The address of a file, which is another one when its content is.
pub(crate) fn address(name: &str) -> String {
    let content = if name == "app.js" {
        SCRIPT
    } else {
        STYLE.as_str()
    };
    format!("/{name}?{}", version(content))
}

fn kept(content: &str, kind: &'static str) -> Answer {
    Answer::File(File {
        content: content.as_bytes().to_vec(),
        kind,
        name: None,
        framed: false,
        kept: true,
    })
}

#[expect(clippy::unnecessary_wraps, reason = "every handler is of one type")]
pub(crate) fn style(_: &App, _: &Call) -> Result<Answer, Failure> {
    Ok(kept(&STYLE, "text/css; charset=utf-8"))
}

#[expect(clippy::unnecessary_wraps, reason = "every handler is of one type")]
pub(crate) fn script(_: &App, _: &Call) -> Result<Answer, Failure> {
    Ok(kept(SCRIPT, "text/javascript; charset=utf-8"))
}
