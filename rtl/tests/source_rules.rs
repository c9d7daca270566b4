//! Coding rules that the exporter cannot check, because rust-hdl's syntax tree no longer shows them (see `rtl::export`).

use std::path::{Path, PathBuf};

/// What is wrong in the bodies of `#[hdl_gen]` functions of a source text: one line each.
fn complaints(source: &str) -> Vec<String> {
    let source = without_comments(source);
    let mut out = vec![];
    for body in bodies(&source) {
        for (at, _) in body.match_indices(".index()") {
            if !is_whole_position(body, at) {
                out.push(format!("arithmetic around .index(): {}", line_at(body, at)));
            }
        }
        for (at, _) in body.match_indices("..=") {
            out.push(format!("the macro reads ..= as ..: {}", line_at(body, at)));
        }
        for (at, _) in body.match_indices("=>") {
            let pattern = &body[body[..at].rfind(['{', '}', ',', ';']).map_or(0, |i| i + 1)..at];
            if pattern.contains(" if ") {
                out.push(format!("the macro drops a match guard: {}", pattern.trim()));
            }
        }
    }
    for name in ["fn bits", "fn Bits", "fn bit_cast", "fn signed_", "fn unsigned_cast"] {
        if source.contains(name) {
            out.push(format!("the macro takes a function of this name for a cast: {name}"));
        }
    }
    out
}

fn without_comments(source: &str) -> String {
    source.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// The text between the braces of each `#[hdl_gen]` function.
fn bodies(source: &str) -> Vec<&str> {
    let body = |(at, _): (usize, &str)| {
        let open = at + source[at..].find('{')?;
        let mut depth = 0;
        let close = source[open..].char_indices().find(|&(_, c)| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            depth == 0
        })?;
        Some(&source[open + 1..open + close.0])
    };
    source.match_indices("#[hdl_gen]").filter_map(body).collect()
}

/// Whether `.index()` at `at` is all of an argument of `get_bit`, `get_bits`, `replace_bit`, or the subject of `match`.
fn is_whole_position(body: &str, at: usize) -> bool {
    let after = body[at + ".index()".len()..].trim_start();
    let mut depth = 0;
    let mut before = &body[..at];
    for (i, c) in body[..at].char_indices().rev() {
        match c {
            ')' | ']' => depth += 1,
            '>' if body[i + 1..].starts_with('(') => depth += 1, // the end of a turbofish
            '<' if body[..i].ends_with("::") => depth -= 1,
            '(' | '[' if depth > 0 => depth -= 1,
            '(' => {
                let call = body[..i].trim_end();
                let call = call.rfind(".get_bit").or_else(|| call.rfind(".replace_bit")).map_or("", |k| &call[k..]);
                let named = call.chars().all(|c| c.is_ascii_alphanumeric() || "._:<>".contains(c)) && !call.is_empty();
                return named && (after.starts_with(')') || after.starts_with(','));
            }
            '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^' | ',' | ';' | '{' | '=' if depth == 0 => return false,
            _ => {}
        }
        before = &body[..i];
        if depth == 0 && before.trim_end().ends_with("match") && body[i..].starts_with(char::is_whitespace) {
            return after.starts_with('{');
        }
    }
    !before.is_empty()
}

fn line_at(text: &str, at: usize) -> &str {
    let from = text[..at].rfind('\n').map_or(0, |i| i + 1);
    text[from..].lines().next().unwrap_or_default().trim()
}

fn rust_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("readable folder");
    for path in entries.map(|entry| entry.expect("readable entry").path()) {
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    out.sort();
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut files = vec![];
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    files.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).expect("readable file"))).collect()
}

#[test]
fn blocks_keep_the_coding_rules() {
    let blocks: Vec<_> =
        sources().into_iter().filter(|(path, _)| !path.components().any(|c| c.as_os_str() == "export")).collect();
    let complaints: Vec<String> = blocks
        .iter()
        .flat_map(|(path, text)| complaints(text).into_iter().map(move |c| format!("{}: {c}", path.display())))
        .collect();
    assert_eq!(complaints, Vec::<String>::new());
    let bodies: usize = blocks.iter().map(|(_, text)| bodies(&without_comments(text)).len()).sum();
    assert!(bodies >= 3, "only {bodies} #[hdl_gen] bodies were found");
}

#[test]
fn hand_written_verilog_stands_in_memories_only() {
    for (path, text) in sources() {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let memory = path.components().any(|c| c.as_os_str() == "prim") && name.starts_with("ram");
        let exporter = path.components().any(|c| c.as_os_str() == "export");
        if !memory && !exporter {
            assert!(!text.contains("Verilog::Custom"), "{}", path.display());
            assert!(!text.contains("HAND_WRITTEN"), "{}", path.display());
        }
    }
}

#[test]
fn every_property_file_belongs_to_a_block() {
    let formal = Path::new(env!("CARGO_MANIFEST_DIR")).join("formal");
    let sources = sources();
    for entry in std::fs::read_dir(formal).expect("readable folder") {
        let name = entry.expect("readable entry").file_name();
        let include = format!("formal/{}\")", name.to_string_lossy());
        assert!(sources.iter().any(|(_, text)| text.contains(&include)), "no block includes {include}");
    }
}

#[test]
fn each_rule_is_seen_when_broken() {
    let update = |line: &str| format!("#[hdl_gen]\nfn update(&mut self) {{\n    {line}\n}}\n");
    let good = [
        "self.o.next = self.a.val().get_bit(self.i.val().index());",
        "self.o.next = self.a.val().get_bits::<2>(bit_cast::<2, 4>(self.c.val() + 1).index());",
        "self.o.next = self.a.val().replace_bit(self.i.val().get_bits::<2>(0).index(), self.b.val());",
        "match self.arg.val().get_bits::<2>(0).index() { 0 => { self.o.next = 1.into(); } _ => {} }",
        "for i in 0..N { self.o[i].next = self.a[i].val() + 1; }",
        "// for i in 0..=3 { x.index() + 1 }",
    ];
    for line in good {
        assert_eq!(complaints(&update(line)), Vec::<String>::new(), "{line}");
    }
    let bad = [
        "self.o.next = self.a.val().get_bit(self.i.val().index() + 1);",
        "self.o.next = self.a.val().get_bit(1 + self.i.val().index());",
        "self.o.next = (self.i.val().index()) == 1;",
        "if self.i.val().index() == 3 { self.o.next = true; }",
        "if self.i.val().index() + 1 == self.n { self.o.next = true; }",
        "match self.i.val().index() + 1 { _ => {} }",
        "for i in 0..=3 { self.o[i].next = true; }",
        "match self.i.val() { St::A if self.go.val() => { self.o.next = true; } _ => {} }",
    ];
    for line in bad {
        assert_eq!(complaints(&update(line)).len(), 1, "{line}");
    }
    assert_eq!(complaints("fn bits_of(x: u32) -> Bits<4> { narrow(x) }").len(), 1);
}
