//! What a function calls.

use crate::{languages, world::World};

#[test]
fn every_language_tells_what_a_function_calls() {
    for sample in languages::ALL {
        let world = World::with(&[(sample.path, sample.text)]);
        let start = world.symbol("start");
        let calls = world.open().calls_in(&start).unwrap();
        let names: Vec<_> = calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(names, sample.calls, "{}", sample.path);
        assert!(calls.iter().all(|call| (start.line..=start.end_line).contains(&call.line)));
    }
}

#[test]
fn a_call_has_its_receiver_and_is_said_once() {
    let world = World::with(&[(
        "a.rs",
        "fn f(a: A) {\n    a.keys.verify(g());\n    a.keys.verify(g());\n    b::c::verify();\n}\n",
    )]);
    let calls = world.open().calls_in(&world.symbol("f")).unwrap();
    let shown: Vec<_> =
        calls.iter().map(|at| (at.receiver.as_deref(), at.name.as_str(), at.line)).collect();
    assert_eq!(shown, [(Some("a.keys"), "verify", 2), (None, "g", 2), (Some("b::c"), "verify", 4)]);
}
