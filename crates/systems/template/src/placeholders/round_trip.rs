//! A test with generated sources: the original names always bring back the original text.

use proptest::prelude::*;

use super::{Scheme, Stack, Subject, fill};

/// Sources full of what might go wrong: names in all casings, braces, our own placeholders.
fn source() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => proptest::sample::select(vec![
            "acme", "shop", "Acme", "Shop", "ACME", "SHOP", "_", "-", ".", "/", " ", "\n", "\\n",
            "{", "}", "{{", "}}", "{{{", "}}}", "literal:", "{{ProjectName}}", "{{project_name}}",
            "{{literal:project-name}}", "{{literal:", "ProjectName", "project", "name", "Name",
            "Namespace", "com.acme.shop", "com/acme/shop", "invoice", "Invoices", "Jane Doe",
            "${{ github.ref }}", "{{ shop }}", "{% raw %}", "'", "\"", "`", "ä", "s", "::", "src/", "[lib]", "=",
        ]).prop_map(str::to_owned),
        1 => ".{0,6}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn schemes() -> impl Strategy<Value = Scheme> {
    let stack =
        proptest::sample::select(vec![Stack::Snake, Stack::Rust, Stack::Flat, Stack::Script]);
    let name = proptest::sample::select(vec![
        "acme-shop",
        "shop",
        "AcmeShop",
        "ShopACME",
        "project-name",
        "ProjectName",
        "literal",
        "name",
    ]);
    (stack, name).prop_map(|(stack, name)| {
        Scheme::new(stack)
            .namespace("com.acme.shop")
            .named(Subject::Project, name)
            .named(Subject::Namespace, "acme")
            .entity("Invoice")
            .author("Jane Doe")
            .guard("shop-client")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn the_original_names_bring_back_the_original_bytes(
        scheme in schemes(),
        source in source(),
        path in proptest::sample::select(vec!["a.rs", "a.js", "README.md", "LICENSE", "a.vue"]),
    ) {
        let values = scheme.defaults();
        let (back, unknown) = fill(&scheme.generalise(path, &source), &values);
        prop_assert_eq!(&back, &source);
        prop_assert!(unknown.is_empty());
        let (back, _) = fill(&scheme.generalise_path(&source), &values);
        prop_assert_eq!(&back, &source);
    }
}
