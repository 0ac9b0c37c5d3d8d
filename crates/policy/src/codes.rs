//! Every code that a mistake in a policy can have, whatever the policy is about: a release, a stream or access.

/// Codes with what each says, by name; none is used beside these.
pub fn codes() -> impl Iterator<Item = (&'static str, &'static str)> {
    CODES.lines().filter_map(|line| line.split_once(": "))
}

const CODES: &str = "\
policy-address: an address of a broker cannot be read or used
policy-address-as-path: an address stands where a file is meant
policy-algorithm: the algorithm cannot do what is asked
policy-attribute-groups: the groups of attributes do not fit the algorithm or the columns
policy-broker: the login to a broker, or its encryption, is incomplete
policy-broker-format: messages of a broker cannot have this format
policy-companion: companion columns cannot hold the consent
policy-condition: a condition cannot be read
policy-contradiction: two keys say different things
policy-cycle: a purpose is its own ancestor, or a role its own junior
policy-date-format: a format of dates cannot be read
policy-detail: a table with further records cannot be joined
policy-domain: an attribute has no domain, or one that cannot be read
policy-duplicate: something is said twice
policy-duration: a time cannot be read
policy-empty-list: a list is empty and would say nothing
policy-guards-released: the column of guarding nodes would be released
policy-hierarchy-file: the file of a hierarchy cannot be read
policy-hierarchy-form: a hierarchy has not exactly one form
policy-intended: an intended purpose cannot be read
policy-late-among-windows: late events would stand beside published windows
policy-level-limits: the hierarchy does not have these levels
policy-mask-form: a mask is not exactly one of the masks
policy-mask-type: a mask does not fit the type of its column
policy-missing-key: a key is needed and not there
policy-missing-numbers: records have no number where one is needed
policy-missing-subject: records do not say whose they are
policy-no-collected: a retention needs the column with the day of collection
policy-no-distribution: a promise compares with a distribution that nothing states
policy-no-group: groups need the column that holds them
policy-no-key: the column that identifies a record is needed
policy-no-order: an attribute without an order is compared by it
policy-no-promise: nothing is promised
policy-no-quasi-identifier: the algorithm has no quasi-identifier to group by
policy-no-reason: a finding is accepted without a reason
policy-no-subject: the column that tells people apart is needed
policy-no-taxonomy: a sensitive attribute needs a taxonomy
policy-none: the file is no policy; nothing of it is shown
policy-not-an-item: an attribute beside the items cannot be published
policy-not-numeric: numbers are needed and the column has others
policy-not-quasi: the attribute is no quasi-identifier
policy-not-sensitive: the attribute is not sensitive
policy-operation: an operation cannot be granted
policy-out-of-range: a value is outside its bounds
policy-promise: a promise cannot be judged
policy-pseudonym-key: a pseudonym has not exactly one key
policy-purpose-name: a purpose cannot have this name
policy-repeated-key: the person table names a person twice
policy-slot: a slot of time has not exactly one unit
policy-slots: a slot of time does not hold whole slots of the one before
policy-stream: parts of a policy for a stream do not fit together
policy-syntax: the text is no TOML here; its line is shown only where it begins with a key
policy-task-form: a task has not exactly one form
policy-tokens-without-subject: tokens show whose records are whose, and no column is the subject
policy-too-many-combinations: the adversary knows more combinations than can be judged
policy-two-forms: one thing is said in two forms
policy-two-populations: two promises speak of two populations
policy-two-sources: events come from two places
policy-two-subjects: two columns are the subject
policy-unknown-attribute: no attribute has this name
policy-unknown-column: no column has this name
policy-unknown-hierarchy: no hierarchy has this name
policy-unknown-key: no key has this name here
policy-unknown-purpose: no purpose has this name
policy-unknown-role: no role has this name
policy-unknown-table: no table has this name
policy-unknown-value: none of the words that can stand here
policy-unsafe-algorithm: the adversary knows the program, and the algorithm is not safe against that
policy-unused-key: a key has no effect on this data
policy-which-attribute: a promise does not say which sensitive attribute it speaks of
policy-wrong-type: a value of another type is needed
";
