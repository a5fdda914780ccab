//! The constant tables of formulations and of the prolongation as Rust statics.
//!
//! In: descriptions. Out: the methods that return them, and doc lines that say which entry of a Jacobian is which.
//! Without families the tables are literals; with families, loops fill them when the description is first asked for.

use dae_runtime::contract::{
    AliasOf, BoundaryDescription, DeclaredChange, DeclaredEvent, Description, EventsDescription, HamiltonianStructure,
    IntegralsDescription, Invariant, Kind, Leading, Name, Occasion, Pattern, Point, ProlongationDescription, Role,
    Start, Transition, Unknown,
};

use super::items::docs;
use super::listing;
use crate::formulation::{BlendedProgram, CompiledForm};
use crate::model::{Domain, Numbering, Torn};
use crate::prolongation::Prolonged;
use crate::spelling::families::listed;
use crate::spelling::indices::spell;
use crate::spelling::lines::lines;

/// In models with families, rows with more columns than this have only about half this many named.
const COLUMNS: usize = 40;

/// One doc line per row: its name and the columns of its entries in order; rows of a family in one.
pub(super) fn rows_doc(
    what: &str,
    pattern: &Pattern,
    domains: &[Domain],
    row: impl Fn(usize) -> String,
    column: impl Fn(usize) -> String,
) -> String {
    let mut texts = Vec::new();
    for r in 0..pattern.rows() {
        let range = pattern.row_starts[r]..pattern.row_starts[r + 1];
        if !range.is_empty() {
            let mut columns: Vec<String> = pattern.column_indices[range].iter().map(|&c| column(c)).collect();
            if columns.len() > COLUMNS && domains.iter().any(|domain| domain.member.is_some()) {
                columns.splice(COLUMNS / 2..columns.len() - 1, ["…".to_string()]);
            }
            texts.push((domains.get(r), format!("{} by {}", row(r), columns.join(", "))));
        }
    }
    let first =
        if texts.is_empty() { format!("{what}: zero.") } else { format!("{what}, row by row where it is not zero:") };
    let rows = lines(texts.iter().map(|(domain, line)| (*domain, line.as_str())));
    docs([first].into_iter().chain(rows.into_iter().map(|row| format!("* {row}"))), "    ")
}

fn kind(k: Kind) -> String {
    match k {
        Kind::Differential => "Differential".into(),
        Kind::Algebraic => "Algebraic".into(),
        Kind::Auxiliary { order } => format!("Auxiliary {{ order: {order} }}"),
    }
}

fn leading(leading: Leading) -> &'static str {
    match leading {
        Leading::Constant => "Constant",
        Leading::Quasilinear => "Quasilinear",
        Leading::Nonlinear => "Nonlinear",
        Leading::Solved => "Solved",
    }
}

/// The structure of a Hamiltonian system as Rust, with positions translated by these functions.
fn hamiltonian(
    structure: &Result<HamiltonianStructure, Name>,
    [unknown, row, invariant]: [&dyn Fn(usize) -> usize; 3],
) -> String {
    let structure = match structure {
        Ok(structure) => structure,
        Err(reason) => return format!("Err(Borrowed({reason:?}))"),
    };
    let list = |places: &[usize], of: &dyn Fn(usize) -> usize| {
        let places: Vec<String> = places.iter().map(|&place| of(place).to_string()).collect();
        format!("&[{}]", places.join(", "))
    };
    let lists = [
        list(&structure.positions, unknown),
        list(&structure.momenta, unknown),
        list(&structure.multipliers, unknown),
        list(&structure.position_equations, row),
        list(&structure.momentum_equations, row),
        list(&structure.constraints, invariant),
    ];
    let properties = [structure.has_constant_masses, structure.has_normal_forces];
    format!("Ok(hamiltonian([{}], {properties:?}))", lists.join(", "))
}

fn start(s: Start) -> &'static str {
    match s {
        Start::Fixed => "Fixed",
        Start::Guess => "Guess",
        Start::Free => "Free",
    }
}

