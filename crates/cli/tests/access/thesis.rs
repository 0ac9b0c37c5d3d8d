//! The customers of chapters 2 and 3 with their consent, as files.

use std::path::Path;

use crate::support::write;

/// The policy of the purpose crate's own tests, with the data as a file.
pub(crate) fn policy() -> String {
    let text = include_str!("../../../purpose/tests/paper/policy.toml");
    text.replacen(
        "[tables.customer_info]\n",
        "[tables.customer_info]\nsource = \"customers.csv\"\n",
        1,
    )
}

/// Tables 2.2 and 3.2, data half, with the conditional addresses of Table 3.3.
pub(crate) const CUSTOMERS: &str = "\
cus_id,name,age,address,income,address_cip
1,Alice,35,\"21, West St., TBA, QLD 4350\",35000,\"West St., TBA, QLD 4350\"
2,Bob,29,\"45, Fay CT., TBA, QLD 4350\",23000,\"Fay CT., TBA, QLD 4350\"
3,Ron,56,\"20, Anita Dr., TBA, QLD 4350\",56000,\"Anita Dr., TBA, QLD 4350\"
4,Jak,48,\"25, Wuth St., TBA, QLD 4350\",48000,\"Wuth St., TBA, QLD 4350\"
";

/// Table 3.4 under its own header and with its own signs; `name` where it prints the customer's name, and `income` for `iccome`.
pub(crate) const IPT: &str = "\
Sl_No.,Table_ID,Table_Name,Cus_ID,Attr_Name,Intended_Purpose
1,3.2,customer_info,1,name,\"⟨{general}, {Φ}, {Φ}⟩\"
2,3.2,customer_info,1,age,\"⟨{general}, {marketing}, {admin}⟩\"
3,3.2,customer_info,1,address,\"⟨{general}, {Φ}, {admin, shipping}⟩\"
4,3.2,customer_info,1,income,\"⟨{general}, {admin}, {marketing}⟩\"
5,3.2,customer_info,2,name,\"⟨{general}, {Φ}, {Φ}⟩\"
6,3.2,customer_info,2,age,\"⟨{general}, {marketing}, {Φ}⟩\"
7,3.2,customer_info,2,address,\"⟨{general}, {marketing}, {admin, shipping}⟩\"
8,3.2,customer_info,2,income,\"⟨{general}, {marketing}, {admin}⟩\"
9,3.2,customer_info,3,name,\"⟨{general}, {Φ}, {Φ}⟩\"
10,3.2,customer_info,3,age,\"⟨{general}, {marketing}, {Φ}⟩\"
11,3.2,customer_info,3,address,\"⟨{general}, {Φ}, {admin, shipping}⟩\"
12,3.2,customer_info,3,income,\"⟨{general}, {shipping}, {admin}⟩\"
13,3.2,customer_info,4,name,\"⟨{general}, {Φ}, {Φ}⟩\"
14,3.2,customer_info,4,age,\"⟨{general}, {marketing}, {Φ}⟩\"
15,3.2,customer_info,4,address,\"⟨{general}, {marketing}, {admin}⟩\"
16,3.2,customer_info,4,income,\"⟨{general}, {marketing}, {admin}⟩\"
";

/// What Table 3.5 serves: full, conditional or nothing for name, age, address, income of each customer.
pub(crate) const DECISIONS: [[&str; 4]; 4] = [
    ["full", "conditional", "full", "nothing"],
    ["full", "conditional", "conditional", "conditional"],
    ["full", "conditional", "full", "full"],
    ["full", "conditional", "conditional", "conditional"],
];

/// Policy, data and the consent table still to import.
pub(crate) fn customers() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    lay_out(directory.path());
    directory
}

fn lay_out(directory: &Path) {
    write(directory, "policy.toml", policy());
    write(directory, "customers.csv", CUSTOMERS);
    write(directory, "ipt.csv", IPT);
}
