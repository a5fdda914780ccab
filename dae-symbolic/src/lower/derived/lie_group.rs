//! `lie_group SO(3) { … }`.
//!
//! In: the statements of the block. Out: its equations in the model, and the description that they were derived from;
//! or findings.

use super::super::items::{Item, shape};
use super::super::lowering::Lowering;
use super::{Group, access_name, over};
use crate::derive::lie_group::{LieProblem, derive};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Expr, Symbol, UnknownId};
use crate::model::family::{Access, Loop, TimeInvariant, box_of};
use crate::model::{Derivation, Space, derivative_name};
use crate::origin::Origin;
use crate::syntax::ast::{Generator, LieGroup, Name, Statement, StatementKind};
use crate::syntax::suggest;
use crate::syntax::validate::Place;

/// A kind of group, with the rows and columns of a matrix on it.
#[derive(Clone, Copy)]
struct Shape {
    space: Space,
    rows: usize,
    columns: usize,
}

/// The matrix of a block.
struct Matrix<'a> {
    name: &'a Name,
    /// The unknowns, row by row.
    entries: Vec<UnknownId>,
    /// The equations of the entries, which are one family.
    group: Group,
}

impl<'a> Lowering<'a, '_> {
    pub(in crate::lower) fn lie_group(&mut self, position: usize, it: &'a LieGroup) {
        let findings = self.found.len();
        let shape = self.space(position, it);
        let matrix = self.matrix(it, shape);
        let generator = self.generator(position, it, shape);
        if self.found.len() > findings || it.doubtful {
            return;
        }
        let (Some(Shape { space, rows, columns }), Some(matrix), Some((generator, place))) = (shape, matrix, generator)
        else {
            return;
        };
        let Matrix { name, entries: matrix, group } = matrix;
        let name = name.text.clone();
        let problem = LieProblem { space, rows, columns, name, matrix, generator, origin: it.opening, place };
        let names = SymbolNames::of(self);
        match derive(&mut self.evaluator.dag, &problem, &self.model.inputs, &|symbol| names.name(symbol)) {
            Ok((equations, mut derived)) => {
                derived.equations = self.add_equations(equations, [group]);
                self.model.derivations.push(Derivation::LieGroup(derived));
            }
            Err(found) => self.found.append(found),
        }
    }

    /// The group of the head, with its sizes.
    fn space(&mut self, position: usize, it: &LieGroup) -> Option<Shape> {
        let mut sizes = Vec::with_capacity(it.sizes.len());
        for size in &it.sizes {
            let value = self.value(Some(*size), position, Place::Extent);
            sizes.push(value.and_then(|value| self.evaluator.extent(value.expr, size.root, self.found)));
        }
        let name = it.space.as_ref()?;
        let Some(space) = Space::of_word(&name.text) else {
            let message = format!("there is no group `{}`", name.text);
            let finding = Diagnostic::error(Code::InvalidLieGroup, message).label(name.origin, "not known");
            let patterns: Vec<String> = Space::ALL.iter().map(|space| format!("`{}`", space.pattern())).collect();
            let finding = match suggest::nearest(&name.text, Space::ALL.map(Space::word)) {
                Some(near) => finding.help(format!("did you mean `{near}`?")),
                None => finding,
            };
            self.found.push(finding.note(format!("the groups and manifolds are {}", patterns.join(", "))));
            return None;
        };
        let sizes: Vec<usize> = sizes.into_iter().collect::<Option<_>>()?;
        let fits = match (space, sizes.as_slice()) {
            (Space::Stiefel, &[rows, columns]) if (1..=rows).contains(&columns) => Ok((rows, columns)),
            (Space::Stiefel, [_, _]) => Err("orthonormal columns are at most as many as rows, and at least one"),
            (Space::Stiefel, _) => Err("it has two sizes: the numbers of rows and columns"),
            (Space::SpecialEuclidean, [3]) => Ok((4, 4)),
            (Space::SpecialEuclidean, _) => Err("rigid motions are those of three-dimensional space"),
            (_, [0]) => Err("a matrix has at least one row"),
            (Space::Symplectic, &[n]) if n % 2 == 1 => Err("symplectic matrices have an even number of rows"),
            (Space::SpecialOrthogonal | Space::SpecialLinear | Space::GeneralLinear | Space::Symplectic, &[n]) => {
                Ok((n, n))
            }
            (Space::SpecialOrthogonal | Space::SpecialLinear | Space::GeneralLinear | Space::Symplectic, _) => {
                Err("it has one size: the number of rows")
            }
        };
        match fits {
            Ok((rows, columns)) => Some(Shape { space, rows, columns }),
            Err(why) => {
                let given: Vec<String> = sizes.iter().map(usize::to_string).collect();
                let message = format!("there is no `{}({})`: {why}", space.word(), given.join(", "));
                let finding = Diagnostic::error(Code::InvalidLieGroup, message).label(it.opening, "in this head");
                self.found.push(finding.help(format!("write `{}`", space.pattern())));
                None
            }
        }
    }

    /// The unknowns of the matrix, row by row.
    fn matrix(&mut self, it: &'a LieGroup, shape_of_group: Option<Shape>) -> Option<Matrix<'a>> {
        let Some(name) = it.matrices.first() else {
            let help = "name the array of unknowns: `matrix Y;`";
            self.missing_part(it, "the matrix that moves on the group is missing", help);
            return None;
        };
        let places: Vec<Origin> = it.matrices.iter().map(|name| name.origin).collect();
        self.given_once(&places, "matrix", "write a block for each matrix");
        let array = self.declared_array(name, "matrix")?;
        let extents = self.evaluator.shapes.unknowns.get(array).cloned().flatten()?;
        let Shape { space, rows, columns } = shape_of_group?;
        if extents != [rows, columns] && !(columns == 1 && extents == [rows]) {
            let message = format!(
                "`{}` is {}, and elements of {} are matrices of {rows} by {columns}",
                name.text,
                shape(&extents),
                space.name(rows, columns)
            );
            let finding = Diagnostic::error(Code::ArrayShape, message).label(name.origin, "sizes differ");
            let of = if columns == 1 { format!("[f64; {rows}]") } else { format!("[[f64; {columns}]; {rows}]") };
            self.found.push(finding.help(format!("declare it with `var {}: {of}`", name.text)));
            return None;
        }
        let loops = over(&extents);
        let group = Group { points: box_of(&loops), loops };
        let mut entries = Vec::with_capacity(rows * columns);
        for point in &group.points {
            let unknown = self.element_leaf(array, point);
            entries.push(self.part(unknown, name, "matrix entry")?.unknown);
        }
        Some(Matrix { name, entries, group })
    }

    /// The entries of the generator, row by row, and where it stands.
    fn generator(
        &mut self,
        position: usize,
        it: &'a LieGroup,
        shape_of_group: Option<Shape>,
    ) -> Option<(Vec<Expr>, Origin)> {
        let Some(first) = it.generators.first() else {
            self.missing_part(it, "the generator is missing", "write `generator = …;`, the matrix A of Y' = A·Y");
            return None;
        };
        let places: Vec<Origin> = it.generators.iter().map(|generator| generator.origin).collect();
        self.given_once(&places, "generator", "remove one of them");
        let Generator { indices, value, .. } = first;
        let place = self.written.expressions.origin(value.root);
        if !indices.is_empty() && indices.len() != 2 {
            let finding = Diagnostic::error(Code::ArrayShape, "a generator is a matrix, and one index is given")
                .label(indices[0].origin, "one index");
            self.found.push(finding.help("write `|i, j| …`, row and column"));
            return None;
        }
        let locals = self.resolver.locals();
        self.resolver.declare_indices(indices, self.found);
        self.resolve(*value, position, Place::Equation);
        self.resolver.leave(locals);
        let Shape { space, rows, columns } = shape_of_group?;
        let entries = if indices.is_empty() {
            self.bind_template();
            let item = self.evaluate(*value, Vec::new())?;
            let extents = self.evaluator.views.extents(item).to_vec();
            if extents != [rows, rows] {
                let algebra = space.algebra(rows);
                let message = format!(
                    "the generator is {}, and elements of {algebra} are matrices of {rows} by {rows}",
                    shape(&extents)
                );
                let finding = Diagnostic::error(Code::ArrayShape, message).label(place, "sizes differ");
                let help = format!("Y' = A·Y with Y in {} needs an A of this size", space.name(rows, columns));
                self.found.push(finding.help(help));
                return None;
            }
            self.at_all_places(rows, |this, i, j| {
                let at = [this.evaluator.number(i), this.evaluator.number(j)];
                this.element_of(item, &at)
            })
        } else {
            let range = |name: &Name| Loop { name: name.text.clone(), start: 0, end: rows as i64 };
            let loops: Vec<Loop> = indices.iter().map(range).collect();
            let entries = self.at_all_places(rows, |this, i, j| {
                this.bind(&loops, Some(&[i, j]));
                let arguments = [i, j].map(|index| Item::Scalar(this.evaluator.number(index))).to_vec();
                match this.evaluate(*value, arguments)? {
                    Item::Scalar(value) => Some(value.expr),
                    item => {
                        let extents = this.evaluator.views.extents(item).to_vec();
                        this.evaluator.not_a_number(value.root, &extents, this.found);
                        None
                    }
                }
            });
            self.bind_template();
            entries
        };
        Some((entries?, place))
    }

    /// The entries of a square matrix, row by row, up to one that has an error.
    fn at_all_places(
        &mut self,
        rows: usize,
        mut entry: impl FnMut(&mut Self, i64, i64) -> Option<Expr>,
    ) -> Option<Vec<Expr>> {
        let places = (0..rows as i64).flat_map(|i| (0..rows as i64).map(move |j| (i, j)));
        places.map(|(i, j)| entry(self, i, j)).collect()
    }

    fn missing_part(&mut self, it: &LieGroup, message: &str, help: &str) {
        if !it.doubtful {
            let finding = Diagnostic::error(Code::IncompleteDerivation, message).label(it.opening, "in this block");
            self.found.push(finding.help(help));
        }
    }

    /// Reports a statement that is given more than once.
    fn given_once(&mut self, places: &[Origin], word: &str, help: &str) {
        if let [first, again, ..] = places {
            let finding = Diagnostic::error(Code::RepeatedPart, format!("`{word}` is given twice"))
                .label(*again, "given again")
                .label(*first, "first given here");
            self.found.push(finding.help(help));
        }
    }
}