/// A role as Rust, `{}` standing for its positions.
fn role(role: Role) -> &'static str {
    match role {
        Role::Jet(_) => "Role::Jet({})",
        Role::HigherDerivative => "Role::HigherDerivative",
        Role::Multiplier { .. } => "Role::Multiplier { row: {} }",
        Role::Defined { .. } => "Role::Defined { value: {}, derivative: {} }",
        Role::Weight { .. } => "Role::Weight { switch: {} }",
    }
}

/// A role with its positions.
fn spelled_role(role: &str, positions: impl IntoIterator<Item = String>) -> String {
    positions.into_iter().fold(role.to_string(), |text, position| text.replacen("{}", &position, 1))
}

/// The positions in a role: of a jet, or of rows.
fn positions(role: Role, jet: impl Fn(usize) -> usize, row: impl Fn(usize) -> usize) -> Vec<usize> {
    match role {
        Role::Jet(it) => vec![jet(it)],
        Role::HigherDerivative => Vec::new(),
        Role::Multiplier { row: it } => vec![row(it)],
        Role::Defined { value, derivative } => vec![row(value), row(derivative)],
        // Only formulations that the runtime completes have weights.
        Role::Weight { switch } => vec![switch],
    }
}

/// The description of a formulation of `prolonged`; `parameters` are the domains of the parameters.
pub(super) fn description(
    form: &CompiledForm,
    prolonged: &Prolonged,
    parameters: &[Domain],
    families: bool,
) -> Result<String, Torn> {
    match families {
        true => listed_description(form, prolonged, parameters),
        false => Ok(literal_description(&form.program.description)),
    }
}

/// The bits of a number, as a key.
fn exact(value: f64) -> u64 {
    value.to_bits()
}

