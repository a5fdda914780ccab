//! Which equations of a stage have to be solved together.
//!
//! In: some equations, and the jets that may move. Out: [`Component`]s that share no moving jet, and within a large one
//! the steps in which a linear system with its pattern is solved: the Dulmage–Mendelsohn parts, the square one block by
//! block. Equations of the overdetermined part contain only its own unknowns, those of the square part none of the
//! underdetermined part. So, in this order, every step contains only its own unknowns and those of earlier steps, and
//! only the underdetermined part, split into its own components, leaves a choice.

use crate::contract::{ProlongationDescription, Start};
use crate::linalg::structure::{
    Incidence, Matching, Part, block_triangular_form, connected_components, dulmage_mendelsohn,
};

/// Components with at most this many equations, and at most twice as many moving jets, are solved by dense linear
/// algebra without structural analysis.
pub(super) const SMALL: usize = 60;

/// Equations that share moving jets, directly or through others, and these jets.
pub(super) struct Component {
    /// Equations, ascending.
    pub rows: Vec<usize>,
    /// Jets that may move, ascending.
    pub moving: Vec<usize>,
    /// Positions in `moving` of the jets that cost nothing to move.
    pub free: Vec<usize>,
    /// Positions in `moving` of the jets that are costly to move.
    pub costly: Vec<usize>,
    /// The steps in which a linear system is solved; empty for small components.
    pub steps: Vec<BlockStep>,
}

/// One step of the solution of a linear system; equations and unknowns are positions in `rows` and `moving`.
pub(super) struct BlockStep {
    pub kind: StepKind,
    pub rows: Vec<usize>,
    pub columns: Vec<usize>,
}

/// What a step has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepKind {
    /// More equations than unknowns: least squares.
    Over,
    /// As many equations as unknowns: one solution.
    Square,
    /// Many solutions: least change.
    Under,
}

/// The components of some equations, and the places of the jets in them.
pub(super) struct Decomposition {
    pub components: Vec<Component>,
    /// For every jet that may move, its position in `moving` of its component.
    place: Vec<Option<usize>>,
}

impl Decomposition {
    /// Decomposes the equations and jets of the chosen stages.
    pub(super) fn of(description: &ProlongationDescription, stage: impl Fn(i32) -> bool) -> Decomposition {
        let (jets, equations) = (&description.jets, &description.equations);
        let may_move: Vec<bool> = jets.iter().map(|jet| stage(jet.stage) && jet.start != Start::Fixed).collect();
        let rows: Vec<usize> = (0..equations.len()).filter(|&i| stage(equations[i].stage)).collect();
        let moving =
            |&row: &usize| description.jacobian.row(row).map(|(j, _)| j).filter(|&j| may_move[j]).collect::<Vec<_>>();
        let pattern = Incidence::from_rows(jets.len(), rows.iter().map(moving))
            .unwrap_or_else(|_| Incidence::without_equations(jets.len()));
        let mut place = vec![None; jets.len()];
        let components = connected_components(&pattern)
            .into_iter()
            .map(|part| {
                for (k, &jet) in part.unknowns.iter().enumerate() {
                    place[jet] = Some(k);
                }
                let (free, costly) =
                    (0..part.unknowns.len()).partition(|&k| jets[part.unknowns[k]].start == Start::Free);
                let steps = steps(&pattern, &part, &place);
                let rows = part.equations.into_iter().map(|i| rows[i]).collect();
                Component { rows, moving: part.unknowns, free, costly, steps }
            })
            .collect();
        Decomposition { components, place }
    }

    /// Position of a jet among the moving ones of its component; `None` if it does not move.
    pub(super) fn place(&self, jet: usize) -> Option<usize> {
        self.place[jet]
    }
}

impl Component {
    /// Whether dense linear algebra suffices.
    pub(super) fn is_small(&self) -> bool {
        is_small(self.rows.len(), self.moving.len())
    }
}

pub(super) fn is_small(rows: usize, columns: usize) -> bool {
    rows <= SMALL && columns <= 2 * SMALL
}

fn steps(pattern: &Incidence, part: &Part, place: &[Option<usize>]) -> Vec<BlockStep> {
    if is_small(part.equations.len(), part.unknowns.len()) {
        return Vec::new();
    }
    let rows: Vec<Vec<usize>> =
        part.equations.iter().map(|&i| pattern.row(i).iter().filter_map(|&jet| place[jet]).collect()).collect();
    let all =
        |columns: &[usize]| restriction(&rows, &(0..rows.len()).collect::<Vec<_>>(), columns, part.unknowns.len());
    let parts = dulmage_mendelsohn(&all(&(0..part.unknowns.len()).collect::<Vec<_>>()));
    let mut steps = Vec::new();
    for component in components_of(&rows, &parts.overdetermined, part.unknowns.len()) {
        steps.push(BlockStep { kind: StepKind::Over, rows: component.equations, columns: component.unknowns });
    }
    let square = restriction(&rows, &parts.square.equations, &parts.square.unknowns, part.unknowns.len());
    if let Some(transversal) = Matching::maximum(&square).transversal() {
        for block in block_triangular_form(&square, &transversal) {
            steps.push(BlockStep {
                kind: StepKind::Square,
                rows: block.equations.iter().map(|&i| parts.square.equations[i]).collect(),
                columns: block.unknowns.iter().map(|&j| parts.square.unknowns[j]).collect(),
            });
        }
    }
    for component in components_of(&rows, &parts.underdetermined, part.unknowns.len()) {
        steps.push(BlockStep { kind: StepKind::Under, rows: component.equations, columns: component.unknowns });
    }
    steps
}

/// The pattern of some rows and columns, renumbered.
fn restriction(rows: &[Vec<usize>], equations: &[usize], unknowns: &[usize], columns: usize) -> Incidence {
    let mut place = vec![None; columns];
    for (k, &unknown) in unknowns.iter().enumerate() {
        place[unknown] = Some(k);
    }
    let row = |&i: &usize| rows[i].iter().filter_map(|&j| place[j]).collect::<Vec<_>>();
    Incidence::from_rows(unknowns.len(), equations.iter().map(row))
        .unwrap_or_else(|_| Incidence::without_equations(unknowns.len()))
}

fn components_of(rows: &[Vec<usize>], part: &Part, columns: usize) -> Vec<Part> {
    let found = connected_components(&restriction(rows, &part.equations, &part.unknowns, columns));
    let original = |component: Part| Part {
        equations: component.equations.into_iter().map(|i| part.equations[i]).collect(),
        unknowns: component.unknowns.into_iter().map(|j| part.unknowns[j]).collect(),
    };
    found.into_iter().map(original).collect()
}
