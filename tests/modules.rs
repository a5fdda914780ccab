//! The order of modules that ARCHITECTURE.md states, against the imports of the tree.
//!
//! In: the tables of ARCHITECTURE.md, the source files of both crates. Out: every module of a crate stands in its table
//! and uses none that comes after it, and no file uses one that uses it, directly or through others.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::RandomState;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use syn::visit::{self, Visit};

/// A module by its path from the root of its crate.
type Module = Vec<String>;

/// The modules of a crate, each in a file of its own, and where their names come from.
struct Crate {
    modules: BTreeMap<Module, File>,
}

/// What the source file of a module says of other modules.
struct File {
    /// Relative to the `src` of the crate.
    path: PathBuf,
    /// The paths of what is defined elsewhere, by the name that the module uses.
    imports: BTreeMap<String, Module>,
    /// Everything that the file names by a path within the crate.
    used: Vec<Module>,
}

#[test]
fn modules_use_only_those_that_stand_before_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    for name in ["dae-symbolic", "dae-runtime"] {
        let order = order_in(&text, name);
        let place = |module: &String| order.iter().position(|it| it == module);
        let it = Crate::read(&root.join(name).join("src"));
        let modules: BTreeSet<&String> = it.modules.keys().filter_map(|module| module.first()).collect();
        let unlisted: Vec<_> = modules.iter().filter(|module| place(module).is_none()).collect();
        assert!(unlisted.is_empty(), "ARCHITECTURE.md does not say where these modules of {name} stand: {unlisted:?}");
        let gone: Vec<_> = order.iter().filter(|module| !modules.contains(module)).collect();
        assert!(gone.is_empty(), "ARCHITECTURE.md lists modules that {name} does not have: {gone:?}");
        let mut backward = Vec::new();
        let mut count = 0;
        for (module, file) in &it.modules {
            let Some(user) = module.first() else { continue };
            // A macro of the crate is no module.
            let used: BTreeSet<&String> = file.used.iter().filter_map(|path| path.first()).collect();
            for used in used.into_iter().filter(|used| *used != user && modules.contains(used)) {
                count += 1;
                if place(user) < place(used) {
                    let path = file.path.display();
                    backward.push(format!("`{user}` uses `{used}`, which comes after it in ARCHITECTURE.md ({path})"));
                }
            }
        }
        assert!(modules.len() > 8 && count > 100, "{name}: {modules:?}, {count} imports");
        assert!(backward.is_empty(), "{name}:\n{}", backward.join("\n"));
    }
}

#[test]
fn no_file_uses_one_that_uses_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in ["dae-symbolic", "dae-runtime"] {
        let it = Crate::read(&root.join(name).join("src"));
        let mut graph = DiGraphMap::<_, _, RandomState>::new();
        for (user, file) in &it.modules {
            for used in file.used.iter().map(|path| it.defines(path)).filter(|used| used != user) {
                graph.add_edge(file.path.as_path(), it.modules[&used].path.as_path(), ());
            }
        }
        assert!(graph.node_count() > 100 && graph.edge_count() > 400, "{name}: {graph:?}");
        let circles: Vec<_> = tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > 1).collect();
        let edges = |circle: &Vec<&Path>| -> Vec<String> {
            let within = graph.all_edges().filter(|(a, b, ())| circle.contains(a) && circle.contains(b));
            within.map(|(a, b, ())| format!("{} uses {}", a.display(), b.display())).collect()
        };
        let circles: Vec<String> = circles.iter().map(|circle| edges(circle).join("\n")).collect();
        assert!(circles.is_empty(), "circles in {name}:\n{}", circles.join("\n\n"));
    }
}

#[test]
fn paths_are_resolved_from_where_they_stand() {
    let code = "use crate::{a::{B, c::D as E}, f}; use super::super::g::H; use std::i; fn j() { crate::k::l(super::m()) } \
                #[cfg(test)] mod tests { use crate::n; }";
    let mut found = Paths::of(&["outer", "inner"].map(str::to_string));
    found.visit_file(&syn::parse_file(code).unwrap());
    let used: Vec<String> = found.used.iter().map(|path| path.join("::")).collect();
    assert_eq!(used, ["a::B", "a::c::D", "f", "g::H", "outer::inner::std::i", "k::l", "outer::m"]);
    assert_eq!(found.imports["E"].join("::"), "a::c::D");
}

