//! Streams that cannot be believed: damaged checkpoints, columns that no event has.

use super::run;
use super::support::riders::{events, json_events, policy};
use super::support::{json, write};

#[test]
fn not_one_bit_of_a_checkpoint_may_change() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "events.csv", events(60, 8));
    write(at, "policy.toml", policy("path = \"events.csv\""));
    let (code, text) = run(at, &["stream", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{text}");
    let file = at.join("out/steward/checkpoint");
    let whole = std::fs::read(&file).expect("a checkpoint");
    let step = (whole.len() * 8 / 40).max(1);
    let changed = (0..whole.len() * 8).step_by(step).map(|bit| {
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    });
    let older = [
        b"denym-checkpoint-2\n".to_vec(),
        whole[..whole.len() / 2].to_vec(),
        Vec::new(),
    ];
    for bytes in changed.chain(older) {
        write(at, "out/steward/checkpoint", &bytes);
        let (code, found) = json(at, &["stream", "policy.toml", "-o", "out"]);
        assert_eq!(code, 2, "{found}");
        assert_eq!(found["error"]["code"], "stream-checkpoint", "{found}");
        let place = found["error"]["location"].as_str().expect("a place");
        assert!(place.ends_with("steward/checkpoint"), "{found}");
    }
    write(at, "out/steward/checkpoint", &whole);
    let (code, text) = run(at, &["stream", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{text}");
}

#[test]
fn a_stream_without_its_columns_is_refused_by_their_names() {
    for (file, text, format) in [
        (
            "events.csv",
            events(60, 8).replace("subject,location,time", "who,where,when"),
            "",
        ),
        (
            "events.ndjson",
            json_events(60, 8)
                .replace("\"subject\"", "\"who\"")
                .replace("\"time\"", "\"when\""),
            "format = \"json\"\n",
        ),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let at = directory.path();
        write(at, file, &text);
        write(
            at,
            "policy.toml",
            policy(&format!("path = \"{file}\"\n{format}")),
        );
        let (code, found) = json(at, &["stream", "policy.toml", "-o", "out"]);
        assert_eq!(code, 2, "{found}");
        assert_eq!(found["error"]["code"], "stream-nothing-readable", "{found}");
        let message = found["error"]["message"].as_str().expect("a message");
        assert!(
            message.contains("`subject`") && message.contains("`time`"),
            "{message}"
        );
        assert!(!found.to_string().contains("r7"), "{found}");
        // Nothing was taken for read: with the right names all of it is.
        let columns = "subject = \"who\"\ntime = \"when\"\n";
        let columns = if file == "events.csv" {
            format!("{columns}location = \"where\"\n")
        } else {
            columns.to_owned()
        };
        write(
            at,
            "policy.toml",
            policy(&format!("path = \"{file}\"\n{format}{columns}")),
        );
        let (code, found) = json(at, &["stream", "policy.toml", "-o", "out"]);
        assert_eq!(code, 0, "{found}");
        assert_eq!(
            (found["events"].as_u64(), found["rejected"].as_u64()),
            (Some(480), Some(0)),
            "{found}"
        );
    }
}
