// Calls the tests and prints a line for each result.
//
// Placeholders: escape_text, SIGNS, MASK and run_tests.

fn escape_text(text: &str) -> String {
    let mut escaped = String::new();
    for sign in text.chars().take(400) {
        match sign {
            '"' | '\\' => {
                escaped.push('\\');
                escaped.push(sign);
            }
            _ if sign.is_control() => escaped.push(' '),
            _ => escaped.push(sign),
        }
    }
    escaped
}

fn main() {
    let signs: [u8; 16] = [SIGNS];
    let mut start = String::new();
    for (at, sign) in signs.iter().enumerate() {
        start.push_str(&format!("{:02x}", sign ^ ((MASK + at) % 256) as u8));
    }
    let mut count = 0;
    ::std::panic::set_hook(Box::new(|_| {}));
    {
        let mut run = |test: &'static str, body: fn()| {
            let problem = match ::std::panic::catch_unwind(body) {
                Ok(_) => None,
                Err(thrown) => Some(
                    match (
                        thrown.downcast_ref::<String>(),
                        thrown.downcast_ref::<&str>(),
                    ) {
                        (Some(text), _) => text.clone(),
                        (_, Some(text)) => text.to_string(),
                        _ => String::from("no words"),
                    },
                ),
            };
            count += 1;
            let (ok, message) = (
                problem.is_none(),
                escape_text(problem.as_deref().unwrap_or("")),
            );
            let line = format!(
                "\"test\": \"{}\", \"ok\": {}, \"message\": \"{}\"",
                escape_text(test),
                ok,
                message
            );
            println!("{}{{{}}}", start, line);
        };
        run_tests(&mut run);
    }
    println!("{}{{\"end\": {}}}", start, count);
}