fn listed_description(form: &CompiledForm, prolonged: &Prolonged, parameters: &[Domain]) -> Result<String, Torn> {
    let d = &form.program.description;
    let of_unknowns = form.formulation.unknowns.iter().map(|u| &u.domain);
    let jets = Numbering::of(&prolonged.jet_domains)?;
    let prolonged = Numbering::of(&prolonged.equation_domains)?;
    let of_equations: Vec<Domain> = form.formulation.equations.iter().map(|e| e.domain.clone()).collect();
    let rows = Numbering::of(&of_equations)?;
    let of_invariants: Vec<Domain> = form.formulation.invariants.iter().map(|i| i.domain.clone()).collect();
    let key = |u: &Unknown| (role(u.role), kind(u.kind), u.index, exact(u.nominal), u.is_discrete);
    let mut unknowns = listed(of_unknowns.zip(d.unknowns.iter()).map(|(of, u)| (of, &*u.name, key(u))))?;
    for (entry, unknown) in unknowns.iter_mut().zip(d.unknowns.iter()) {
        entry.places.extend(positions(unknown.role, |jet| jets.place_of(jet), |row| rows.place_of(row)));
    }
    let mut equations =
        listed(of_equations.iter().zip(d.equations.iter()).map(|(of, e)| (of, &*e.name, e.prolonged.is_some())))?;
    for (entry, equation) in equations.iter_mut().zip(d.equations.iter()) {
        entry.places.extend(equation.prolonged.map(|equation| prolonged.place_of(equation)));
    }
    let names = listed(parameters.iter().zip(d.parameters.iter()).map(|(of, name)| (of, &**name, ())))?;
    let key = |i: &Invariant| (i.row.is_some(), i.prolonged.is_some());
    let mut invariants = listed(of_invariants.iter().zip(d.invariants.iter()).map(|(of, i)| (of, &*i.name, key(i))))?;
    for (entry, invariant) in invariants.iter_mut().zip(d.invariants.iter()) {
        entry.places.extend(invariant.row.map(|row| rows.place_of(row)));
        entry.places.extend(invariant.prolonged.map(|equation| prolonged.place_of(equation)));
    }
    let mut text = lazy("description", "Description");
    text.push_str(&listing::list("unknowns", &unknowns, |name, group, indices| {
        let (role, kind, index, nominal, is_discrete) = &group.key;
        let role = spelled_role(role, group.places[1..].iter().map(|place| spell(place, indices)));
        let nominal = f64::from_bits(*nominal);
        format!("Unknown {{ name: {name}, role: {role}, kind: Kind::{kind}, index: {index}, nominal: {nominal:?}, is_discrete: {is_discrete} }}")
    })?);
    let position = |is_known: bool, places: &mut dyn Iterator<Item = String>| {
        let place = if is_known { places.next() } else { None };
        place.map_or("None".into(), |place| format!("Some({place})"))
    };
    text.push_str(&listing::list("equations", &equations, |name, group, indices| {
        let mut places = group.places[1..].iter().map(|place| spell(place, indices));
        format!("Equation {{ name: {name}, prolonged: {} }}", position(group.key, &mut places))
    })?);
    text.push_str(&listing::list("parameters", &names, |name, _, _| name.to_string())?);
    text.push_str(&listing::list("invariants", &invariants, |name, group, indices| {
        let mut places = group.places[1..].iter().map(|place| spell(place, indices));
        let (row, prolonged) = (position(group.key.0, &mut places), position(group.key.1, &mut places));
        format!("Invariant {{ name: {name}, row: {row}, prolonged: {prolonged} }}")
    })?);
    let switches = form.program.switch_domains.iter().zip(d.switches.iter());
    let switches = listed(switches.map(|(of, s)| (of, &*s.name, (s.of_time, s.jumps))))?;
    text.push_str(&listing::list("switches", &switches, |name, group, _| {
        let (of_time, jumps) = group.key;
        format!("Switch {{ name: {name}, of_time: {of_time}, jumps: {jumps} }}")
    })?);
    let states = Numbering::of(form.formulation.unknowns.iter().map(|u| &u.domain))?;
    let parameters = Numbering::of(parameters)?;
    let patterns = [
        ("jacobian_y", &d.jacobian_y, &of_equations, &states),
        ("jacobian_yp", &d.jacobian_yp, &of_equations, &states),
        ("jacobian_p", &d.jacobian_p, &of_equations, &parameters),
        ("invariants_jacobian", &d.invariants_jacobian, &of_invariants, &states),
        ("switches_jacobian_p", &d.switches_jacobian_p, &form.program.switch_domains, &parameters),
    ];
    for (name, pattern, domains, columns) in patterns {
        text.push_str(&listing::pattern(name, pattern, domains, columns)?);
    }
    text.push_str(&format!("            Description {{\n                model: Borrowed({:?}),\n", d.model));
    text.push_str(&format!("                form: Borrowed({:?}),\n", d.form));
    let of_unknowns = Numbering::of(form.formulation.unknowns.iter().map(|u| &u.domain))?;
    let places = Numbering::of(&of_invariants)?;
    let places: [&dyn Fn(usize) -> usize; 3] =
        [&|k| of_unknowns.place_of(k), &|row| rows.place_of(row), &|k| places.place_of(k)];
    text.push_str(&format!("                hamiltonian: {},\n", hamiltonian(&d.hamiltonian, places)));
    text.push_str(&format!("                leading: Leading::{},\n", leading(d.leading)));
    text.push_str(&format!("                is_affine: {},\n", d.is_affine));
    text.push_str(&format!("                leading_rank: {},\n", d.leading_rank));
    // In models with families nothing is eliminated, because families would be torn.
    text.push_str("                eliminated: Borrowed(&[]),\n");
    let lists = ["unknowns", "equations", "parameters", "invariants", "switches"];
    for name in lists.into_iter().chain(patterns.map(|(name, ..)| name)) {
        text.push_str(&format!("                {name}: {name}.finish(),\n"));
    }
    Ok(text + "            }\n        });\n        &DESCRIPTION\n    }\n\n")
}

