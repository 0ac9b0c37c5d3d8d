//! `denym gateway` as a process; needs the feature `gateway`.

mod log;
mod process;

/// The page has the gateway's arguments, so it is made and compared by the build that has them.
#[test]
fn the_page_of_commands_is_what_the_program_says() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_denym"))
        .args(["commands", "--markdown"])
        .output()
        .expect("runs");
    let page = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/reference/commands.md"
    );
    assert!(
        output.stdout == std::fs::read(page).expect("the page"),
        "docs/src/reference/commands.md is out of date: denym commands --markdown > docs/src/reference/commands.md, by the full build"
    );
}