/// The modules in the first column of a crate's table, without submodules, which stand with their module.
fn order_in(text: &str, name: &str) -> Vec<String> {
    let heading = |line: &&str| line.starts_with("## ") && line.contains(&format!("`{name}`"));
    let section = text.lines().skip_while(|line| !heading(line)).skip(1).take_while(|line| !line.starts_with("## "));
    let cells = section.filter_map(|line| line.strip_prefix("| `")?.split(" | ").next());
    let names = cells.flat_map(|cell| cell.split('`').step_by(2)).filter(|name| !name.contains("::"));
    names.map(str::to_string).collect()
}

impl Crate {
    fn read(src: &Path) -> Crate {
        let mut modules = BTreeMap::new();
        let mut open = vec![(Module::new(), src.join("lib.rs"))];
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
            let mut paths = Paths::of(&module);
            paths.visit_file(&file);
            let path = path.strip_prefix(src).unwrap().to_path_buf();
            modules.insert(module, File { path, imports: paths.imports, used: paths.used });
        }
        Crate { modules }
    }

    /// The module that defines the item at `path`, even if `path` is that of a re-export.
    fn defines(&self, path: &[String]) -> Module {
        let mut path = path.to_vec();
        let mut seen = BTreeSet::new();
        loop {
            let inside = (0..=path.len()).rev().find(|&length| self.modules.contains_key(&path[..length])).unwrap();
            let (module, rest) = path.split_at(inside);
            let imported = rest.first().and_then(|name| self.modules[module].imports.get(name));
            // In `use quote::quote`, the item has the name of its crate, and would be looked up for ever.
            match imported.filter(|_| seen.insert(path[..=inside].to_vec())) {
                Some(from) => path = [from, &rest[1..]].concat(),
                None => return module.to_vec(),
            }
        }
    }
}

/// Whether a module is compiled for tests only.
fn is_test(item: &syn::ItemMod) -> bool {
    let is_test = |attribute: &syn::Attribute| {
        attribute.path().is_ident("cfg") && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    item.attrs.iter().any(is_test)
}

/// Finds what a file names within its crate.
struct Paths {
    /// The module at hand: that of the file, or one inside it.
    module: Module,
    /// The paths that a `use` of the file itself, not of a module inside it, imports, by name.
    imports: BTreeMap<String, Module>,
    used: Vec<Module>,
    depth: usize,
}

impl Paths {
    fn of(module: &[String]) -> Paths {
        Paths { module: module.to_vec(), imports: BTreeMap::new(), used: Vec::new(), depth: module.len() }
    }

    /// A path from the module at hand, as a path from the root of the crate. A path into another crate becomes one of
    /// an item that the module does not have.
    fn absolute(&self, names: &[String]) -> Module {
        let mut path = self.module.clone();
        for (i, name) in names.iter().enumerate() {
            match name.as_str() {
                "crate" if i == 0 => path.clear(),
                "super" => drop(path.pop()),
                "self" => {}
                _ => path.push(name.clone()),
            }
        }
        path
    }

    fn tree(&mut self, before: &[String], tree: &syn::UseTree, exported: bool) {
        let with = |ident: &syn::Ident| -> Vec<String> { before.iter().cloned().chain([ident.to_string()]).collect() };
        let (names, name) = match tree {
            syn::UseTree::Path(it) => return self.tree(&with(&it.ident), &it.tree, exported),
            syn::UseTree::Group(it) => return it.items.iter().for_each(|tree| self.tree(before, tree, exported)),
            syn::UseTree::Name(it) if it.ident == "self" => (before.to_vec(), before.last().cloned()),
            syn::UseTree::Name(it) => (with(&it.ident), Some(it.ident.to_string())),
            syn::UseTree::Rename(it) => (with(&it.ident), Some(it.rename.to_string())),
            syn::UseTree::Glob(_) => (before.to_vec(), None),
        };
        let path = self.absolute(&names);
        if let Some(name) = name.filter(|_| self.module.len() == self.depth) {
            self.imports.insert(name, path.clone());
        }
        // A module that exports what is inside it does not use it.
        if !(exported && path.starts_with(&self.module)) {
            self.used.push(path);
        }
    }
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        self.tree(&[], &item.tree, !matches!(item.vis, syn::Visibility::Inherited));
    }

    /// The module in a visibility, `pub(in …)`, is not used.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names.len() > 1 {
            self.used.push(self.absolute(&names));
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
