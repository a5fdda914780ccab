//! The files of a run (outputs that would overwrite others, links and devices, byte-order marks, endless inputs),
//! signals, and bounds on steps.

use std::process::Stdio;
use std::time::Duration;

use super::*;

const DECAY: &str = "struct Decay { input u; var x = 1.0; var y; der(x) = -x; y = u; }";

fn refused(arguments: &[&str], exit: i32, message: &str) {
    let output = dae(arguments);
    assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    assert_eq!((code(&output), stdout(&output).as_str()), (exit, ""), "{arguments:?}");
}

#[test]
fn outputs_replace_nothing_that_is_needed() {
    let model = file("kept.dae", DECAY);
    let points = file("kept_points.csv", "0,0\n1,1\n2,4\n3,9\n");
    let [fresh, link, dangling] = ["kept_fresh.csv", "kept_link", "kept_dangling"].map(scratch);
    for path in [&fresh, &link, &dangling] {
        let _ = std::fs::remove_file(path);
    }
    std::fs::hard_link(&model, &link).expect("a link");
    let path = |path: &Path| path.display().to_string();
    let roundabout = path(&scratch(".").join("kept.dae"));
    let input = format!("u={points}");
    let simulate = |more: &[&str], exit: i32, message: &str| {
        let common = ["simulate", &model, "--t-end", "1", "--input", &input];
        refused(&[&common[..], more].concat(), exit, message);
    };
    for output in [&model, &roundabout, &path(&link)] {
        simulate(&["--csv", output], 2, "is the same file as the model");
        simulate(&["--json", "--plot", output], 2, "is the same file as the model");
    }
    simulate(&["--csv", &points], 2, "is the same file as --input");
    simulate(&["--csv", &path(&fresh), "--plot", &path(&fresh)], 2, "is the same file as --csv");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("kept_fresh.csv", &dangling).expect("a link");
        simulate(&["--csv", &path(&fresh), "--plot", &path(&dangling)], 2, "is the same file as --csv");
    }
    simulate(&["--csv", env!("CARGO_TARGET_TMPDIR")], 1, "cannot be written");
    simulate(&["--csv", "no/such/folder/x.csv"], 1, "cannot be written");
    assert!(!fresh.exists());
    assert_eq!(std::fs::read_to_string(&model).expect("the model"), DECAY);
}

#[cfg(unix)]
#[test]
fn links_and_devices_stay_what_they_are() {
    let [link, place] = ["through_link", "through_link.csv"].map(scratch);
    let _ = std::fs::remove_file(&link);
    std::fs::write(&place, "old").expect("the target directory is writable");
    std::os::unix::fs::symlink("through_link.csv", &link).expect("a link");
    for output in [link.display().to_string(), "/dev/null".into()] {
        let output = dae(&["simulate", PENDULUM, "--t-end", "1", "--csv", &output]);
        assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    }
    assert!(link.is_symlink() && std::fs::read_to_string(&place).expect("a table").starts_with("t,x,y"));
    assert!(!std::fs::metadata("/dev/null").expect("a device").is_file());
}

