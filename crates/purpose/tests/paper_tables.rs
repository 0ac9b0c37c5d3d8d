//! The worked examples of chapters 2 and 3, cell by cell: Tables 2.3, 2.5 to 2.6, 3.1 to 3.5 and the office hours of section 3.3.2.

use denym_purpose::{
    AccessPolicy, AccessPurpose, Compliance, ConsentBook, Error, IntendedRow, MaskKey, Moment,
    RawRecord, Reason, Value,
};

mod paper;

const NOON: Moment = Moment {
    day: 20_000,
    minute: 12 * 60,
};

fn policy() -> AccessPolicy {
    AccessPolicy::parse(include_str!("paper/policy.toml"), &|_| None)
        .expect("the paper's policy has no mistakes")
}

/// Table 3.4 (or its twin for Table 2.2) as rows. The paper writes the customer's name where the attribute `name` is meant, and `iccome`.
fn intended_purposes_table(policy: &AccessPolicy, table: &str) -> Vec<IntendedRow> {
    let tree = &policy.purposes;
    let mut rows = Vec::new();
    for (customer, consents) in paper::CONSENT_3_2.iter().enumerate() {
        for (place, letters) in consents.iter().enumerate() {
            let chapter_2 = table == "customer_22" && customer == 0 && place == 1;
            let (a, c, p) = if chapter_2 {
                paper::ALICE_AGE_2_2
            } else {
                *letters
            };
            rows.push(IntendedRow {
                table: table.into(),
                record: (customer + 1).to_string(),
                column: paper::COLUMNS[place].into(),
                intended: paper::ip(tree, a, c, p).to_text(tree),
            });
        }
    }
    rows
}

fn raw_cell(customer: usize, column: &str) -> Value {
    let (name, age, address, income) = paper::CUSTOMERS[customer];
    let stored = paper::CONDITIONAL[customer];
    match column {
        "name" => Value::Text(name.into()),
        "age" => Value::Integer(age),
        "address" => Value::Text(address.into()),
        "income" => Value::Integer(income),
        "name_cip" => Value::Text(stored[0].into()),
        "age_cip" => Value::Text(stored[1].into()),
        "address_cip" => Value::Text(stored[2].into()),
        "income_cip" => Value::Text(stored[3].into()),
        _ => Value::Null,
    }
}

/// The rows Russell sees, as text, with `-` for NULL.
fn seen(
    policy: &AccessPolicy,
    book: &ConsentBook,
    table: &str,
    purpose: &str,
    columns: &[&str],
) -> Vec<Vec<String>> {
    let access = policy
        .open("russell", Some(purpose), table, NOON)
        .expect("office hours");
    let requested: Vec<usize> = columns
        .iter()
        .map(|c| access.table().column(c).expect("named"))
        .collect();
    let key = MaskKey::new(vec![1; 32]);
    (0..4)
        .filter_map(|customer| {
            let record = (customer + 1).to_string();
            let raw = |column: &str| raw_cell(customer, column);
            let record = RawRecord {
                consent: book.record(table, &record),
                key: record,
                group: None,
                collected: None,
                raw: &raw,
            };
            access.view(&record, &requested, &key, NOON.day)
        })
        .map(|row| {
            row.into_iter()
                .map(|v| v.to_text().unwrap_or_else(|| "-".into()))
                .collect()
        })
        .collect()
}

#[test]
fn table_3_5_returned_to_russell() {
    let policy = policy();
    let (book, errors) = policy.read_consent(&intended_purposes_table(&policy, "customer_info"));
    assert_eq!(errors, []);
    let rows = seen(
        &policy,
        &book,
        "customer_info",
        "marketing",
        &paper::COLUMNS,
    );
    let expected = [
        ["Alice", "30-40", "21, West St., TBA, QLD 4350", "-"],
        ["Bob", "20-30", "Fay CT., TBA, QLD 4350", "20000-30000"],
        ["Ron", "50-60", "20, Anita Dr., TBA, QLD 4350", "56000"],
        ["Jak", "40-50", "Wuth St., TBA, QLD 4350", "40000-50000"],
    ];
    assert_eq!(rows, expected);
}

#[test]
fn table_2_6_filtered_information() {
    let policy = policy();
    let (book, errors) = policy.read_consent(&intended_purposes_table(&policy, "customer_22"));
    assert_eq!(errors, []);
    let rows = seen(
        &policy,
        &book,
        "customer_22",
        "marketing",
        &["name", "income"],
    );
    // The paper prints Ron first and leaves the names of the other two out; their names are allowed in full (Table 2.2).
    assert_eq!(
        rows,
        [
            ["Bob", "20000-30000"],
            ["Ron", "56000"],
            ["Jak", "40000-50000"]
        ]
    );
    // Section 2.6.2: name, income, address. Nobody but Alice has a prohibited cell among them.
    let rows = seen(
        &policy,
        &book,
        "customer_22",
        "marketing",
        &["name", "income", "address"],
    );
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[0], ["Bob", "20000-30000", "Fay CT., TBA, QLD 4350"]);
}