/// The method of the given name up to the statements that make its description.
fn lazy(method: &str, of: &str) -> String {
    format!(
        "    fn {method}(&self) -> &::dae::__private::{of} {{\n        use ::dae::__private::*;\n        \
         static DESCRIPTION: LazyLock<{of}> = LazyLock::new(|| {{\n"
    )
}

fn literal_description(d: &Description) -> String {
    let unknowns = d.unknowns.iter().map(|u| {
        let positions = positions(u.role, |jet| jet, |row| row);
        let role = spelled_role(role(u.role), positions.iter().map(usize::to_string));
        let what = if u.is_discrete { "discrete" } else { "unknown" };
        format!("{what}({:?}, {role}, Kind::{}, {}, {:?})", u.name, kind(u.kind), u.index, u.nominal)
    });
    let equations = d.equations.iter().map(|e| format!("equation({:?}, {:?})", e.name, e.prolonged));
    let invariants = d.invariants.iter().map(|i| match i.row {
        Some(row) => format!("enforced({:?}, {row}, {:?})", i.name, i.prolonged),
        None => format!("implied({:?}, {:?})", i.name, i.prolonged),
    });
    let leading = leading(d.leading);
    let switches = d.switches.iter().map(|s| format!("switch({:?}, {}, {})", s.name, s.of_time, s.jumps));
    let mut text = String::from("    fn description(&self) -> &::dae::__private::Description {\n");
    text.push_str("        use ::dae::__private::*;\n");
    text.push_str(&table("UNKNOWNS", "Unknown", unknowns));
    text.push_str(&table("EQUATIONS", "Equation", equations));
    text.push_str(&table("PARAMETERS", "Name", d.parameters.iter().map(|p| format!("Borrowed({p:?})"))));
    text.push_str(&table("INVARIANTS", "Invariant", invariants));
    text.push_str(&table("SWITCHES", "Switch", switches));
    let eliminated = d.eliminated.iter().map(|it| {
        let alias_of = match it.alias_of {
            AliasOf::Same(state) => format!("Same({state})"),
            AliasOf::Opposite(state) => format!("Opposite({state})"),
            AliasOf::Constant => "Constant".to_string(),
        };
        format!("eliminated({:?}, {:?}, AliasOf::{alias_of})", it.name, it.jet)
    });
    let eliminated: Vec<String> = eliminated.collect();
    if !eliminated.is_empty() {
        text.push_str(&table("ELIMINATED", "Eliminated", eliminated.iter().cloned()));
    }
    text.push_str("        static DESCRIPTION: Description = Description {\n");
    text.push_str(&format!("            model: Borrowed({:?}),\n            form: Borrowed({:?}),\n", d.model, d.form));
    for (field, name) in [
        ("unknowns", "UNKNOWNS"),
        ("equations", "EQUATIONS"),
        ("parameters", "PARAMETERS"),
        ("invariants", "INVARIANTS"),
        ("switches", "SWITCHES"),
    ] {
        text.push_str(&format!("            {field}: Borrowed(&{name}),\n"));
    }
    let list = if eliminated.is_empty() { "[]" } else { "ELIMINATED" };
    text.push_str(&format!("            eliminated: Borrowed(&{list}),\n"));
    let structure = hamiltonian(&d.hamiltonian, [&|k| k; 3]);
    text.push_str(&format!(
        "            hamiltonian: {structure},\n            leading: Leading::{leading},\n            \
         is_affine: {},\n            leading_rank: {},\n",
        d.is_affine, d.leading_rank
    ));
    for (field, p) in [
        ("jacobian_y", &d.jacobian_y),
        ("jacobian_yp", &d.jacobian_yp),
        ("jacobian_p", &d.jacobian_p),
        ("invariants_jacobian", &d.invariants_jacobian),
        ("switches_jacobian_p", &d.switches_jacobian_p),
    ] {
        text.push_str(&format!("            {field}: {},\n", pattern(p)));
    }
    text.push_str("        };\n        &DESCRIPTION\n    }\n\n");
    text
}

/// The description of the prolongation.
pub(super) fn prolongation(prolonged: &Prolonged, parameters: &Numbering, families: bool) -> Result<String, Torn> {
    if families { listed_prolongation(prolonged, parameters) } else { Ok(literal_prolongation(&prolonged.description)) }
}

