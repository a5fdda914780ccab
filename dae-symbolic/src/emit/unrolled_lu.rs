//! The factorisation of iteration matrices as code without loops.
//!
//! In: pivots and the pattern of the factors. Out: the contract method that hands the code over, or an empty text where
//! loops are better.

use dae_runtime::iteration_matrix::SymbolicFactorization;

use super::items::docs;
use super::pivots::pivots;
use crate::formulation::CompiledForm;
use crate::model::{Domain, Model};
use crate::pipeline::Compiled;

/// Factorisations that take more multiplications than this are left to the loops of the runtime. The code was faster
/// than the loops at every size that was measured (`examples/test_set/README.md`), but the optimising compiler takes a
/// second for every thousand multiplications.
const MOST_WORK: usize = 3000;
/// Models with larger families than this are left to the loops too: the length of the code should be in proportion to
/// that of the model's text.
const LONGEST_FAMILY: usize = 8;
/// The number of multiplications beyond which a new function begins: the compiler's time for much longer functions
/// grows with the square of their length.
const LONGEST: usize = 200;

const FACTORIZE: &str = "From the entries `a` of a matrix, row by row: L, U and the inverses `d` of the pivots.";
const SOLVE: &str = "Replaces the right-hand side `x` by the solution.";

/// The method for the factorisation; empty where the runtime chooses the pivots, which is the default of the contract.
pub(super) fn unrolled_lu(compiled: &Compiled, form: &CompiledForm) -> String {
    if longest_family(&compiled.model) > LONGEST_FAMILY {
        return String::new();
    }
    pivots(compiled, form, MOST_WORK).map_or_else(String::new, |symbolic| source(&symbolic, form))
}

/// The largest number of members that an array or a family of equations has.
fn longest_family(model: &Model) -> usize {
    let domains = model.unknowns.iter().map(|it| &it.domain).chain(model.equations.iter().map(|it| &it.domain));
    domains.map(Domain::size).max().unwrap_or(1)
}

fn source(symbolic: &SymbolicFactorization, form: &CompiledForm) -> String {
    let description = &form.program.description;
    let pivot = |&(row, column): &(usize, usize)| {
        format!("{} for {}", description.equations[row].name, description.unknowns[column].name)
    };
    let order: Vec<String> = symbolic.pivots.iter().map(pivot).collect();
    let doc = docs(
        [
            "Elimination of the iteration matrix α ∂F/∂y' + β ∂F/∂y without loops, for pivots that were chosen around the start:".to_string(),
            format!("{}.", order.join(", ")),
        ],
        "    ",
    );
    let pivots: Vec<String> = symbolic.pivots.iter().map(|pivot| format!("{pivot:?}")).collect();
    format!(
        "{doc}    fn unrolled_lu(&self) -> Option<&::dae::__private::UnrolledLu> {{\n\
         \x20       use ::dae::__private::{{Code, UnrolledLu, Scalar}};\n\
         {}{}\
         \x20       static CODE: UnrolledLu = UnrolledLu {{\n\
         \x20           pivots: &[{}],\n\
         \x20           lengths: {:?},\n\
         \x20           real: Code {{ factorize, solve }},\n\
         \x20           complex: Code {{ factorize, solve }},\n\
         \x20       }};\n\
         \x20       Some(&CODE)\n    }}\n\n",
        factorize(symbolic),
        solve(symbolic),
        pivots.join(", "),
        [symbolic.entries.len(), symbolic.lower.len(), symbolic.upper.len()]
    )
}

/// The place and the column of every entry in row `k` of a factor.
fn row<'a>(
    starts: &'a [usize],
    columns: &'a [usize],
    k: usize,
) -> impl DoubleEndedIterator<Item = (usize, usize)> + 'a {
    (starts[k]..starts[k + 1]).map(|place| (place, columns[place]))
}

fn factorize(symbolic: &SymbolicFactorization) -> String {
    let SymbolicFactorization { pivots, entries, lower_starts, lower, upper_starts, upper, .. } = symbolic;
    let [l, u, d] = factors(symbolic, true);
    let a = Array { name: "a", length: entries.len(), is_written: false };
    let mut code = Code::new("factorize", FACTORIZE, [a, l, u, d], None);
    for k in 0..pivots.len() {
        // The remainder of an entry of the row.
        let remainder = |column: usize| {
            let of_matrix = symbolic.entries_of(k).iter().find(|&&(_, other)| other == column);
            let mut sum = of_matrix.map_or_else(String::new, |(position, _)| format!("a[{position}]"));
            let mut terms = 1;
            for (of_lower, j) in row(lower_starts, lower, k) {
                if let Some((of_upper, _)) = row(upper_starts, upper, j).find(|&(_, other)| other == column) {
                    let sign = if sum.is_empty() { "-" } else { " - " };
                    sum.push_str(&format!("{sign}l[{of_lower}] * u[{of_upper}]"));
                    terms += 1;
                }
            }
            (sum, terms)
        };
        let in_brackets =
            |(sum, terms): (String, usize)| (if sum.contains(' ') { format!("({sum})") } else { sum }, terms);
        for (place, j) in row(lower_starts, lower, k) {
            let (sum, terms) = in_brackets(remainder(j));
            code.push(terms, format!("l[{place}] = {sum} * d[{j}];"));
        }
        for (place, j) in row(upper_starts, upper, k) {
            let (sum, terms) = remainder(j);
            code.push(terms, format!("u[{place}] = {sum};"));
        }
        let (sum, terms) = in_brackets(remainder(k));
        code.push(terms, format!("d[{k}] = {sum}.recip();"));
    }
    code.finish()
}

