//! Names and values in four languages with what they are about, false friends among them.

use denym_data::{Column, Role};

use super::Meaning as M;
use super::*;

/// What a name says, and the role that follows.
fn check(names: &[&str], expect: Option<M>) {
    for name in names {
        let found = meaning_of(name).map(|told| told.meaning);
        assert_eq!(found, expect, "{name}: {:?}", words_of(name));
    }
}

#[test]
fn names_are_cut_into_words() {
    let words = |name: &str| words_of(name).join(" ");
    assert_eq!(words("Pat.-Nr."), "pat nr");
    assert_eq!(words("birthDateOf"), "birth date of");
    assert_eq!(words("numéro_de_dossier"), "numero de dossier");
    assert_eq!(words("GRÖSSE (cm)"), "groesse cm");
    assert_eq!(words("Straße"), "strasse");
    assert_eq!(words("PatientID2"), "patient id 2");
    assert_eq!(words("IDPatient"), "id patient");
    assert_eq!(words("n.º historia"), "n historia");
    // Accents of their own, as some systems write them.
    assert_eq!(words("Gro\u{308}ße"), "groesse");
    assert_eq!(words("Pre\u{301}nom"), "prenom");
    assert_eq!(words("€ %"), "");
    assert!(words_of(&"x".repeat(100_000)).concat().len() <= 200);
}

#[test]
fn english_names() {
    check(&["name", "Names"], Some(M::Name));
    check(
        &["first_name", "LastName", "surname", "patientName"],
        Some(M::FullName),
    );
    check(
        &[
            "email",
            "E-Mail",
            "phone",
            "Phone No.",
            "mobilePhone",
            "emailAddress",
        ],
        Some(M::Contact),
    );
    check(
        &["Street", "home address", "house_number"],
        Some(M::Address),
    );
    check(
        &["SSN", "passport_no", "MRN", "nhs number"],
        Some(M::OfficialNumber),
    );
    check(&["IBAN", "credit card"], Some(M::Account));
    check(&["ip", "ip_address"], Some(M::Device));
    check(
        &[
            "id",
            "patient",
            "PatientId",
            "user_id",
            "customerNumber",
            "subject",
        ],
        Some(M::Person),
    );
    check(
        &["invoice_no", "case number", "order id", "encounter_id"],
        Some(M::RecordNumber),
    );
    check(
        &[
            "dob",
            "dateOfBirth",
            "birth_date",
            "BIRTHDAY",
            "dateofbirth",
            "year of birth",
        ],
        Some(M::Birth),
    );
    check(
        &["age", "patient_age", "Age (years)", "age at diagnosis"],
        Some(M::Age),
    );
    check(&["sex", "Gender", "sex_at_birth"], Some(M::Sex));
    check(
        &["zip", "zip_code", "Postcode", "PostalCode", "ZIP5"],
        Some(M::PostalCode),
    );
    check(
        &[
            "diagnosis",
            "icd10",
            "ICD-10 Code",
            "disease",
            "patient_diagnosis",
        ],
        Some(M::Health),
    );
    check(&["salary", "annual income", "capital-gain"], Some(M::Money));
    check(
        &["admission", "discharge date", "diagnosis_date", "date"],
        Some(M::Date),
    );
    check(&["country", "country code"], Some(M::Country));
    check(&["native-country", "ethnicity", "race"], Some(M::Origin));
    check(&["city", "county", "city_name"], Some(M::Place));
    check(
        &["occupation", "job title", "workclass"],
        Some(M::Occupation),
    );
    check(&["marital-status", "children"], Some(M::Family));
    check(&["latitude", "start_lat"], Some(M::Latitude));
    check(&["notes", "free text", "Comments"], Some(M::FreeText));
    check(&["blood pressure", "BMI"], Some(M::Measurement));
    check(&["created_at", "version"], Some(M::Technical));
}

