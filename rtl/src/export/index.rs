//! Array indices, which reach the syntax tree as text inside a path: `tag[i+1]$q$next`.

use super::error::{Checked, Refusal};

/// Variables of the loops being unrolled, innermost last.
pub(crate) type Variables = Vec<(String, i128)>;

/// The value of the loop variable `name`.
pub(crate) fn variable(variables: &Variables, name: &str) -> Option<i128> {
    variables.iter().rev().find(|v| v.0 == name).map(|v| v.1)
}

/// Resolves a path: indices are evaluated (`tag[i+1]` becomes `tag$3`) and a trailing `$next` is dropped.
pub(crate) fn resolve_path(path: &str, variables: &Variables) -> Checked<String> {
    let mut out = String::new();
    let mut rest = path.strip_suffix("$next").unwrap_or(path);
    while let Some((before, tail)) = rest.split_once('[') {
        let refused = || Refusal::ArrayIndex(path.into());
        let (text, after) = tail.split_once(']').ok_or_else(refused)?;
        let index = Parser { text, at: 0, variables }.whole().filter(|&i| i >= 0).ok_or_else(refused)?;
        out += &format!("{before}${index}");
        rest = after;
    }
    Ok(out + rest)
}

/// Integers, loop variables, `+`, `-`, `*` and parentheses.
struct Parser<'a> {
    text: &'a str,
    at: usize,
    variables: &'a Variables,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn accept(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn whole(mut self) -> Option<i128> {
        let value = self.sum()?;
        (self.at == self.text.len()).then_some(value)
    }

    fn sum(&mut self) -> Option<i128> {
        let mut value = self.product()?;
        loop {
            if self.accept(b'+') {
                value = value.checked_add(self.product()?)?;
            } else if self.accept(b'-') {
                value = value.checked_sub(self.product()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<i128> {
        let mut value = self.operand()?;
        while self.accept(b'*') {
            value = value.checked_mul(self.operand()?)?;
        }
        Some(value)
    }

    fn operand(&mut self) -> Option<i128> {
        if self.accept(b'(') {
            let value = self.sum()?;
            return self.accept(b')').then_some(value);
        }
        let from = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_') {
            self.at += 1;
        }
        let word = &self.text[from..self.at];
        variable(self.variables, word).or_else(|| integer(word))
    }
}

/// A Rust integer literal: underscores, radix prefix and type suffix allowed.
pub(crate) fn integer(token: &str) -> Option<i128> {
    let plain = token.replace('_', "");
    let suffixes = ["usize", "u128", "u64", "u32", "u16", "u8", "i32"];
    let digits = suffixes.iter().find_map(|s| plain.strip_suffix(s)).unwrap_or(&plain);
    match (digits.strip_prefix("0x"), digits.strip_prefix("0b")) {
        (Some(hex), _) => i128::from_str_radix(hex, 16).ok(),
        (_, Some(binary)) => i128::from_str_radix(binary, 2).ok(),
        _ => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_evaluated() {
        let loops = vec![("i".to_string(), 3), ("j".to_string(), 1), ("i".to_string(), 5)];
        let cases = [
            ("tag[i+1]$q$next", "tag$6$q"),
            ("a[2*(i-j)]$b[j]", "a$8$b$1"),
            ("plain$next", "plain"),
            ("a[0x1_0usize]", "a$16"),
        ];
        for (path, expected) in cases {
            assert_eq!(resolve_path(path, &loops), Ok(expected.into()));
        }
        for path in ["a[k]", "a[j-2]", "a[i", "a[i/2]", "a[(i]", "a[]"] {
            assert_eq!(resolve_path(path, &loops), Err(Refusal::ArrayIndex(path.into())));
        }
    }
}