#[test]
fn a_byte_order_mark_hides_no_row() {
    let model = file("marked.dae", &format!("\u{feff}{DECAY}"));
    let points = file("marked.csv", "\u{feff}0,0\n1,1\n2,4\n3,9\n");
    let input = format!("u={points}");
    let output = dae(&["simulate", &model, "--t-end", "1", "--at", "0.5", "--input", &input, "--json"]);
    assert_eq!((code(&output), stderr(&output).as_str()), (0, ""));
    assert!((number(&json(&output)["values"]["y"][0]) - 0.25).abs() < 1e-9);
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read_to_it() {
    let model = file("bounded.dae", DECAY);
    let huge = scratch("huge");
    let sparse = std::fs::File::create(&huge).expect("the target directory is writable");
    sparse.set_len(10_000_000_000).expect("a file with a hole");
    let pipe = scratch("silent_pipe");
    let _ = std::fs::remove_file(&pipe);
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let (huge, pipe) = (huge.display().to_string(), pipe.display().to_string());
    for (path, reason) in [
        ("/dev/zero", "it is longer than "),
        (huge.as_str(), "it is longer than "),
        (env!("CARGO_TARGET_TMPDIR"), "it is a directory"),
        (pipe.as_str(), "nothing came from it"),
    ] {
        refused(&["analyze", path], 1, reason);
        // Waiting for the pipe once is enough.
        if path != pipe {
            let input = format!("u={path}");
            refused(&["simulate", &model, "--t-end", "1", "--input", &input], 1, reason);
        }
    }
    std::fs::remove_file(&huge).expect("the file is there");
}

/// The output of a run that would take far longer than any test waits, stopped by the signal.
#[cfg(unix)]
fn interrupted(signal: &str, name: &str, more: &[&str]) -> Output {
    let text = "struct Oscillator { var x = 1.0; var v = 0.0; der(x) = v; der(v) = -x; }";
    let model = file(&format!("{name}.dae"), text);
    // A signal before the first step ends the run without output, and on a busy machine that step may come late: each
    // attempt waits longer.
    for seconds in [1, 4, 16] {
        let child = Command::new(env!("CARGO_BIN_EXE_dae"))
            .args(["simulate", &model, "--t-end", "1e7", "--max-steps", "1000000000"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command runs");
        std::thread::sleep(Duration::from_secs(seconds));
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().expect("kill").success());
        let output = child.wait_with_output().expect("it ends");
        if !output.stderr.is_empty() {
            return output;
        }
    }
    panic!("no step was made");
}

#[cfg(unix)]
#[test]
fn signals_keep_what_was_computed() {
    let [table, picture] = ["interrupted.csv", "interrupted.svg"].map(|name| scratch(name).display().to_string());
    let output = interrupted("-INT", "interrupted", &["--max-step", "0.1", "--csv", &table, "--plot", &picture]);
    assert_eq!(code(&output), 3);
    assert!(stderr(&output).starts_with("error: interrupted at t = "), "{}", stderr(&output));
    let text = std::fs::read_to_string(&table).expect("a table");
    let last = text.lines().last().expect("a row").split(',').map(|cell| cell.parse::<f64>().expect("a number"));
    let last: Vec<f64> = last.collect();
    assert!(text.ends_with('\n') && last.len() == 3 && last[0] > 0.0, "{last:?}");
    assert!(stderr(&output).contains(&format!("interrupted at t = {}\n", last[0])), "{}", stderr(&output));
    assert!(std::fs::read_to_string(&picture).expect("a picture").ends_with("</svg>\n"));

    let output = interrupted("-TERM", "terminated", &["--json"]);
    assert_eq!(code(&output), 3);
    let run = json(&output);
    assert_eq!(run["status"], "interrupted");
    assert_eq!(run["times"].as_array().map(Vec::len), run["values"]["x"].as_array().map(Vec::len));
}

#[test]
fn steps_are_bounded_if_asked_for() {
    let run = |more: &[&str]| dae(&[&["simulate", PENDULUM, "--t-end", "1", "--json"], more].concat());
    let lengths = |output: &Output| {
        let times = json(output)["times"].as_array().expect("a list").iter().map(number).collect::<Vec<_>>();
        times.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>()
    };
    let output = run(&["--max-step", "0.01"]);
    let steps = lengths(&output);
    assert!(code(&output) == 0 && steps.len() >= 100 && steps.iter().all(|h| *h <= 0.01 + 1e-12), "{steps:?}");
    let output = run(&["--initial-step", "1e-5"]);
    assert!(code(&output) == 0 && (lengths(&output)[0] - 1e-5).abs() < 1e-12, "{:?}", lengths(&output));
    let output = run(&["--max-steps", "3"]);
    assert_eq!((code(&output), lengths(&output).len()), (3, 3));
    let status = json(&output)["status"].as_str().expect("a reason").to_string();
    assert!(status.contains('3') && stderr(&output) == format!("error: {status}\n"), "{status}");
    for (arguments, message) in [
        (["--max-step", "0"], "the largest step length is not positive"),
        (["--max-step", "-1"], "the largest step length is not positive"),
        (["--initial-step", "0"], "a step length is not a positive number"),
        (["--max-steps", "x"], "--max-steps"),
    ] {
        let output = run(&arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(message), "{arguments:?}: {}", stderr(&output));
    }
    assert_eq!(code(&run(&["--step", "0.1", "--max-step", "0.2"])), 2);
}
