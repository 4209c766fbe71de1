//! The declarations of the crate are those of `ashlar/c.h`: the same functions
//! with parameters of the same types, constants with the same values, and
//! structs with the same members in the same order.
//!
//! Both files are read as text. The test understands what they are written in,
//! no more, and fails for what it does not understand.
use std::collections::BTreeMap;

/// What a file declares: a name, and the rest of its declaration, as Rust has
/// it, without spaces and names of parameters.
type Declarations = BTreeMap<String, String>;

/// Returns what is between each `from` and the next `to`, and what is left of
/// the text without these.
fn cut<'a>(text: &'a str, from: &str, to: &str) -> (Vec<&'a str>, String) {
    let mut between = Vec::new();
    let mut left = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(from) {
        left.push_str(&rest[..start]);
        let inside = &rest[start + from.len()..];
        let end = inside.find(to).unwrap_or_else(|| panic!("no {to:?}"));
        between.push(&inside[..end]);
        rest = &inside[end + to.len()..];
    }
    left.push_str(rest);
    (between, left)
}

/// Splits at each separator that is in no brackets.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0;
    let mut before = ' ';
    let list = text.split(|c| {
        let closes = ")}>".contains(c) && (before, c) != ('-', '>');
        depth += i32::from("({<".contains(c)) - i32::from(closes);
        before = c;
        c == separator && depth == 0
    });
    list.map(str::trim)
        .filter(|item| !item.is_empty())
        .collect()
}

