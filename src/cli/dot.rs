//! The block-triangular form as a graph, in the DOT language.
//!
//! In: a model. Out: text for `dot -Tsvg`: a node for each block with its equations, each with the unknown that the
//! transversal assigns to it, and an arrow from each block to every block whose unknowns it needs; for a model with
//! modes, the graph of these.

use dae_symbolic::index::structure_of_text;
use dae_symbolic::model::Model;
use dae_symbolic::modes::MultiMode;
use petgraph::dot::{Config, Dot};
use petgraph::graph::{DiGraph, EdgeReference, NodeIndex};

/// The graph of the modes: an arrow for each change, with the condition of its event.
pub(super) fn modes(modes: &MultiMode) -> String {
    let mut graph = DiGraph::<String, String>::new();
    for mode in modes.all() {
        graph.add_node(mode.name.to_string());
    }
    for change in &modes.changes {
        graph.add_edge(NodeIndex::new(change.from), NodeIndex::new(change.to), change.event.clone());
    }
    let edge = |_: &DiGraph<String, String>, _: EdgeReference<'_, String>| String::new();
    let shape = |_: &DiGraph<String, String>, (node, _): (NodeIndex, &String)| {
        if node.index() == 0 { "shape = doublecircle ".to_string() } else { "shape = ellipse ".to_string() }
    };
    Dot::with_attr_getters(&graph, &[], &edge, &shape).to_string()
}

/// The graph; `None` if the text has no transversal.
pub(super) fn text(model: &Model) -> Option<String> {
    let structure = structure_of_text(model).ok()?;
    let mut graph = DiGraph::<String, &str>::new();
    for block in &structure.blocks {
        let pairs = block.equations.iter().zip(&block.unknowns);
        // `Dot` writes a line break as `\l`, which aligns the line that it ends to the left.
        let line = |(&equation, &unknown): (&usize, &usize)| {
            format!("{}: {}\n", model.equation_name(equation), model.unknowns[unknown].name)
        };
        graph.add_node(pairs.map(line).collect());
    }
    for (number, block) in structure.blocks.iter().enumerate() {
        for &needed in &block.depends_on {
            graph.add_edge(NodeIndex::new(number), NodeIndex::new(needed), "");
        }
    }
    let dot =
        Dot::with_attr_getters(&graph, &[Config::EdgeNoLabel], &|_, _| String::new(), &|_, _| "shape = box ".into());
    Some(dot.to_string())
}