fn solve(symbolic: &SymbolicFactorization) -> String {
    let SymbolicFactorization { pivots, lower_starts, lower, upper_starts, upper, .. } = symbolic;
    let [l, u, d] = factors(symbolic, false);
    let [x, z] = ["x", "z"].map(|name| Array { name, length: pivots.len(), is_written: true });
    let mut code = Code::new("solve", SOLVE, [l, u, d, x], Some(z));
    for (k, (of_row, _)) in pivots.iter().enumerate() {
        let terms: Vec<String> =
            row(lower_starts, lower, k).map(|(place, j)| format!(" - l[{place}] * z[{j}]")).collect();
        code.push(terms.len() + 1, format!("z[{k}] = x[{of_row}]{};", terms.concat()));
    }
    for (k, (_, of_column)) in pivots.iter().enumerate().rev() {
        let terms: Vec<String> =
            row(upper_starts, upper, k).rev().map(|(place, j)| format!(" - u[{place}] * z[{j}]")).collect();
        let sum = if terms.is_empty() { format!("z[{k}]") } else { format!("(z[{k}]{})", terms.concat()) };
        code.push(terms.len() + 1, format!("z[{k}] = {sum} * d[{k}];"));
        code.push(0, format!("x[{of_column}] = z[{k}];"));
    }
    code.finish()
}

/// A function that works on arrays, cut into several where it is long.
struct Code {
    name: &'static str,
    doc: &'static str,
    arguments: Vec<Array>,
    local: Option<Array>,
    /// Statements, part by part.
    parts: Vec<String>,
    /// The number of multiplications in the last part.
    length: usize,
}

struct Array {
    name: &'static str,
    length: usize,
    is_written: bool,
}

/// $L$ and $U$ without diagonals, and the inverses of the pivots.
fn factors(symbolic: &SymbolicFactorization, is_written: bool) -> [Array; 3] {
    let SymbolicFactorization { pivots, lower, upper, .. } = symbolic;
    let lengths = [("l", lower.len()), ("u", upper.len()), ("d", pivots.len())];
    lengths.map(|(name, length)| Array { name, length, is_written })
}

impl Array {
    /// The array as a parameter: `a: &[S]` or `a: &[S; 12]`.
    fn parameter(&self, length: &str) -> String {
        format!("{}: &{}[S{length}]", self.name, if self.is_written { "mut " } else { "" })
    }
}

impl Code {
    fn new(name: &'static str, doc: &'static str, arguments: impl Into<Vec<Array>>, local: Option<Array>) -> Code {
        Code { name, doc, arguments: arguments.into(), local, parts: vec![String::new()], length: 0 }
    }

    /// Adds a statement with the given number of multiplications.
    fn push(&mut self, multiplications: usize, statement: String) {
        if self.length > LONGEST {
            self.parts.push(String::new());
            self.length = 0;
        }
        self.length += multiplications;
        if let Some(part) = self.parts.last_mut() {
            part.push_str(&format!("            {statement}\n"));
        }
    }

    fn finish(self) -> String {
        let Code { name, doc, arguments, local, parts, .. } = &self;
        let slices: Vec<String> = arguments.iter().map(|array| array.parameter("")).collect();
        let mut text = format!("        /// {doc}\n        fn {name}<S: Scalar>({}) {{\n", slices.join(", "));
        // With known lengths, no index is checked at run time.
        for Array { name, length, is_written } in arguments {
            let how = if *is_written { "_mut" } else { "" };
            let array = format!("{name}.first_chunk{how}::<{length}>()");
            text.push_str(&format!("            let Some({name}) = {array} else {{ return }};\n"));
        }
        if let Some(Array { name, length, .. }) = local {
            text.push_str(&format!("            let {name} = &mut [S::ZERO; {length}];\n"));
        }
        if let [only] = &parts[..] {
            return text + only + "        }\n";
        }
        let arrays = || arguments.iter().chain(local);
        let names: Vec<&str> = arrays().map(|array| array.name).collect();
        for number in 1..=parts.len() {
            text.push_str(&format!("            {name}_{number}({});\n", names.join(", ")));
        }
        text.push_str("        }\n");
        let parameters: Vec<String> = arrays().map(|array| array.parameter(&format!("; {}", array.length))).collect();
        let parameters = parameters.join(", ");
        for (part, number) in parts.iter().zip(1..) {
            text.push_str(&format!("        #[inline(never)]\n        /// Part {number} of {}.\n", parts.len()));
            text.push_str(&format!("        fn {name}_{number}<S: Scalar>({parameters}) {{\n{part}        }}\n"));
        }
        text
    }
}