fn no_spaces(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns the name of a C declaration such as "const char* path", and its type
/// as Rust has it.
fn c_variable(text: &str) -> (String, String) {
    let spaced = text.replace('*', " * ");
    let mut words: Vec<&str> = spaced.split_whitespace().collect();
    let name = words.pop().unwrap();
    let mut is_const = words[0] == "const";
    if is_const {
        words.remove(0);
    }
    let base = match words.remove(0) {
        "char" => "c_char",
        "int" => "c_int",
        "void" => "c_void",
        "size_t" => "usize",
        "uint64_t" => "u64",
        own if own.starts_with("ashlar_") => own,
        other => panic!("{text:?}: the type {other:?} is not understood"),
    };
    let mut of_type = base.to_owned();
    for word in words {
        match word {
            "*" if is_const => of_type = format!("*const{of_type}"),
            "*" => of_type = format!("*mut{of_type}"),
            "const" => {}
            other => panic!("{text:?}: {other:?} is not understood"),
        }
        is_const = word == "const";
    }
    (name.to_owned(), of_type)
}

/// Returns the name of a C function or pointer to a function, and its signature
/// as Rust has it.
fn c_function(text: &str) -> (String, String) {
    let text = text.replace("(*", " ").replacen(")(", "(", 1);
    let (before, list) = text.split_once('(').unwrap();
    let list = list.strip_suffix(')').unwrap();
    let (name, result) = c_variable(before);
    let types: Vec<String> = match list {
        "void" => Vec::new(),
        list => split(list, ',')
            .into_iter()
            .map(|p| c_variable(p).1)
            .collect(),
    };
    let mut signature = format!("({})", types.join(","));
    if result != "c_void" {
        signature += &format!("->{result}");
    }
    (name, signature)
}

fn c_member(text: &str) -> String {
    if text.contains('(') {
        let (name, signature) = c_function(text);
        return format!("{name}:Option<unsafeextern\"C\"fn{signature}>");
    }
    let (name, of_type) = c_variable(text);
    format!("{name}:{of_type}")
}

fn declared_in_c() -> Declarations {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../c.h");
    let text = std::fs::read_to_string(file).unwrap();
    let text = cut(&text, "/*", "*/").1;
    let text = cut(&text, "#ifdef __cplusplus", "#endif").1;
    let text = cut(&text, "#", "\n").1;
    let text = cut(&text, "//", "\n").1;
    let mut found = Declarations::new();
    for statement in split(&text, ';') {
        let (head, body) = match statement.split_once('{') {
            Some((head, body)) => (head, body.split_once('}').unwrap().0),
            None => (statement, ""),
        };
        let words: Vec<&str> = head.split_whitespace().collect();
        match words[..] {
            ["typedef", "enum", name] => {
                found.insert(name.into(), "c_int".into());
                for constant in split(body, ',') {
                    let (constant, value) = constant.split_once('=').unwrap();
                    let value = format!("{name}={}", value.trim());
                    found.insert(constant.trim().into(), value);
                }
            }
            ["typedef", "struct", name] => {
                let members = split(body, ';').into_iter().map(c_member);
                let members: Vec<_> = members.collect();
                found.insert(name.into(), members.join(","));
            }
            ["typedef", "struct", name, _] => {
                found.insert(name.into(), "opaque".into());
            }
            _ => {
                let (name, signature) = c_function(statement);
                found.insert(name, signature);
            }
        }
    }
    found
}

/// "(key: ashlar_slice, count: usize) -> c_int", without names and spaces.
fn rust_signature(text: &str) -> String {
    let close = text.rfind(')').unwrap();
    let list = split(&text[1..close], ',');
    let types = list.into_iter().map(|p| p.split_once(':').unwrap().1);
    let types: Vec<String> = types.map(no_spaces).collect();
    format!("({}){}", types.join(","), no_spaces(&text[close + 1..]))
}

fn rust_member(text: &str) -> String {
    let text = text.strip_prefix("pub ").unwrap();
    match text.split_once("fn(") {
        Some((before, after)) => {
            // The last comma of rustfmt is in no parentheses.
            let end = after.rfind('>').unwrap();
            let after = after[..end].trim().trim_end_matches(',');
            let signature = rust_signature(&format!("({after}"));
            format!("{}fn{signature}>", no_spaces(before))
        }
        None => no_spaces(text),
    }
}

fn declared_in_rust() -> Declarations {
    let text = cut(include_str!("../src/lib.rs"), "//", "\n").1;
    let mut found = Declarations::new();
    for text in cut(&text, "pub type ", ";").0 {
        let (name, of_type) = text.split_once('=').unwrap();
        found.insert(no_spaces(name), no_spaces(of_type));
    }
    for text in cut(&text, "pub const ", ";").0 {
        let (name, value) = text.split_once(':').unwrap();
        found.insert(no_spaces(name), no_spaces(value));
    }
    for text in cut(&text, "pub struct ashlar", "\n}").0 {
        let (name, members) = text.split_once('{').unwrap();
        let members: Vec<_> =
            split(members, ',').into_iter().map(rust_member).collect();
        found.insert(no_spaces(&format!("ashlar{name}")), members.join(","));
    }
    for text in cut(&text, "opaque!(", ")").0 {
        for name in split(text, ',') {
            found.insert(name.into(), "opaque".into());
        }
    }
    for text in cut(&text, "pub fn ", ";").0 {
        let (name, rest) = text.split_once('(').unwrap();
        let signature = rust_signature(&format!("({rest}"));
        found.insert(name.into(), signature);
    }
    found
}

#[test]
fn all_of_the_header_is_declared_and_nothing_else() {
    let c = declared_in_c();
    let rust = declared_in_rust();
    let mut wrong = Vec::new();
    for (name, declaration) in &c {
        match rust.get(name) {
            None => wrong.push(format!("{name} is not declared in lib.rs")),
            Some(own) if own != declaration => wrong.push(format!(
                "{name} is {own} in lib.rs, and {declaration} in c.h"
            )),
            Some(_) => {}
        }
    }
    for name in rust.keys().filter(|name| !c.contains_key(*name)) {
        wrong.push(format!("{name} is not in c.h"));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn header_is_understood() {
    let c = declared_in_c();
    assert_eq!(c["ASHLAR_TIMED_OUT"], "ashlar_code=10");
    assert_eq!(c["ashlar_slice"], "data:*constc_char,size:usize");
    assert_eq!(c["ashlar_cache"], "opaque");
    assert_eq!(c["ashlar_version"], "()->*constc_char");
    assert_eq!(
        c["ashlar_iterator_new"],
        "(*const*constashlar_reader,usize,*constashlar_read_options,\
         *constc_char,*mut*mutashlar_iterator)->*mutashlar_status"
    );
    assert!(c["ashlar_compaction"].contains(
        ",output:Option<unsafeextern\"C\"fn(*mutc_void,*constc_char,u64)>,"
    ));
}
