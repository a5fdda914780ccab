//! What users see when a model is wrong: the message at the tokens at fault, and nothing else.
//!
//! In: `compile_fail/*.rs`, each of which uses its model as if it were right. Out: what the compiler prints, held against
//! `compile_fail/*.stderr`. `TRYBUILD=overwrite cargo test --test compile_fail` writes those anew.

#[test]
fn messages() {
    trybuild::TestCases::new().compile_fail("tests/compile_fail/*.rs");
}
