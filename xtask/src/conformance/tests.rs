use super::*;

/// The proofs of one file, as `ID: test`.
fn proven(text: &str) -> Vec<String> {
    let mut proofs = Proofs::new();
    collect("f.rs", text, &mut proofs);
    proofs
        .into_iter()
        .flat_map(|(id, tests)| tests.into_iter().map(move |test| format!("{id}: {test}")))
        .collect()
}

#[test]
fn only_tests_prove_anything() {
    let text = "
/// HOOK-001: said above.
#[test]
fn first() {
    check(1, \"HOOK-002\");
}

/// HOOK-003
fn check(n: u8) {
    assert_eq!(n, 1, \"HOOK-004\");
}

/// HOOK-005: nobody calls it.
fn unused() {
}

// HOOK-006 belongs to nothing.
struct Other;

#[tokio::test]
async fn second() {
    // HOOK-007
}
";
    assert_eq!(
        proven(text),
        [
            "HOOK-001: `f.rs` first",
            "HOOK-002: `f.rs` first",
            "HOOK-003: `f.rs` first",
            "HOOK-004: `f.rs` first",
            "HOOK-007: `f.rs` second",
        ]
    );
}

#[test]
fn tests_inside_of_modules_and_property_tests_count() {
    let text = "
mod tests {
    proptest! {
        #[test]
        fn law(x in any::<u8>()) {
            prop_assert!(x == x, \"HOOK-010\");
        }
    }
}
";
    assert_eq!(proven(text), ["HOOK-010: `f.rs` law"]);
}