#[test]
fn german_names() {
    check(&["Name", "Mitarbeitername"], Some(M::Name));
    check(
        &[
            "Vorname",
            "Nachname",
            "Geburtsname",
            "Name, Vorname",
            "Hausarzt",
            "Zahnarzt",
        ],
        Some(M::FullName),
    );
    check(
        &[
            "Telefon",
            "Tel.",
            "Telefonnummer privat",
            "Handynr",
            "E-Mail-Adresse",
            "Mobil",
        ],
        Some(M::Contact),
    );
    check(
        &[
            "Straße",
            "Strasse",
            "Str.",
            "Anschrift",
            "Hausnr.",
            "Wohnadresse",
            "Lieferanschrift",
        ],
        Some(M::Address),
    );
    check(
        &[
            "Versichertennr.",
            "Versicherten-Nr",
            "KVNR",
            "SteuerID",
            "Sozialversicherungsnummer",
            "Personalausweisnr",
        ],
        Some(M::OfficialNumber),
    );
    check(&["Kontonummer", "BLZ", "Bankverbindung"], Some(M::Account));
    check(
        &[
            "Pat.-Nr.",
            "PatNr",
            "Patient",
            "Patientennummer",
            "Kunden-Nr.",
            "Kundennummer",
        ],
        Some(M::Person),
    );
    check(
        &[
            "Fallnr.",
            "Fall-Nr.",
            "Fallnummer",
            "Rechnungsnummer",
            "Aktenzeichen",
            "Vertragsnr",
        ],
        Some(M::RecordNumber),
    );
    check(
        &[
            "Geburtsdatum",
            "Geb.-Datum",
            "GebDat",
            "Geburtsjahr",
            "geb. am",
            "Geburtstag",
        ],
        Some(M::Birth),
    );
    check(
        &["Alter", "Alter (Jahre)", "Altersgruppe", "Lebensalter"],
        Some(M::Age),
    );
    check(&["Geschlecht", "Anrede"], Some(M::Sex));
    check(
        &["PLZ", "Postleitzahl", "PLZ Wohnort", "Wohn-PLZ"],
        Some(M::PostalCode),
    );
    check(
        &[
            "Hauptdiagnose",
            "Diagnose (ICD)",
            "Nebendiagnosen",
            "Vorerkrankung",
            "Todesursache",
            "Aufnahmegrund",
        ],
        Some(M::Health),
    );
    check(
        &["Therapie", "Medikamente", "OPS-Code", "Medikation"],
        Some(M::Treatment),
    );
    check(
        &[
            "Blutdruck",
            "RR sys",
            "Laborwert",
            "CRP-Wert",
            "Verweildauer",
        ],
        Some(M::Measurement),
    );
    check(
        &[
            "Kosten €",
            "Bruttogehalt",
            "Einkommen",
            "Jahresumsatz",
            "Zuzahlung",
        ],
        Some(M::Money),
    );
    check(&["Konfession", "Religion", "Partei"], Some(M::Belief));
    check(
        &[
            "Aufnahme",
            "Aufnahmedatum",
            "Entlassdatum",
            "Diagnosedatum",
            "OP-Datum",
        ],
        Some(M::Date),
    );
    check(&["Land", "Wohnland"], Some(M::Country));
    check(
        &[
            "Ort",
            "Wohnort",
            "Bundesland",
            "Stadtteil",
            "Landkreis",
            "Geburtsort",
        ],
        Some(M::Place),
    );
    check(
        &["Staatsangehörigkeit", "Nationalität", "Geburtsland"],
        Some(M::Origin),
    );
    check(
        &["Familienstand", "Kinder", "Anzahl Kinder"],
        Some(M::Family),
    );
    check(&["Beruf", "Tätigkeit", "Arbeitgeber"], Some(M::Occupation));
    check(
        &["Größe", "Gewicht (kg)", "Schuhgröße", "Körpergröße"],
        Some(M::Body),
    );
    check(
        &[
            "Bemerkung",
            "Freitext",
            "Anmerkungen",
            "Befundtext",
            "Arztbrief",
        ],
        Some(M::FreeText),
    );
    check(
        &["Krankenkasse", "Station", "Fachabteilung", "Klinik"],
        Some(M::Institution),
    );
    check(
        &["Löschkz", "Löschkennzeichen", "lfd. Nr.", "Änderungsdatum"],
        Some(M::Technical),
    );
    check(&["Breitengrad"], Some(M::Latitude));
}

