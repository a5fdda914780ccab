//! What users see when a model is wrong: the message at the tokens at fault, and nothing else.
//!
//! In: `compile_fail/*.rs`, each of which uses its model as if it were right. Out: what the compiler prints, compared
//! with `compile_fail/*.stderr`. `TRYBUILD=overwrite cargo test --all-features --test compile_fail -- --ignored` writes
//! those anew.

#[test]
#[ignore = "compiles the library again and every case by itself, for minutes"]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
