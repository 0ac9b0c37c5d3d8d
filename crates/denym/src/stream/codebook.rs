//! What the lines of a stream's windows mean, for whoever receives them; made from the policy alone.

use std::path::Path;

use denym_release::codebook::FILE;
use denym_report::Language;
use serde_json::{Value, json};

use crate::Error;
use crate::pipeline;
use crate::policy::stream::StreamSpec;

/// Writes the codebook beside the windows; the same policy gives the same bytes.
pub(super) fn write(directory: &Path, spec: &StreamSpec) -> Result<(), Error> {
    let path = directory.join(FILE);
    let text = pipeline::json(&document(spec, Language::default()))?;
    std::fs::write(&path, text).map_err(|error| Error::io("write the codebook", &path, &error))
}

fn document(spec: &StreamSpec, language: Language) -> Value {
    let options = &spec.options;
    let (size, step) = (options.window.to_string(), options.step.to_string());
    let lasts = spec.unit.map(|unit| unit.as_secs());
    let attributes = options.attributes.join(", ");
    let key = |name: &str, means: String| json!({ "name": name, "means": means });
    json!({
        "form": 1,
        "language": language.name(),
        "window": { "timestamps": options.window, "step": options.step, "seconds_per_timestamp": lasts },
        "keys": [
            key("window", language.say("codebook.window.number", &[])),
            key("from", language.say("codebook.window.from", &[])),
            key("to", language.say("codebook.window.to", &[("size", &size), ("step", &step)])),
            key("attributes", language.say("codebook.window.attributes", &[("attributes", &attributes)])),
            key("records", language.say("codebook.window.records", &[])),
            key("path", language.say("codebook.window.path", &[])),
            key("sensitive", language.say("codebook.window.sensitive", &[])),
            key("count", language.say("codebook.window.count", &[])),
            key("base", language.say("codebook.window.base", &[])),
            key("changes", language.say("codebook.window.changes", &[])),
            key("gained", language.say("codebook.window.gained", &[])),
        ],
    })
}