#[test]
fn french_names() {
    check(&["nom", "Nom"], Some(M::Name));
    check(
        &[
            "prénom",
            "Nom de famille",
            "nom_de_naissance",
            "médecin traitant",
        ],
        Some(M::FullName),
    );
    check(
        &[
            "courriel",
            "téléphone",
            "Tél. portable",
            "adresse électronique",
        ],
        Some(M::Contact),
    );
    check(&["adresse", "rue", "adresse postale"], Some(M::Address));
    check(
        &[
            "numéro de sécurité sociale",
            "NIR",
            "n° passeport",
            "numSecu",
        ],
        Some(M::OfficialNumber),
    );
    check(
        &["patient", "identifiant patient", "numéro client"],
        Some(M::Person),
    );
    check(
        &[
            "numéro de dossier",
            "numDossier",
            "n° de séjour",
            "no_facture",
        ],
        Some(M::RecordNumber),
    );
    check(
        &[
            "date de naissance",
            "dateNaissance",
            "année de naissance",
            "né le",
        ],
        Some(M::Birth),
    );
    check(&["âge", "tranche d'âge", "Age"], Some(M::Age));
    check(&["sexe", "genre", "civilité"], Some(M::Sex));
    check(&["code postal", "codePostal", "CP"], Some(M::PostalCode));
    check(
        &[
            "diagnostic principal",
            "maladie",
            "code CIM-10",
            "pathologie",
        ],
        Some(M::Health),
    );
    check(
        &["salaire", "revenu annuel", "coût du séjour", "loyer"],
        Some(M::Money),
    );
    check(&["date d'entrée", "date de sortie", "mois"], Some(M::Date));
    check(&["pays", "pays de résidence"], Some(M::Country));
    check(
        &["ville", "commune", "département", "lieu de naissance"],
        Some(M::Place),
    );
    check(&["nationalité", "pays de naissance"], Some(M::Origin));
    check(
        &["situation familiale", "nombre d'enfants", "état civil"],
        Some(M::Family),
    );
    check(&["métier", "emploi", "employeur"], Some(M::Occupation));
    check(&["taille", "poids (kg)"], Some(M::Body));
    check(
        &["commentaires", "remarque", "compte rendu"],
        Some(M::FreeText),
    );
    check(&["hôpital", "mutuelle"], Some(M::Institution));
}

#[test]
fn spanish_names() {
    check(&["nombre"], Some(M::Name));
    check(
        &[
            "apellidos",
            "Primer apellido",
            "nombre_completo",
            "Nombre del paciente",
        ],
        Some(M::FullName),
    );
    check(
        &[
            "correo electrónico",
            "teléfono",
            "móvil",
            "número de teléfono",
        ],
        Some(M::Contact),
    );
    check(&["dirección", "calle", "domicilio"], Some(M::Address));
    check(
        &[
            "DNI",
            "NIF",
            "pasaporte",
            "número de historia clínica",
            "nº de la seguridad social",
        ],
        Some(M::OfficialNumber),
    );
    check(
        &["paciente", "idPaciente", "número de cliente"],
        Some(M::Person),
    );
    check(
        &["número de expediente", "num_factura", "nº de episodio"],
        Some(M::RecordNumber),
    );
    check(
        &[
            "fecha de nacimiento",
            "fechaNacimiento",
            "año de nacimiento",
            "fec_nac",
        ],
        Some(M::Birth),
    );
    check(&["edad", "grupo de edad", "Edad (años)"], Some(M::Age));
    check(&["sexo", "género"], Some(M::Sex));
    check(
        &["código postal", "codigoPostal", "C.P."],
        Some(M::PostalCode),
    );
    check(
        &["diagnóstico", "enfermedad", "código CIE-10"],
        Some(M::Health),
    );
    check(&["salario", "ingresos", "importe"], Some(M::Money));
    check(&["fecha de ingreso", "fecha de alta", "año"], Some(M::Date));
    check(&["país"], Some(M::Country));
    check(
        &["ciudad", "provincia", "municipio", "lugar de nacimiento"],
        Some(M::Place),
    );
    check(&["nacionalidad"], Some(M::Origin));
    check(&["estado civil", "número de hijos"], Some(M::Family));
    check(&["profesión", "ocupación"], Some(M::Occupation));
    check(&["estatura", "peso"], Some(M::Body));
    check(&["observaciones", "comentarios"], Some(M::FreeText));
    check(&["latitud"], Some(M::Latitude));
}

