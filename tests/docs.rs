//! The Markdown of this repository: links lead somewhere, commands and files in it are accepted, figures are those of the
//! program.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Markdown file of the repository, without hidden folders and what builds and runs leave behind.
fn pages() -> Vec<PathBuf> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && !["target", "out"].contains(&name.as_str()) {
                walk(&path, out);
            } else if name.ends_with(".md") {
                out.push(path);
            }
        }
    }
    let mut out = Vec::new();
    walk(root(), &mut out);
    out.sort();
    assert!(out.len() >= 7, "{out:?}");
    out
}

/// What is looked at in a page.
#[derive(Default)]
struct Page {
    /// Targets of links and images.
    links: Vec<String>,
    /// Anchors that the headings give.
    anchors: BTreeSet<String>,
    /// Code blocks: language and text.
    code: Vec<(String, String)>,
    /// Rows of tables, cell by cell.
    rows: Vec<Vec<String>>,
}

fn read(path: &Path) -> Page {
    let text = fs::read_to_string(path).unwrap();
    let mut page = Page::default();
    let (mut heading, mut code, mut cell) = (None::<String>, None::<(String, String)>, String::new());
    for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => page.links.push(dest_url.into()),
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                // As the usual hosts make anchors: lower case, blanks to hyphens, other punctuation gone.
                let title = heading.take().unwrap_or_default().to_lowercase();
                let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                page.anchors.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
            }
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language))) => {
                code = Some((language.into(), String::new()));
            }
            Event::End(TagEnd::CodeBlock) => page.code.extend(code.take()),
            Event::Start(Tag::TableHead | Tag::TableRow) => page.rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => cell.clear(),
            Event::End(TagEnd::TableCell) => page.rows.last_mut().unwrap().push(cell.clone()),
            Event::Text(text) | Event::Code(text) => {
                cell.push_str(&text);
                if let Some(heading) = &mut heading {
                    heading.push_str(&text);
                }
                if let Some((_, block)) = &mut code {
                    block.push_str(&text);
                }
            }
            _ => {}
        }
    }
    page
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut seen = 0;
    for path in pages() {
        for link in read(&path).links {
            if link.starts_with("https://") {
                continue;
            }
            seen += 1;
            let (file, anchor) = link.split_once('#').map_or((link.as_str(), None), |(f, a)| (f, Some(a)));
            let target = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link} is not there", path.display());
            if let Some(anchor) = anchor {
                assert!(read(&target).anchors.contains(anchor), "{}: no heading for {link}", path.display());
            }
        }
    }
    assert!(seen > 10, "only {seen} links were found");
}

/// What the program says about `preset` with `sets` over it; it must accept both.
fn shown(dir: &Path, preset: &str, sets: &[String], at: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rnic-xlat"));
    command.current_dir(dir).args(["presets", "show", preset]);
    for set in sets {
        command.args(["--set", set]);
    }
    let out = command.output().unwrap();
    assert!(out.status.success(), "{at}: {}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn presets_settings_and_files_in_the_text_are_accepted() {
    let dir = TempDir::new().unwrap();
    let (mut commands, mut files) = (0, 0);
    for path in pages() {
        for (language, text) in read(&path).code {
            let at = path.display().to_string();
            if language == "toml" {
                files += 1;
                fs::write(dir.path().join("my-nic.toml"), &text).unwrap();
                shown(dir.path(), "my-nic.toml", &[], &at);
            }
            let lines = text.lines().filter(|_| language == "sh");
            for line in lines.filter(|l| l.starts_with("rnic-xlat ") || l.starts_with("cargo run --release -- ")) {
                let words: Vec<&str> = line.split_whitespace().take_while(|w| *w != "#").collect();
                let after = |flag: &str| -> Vec<String> {
                    words.windows(2).filter(|w| w[0] == flag).map(|w| w[1].to_string()).collect()
                };
                for preset in after("--preset").iter().filter(|p| !p.ends_with(".toml")) {
                    commands += 1;
                    shown(dir.path(), preset, &after("--set"), &format!("{at}: {line}"));
                }
            }
        }
    }
    assert!(commands >= 6 && files >= 2, "only {commands} commands and {files} files were found");
}

/// The commands of this page are run, and what stands below one is what it prints, but for the numbers: which cycle something
/// happens in changes with every change of the unit.
#[test]
fn scenario_verdicts_are_those_of_the_program() {
    let mut code = read(&root().join("docs/reference/scenario-command.md")).code.into_iter().peekable();
    let mut compared = 0;
    while let Some((language, text)) = code.next() {
        assert_eq!(language, "sh");
        let words: Vec<&str> = text.split_whitespace().skip(1).take_while(|w| *w != "#").collect();
        let out = Command::new(env!("CARGO_BIN_EXE_rnic-xlat")).current_dir(root()).args(&words).output().unwrap();
        let status = i32::from(words.contains(&"--fault"));
        assert_eq!(out.status.code(), Some(status), "{text}{}", String::from_utf8_lossy(&out.stderr));
        if let Some((_, verdict)) = code.next_if(|(language, _)| language == "text") {
            compared += 1;
            let words = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "").replace("  ", " ");
            assert_eq!(words(&String::from_utf8(out.stdout).unwrap()), words(&verdict));
        }
    }
    assert_eq!(compared, 2);
}

