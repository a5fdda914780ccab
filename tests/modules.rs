//! The order of modules that ARCHITECTURE.md states, against the imports of the tree.
//!
//! In: the tables of ARCHITECTURE.md, the source files of both crates. Out: every module of a crate stands in its table, and uses none that comes after it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

/// Which modules of the crate each module uses, with the first file that does.
type Uses = BTreeMap<(String, String), PathBuf>;

#[test]
fn modules_use_only_those_that_stand_before_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    for name in ["dae-symbolic", "dae-runtime"] {
        let order = order_in(&text, name);
        let place = |module: &String| order.iter().position(|it| it == module);
        let (modules, uses) = modules_of(&root.join(name).join("src"));
        assert!(modules.len() > 20 && uses.len() > 100, "{name}: {modules:?}");
        let unlisted: Vec<_> = modules.iter().filter(|module| place(module).is_none()).collect();
        assert!(unlisted.is_empty(), "ARCHITECTURE.md does not say where these modules of {name} stand: {unlisted:?}");
        let gone: Vec<_> = order.iter().filter(|module| !modules.contains(module)).collect();
        assert!(gone.is_empty(), "ARCHITECTURE.md lists modules that {name} does not have: {gone:?}");
        let backward = uses.iter().filter(|((user, used), _)| place(user) < place(used));
        let backward: Vec<String> = backward
            .map(|((user, used), file)| {
                format!("`{user}` uses `{used}`, which comes after it in ARCHITECTURE.md ({})", file.display())
            })
            .collect();
        assert!(backward.is_empty(), "{name}:\n{}", backward.join("\n"));
    }
}

#[test]
fn paths_are_resolved_from_where_they_stand() {
    let code = "use crate::{a::{B, c::D as E}, f}; use super::super::g::H; use std::i; fn j() { crate::k::l(super::m()) } \
                #[cfg(test)] mod tests { use crate::n; }";
    let mut found = Paths { module: vec!["outer".into(), "inner".into()], used: Vec::new() };
    found.visit_file(&syn::parse_file(code).unwrap());
    assert_eq!(found.used, ["a", "a", "f", "g", "k", "outer"]);
}

/// The modules in the first column of a crate's table. Those within a module stand with it.
fn order_in(text: &str, name: &str) -> Vec<String> {
    let heading = |line: &&str| line.starts_with("## ") && line.contains(&format!("`{name}`"));
    let section = text.lines().skip_while(|line| !heading(line)).skip(1).take_while(|line| !line.starts_with("## "));
    let cells = section.filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let names = cells.flat_map(|cell| cell.split('`').step_by(2)).filter(|name| !name.contains("::"));
    names.map(str::to_string).collect()
}

/// The modules of a crate, and which of them use which.
fn modules_of(src: &Path) -> (Vec<String>, Uses) {
    let (mut modules, mut uses) = (Vec::new(), Uses::new());
    let mut open = vec![(Vec::new(), src.join("lib.rs"))];
    while let Some((module, path)) = open.pop() {
        let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
        let is_folder = module.is_empty() || path.ends_with("mod.rs");
        let folder = if is_folder { path.parent().unwrap().to_path_buf() } else { path.with_extension("") };
        for item in &file.items {
            let syn::Item::Mod(item) = item else { continue };
            if item.content.is_none() && !is_test(item) {
                let name = item.ident.to_string();
                let files = [folder.join(&name).with_extension("rs"), folder.join(&name).join("mod.rs")];
                let file = files.into_iter().find(|file| file.exists()).unwrap();
                open.push((module.iter().cloned().chain([name]).collect(), file));
            }
        }
        let Some(name) = module.first().cloned() else { continue };
        let mut paths = Paths { module, used: Vec::new() };
        paths.visit_file(&file);
        for used in paths.used.into_iter().filter(|used| *used != name) {
            uses.entry((name.clone(), used)).or_insert_with(|| path.strip_prefix(src).unwrap().to_path_buf());
        }
        if !modules.contains(&name) {
            modules.push(name);
        }
    }
    // A macro of the crate is no module.
    uses.retain(|(_, used), _| modules.contains(used));
    (modules, uses)
}

/// Whether a module is compiled for tests only.
fn is_test(item: &syn::ItemMod) -> bool {
    let is_test = |attribute: &syn::Attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    item.attrs.iter().any(is_test)
}

/// Finds the modules of the crate that a file names.
struct Paths {
    /// Where the file stands.
    module: Vec<String>,
    used: Vec<String>,
}

impl Paths {
    /// A path from where the file stands; only those within the crate count.
    fn path(&mut self, names: &[String]) {
        let (first, rest) = match names {
            [first, rest @ ..] => (first.as_str(), rest),
            [] => return,
        };
        let mut from = match first {
            "crate" => Vec::new(),
            "super" | "self" => self.module.clone(),
            _ => return,
        };
        let mut rest = rest;
        if first == "super" {
            from.pop();
        }
        while let [next, after @ ..] = rest
            && next == "super"
        {
            from.pop();
            rest = after;
        }
        self.used.extend(from.iter().chain(rest).next().cloned());
    }

    fn tree(&mut self, before: &[String], tree: &syn::UseTree) {
        let with = |ident: &syn::Ident| -> Vec<String> { before.iter().cloned().chain([ident.to_string()]).collect() };
        match tree {
            syn::UseTree::Path(it) => self.tree(&with(&it.ident), &it.tree),
            syn::UseTree::Name(it) => self.path(&with(&it.ident)),
            syn::UseTree::Rename(it) => self.path(&with(&it.ident)),
            syn::UseTree::Glob(_) => self.path(before),
            syn::UseTree::Group(it) => it.items.iter().for_each(|tree| self.tree(before, tree)),
        }
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.tree(&[], &item.tree);
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names.len() > 1 {
            self.path(&names);
        }
        visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !is_test(item) {
            self.module.push(item.ident.to_string());
            visit::visit_item_mod(self, item);
            self.module.pop();
        }
    }
}
