//! Messages with colours: without their styles they say what the plain ones say; several labels on one line of the
//! source are drawn together below that line.
//!
//! In: the cases of `rejected.txt`, and texts with wide characters, tabs and a byte-order mark. Out: every title,
//! place, label, note and help is there; marks stand below what they label.

use dae_symbolic::read_text;
use dae_symbolic::syntax::{SourceText, to_styled_text};

use super::rejected::{FILE, cases};

fn styled(text: &str) -> String {
    let rejection = read_text(text).expect_err("a rejection");
    to_styled_text(&rejection.diagnostics, &rejection.sources, SourceText { file: "model.dae", text })
}

/// A message without its styles, `ESC [ … m`.
fn plain(styled: &str) -> String {
    let mut parts = styled.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_string();
    parts.fold(first, |text, part| text + part.split_once('m').expect("the end of a style").1)
}

#[test]
fn nothing_that_plain_messages_say_is_lost() {
    let file = std::fs::read_to_string(FILE).expect("the file of cases");
    let mut labels = 0;
    for case in cases(&file) {
        let shown = plain(&styled(case.text));
        for line in case.expected.lines() {
            let is_whole = ["error", "warning"].iter().any(|start| line.starts_with(start))
                || ["-->", "= note: ", "= help: "].iter().any(|start| line.trim_start().starts_with(start));
            let marks = line.split_once("| ").map_or("", |(_, shown)| shown.trim_start());
            let label = marks.trim_start_matches(['^', '-']).trim_start();
            let wanted = match (is_whole, marks.starts_with(['^', '-'])) {
                (true, _) => line.trim_start(),
                (false, true) => label,
                (false, false) => continue,
            };
            labels += usize::from(!is_whole);
            assert!(shown.contains(wanted), "{}: `{wanted}` is lost\n{shown}", case.title);
        }
    }
    assert!(labels > 100, "{labels} labels");
}

#[test]
fn labels_of_one_line_stand_below_it_together() {
    let shown = styled("struct M {\n    var q: [f64; 5] = 1;\n    for i in 5..=2 { q[i] = 1; }\n}\n");
    assert!(shown.starts_with("\u{1b}["), "{shown}");
    let expected = "\
error[E124]: the range `5..=2` is empty
 --> model.dae:3:18
  |
3 |     for i in 5..=2 { q[i] = 1; }
  |              -   ^ the end
  |              |
  |              the start
  |
  = help: remove the loop, or mend its range
";
    assert_eq!(plain(&shown), expected);
}

#[test]
fn wide_characters_and_tabs_count_as_what_they_take() {
    let shown = plain(&styled("\u{feff}struct 流量 { var 流: f64; 流 = 量; }"));
    let expected = "\
error[E101]: unknown name `量`
 --> model.dae:1:30
  |
1 | \u{feff}struct 流量 { var 流: f64; 流 = 量; }
  |                                 ^^ not declared
";
    assert!(shown.contains(expected), "{shown}");
    let shown = plain(&styled("struct M {\r\n\tvar x;\r\n\tx = y;\r\n}\r\n"));
    assert!(shown.contains("3 |     x = y;\n  |         ^ "), "{shown}");
}
