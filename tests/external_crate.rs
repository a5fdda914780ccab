//! A crate outside the workspace, as a user would write it.
//!
//! In: the sources in `external/`, copied to a temporary folder with a manifest that depends on `daekit` by path. Out:
//! models from a macro and from a build script compile under the strictest lints and run, and errors are reported at
//! the right token. It is run by `cargo test --all-features --test external_crate -- --ignored`. Dependencies are
//! compiled once, into a folder below the target folder, in the versions that the workspace has locked.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Crate {
    folder: PathBuf,
}

impl Crate {
    fn create() -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = std::env::temp_dir().join(format!("dae-external-{}", std::process::id()));
        let sources = root.join("tests/external");
        for file in ["build.rs", "models/tank.dae", "models/broken.dae", "src/main.rs", "src/bin/broken.rs"] {
            let target = folder.join(file);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::copy(sources.join(file), target).unwrap();
        }
        let manifest = fs::read_to_string(sources.join("Cargo.toml.in")).unwrap();
        fs::write(folder.join("Cargo.toml"), manifest.replace("@DAE@", &root.display().to_string())).unwrap();
        fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
        Crate { folder }
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        Command::new(env!("CARGO"))
            .args(arguments)
            .args(["--offline", "--quiet"])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("external"))
            .env_remove("RUSTFLAGS")
            .output()
            .unwrap()
    }
}

impl Drop for Crate {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
#[ignore = "compiles the library again, for minutes"]
fn crate_outside_the_workspace() {
    let external = Crate::create();
    models_run(&external);
    lints_are_quiet(&external);
    error_in_a_macro(&external);
    error_in_a_file(&external);
    error_in_an_included_file(&external);
}

/// Checks the values that the crate prints: $x(1)$ of the pendulum (`references/pendulum.json`), for both tanks the
/// inflow at $t = 1$ that makes the level $2 + \sin t$, and $N(2) = 1/2$.
fn models_run(external: &Crate) {
    let run = external.cargo(&["run", "--bin", "external"]);
    let inflow = 1.0_f64.cos() + 0.02 * (2.0 * 9.81 * (2.0 + 1.0_f64.sin())).sqrt();
    let expected = format!("success 0.879548\nsuccess {inflow:.6}\nsuccess {inflow:.6}\nsuccess 0.500000\n");
    assert_eq!(text(&run.stdout), expected, "{}", text(&run.stderr));
    assert_eq!(text(&run.stderr), "");
}

/// The crate denies warnings and all groups of lints that it can.
fn lints_are_quiet(external: &Crate) {
    let clippy = external.cargo(&["clippy", "--bin", "external"]);
    assert!(clippy.status.success(), "{}", text(&clippy.stderr));
}

fn error_in_a_macro(external: &Crate) {
    let arguments = ["check", "--bin", "broken", "--features", "broken_macro", "--message-format", "short"];
    let check = external.cargo(&arguments);
    let message = text(&check.stderr);
    assert!(!check.status.success());
    assert!(message.starts_with("src/bin/broken.rs:15:19: error: [E101] unknown name `rte`"), "{message}");
    let errors = message.lines().filter(|line| line.contains("error")).count();
    assert_eq!(errors, 2, "the error of the model and the count of errors, no other:\n{message}");
}

fn error_in_a_file(external: &Crate) {
    let check = external.cargo(&["check", "--bin", "external", "--features", "broken_file"]);
    let message = text(&check.stderr);
    assert!(!check.status.success());
    assert!(message.contains("error[E101]: unknown name `rte`\n"), "{message}");
    assert!(message.contains("--> models/broken.dae:4:15\n"), "{message}");
}

fn error_in_an_included_file(external: &Crate) {
    let check = external.cargo(&["check", "--bin", "broken", "--features", "broken_include"]);
    let message = text(&check.stderr);
    assert!(!check.status.success());
    assert!(message.contains("error[E101]: unknown name `rte`\n"), "{message}");
    assert!(message.contains("--> models/broken.dae:4:15\n"), "{message}");
    assert!(message.contains("--> src/bin/broken.rs:5:25\n"), "{message}");
    assert!(message.contains("models/none.dae: No such file"), "{message}");
    assert!(message.contains("the path of a model in quotes is expected: \"models/pendulum.dae\""), "{message}");
}