fn listed_prolongation(prolonged: &Prolonged, parameters: &Numbering) -> Result<String, Torn> {
    let d = &prolonged.description;
    let jets = listed(
        prolonged
            .jet_domains
            .iter()
            .zip(d.jets.iter())
            .map(|(of, j)| (of, &*j.name, (j.order, j.stage, j.start, exact(j.nominal)))),
    )?;
    let equations = prolonged.listed_equations()?;
    let columns = Numbering::of(&prolonged.jet_domains)?;
    let mut text = lazy("prolongation_description", "ProlongationDescription");
    text.push_str(&listing::list("jets", &jets, |name, group, _| {
        let (order, stage, kind, nominal) = group.key;
        let kind = start(kind);
        let nominal = f64::from_bits(nominal);
        format!("Jet {{ name: {name}, order: {order}, stage: {stage}, start: Start::{kind}, nominal: {nominal:?} }}")
    })?);
    text.push_str(&listing::list("equations", &equations, |name, group, indices| {
        let (equation, (order, stage)) = (spell(&group.places[1], indices), group.key);
        format!("JetEquation {{ name: {name}, equation: {equation}, order: {order}, stage: {stage} }}")
    })?);
    let patterns = [
        ("jacobian", &d.jacobian, &prolonged.equation_domains, &columns),
        ("jacobian_p", &d.jacobian_p, &prolonged.equation_domains, parameters),
        ("start_jacobian_p", &d.start_jacobian_p, &prolonged.jet_domains, parameters),
    ];
    for (name, pattern, rows, columns) in patterns {
        text.push_str(&listing::pattern(name, pattern, rows, columns)?);
    }
    text.push_str(&format!(
        "            ProlongationDescription {{\n                model: Borrowed({:?}),\n",
        d.model
    ));
    for name in ["jets", "equations"].into_iter().chain(patterns.map(|(name, ..)| name)) {
        text.push_str(&format!("                {name}: {name}.finish(),\n"));
    }
    Ok(text + "            }\n        });\n        &DESCRIPTION\n    }\n\n")
}

fn literal_prolongation(d: &ProlongationDescription) -> String {
    let jets = d.jets.iter().map(|j| {
        let start = start(j.start);
        format!("jet({:?}, {}, {}, Start::{start}, {:?})", j.name, j.order, j.stage, j.nominal)
    });
    let equations =
        d.equations.iter().map(|e| format!("jet_equation({:?}, {}, {}, {})", e.name, e.equation, e.order, e.stage));
    let mut text =
        String::from("    fn prolongation_description(&self) -> &::dae::__private::ProlongationDescription {\n");
    text.push_str("        use ::dae::__private::*;\n");
    text.push_str(&table("JETS", "Jet", jets));
    text.push_str(&table("EQUATIONS", "JetEquation", equations));
    text.push_str("        static DESCRIPTION: ProlongationDescription = ProlongationDescription {\n");
    text.push_str(&format!("            model: Borrowed({:?}),\n", d.model));
    text.push_str("            jets: Borrowed(&JETS),\n            equations: Borrowed(&EQUATIONS),\n");
    for (field, p) in
        [("jacobian", &d.jacobian), ("jacobian_p", &d.jacobian_p), ("start_jacobian_p", &d.start_jacobian_p)]
    {
        text.push_str(&format!("            {field}: {},\n", pattern(p)));
    }
    text + "        };\n        &DESCRIPTION\n    }\n\n"
}

/// The description of declared first integrals.
pub(super) fn integrals(d: &IntegralsDescription) -> String {
    let mut text = String::from("    fn integrals_description(&self) -> &::dae::__private::IntegralsDescription {\n");
    text.push_str("        use ::dae::__private::*;\n");
    text.push_str(&table("NAMES", "Name", d.names.iter().map(|name| format!("Borrowed({name:?})"))));
    text.push_str("        static DESCRIPTION: IntegralsDescription = IntegralsDescription {\n");
    text.push_str("            names: Borrowed(&NAMES),\n");
    text.push_str(&format!("            jacobian: {},\n", pattern(&d.jacobian)));
    text + "        };\n        &DESCRIPTION\n    }\n\n"
}

