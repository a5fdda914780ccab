//! Contract methods that run a program.
//!
//! In: a signature, a program, and the names of its results. Out: the method. A single block is its body; each of
//! several blocks is a loop or a scope, or a function of its own if the program is long.

use super::body::{Body, Labels, Outputs, Slots};
use super::names::{Names, Numbers};
use crate::program::{Block, Program};

/// Programs with more instructions than this are cut into a function per block.
const LONGEST: usize = 400;

/// A contract method that runs a program. In the signature `{t}`, `{y}`, `{yp}`, `{out}` stand for names that the model
/// does not use; `slots` are the names wanted for them.
pub(super) fn method(
    names: &Names,
    signature: &str,
    doc: &str,
    program: &Program,
    slots: [&str; 4],
    outputs: Outputs<'_>,
) -> String {
    let has_loop = program.blocks.iter().any(|block| !block.domain.is_empty());
    if names.families || has_loop || program.blocks.len() != 1 {
        return in_parts(names, signature, doc, program, slots, outputs);
    }
    let mut body = Body::new(names, &program.blocks[0]);
    let slots = slots.map(|slot| body.reserve(slot));
    let signature = filled(signature, [&slots[0], &slots[1], &slots[2], &slots[3]]);
    let code = body.finish(&slots, outputs);
    format!("{doc}    fn {signature} {{\n{}{code}    }}\n\n", import(names))
}

/// The import of the runtime's types in the body of a method.
fn import(names: &Names) -> &'static str {
    match names.numbers {
        Numbers::Floating => "",
        Numbers::Enclosures => "        use ::dae::__private::TaylorModel;\n",
    }
}

fn filled(signature: &str, slots: [&str; 4]) -> String {
    let mut signature = signature.to_string();
    for (key, slot) in ["{t}", "{y}", "{yp}", "{out}"].iter().zip(slots) {
        signature = signature.replace(key, slot);
    }
    signature
}

/// A method of several blocks, or with loops.
fn in_parts(
    names: &Names,
    signature: &str,
    doc: &str,
    program: &Program,
    wanted: [&str; 4],
    outputs: Outputs<'_>,
) -> String {
    let blocks: Vec<_> =
        program.blocks.iter().filter(|block| !block.outputs.is_empty() || !block.totals.is_empty()).collect();
    let long = program.instructions() > LONGEST;
    let mut text = String::new();
    for (number, block) in blocks.iter().enumerate() {
        let mut body = Body::part(names, block);
        let slots = body.slots(wanted);
        if number == 0 {
            let signature = filled(signature, [&slots.t, &slots.y, &slots.yp, &slots.out]);
            text.push_str(&format!("{doc}    fn {signature} {{\n"));
            text.push_str(import(names));
            text.push_str(&format!("        let {} = &{};\n", slots.parameters, names.parameter_values()));
            if !names.inputs.is_empty() {
                text.push_str(&format!("        let inputs = &self.{};\n", names.input_path()));
            }
            text.push_str(&zeros(names, &slots.totals, program.totals));
        }
        let domain = block.domain.is_empty();
        let mut arguments = arguments(names, &slots, signature, program.totals);
        if !names.inputs.is_empty() {
            arguments.push(("inputs".to_string(), "&[::dae::__private::Input]"));
        }
        let code = body.finish_part(&slots, outputs);
        text.push_str(&match (long, domain) {
            (false, false) => code,
            (false, true) if blocks.len() == 1 => code,
            (false, true) => format!("        {{\n{}        }}\n", indented(&code)),
            (true, _) => {
                let number = number + 1;
                let list = |pick: fn(&(String, &'static str)) -> String| {
                    arguments.iter().map(pick).collect::<Vec<_>>().join(", ")
                };
                let (declared, given) = (list(|(name, of)| format!("{name}: {of}")), list(|(name, _)| name.clone()));
                let code = indented(&code);
                format!("        fn part_{number}({declared}) {{\n{code}        }}\n        part_{number}({given});\n")
            }
        });
    }
    if blocks.is_empty() {
        let slots = Body::part(names, &Block::default()).slots(wanted);
        let signature = filled(signature, [&slots.t, &slots.y, &slots.yp, &slots.out]);
        text.push_str(&format!("{doc}    fn {signature} {{\n"));
    }
    text + "    }\n\n"
}

/// The blocks of a program that reads parameters from the variable in which it stores its results.
pub(super) fn parts(names: &Names, program: &Program, variable: &str, outputs: Outputs<'_>) -> String {
    let blocks = program.blocks.iter().filter(|block| !block.outputs.is_empty() || !block.totals.is_empty());
    let part = |block| {
        let mut body = Body::part(names, block);
        let slots = Slots { out: variable.into(), ..body.slots(["time", "", "", ""]) };
        format!("        {{\n{}        }}\n", indented(&body.finish_part(&slots, outputs)))
    };
    zeros(names, "totals", program.totals) + &blocks.map(part).collect::<String>()
}

/// The declaration of the totals, if there are any.
fn zeros(names: &Names, name: &str, totals: usize) -> String {
    let zero = match names.numbers {
        Numbers::Floating => "0.0",
        Numbers::Enclosures => "TaylorModel::ZERO",
    };
    if totals == 0 { String::new() } else { format!("        let {name} = &mut [{zero}; {totals}];\n") }
}

/// The code, indented by one more level.
fn indented(code: &str) -> String {
    code.lines().map(|line| format!("    {line}\n")).collect()
}

/// The arguments of a part, with their types: those of the method, the parameters, and the totals if there are any.
fn arguments(names: &Names, slots: &Slots, signature: &str, totals: usize) -> Vec<(String, &'static str)> {
    let [number, slice, slice_mut] = match names.numbers {
        Numbers::Floating => ["f64", "&[f64]", "&mut [f64]"],
        Numbers::Enclosures => ["TaylorModel", "&[TaylorModel]", "&mut [TaylorModel]"],
    };
    let given = [
        ("{t}", &slots.t, number),
        ("{y}", &slots.y, slice),
        ("{yp}", &slots.yp, slice),
        ("", &slots.parameters, slice),
        (if totals == 0 { "no totals" } else { "" }, &slots.totals, slice_mut),
        ("{out}", &slots.out, slice_mut),
    ];
    given.into_iter().filter(|(key, ..)| signature.contains(key)).map(|(_, name, of)| (name.clone(), of)).collect()
}

/// The name of a row.
pub(super) fn labels_of(labels: &Labels, row: usize) -> String {
    labels.list.get(row).map_or_else(String::new, |(name, _)| name.clone())
}