/// `docs/bandwidth.txt` is what the program prints, and `./test` compares it with what it prints now. The table of the
/// README is taken from it, to one decimal.
#[test]
fn figures_of_the_readme_are_those_of_the_program() {
    let printed = fs::read_to_string(root().join("docs/bandwidth.txt")).unwrap();
    let average = |bytes: u64, preset: &str| -> String {
        let columns = printed.lines().map(|l| l.split_whitespace().collect::<Vec<_>>());
        let row =
            columns.into_iter().find(|c| c.first() == Some(&bytes.to_string().as_str()) && c.last() == Some(&preset));
        format!("{:.1}", row.unwrap()[3].parse::<f64>().unwrap())
    };
    let rows = read(&root().join("README.md")).rows;
    let head = rows.iter().position(|row| row[0] == "message").unwrap();
    let mut checked = 0;
    for row in &rows[head + 1..] {
        let (number, unit) = row[0].split_once(' ').unwrap();
        let bytes = number.parse::<u64>().unwrap() << if unit == "KiB" { 10 } else { 20 };
        for (cell, preset) in row[1..].iter().zip(&rows[head][1..4]) {
            assert_eq!(*cell, average(bytes, preset), "{} of {preset}", row[0]);
            checked += 1;
        }
    }
    assert_eq!(checked, 15);
}

/// Every experiment has its page: the question, the picture that the program drew, the answer, the command, and the report
/// of the same run beside it, which names the presets used.
#[test]
fn every_experiment_has_a_page_with_picture_and_report() {
    let folder = root().join("docs/reproduce");
    let index = fs::read_to_string(folder.join("README.md")).unwrap();
    for experiment in experiments::reproduce::EXPERIMENTS {
        let name = experiment.name;
        assert!(index.contains(&format!("({name}.md)")), "{name} is not in the index");
        let page = fs::read_to_string(folder.join(format!("{name}.md"))).unwrap();
        let command = format!("rnic-xlat reproduce {name} --out docs/reproduce");
        for word in [
            "**Question.**",
            "**Set-up.**",
            "**Answer.**",
            &command,
            &format!("({name}.svg)"),
            &format!("({name}.txt)"),
        ] {
            assert!(page.contains(word), "{name}.md: {word}");
        }
        let report = fs::read_to_string(folder.join(format!("{name}.txt"))).unwrap();
        assert!(report.starts_with(&format!("{name}: {}\n", experiment.question)), "{name}.txt is of another question");
        for preset in experiment.presets {
            assert!(report.contains(&format!("\n{preset}: ")), "{name}.txt: {preset}");
        }
        assert!(fs::read_to_string(folder.join(format!("{name}.svg"))).unwrap().contains("<svg"), "{name}.svg");
    }
}