#[test]
fn false_friends_are_no_friends() {
    // An age in German is no word for it inside others; a sport is no place, a video no number, wine no vehicle.
    check(
        &[
            "alternative",
            "Verwalter",
            "Sport",
            "Antwort",
            "Covid",
            "vin",
            "fin",
            "x",
            "value",
            "Quantität",
        ],
        None,
    );
    check(
        &[
            "hospital_name",
            "Firmenname",
            "product name",
            "nom du produit",
        ],
        Some(M::Institution),
    );
    check(&["patient_status", "user type"], None);
    check(&["pays"], Some(M::Country));
    check(&["pay"], Some(M::Money));
    check(&["Geburtsgewicht", "birth weight"], Some(M::Body));
    check(&["Number of children"], Some(M::Family));
    check(&["road_surface", "cell count"], None);
    check(&["", "  ", "€", "123"], None);
}

#[test]
fn values_confirm_or_refute_a_name() {
    let column = |name: &str, values: &[String]| {
        let column = Column::from_texts(name, values.iter().map(|value| Some(value.as_str())));
        recognize(name, &column.dictionary, column.codes.len() as u64)
    };
    // A German grade is called as an English remark is.
    let grades: Vec<String> = (0..60).map(|i| (1 + i % 6).to_string()).collect();
    assert_eq!(column("note", &grades).meaning(), None);
    assert!(!column("note", &grades).free_text);
    let remarks: Vec<String> = (0..60)
        .map(|i| format!("Patient {i} kommt mit der Tochter aus dem Nachbarort"))
        .collect();
    for name in ["Bemerkung", "note", "x", "Feld 7"] {
        assert!(column(name, &remarks).free_text, "{name}");
    }
    // Short remarks are free text because the name says so.
    let short: Vec<String> = (0..30).map(|i| format!("siehe Akte {i}")).collect();
    assert!(column("Bemerkung", &short).free_text);
    assert!(!column("Status", &short).free_text);
    // Long labels that come back are categories.
    let labels: Vec<String> = (0..600)
        .map(|i| format!("some college but no degree of kind {}", i % 9))
        .collect();
    assert!(!column("education", &labels).free_text);
    // Whether somebody has a telephone is no telephone number.
    let yes: Vec<String> = (0..60).map(|i| ["yes", "no"][i % 2].to_owned()).collect();
    assert_eq!(column("PhoneService", &yes).names_people(), None);
    let phones: Vec<String> = (0..60).map(|i| format!("030 1234{i:03}")).collect();
    assert!(column("x", &phones).names_people().is_some());
    let names: Vec<String> = (0..60).map(|i| format!("N{i}")).collect();
    assert_eq!(
        column("Hausarzt", &names).names_people().as_deref(),
        Some("its name says `hausarzt`")
    );
}

#[test]
fn tables_of_words_are_well_formed() {
    for (language, words) in [
        ("english", &english::WORDS),
        ("german", &german::WORDS),
        ("french", &french::WORDS),
        ("spanish", &spanish::WORDS),
    ] {
        for (meaning, expressions) in words.lines {
            for expression in *expressions {
                let plain = expression
                    .trim_start_matches(['=', '-'])
                    .trim_end_matches('-');
                // What is in the table is found as it is written there.
                assert_eq!(words_of(plain).join(" "), plain, "{language}: {expression}");
                let found = meaning_of(plain).map(|told| told.meaning);
                assert!(
                    found.is_some_and(|found| found <= *meaning),
                    "{language}: {expression} is {found:?}, not {meaning:?}"
                );
            }
        }
        for word in [words.people, words.papers, words.numbers, words.small].concat() {
            assert_eq!(words_of(word), [word], "{language}");
        }
    }
    assert_eq!(M::Health.role(), Role::Sensitive);
    assert_eq!(M::FullName.role(), Role::Identifier);
    assert_eq!(M::PostalCode.role(), Role::QuasiIdentifier);
}