#[test]
fn computed_masks_equal_the_stored_records_of_table_3_3() {
    let policy = policy();
    let key = MaskKey::new(vec![1; 32]);
    let table = &policy.tables["customer_info"];
    for (customer, stored) in paper::CONDITIONAL.iter().enumerate() {
        for (place, column) in table.columns.iter().enumerate() {
            let raw = |column: &str| raw_cell(customer, column);
            let cell = denym_purpose::Cell {
                key: &key,
                table: "customer_info",
                column: &column.name,
                purpose: "marketing",
                record: "1",
                raw: &raw,
                served: &|_| Compliance::Full,
            };
            let value = column.mask.apply(&raw_cell(customer, &column.name), &cell);
            assert_eq!(
                value,
                Value::Text(stored[place].into()),
                "customer {customer}, {}",
                column.name
            );
        }
    }
}

#[test]
fn table_3_1_intended_purposes_table() {
    // Customers 22, 25 and 52 of Table 3.1, each with one cell; `customer_name` is our `name`.
    let policy = policy();
    let row = |record: &str, column: &str, intended: &str| IntendedRow {
        table: "customer_info".into(),
        record: record.into(),
        column: column.into(),
        intended: intended.into(),
    };
    let rows = [
        row("22", "name", "<{general}, {admin}, {shipping}>"),
        row("25", "income", "<{marketing}, {admin}, {shipping}>"),
        row("52", "address", "<{shipping}, {admin}, {marketing}>"),
    ];
    let (book, errors) = policy.read_consent(&rows);
    assert_eq!(errors, []);
    let mut back = policy.write_consent(&book);
    back.sort();
    assert_eq!(back, rows);
    let tree = &policy.purposes;
    let cases = [
        // prohibiting shipping prohibits general above it
        ("22", "name", "general", Compliance::Denied),
        ("22", "name", "purchase", Compliance::Full),
        ("22", "name", "profiling", Compliance::Conditional),
        ("22", "name", "shipping", Compliance::Denied),
        ("25", "income", "t-email", Compliance::Full),
        ("25", "income", "purchase", Compliance::Denied),
        ("52", "address", "shipping", Compliance::Full),
        ("52", "address", "direct", Compliance::Denied),
        ("52", "address", "admin", Compliance::Conditional),
    ];
    let table = &policy.tables["customer_info"];
    for (record, column, purpose, expect) in cases {
        let column = table.column(column).expect("named");
        let (_, consent) = table.consent(column, None, book.record("customer_info", record));
        let access = AccessPurpose::new(tree, tree.find(purpose).expect("declared"));
        assert_eq!(
            consent.expect("stored").check(&access),
            expect,
            "{record} {purpose}"
        );
    }
}

#[test]
fn a_row_that_cannot_be_read_denies() {
    let policy = policy();
    let mut rows = intended_purposes_table(&policy, "customer_info");
    rows[8].intended = "<{general}, {}>".into();
    rows[5].column = "iccome".into();
    let (book, errors) = policy.read_consent(&rows);
    let codes: Vec<_> = errors.iter().map(Error::code).collect();
    assert_eq!(codes, ["column-unknown", "consent-code-unreadable"]);
    let seen = seen(
        &policy,
        &book,
        "customer_info",
        "marketing",
        &["name", "age"],
    );
    // Bob said something about a column we do not know: nothing of his record is served.
    assert_eq!(seen[1], ["-", "-"]);
    assert_eq!(seen[2], ["-", "50-60"]);
    assert_eq!(seen[0], ["Alice", "30-40"]);
}

#[test]
fn example_2_3_2_and_table_2_3_groups() {
    let policy = policy();
    let tree = &policy.purposes;
    let table = &policy.tables["subscriber"];
    let third_party = AccessPurpose::new(tree, tree.find("t-postal").expect("declared"));
    let purchase = AccessPurpose::new(tree, tree.find("purchase").expect("declared"));
    let check = |group: &str, access: &AccessPurpose| -> Vec<Compliance> {
        (0..table.columns.len())
            .map(|column| {
                table
                    .consent(column, Some(group), None)
                    .1
                    .map_or(Compliance::Denied, |ip| ip.check(access))
            })
            .collect()
    };
    assert_eq!(check("1", &third_party), [Compliance::Conditional; 5]);
    assert_eq!(check("2", &third_party), [Compliance::Denied; 5]);
    assert_eq!(check("3", &third_party), [Compliance::Full; 5]);
    for group in ["1", "2", "3"] {
        assert_eq!(check(group, &purchase), [Compliance::Full; 5]);
    }
    assert_eq!(check("child", &purchase), [Compliance::Denied; 5]);
    assert_eq!(check("unknown group", &purchase), [Compliance::Denied; 5]);
}

