use assert_cmd::Command;

#[test]
fn a_missing_file_is_an_error() {
    Command::cargo_bin("wordfreq").unwrap().arg("none.txt").assert().failure();
}
