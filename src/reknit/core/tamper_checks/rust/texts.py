"""Program texts in Rust: the tests that must pass and fail, and the second harness.

`§` marks what is filled in, since braces are part of the language.
"""

CANARIES = """
#[test]
fn §passing§() {
    assert_eq!("§passing§".len(), §length§);
}

#[test]
fn §failing§() {
    assert_eq!("§failing§".len(), 0);
}

#[test]
fn §false§() {
    assert!("§false§".is_empty());
}

#[test]
fn §panicking§() {
    panic!("§panicking§");
}
"""

CALL = """    run("§id§", §function§);
"""
CALL_OF_RESULT = """    run("§id§", || {
        if let Err(problem) = §function§() {
            ::std::panic!("Error: {:?}", problem);
        }
    });
"""
ENTRY = """
#[doc(hidden)]
#[allow(warnings)]
pub fn §entry§(run: &mut dyn FnMut(&'static str, fn())) {
§calls§}
"""

MAIN = r"""
fn §said§(text: &str) -> String {
    let mut made = String::new();
    for sign in text.chars().take(400) {
        match sign {
            '"' | '\\' => {
                made.push('\\');
                made.push(sign);
            }
            _ if sign.is_control() => made.push(' '),
            _ => made.push(sign),
        }
    }
    made
}

fn main() {
    let signs: [u8; 16] = [§signs§];
    let mut start = String::new();
    for (at, sign) in signs.iter().enumerate() {
        start.push_str(&format!("{:02x}", sign ^ ((§mask§ + at) % 256) as u8));
    }
    let mut count = 0;
    ::std::panic::set_hook(Box::new(|_| {}));
    {
        let mut run = |test: &'static str, body: fn()| {
            let problem = match ::std::panic::catch_unwind(body) {
                Ok(_) => None,
                Err(thrown) => Some(match (thrown.downcast_ref::<String>(), thrown.downcast_ref::<&str>()) {
                    (Some(text), _) => text.clone(),
                    (_, Some(text)) => text.to_string(),
                    _ => String::from("no words"),
                }),
            };
            count += 1;
            let (ok, message) = (problem.is_none(), §said§(problem.as_deref().unwrap_or("")));
            let line = format!("\"test\": \"{}\", \"ok\": {}, \"message\": \"{}\"", §said§(test), ok, message);
            println!("{}{{{}}}", start, line);
        };
        §path§§entry§(&mut run);
    }
    println!("{}{{\"end\": {}}}", start, count);
}
"""


def filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace(f"§{name}§", value)
    return text