#[test]
fn office_hours_of_section_3_3_2() {
    let policy = policy();
    let at = |hour: i64| Moment {
        day: 20_000,
        minute: hour * 60,
    };
    let statable = |user: &str, hour: i64| {
        let activation = policy.activate(user, at(hour)).expect("known");
        policy.statable_names(&activation).len()
    };
    // Russell, 12 years: marketing and the eight purposes below it, from 9 to 17.
    for hour in 0..24 {
        assert_eq!(
            statable("russell", hour),
            if (9..=17).contains(&hour) { 9 } else { 0 },
            "at {hour}"
        );
    }
    // Service updates: the role and the two above it, with more than 10 years.
    assert_eq!(statable("anna", 10), 1);
    assert_eq!(statable("ben", 10), 0, "10 is not more than 10");
    assert_eq!(statable("cora", 10), 0, "a missing attribute is false");
    assert_eq!(
        statable("hugo", 10),
        9,
        "service updates are below marketing"
    );
    let activation = policy.activate("anna", at(10)).expect("known");
    assert_eq!(policy.statable_names(&activation), ["service-updates"]);
    let expiry = policy.next_expiry(&activation, at(10));
    assert_eq!(expiry, Some(at(18)));
    let refused = policy
        .open("anna", Some("marketing"), "customer_info", at(10))
        .map(|_| ());
    assert_eq!(
        refused,
        Err(Error::PurposeNotPermitted {
            user: "anna".into(),
            purpose: "marketing".into(),
            permitted: vec!["service-updates".into()]
        })
    );
}

#[test]
fn the_purpose_is_inferred_when_exactly_one_fits() {
    let text = format!(
        "purpose = \"inferred\"\n{}",
        include_str!("paper/policy.toml")
    );
    let policy = AccessPolicy::parse(&text, &|_| None).expect("valid");
    let open = |user: &str, table: &str| {
        policy
            .open(user, None, table, NOON)
            .map(|a| a.purpose_name().to_owned())
            .map_err(|e| e.code())
    };
    assert_eq!(open("russell", "customer_info"), Ok("marketing".into()));
    assert_eq!(open("anna", "customer_info"), Ok("service-updates".into()));
    // Hugo has two purposes for this table and one for the other.
    assert_eq!(open("hugo", "customer_info"), Err("purpose-missing"));
    assert_eq!(open("hugo", "customer_22"), Ok("marketing".into()));
    assert_eq!(open("russell", "subscriber"), Err("purpose-missing"));
    assert_eq!(super_stated().map_err(|e| e.code()), Err("purpose-missing"));
}

fn super_stated() -> Result<(), Error> {
    policy()
        .open("russell", None, "customer_info", NOON)
        .map(|_| ())
}

#[test]
fn decisions_explain_themselves() {
    let policy = policy();
    let (book, _) = policy.read_consent(&intended_purposes_table(&policy, "customer_info"));
    let access = policy
        .open("anna", Some("service-updates"), "customer_info", NOON)
        .expect("permitted");
    let decision = access.explain(3, None, book.record("customer_info", "1"));
    assert_eq!(decision.outcome, Compliance::Denied);
    let chain: Vec<String> = decision.reasons.iter().map(ToString::to_string).collect();
    assert_eq!(
        chain,
        [
            "user anna has role e-analyst",
            "role e-analyst has the permissions of its junior e-marketing",
            "updates is active for role e-marketing: explevel > 10 and timeofday >= 9 and timeofday <= 17",
            "updates permits the purpose service-updates",
            "consent is from the provider, for this cell: <{general}, {admin}, {marketing}>",
            "the consent prohibits marketing",
        ]
    );
    // every outcome of explain is the outcome of compliance
    for record in ["1", "2", "3", "4", "none"] {
        for column in 0..4 {
            let consent = book.record("customer_info", record);
            assert_eq!(
                access.explain(column, None, consent).outcome,
                access.compliance(column, None, consent)
            );
        }
    }
    let night = policy
        .activate("russell", Moment { day: 0, minute: 0 })
        .expect("known");
    let purpose = AccessPurpose::new(
        &policy.purposes,
        policy.purposes.find("marketing").expect("declared"),
    );
    let access = policy
        .access(night, purpose, "customer_info")
        .expect("governed");
    let decision = access.explain(0, None, book.record("customer_info", "1"));
    assert_eq!(decision.outcome, Compliance::Denied);
    assert!(decision.reasons.contains(&Reason::GrantInactive {
        grant: "office-hours".into(),
        role: "marketing".into(),
        failing: vec!["timeofday >= 9".into()],
    }));
    let json = serde_json::to_value(&decision).expect("plain data");
    assert_eq!(json["outcome"], "denied");
    assert_eq!(json["reasons"][0]["reason"], "role-assigned");
}
