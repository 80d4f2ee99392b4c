//! What the strict reader refuses, and the positions in its errors.

use super::{Object, from_reader, from_slice, from_str, object, objects, optional_object};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

#[derive(Debug, PartialEq, Deserialize)]
struct Point {
    x: u32,
    #[serde(default)]
    y: Option<u32>,
}

#[derive(Debug, PartialEq, Deserialize)]
enum Shape {
    Dot,
    Line(Point),
    Box { at: Point },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Point(Point),
    List {
        #[serde(deserialize_with = "objects")]
        points: Vec<Point>,
    },
}

#[derive(Debug, PartialEq, Deserialize)]
struct Holder {
    #[serde(deserialize_with = "object")]
    one: Tagged,
    #[serde(default, deserialize_with = "optional_object")]
    other: Option<Tagged>,
}

fn error<T: std::fmt::Debug + for<'de> Deserialize<'de>>(text: &str) -> String {
    let problem = from_str::<T>(text).unwrap_err().to_string();
    assert_eq!(from_slice::<T>(text.as_bytes()).unwrap_err().to_string(), problem);
    // The column may differ by one when reading from a stream.
    let streamed = from_reader::<T>(&mut text.as_bytes()).unwrap_err().to_string();
    assert_eq!(streamed.split(" column").next(), problem.split(" column").next());
    problem
}

#[test]
fn a_key_that_occurs_twice_is_named_with_its_place() {
    let twice = "{\"x\": 1,\n \"z\": 0, \"z\": 1}";
    assert_eq!(error::<Point>(twice), "an object has the key \"z\" twice at line 2 column 12");
    assert_eq!(error::<Value>(twice), "an object has the key \"z\" twice at line 2 column 12");
    // The same key in a different notation.
    assert!(error::<Point>(r#"{"x": 1, "\u0078": 2}"#).contains("\"x\" twice"));
    // In an ignored field, nested, in a map, in buffered input.
    for text in [
        r#"{"x": 1, "more": [{"a": 0}, {"a": [{"b": 1, "b": 2}]}]}"#,
        r#"{"x": 1, "more": {"b": {"b": {"b": 1, "c": 2, "b": 3}}}}"#,
    ] {
        assert!(error::<Point>(text).contains("\"b\" twice"), "{text}");
        assert!(error::<BTreeMap<String, Value>>(text).contains("\"b\" twice"), "{text}");
    }
    assert!(
        error::<Tagged>(r#"{"kind": "Point", "x": 1, "y": 2, "y": 3}"#).contains("\"y\" twice")
    );
    assert!(error::<Shape>(r#"{"Box": {"at": {"x": 1, "x": 1}}}"#).contains("\"x\" twice"));
    // A key cannot forge terminal output.
    assert!(error::<Value>("{\"\\u202e\": 1, \"\\u202e\": 2}").contains("\"\\u{202e}\" twice"));
}

#[test]
fn keys_are_compared_within_one_object_only_however_many_there_are() {
    let many = |last: &str| {
        let entries: Vec<String> =
            (0..1000).map(|key| format!("\"k{key}\": {{\"k\": 0}}")).collect();
        format!("{{{}, \"{last}\": 1}}", entries.join(", "))
    };
    assert_eq!(from_str::<BTreeMap<String, Value>>(&many("k")).unwrap().len(), 1001);
    for twice in ["k0", "k15", "k16", "k999"] {
        assert!(error::<Value>(&many(twice)).contains(&format!("{twice:?} twice")));
    }
    let points = r#"[{"x": 1, "y": 2}, {"x": 3}, {"y": null, "x": 4}]"#;
    assert_eq!(from_str::<Vec<Point>>(points).unwrap().len(), 3);
}

#[test]
fn an_array_is_no_struct() {
    assert!(error::<Point>("[1, 2]").starts_with("invalid type: sequence, expected struct Point"));
    assert!(error::<Vec<Point>>("[{\"x\": 1}, [1, 2]]").contains("sequence"));
    assert!(error::<Shape>(r#"{"Line": [1, 2]}"#).contains("sequence"));
    assert!(error::<Shape>(r#"{"Box": [{"x": 1}]}"#).contains("sequence"));
    for text in [
        r#"{"one": ["Point", 1]}"#,
        r#"{"one": {"kind": "List", "points": [[1, 2]]}}"#,
        r#"{"one": {"kind": "Point", "x": 1}, "other": ["Point", 1]}"#,
    ] {
        assert!(error::<Holder>(text).contains("sequence, expected an object"), "{text}");
    }
    assert!(from_str::<Object<Tagged>>(r#"["Point", 1]"#).is_err());
}

#[test]
fn everything_else_reads_as_it_does_with_serde_json() {
    assert_eq!(from_str::<Vec<Shape>>(r#"["Dot", {"Line": {"x": 1}}]"#).unwrap().len(), 2);
    let text = r#"{"one": {"kind": "List", "points": [{"x": 1}]}, "other": null}"#;
    let holder: Holder = from_str(text).unwrap();
    assert_eq!(holder.one, Tagged::List { points: vec![Point { x: 1, y: None }] });
    assert_eq!(holder.other, None);
    let value = r#"{"a":[1,-2,2.5,true,null,"\u00e9",{}],"b":{"c":[[]]}}"#;
    assert_eq!(from_str::<Value>(value).unwrap().to_string(), value.replace("\\u00e9", "é"));
    // A value kept as text is checked when that text is read.
    let raw: BTreeMap<String, Box<RawValue>> = from_str(r#"{"a": {"b": 1,  "c": 2}}"#).unwrap();
    assert_eq!(raw["a"].get(), r#"{"b": 1,  "c": 2}"#);
    assert!(error::<Value>("{} x").contains("trailing characters"));
    assert!(error::<Value>(&"[".repeat(1000)).contains("recursion limit"));
    assert!(error::<Point>(&format!("{{\"z\": {}", "[".repeat(1000))).contains("recursion limit"));
}
