//! Networks of resistors, capacitors, inductors and independent sources by modified nodal analysis.
//!
//! Truth from the topology (Estévez Schwarz & Tischendorf, *Int. J. Circ. Theor. Appl.* 28, 2000): for locally passive
//! elements the index is 0 if there is no voltage source and the capacitors connect all nodes; otherwise 1 if there is
//! neither a loop of capacitors and voltage sources that contains a voltage source nor a cutset of inductors and
//! current sources; otherwise 2. Degrees of freedom (Bryant 1959): $\operatorname{rank}(A_C, A_V) - n_V$ capacitor
//! voltages and $n_L - (n - \operatorname{rank}(A_C, A_R, A_V))$ inductor currents, for $n$ nodes besides the ground,
//! $n_V$ voltage sources and $n_L$ inductors.

use crate::case::{Case, Truth};
use crate::random::Random;

/// The element of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Resistor,
    Capacitor,
    Inductor,
    Voltage,
    Current,
}

struct Branch {
    kind: Kind,
    from: usize,
    to: usize,
}

/// A connected network; node 0 is the ground.
struct Network {
    nodes: usize,
    branches: Vec<Branch>,
}

/// Disjoint sets of nodes.
struct Components {
    parent: Vec<usize>,
}

impl Components {
    fn root(&self, mut node: usize) -> usize {
        while self.parent[node] != node {
            node = self.parent[node];
        }
        node
    }

    /// Joins the sets of two nodes, and returns whether they were different.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a] = b;
        a != b
    }
}

impl Network {
    fn random(random: &mut Random) -> Self {
        let nodes = random.between(2, 6);
        let kinds: &[Kind] = match random.below(3) {
            0 => &[Kind::Resistor, Kind::Resistor, Kind::Capacitor, Kind::Inductor, Kind::Voltage, Kind::Current],
            1 => &[Kind::Resistor, Kind::Capacitor, Kind::Capacitor, Kind::Capacitor, Kind::Voltage],
            _ => &[Kind::Resistor, Kind::Capacitor, Kind::Inductor, Kind::Inductor, Kind::Current],
        };
        let mut branches = Vec::new();
        for to in 1..nodes {
            branches.push(Branch { kind: *random.choose(kinds), from: random.below(to), to });
        }
        for _ in 0..random.between(1, nodes + 1) {
            let (from, to) = (random.below(nodes), random.below(nodes));
            if from != to {
                branches.push(Branch { kind: *random.choose(kinds), from, to });
            }
        }
        random.shuffle(&mut branches);
        Network { nodes, branches }
    }

    /// The rank of the incidence matrix of the branches of these kinds.
    fn rank(&self, kinds: &[Kind]) -> usize {
        let mut components = Components { parent: (0..self.nodes).collect() };
        self.branches.iter().filter(|b| kinds.contains(&b.kind) && components.join(b.from, b.to)).count()
    }

    fn count(&self, kind: Kind) -> usize {
        self.branches.iter().filter(|b| b.kind == kind).count()
    }

    fn truth(&self) -> Truth {
        use Kind::{Capacitor, Inductor, Resistor, Voltage};
        let (n, voltages) = (self.nodes - 1, self.count(Voltage));
        let no_current_cutset = self.rank(&[Capacitor, Resistor, Inductor, Voltage]) == n;
        if self.rank(&[Voltage]) < voltages || !no_current_cutset {
            return Truth::IllPosed;
        }
        let capacitive = self.rank(&[Capacitor, Voltage]);
        let without_cutset = self.rank(&[Capacitor, Resistor, Voltage]);
        // Loops of capacitors and voltage sources, with at least one source: adding the sources to the capacitors
        // raises the rank by less than their number.
        let loops = capacitive < self.rank(&[Capacitor]) + voltages;
        let index = match (voltages == 0 && capacitive == n, loops || without_cutset < n) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        };
        Truth::WellPosed { index, degrees: capacitive - voltages + self.count(Inductor) - (n - without_cutset) }
    }

    /// The model of the network by modified nodal analysis. The characteristics of nonlinear elements are strictly
    /// increasing, so that these elements are locally passive.
    fn lines(&self, random: &mut Random) -> Vec<String> {
        let mut currents: Vec<Vec<String>> = vec![Vec::new(); self.nodes];
        let (mut variables, mut equations) = (Vec::new(), Vec::new());
        for node in 1..self.nodes {
            variables.push(format!("var e{node} ~ {:?};", random.fraction()));
        }
        for (k, branch) in self.branches.iter().enumerate() {
            let potential = |node: usize| if node == 0 { "0".into() } else { format!("e{node}") };
            let rate = |node: usize| if node == 0 { "0".into() } else { format!("der(e{node})") };
            let (u, du) = (
                format!("({} - {})", potential(branch.from), potential(branch.to)),
                format!("({} - {})", rate(branch.from), rate(branch.to)),
            );
            let value = random.between(1, 9) as f64 / 2.0;
            let nonlinear = random.once_in(5);
            let source = random.choose(&["sin(2*t)", "cos(t)", "1", "exp(-t)", "(1 + t.powi(2))"]).to_string();
            let current = match branch.kind {
                Kind::Resistor if nonlinear => format!("({value:?}*{u} + {u}.powi(3))"),
                Kind::Resistor => format!("{value:?}*{u}"),
                Kind::Capacitor if nonlinear => format!("({value:?} + {u}.powi(2))*{du}"),
                Kind::Capacitor => format!("{value:?}*{du}"),
                Kind::Current => source,
                Kind::Inductor => {
                    variables.push(format!("var i{k} ~ {:?};", random.fraction()));
                    let inductance =
                        if nonlinear { format!("({value:?} + i{k}.powi(2))") } else { format!("{value:?}") };
                    equations.push(format!("{inductance}*der(i{k}) = {u};"));
                    format!("i{k}")
                }
                Kind::Voltage => {
                    variables.push(format!("var i{k};"));
                    equations.push(format!("{u} = {source};"));
                    format!("i{k}")
                }
            };
            currents[branch.from].push(format!("+ {current}"));
            currents[branch.to].push(format!("- {current}"));
        }
        for node in 1..self.nodes {
            equations.push(format!("0 = 0 {};", currents[node].join(" ")));
        }
        random.shuffle(&mut equations);
        variables.extend(equations);
        variables
    }
}

/// A network whose solution is unique for consistent initial values.
pub(crate) fn well_posed(random: &mut Random) -> Case {
    loop {
        let network = Network::random(random);
        if let Truth::WellPosed { .. } = network.truth() {
            return Case::new(&network.lines(random), 0.0, network.truth());
        }
    }
}

/// A network with a loop of voltage sources or a cutset of current sources.
pub(crate) fn ill_posed(random: &mut Random) -> Case {
    loop {
        let network = Network::random(random);
        if network.truth() == Truth::IllPosed {
            return Case::new(&network.lines(random), 0.0, Truth::IllPosed);
        }
    }
}
