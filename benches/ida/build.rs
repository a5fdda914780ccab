//! Compiles the driver of IDA if SUNDIALS (6 or 7, with KLU) is found: below `SUNDIALS_DIR`, or where distributions
//! install packages.

use std::path::{Path, PathBuf};

const LIBRARIES: [&str; 7] = [
    "sundials_ida",
    "sundials_sunlinsolklu",
    "sundials_sunlinsoldense",
    "sundials_sunmatrixsparse",
    "sundials_sunmatrixdense",
    "sundials_nvecserial",
    "sundials_generic",
];

fn main() {
    println!("cargo:rerun-if-changed=ida.c");
    println!("cargo:rerun-if-env-changed=SUNDIALS_DIR");
    println!("cargo:rustc-check-cfg=cfg(sundials)");
    let given = std::env::var_os("SUNDIALS_DIR").map(PathBuf::from);
    let usual = ["/usr", "/usr/local", "/opt/homebrew"].map(PathBuf::from);
    let Some(root) =
        given.into_iter().chain(usual).find(|root| root.join("include/sunlinsol/sunlinsol_klu.h").exists())
    else {
        println!(
            "cargo:warning=no SUNDIALS with KLU found (libsundials-dev, or SUNDIALS_DIR): nothing to compare with"
        );
        return;
    };
    let mut build = cc::Build::new();
    build.file("ida.c").opt_level(2).include(root.join("include")).include(root.join("include/suitesparse"));
    build.compile("ida_driver");
    for folder in ["lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"] {
        let folder = root.join(folder);
        if has_library(&folder) {
            println!("cargo:rustc-link-search=native={}", folder.display());
            println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
            println!("cargo:rustc-link-arg=-Wl,-rpath-link,{}", folder.display());
        }
    }
    LIBRARIES.iter().for_each(|library| println!("cargo:rustc-link-lib=dylib={library}"));
    println!("cargo:rustc-cfg=sundials");
}

fn has_library(folder: &Path) -> bool {
    ["so", "dylib", "a"].iter().any(|end| folder.join(format!("libsundials_ida.{end}")).exists())
}