/// The description of the equations between the sides of surfaces; `states` are the domains of the unknowns and weights.
pub(super) fn blended(
    form: &CompiledForm,
    program: &BlendedProgram,
    states: &[Domain],
    families: bool,
) -> Result<String, Torn> {
    let d = &program.description;
    if !families {
        let mut text = String::from("    fn blended_description(&self) -> &::dae::__private::BlendedDescription {\n");
        text.push_str("        use ::dae::__private::*;\n");
        text.push_str("        static DESCRIPTION: BlendedDescription = BlendedDescription {\n");
        let surfaces: Vec<String> = d.surfaces.iter().map(usize::to_string).collect();
        text.push_str(&format!("            surfaces: Borrowed(&[{}]),\n", surfaces.join(", ")));
        text.push_str(&format!("            jacobian_y: {},\n", pattern(&d.jacobian_y)));
        text.push_str(&format!("            jacobian_yp: {},\n", pattern(&d.jacobian_yp)));
        text.push_str(&format!("            surfaces_jacobian: {},\n", pattern(&d.surfaces_jacobian)));
        return Ok(text + "        };\n        &DESCRIPTION\n    }\n\n");
    }
    let of_equations: Vec<Domain> = form.formulation.equations.iter().map(|e| e.domain.clone()).collect();
    let switches = Numbering::of(&form.program.switch_domains)?;
    let mut surfaces = listed(program.domains.iter().map(|domain| (domain, "", ())))?;
    for (entry, &switch) in surfaces.iter_mut().zip(d.surfaces.iter()) {
        entry.places.push(switches.place_of(switch));
    }
    let mut text = lazy("blended_description", "BlendedDescription");
    text.push_str(&listing::list("surfaces", &surfaces, |_, group, indices| spell(&group.places[1], indices))?);
    let all = Numbering::of(states)?;
    let unknowns = Numbering::of(&states[..form.formulation.unknowns.len()])?;
    let patterns = [
        ("jacobian_y", &d.jacobian_y, &of_equations, &all),
        ("jacobian_yp", &d.jacobian_yp, &of_equations, &unknowns),
        ("surfaces_jacobian", &d.surfaces_jacobian, &program.domains, &unknowns),
    ];
    for (name, pattern, domains, columns) in patterns {
        text.push_str(&listing::pattern(name, pattern, domains, columns)?);
    }
    text.push_str("            BlendedDescription {\n");
    for name in ["surfaces", "jacobian_y", "jacobian_yp", "surfaces_jacobian"] {
        text.push_str(&format!("                {name}: {name}.finish(),\n"));
    }
    Ok(text + "            }\n        });\n        &DESCRIPTION\n    }\n\n")
}

/// The description of boundary conditions.
pub(super) fn boundary(d: &BoundaryDescription) -> String {
    let points = d.points.iter().map(|point| match point {
        Point::Start => "Point::Start".to_string(),
        Point::Interior(name) => format!("Point::Interior(Borrowed({:?}))", name.to_string()),
        Point::End => "Point::End".to_string(),
    });
    let free: Vec<String> = d.free_parameters.iter().map(usize::to_string).collect();
    let mut text = String::from("    fn boundary_description(&self) -> &::dae::__private::BoundaryDescription {\n");
    text.push_str("        use ::dae::__private::*;\n");
    text.push_str(&table("POINTS", "Point", points));
    text.push_str(&table("CONDITIONS", "Name", d.conditions.iter().map(|name| format!("Borrowed({name:?})"))));
    text.push_str("        static DESCRIPTION: BoundaryDescription = BoundaryDescription {\n");
    text.push_str("            points: Borrowed(&POINTS),\n            conditions: Borrowed(&CONDITIONS),\n");
    text.push_str(&format!("            free_parameters: Borrowed(&[{}]),\n", free.join(", ")));
    text.push_str(&format!("            has_free_end: {},\n", d.has_free_end));
    for (field, p) in [("jacobian", &d.jacobian), ("jacobian_p", &d.jacobian_p), ("jacobian_t", &d.jacobian_t)] {
        text.push_str(&format!("            {field}: {},\n", pattern(p)));
    }
    text + "        };\n        &DESCRIPTION\n    }\n\n"
}