/// The names of leaves in messages.
struct SymbolNames {
    unknowns: Vec<String>,
    parameters: Vec<String>,
    inputs: Vec<String>,
}

impl SymbolNames {
    fn of(lowering: &Lowering<'_, '_>) -> Self {
        let parameter = |statement: &'_ Statement| match &statement.kind {
            StatementKind::Parameter(it) => Some(it.name.text.clone()),
            _ => None,
        };
        let arrays: Vec<String> = lowering.written.statements.iter().filter_map(parameter).collect();
        let arrays: Vec<&str> = arrays.iter().map(String::as_str).collect();
        let of_access = |access: &Access| access_name(&arrays, access);
        let leaf = |leaf: &TimeInvariant| match leaf {
            TimeInvariant::Parameter(access) => of_access(access),
            TimeInvariant::Index(_) | TimeInvariant::Table(_) => "?".to_string(),
        };
        SymbolNames {
            unknowns: lowering.unknown_names(),
            parameters: lowering.evaluator.leaves.time_invariant.iter().map(leaf).collect(),
            inputs: lowering.model.inputs.iter().map(|input| input.name.clone()).collect(),
        }
    }

    fn name(&self, symbol: Symbol) -> String {
        let of = |names: &[String], k: usize| names.get(k).cloned().unwrap_or_else(|| "?".to_string());
        match symbol {
            Symbol::Time => "t".to_string(),
            Symbol::Parameter(id) => of(&self.parameters, id.index()),
            Symbol::Unknown { unknown, order } => derivative_name(&of(&self.unknowns, unknown.index()), order),
            Symbol::Input { input, order } => derivative_name(&of(&self.inputs, input.index()), order),
            Symbol::State(_) | Symbol::StateDerivative(_) => "?".to_string(),
        }
    }
}
