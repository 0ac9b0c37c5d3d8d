use super::*;

fn event(rows: u64) -> Event {
    Event {
        event: "served".into(),
        at: "2026-03-02 09:30".into(),
        user: "anna".into(),
        rows: Some(rows),
        statement: Some("SELECT 1".into()),
        decision: "allowed".into(),
        ..Event::default()
    }
}

fn written() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    for round in 0..2 {
        let log = AuditLog::open(&path).expect("opens");
        for row in 0..3 {
            log.append(event(round * 3 + row)).expect("appends");
        }
    }
    let text = std::fs::read_to_string(&path).expect("reads");
    (folder, text)
}

#[test]
fn the_chain_holds_across_openings() {
    let (_folder, text) = written();
    let (count, last) = verify(text.as_bytes()).expect("holds");
    assert_eq!(count, 6);
    assert!(text.trim_end().ends_with(&format!("\"hash\":\"{last}\"}}")));
}

#[test]
fn every_change_breaks_the_chain() {
    let (folder, text) = written();
    let lines: Vec<&str> = text.lines().collect();
    let broken = |lines: &[&str]| match verify(lines.join("\n").as_bytes()) {
        Err(Error::AuditBroken { entry }) => Some(entry),
        _ => None,
    };
    let changed = lines[2].replace("\"rows\":2", "\"rows\":3");
    assert_eq!(broken(&[lines[0], lines[1], &changed, lines[3]]), Some(3));
    assert_eq!(broken(&[lines[0], lines[2]]), Some(2));
    assert_eq!(broken(&[lines[1], lines[0]]), Some(1));
    let added = lines[0].replace("{\"entry\"", "{\"note\":\"x\",\"entry\"");
    assert_eq!(broken(&[&added]), Some(1));
    let path = folder.path().join("audit.jsonl");
    std::fs::write(&path, format!("{changed}\n")).expect("writes");
    assert!(
        AuditLog::open(&path).is_err(),
        "a broken log is not continued"
    );
}

/// Three entries as the first version of the gateway wrote them.
const OLD: &str = r#"{"entry":1,"previous":"0000000000000000000000000000000000000000000000000000000000000000","event":"login","at":"2026-03-02 09:30","user":"anna","decision":"allowed","hash":"a7c4a8a898344b02cf4104e9d9363dc712dc54e3506da0f84d4d91fe5aa26f6f"}
{"entry":2,"previous":"a7c4a8a898344b02cf4104e9d9363dc712dc54e3506da0f84d4d91fe5aa26f6f","event":"access","at":"2026-03-02 09:31","user":"anna","roles":["r"],"purpose":"general","statement":"SELECT id FROM v","expanded":"SELECT id FROM (SELECT id FROM t) AS v","tables":{"t":["id"]},"decision":"allowed","obligations":["note it"],"hash":"f0862f99ad2e9b9fed1a623d92c8ad32b6fd1aa7650cbdd6ec91728edaa35f12"}
{"entry":3,"previous":"f0862f99ad2e9b9fed1a623d92c8ad32b6fd1aa7650cbdd6ec91728edaa35f12","event":"served","at":"2026-03-02 09:31","user":"anna","roles":["r"],"purpose":"general","rows":3,"decision":"allowed","hash":"5c86df5785af08d435df64ebf7373af865295b70d5fbbd813f4c8d68a445b8e8"}
"#;

#[test]
fn logs_of_earlier_versions_hold_and_are_continued() {
    assert_eq!(verify(OLD.as_bytes()).expect("holds").0, 3);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    std::fs::write(&path, OLD).expect("writes");
    let log = AuditLog::open(&path).expect("opens");
    log.append(event(1)).expect("appends");
    drop(log);
    let text = std::fs::read(&path).expect("reads");
    assert_eq!(verify(&text[..]).expect("holds").0, 4);
}

#[test]
fn many_writers_share_a_sync_and_wait_for_their_own_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    let log = std::sync::Arc::new(AuditLog::open(&path).expect("opens"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let tasks: Vec<_> = (0..64)
            .map(|task| {
                let (log, path) = (log.clone(), path.clone());
                tokio::spawn(async move {
                    for round in 0..20 {
                        let mark = format!("task {task} round {round}.");
                        let entry = log
                            .append(Event {
                                statement: Some(mark.clone()),
                                ..event(0)
                            })
                            .expect("appends");
                        entry.written().await.expect("is written");
                        if round == 19 {
                            let text = std::fs::read_to_string(&path).expect("reads");
                            assert!(text.contains(&mark), "{mark}");
                        }
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.expect("ends");
        }
    });
    let text = std::fs::read(&path).expect("reads");
    assert_eq!(verify(&text[..]).expect("holds").0, 64 * 20);
}

#[test]
fn an_entry_has_a_bounded_size_and_whole_characters() {
    let long = "\u{fc}".repeat(1 << 20);
    let bounded = Event {
        user: long.clone(),
        purpose: Some(long.clone()),
        statement: Some(long.clone()),
        expanded: Some(long.clone()),
        parameters: vec![Some(long.clone()), None, Some("short".into())],
        ..event(1)
    }
    .bounded();
    assert_eq!(bounded.statement_cut, Some(Cut::of(long.as_bytes())));
    assert_eq!(bounded.expanded_cut, bounded.statement_cut);
    assert!(bounded.parameters_cut.is_some() && bounded.parameters[1].is_none());
    let size = serde_json::to_vec(&bounded).expect("text").len();
    assert!(size < 45_000, "{size}");
    let many = Event {
        parameters: vec![Some("x".into()); 60_000],
        ..event(1)
    }
    .bounded();
    assert!(serde_json::to_vec(&many).expect("text").len() < 10_000);
    // what is short stays as it is
    assert_eq!(event(1).bounded(), event(1));
}

#[test]
fn a_second_writer_is_refused_until_the_first_is_gone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("audit.jsonl");
    let first = AuditLog::open(&path).expect("opens");
    let code = |opened: Result<AuditLog, Error>| opened.map(|_| ()).map_err(|error| error.code());
    assert_eq!(code(AuditLog::open(&path)), Err("audit-locked"));
    drop(first);
    assert_eq!(code(AuditLog::open(&path)), Ok(()));
    assert_eq!(
        code(AuditLog::open(std::path::Path::new("/dev/null"))),
        Err("file-unusable")
    );
}