/// The description of declared events.
pub(super) fn events(d: &EventsDescription) -> String {
    let event = |event: &DeclaredEvent| {
        let occasion = match event.occasion {
            Occasion::Condition { of_time } => format!("Occasion::Condition {{ of_time: {of_time} }}"),
            Occasion::Sample { has_first } => format!("Occasion::Sample {{ has_first: {has_first} }}"),
            Occasion::Limit { of } => format!("Occasion::Limit {{ of: {of} }}"),
        };
        let message = match &event.message {
            Some(text) => format!("::core::option::Option::Some(Borrowed({:?}))", text.to_string()),
            None => "::core::option::Option::None".to_string(),
        };
        let within = match event.within {
            Some(variable) => format!("::core::option::Option::Some({variable})"),
            None => "::core::option::Option::None".to_string(),
        };
        let transition =
            |it: &Transition| format!("Transition {{ variable: {}, alternative: {} }}", it.variable, it.alternative);
        let transitions: Vec<String> = event.transitions.iter().map(transition).collect();
        format!(
            "DeclaredEvent {{ name: Borrowed({:?}), occasion: {occasion}, message: {message}, is_terminal: {}, within: {within}, \
             occurs_on_entry: {}, transitions: Borrowed(&[{}]) }}",
            event.name.to_string(),
            event.is_terminal,
            event.occurs_on_entry,
            transitions.join(", ")
        )
    };
    let change = |change: &DeclaredChange| format!("DeclaredChange {{ event: {}, jet: {} }}", change.event, change.jet);
    let jets: Vec<String> = d.jets.iter().map(usize::to_string).collect();
    let mut text = String::from("    fn events_description(&self) -> &::dae::__private::EventsDescription {\n");
    text.push_str("        use ::dae::__private::*;\n");
    text.push_str(&table("EVENTS", "DeclaredEvent", d.events.iter().map(event)));
    text.push_str(&table("CHANGES", "DeclaredChange", d.changes.iter().map(change)));
    text.push_str("        static DESCRIPTION: EventsDescription = EventsDescription {\n");
    text.push_str("            events: Borrowed(&EVENTS),\n            changes: Borrowed(&CHANGES),\n");
    text.push_str(&format!("            jets: Borrowed(&[{}]),\n", jets.join(", ")));
    let parameters: Vec<String> = d.sample_parameters.iter().map(usize::to_string).collect();
    text.push_str(&format!("            sample_parameters: Borrowed(&[{}]),\n", parameters.join(", ")));
    let patterns =
        [("crossing_jacobian_p", &d.crossing_jacobian_p), ("new_values_jacobian_p", &d.new_values_jacobian_p)];
    for (field, p) in patterns {
        text.push_str(&format!("            {field}: {},\n", pattern(p)));
    }
    text + "        };\n        &DESCRIPTION\n    }\n\n"
}

pub(super) fn table(name: &str, of: &str, entries: impl Iterator<Item = String>) -> String {
    let entries: Vec<String> = entries.collect();
    let lines: String = entries.iter().map(|e| format!("            {e},\n")).collect();
    if entries.is_empty() {
        return format!("        static {name}: [{of}; 0] = [];\n");
    }
    format!("        static {name}: [{of}; {}] = [\n{lines}        ];\n", entries.len())
}

pub(super) fn pattern(p: &Pattern) -> String {
    let list = |values: &[usize]| values.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    format!("pattern({}, &[{}], &[{}])", p.columns, list(&p.row_starts), list(&p.column_indices))
}
