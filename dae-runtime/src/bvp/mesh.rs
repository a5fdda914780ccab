//! Meshes that distribute the error evenly.
//!
//! In: for each interval, the size of the last coefficient of the collocation polynomial in units of the error allowed.
//! Out: a mesh on which all intervals have about the same.
//!
//! On an interval of length $h$ that coefficient is a multiple of $h^{p} \lvert y^{(p)} \rvert$ with the degree $p$ of
//! the polynomial. Its $p$-th root is the number of intervals of unit error into which the interval should be divided, and
//! the new mesh divides the sum of these numbers evenly (equidistribution, as in COLSYS).

/// The ends of intervals, and which of them are points of the conditions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mesh {
    /// Ascending, or descending where the end is before the start.
    pub(super) t: Vec<f64>,
    /// The places in `t` of the times at which there are conditions, ascending, from the first to the last time.
    pub(super) stops: Vec<usize>,
    /// For each point of the conditions, in the order of their description, the stop that it is.
    pub(super) points: Vec<usize>,
}

/// The times at which there are conditions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stops {
    /// All different, in the direction from start to end.
    pub(super) times: Vec<f64>,
    /// For each point of the conditions, in the order of their description, its place in `times`.
    pub(super) points: Vec<usize>,
}

impl Mesh {
    /// Number of intervals.
    pub(super) fn intervals(&self) -> usize {
        self.t.len() - 1
    }

    /// How much the `i`-th time moves with a free end.
    pub(super) fn moves(&self, i: usize) -> f64 {
        let last = self.stops[self.stops.len() - 2];
        if i <= last {
            return 0.0;
        }
        let (from, to) = (self.t[last], self.t[self.t.len() - 1]);
        (self.t[i] - from) / (to - from)
    }

    /// Moves the end, and with it the times since the last point before.
    pub(super) fn set_end(&mut self, end: f64) {
        let last = self.stops[self.stops.len() - 2];
        let from = self.t[last];
        let moves: Vec<f64> = (last + 1..self.t.len()).map(|i| self.moves(i)).collect();
        let count = self.t.len();
        self.t[last + 1..].iter_mut().zip(moves).for_each(|(t, moves)| *t = from + moves * (end - from));
        self.t[count - 1] = end;
    }

    /// Whether a free end may move there in one step, so that the times before it keep their order.
    pub(super) fn can_end_at(&self, end: f64) -> bool {
        let from = self.t[self.stops[self.stops.len() - 2]];
        let ratio = (end - from) / (self.t[self.t.len() - 1] - from);
        (1.0 / MOST_STRETCH..=MOST_STRETCH).contains(&ratio)
    }

    /// The times of the points of the conditions.
    pub(super) fn point_times(&self) -> Vec<f64> {
        self.points.iter().map(|&stop| self.t[self.stops[stop]]).collect()
    }
}

/// An interval counts at least as much as this fraction of the mean, so that the mesh stays able to notice changes.
const LEAST: f64 = 0.15;
/// An interval is divided at least this fraction as finely as its neighbours.
const NEIGHBOUR: f64 = 0.3;
/// Times closer than this, relative to the whole interval, differ by rounding errors only.
pub(super) const CLOSE: f64 = 1e-12;
/// In one step, a free end moves to at most this many times its distance from the last point before it, and to at least
/// the reciprocal.
const MOST_STRETCH: f64 = 5.0;
/// Fewest intervals between two points.
const FEWEST: usize = 3;

/// The monitor function, integrated over each interval: the numbers of parts into which intervals should be divided, for
/// `sizes` of the last coefficients, a largest size of `target` and degree `degree`.
pub(super) fn monitor(mesh: &Mesh, sizes: &[f64], target: f64, degree: usize) -> Vec<f64> {
    let root = 1.0 / degree as f64;
    let raw: Vec<f64> = sizes.iter().map(|size| (size / target).powf(root)).collect();
    let mut parts = raw.clone();
    for ends in mesh.stops.windows(2) {
        for i in ends[0]..ends[1] {
            let length = |k: usize| mesh.t[k + 1] - mesh.t[k];
            for neighbour in [i.checked_sub(1), Some(i + 1)].into_iter().flatten() {
                if (ends[0]..ends[1]).contains(&neighbour) {
                    // Densities, so that long neighbours do not spread over short ones.
                    let density = raw[neighbour] * (length(i) / length(neighbour)).min(1.0);
                    parts[i] = parts[i].max(NEIGHBOUR * density);
                }
            }
        }
        let range = ends[0]..ends[1];
        let mean = parts[range.clone()].iter().sum::<f64>() / range.len() as f64;
        parts[range].iter_mut().for_each(|part| *part = part.max(LEAST * mean));
    }
    parts
}

/// A mesh of about `count` intervals with equal sums of parts.
pub(super) fn equidistributed(mesh: &Mesh, parts: &[f64], count: usize) -> Mesh {
    let total: f64 = parts.iter().sum();
    let (mut t, mut stops) = (vec![mesh.t[0]], vec![0]);
    for ends in mesh.stops.windows(2) {
        let own: f64 = parts[ends[0]..ends[1]].iter().sum();
        let share = if total > 0.0 { own / total } else { 1.0 };
        let intervals = ((count as f64 * share).round() as usize).max(FEWEST);
        let (mut passed, mut i) = (0.0, ends[0]);
        for k in 1..intervals {
            let goal = own * k as f64 / intervals as f64;
            while i + 1 < ends[1] && passed + parts[i] < goal {
                passed += parts[i];
                i += 1;
            }
            let inside = ((goal - passed) / parts[i]).clamp(0.0, 1.0);
            let time = mesh.t[i] + inside * (mesh.t[i + 1] - mesh.t[i]);
            if time != t[t.len() - 1] && time != mesh.t[ends[1]] {
                t.push(time);
            }
        }
        t.push(mesh.t[ends[1]]);
        stops.push(t.len() - 1);
    }
    Mesh { t, stops, points: mesh.points.clone() }
}

/// A mesh of intervals of equal length, about `count` in all, with these stops.
pub(super) fn uniform(stops: &Stops, count: usize) -> Mesh {
    let times = &stops.times;
    let whole = (times[times.len() - 1] - times[0]).abs();
    let (mut t, mut places) = (vec![times[0]], vec![0]);
    for ends in times.windows(2) {
        let intervals = ((count as f64 * (ends[1] - ends[0]).abs() / whole).ceil() as usize).max(FEWEST);
        for k in 1..intervals {
            t.push(ends[0] + (ends[1] - ends[0]) * k as f64 / intervals as f64);
        }
        t.push(ends[1]);
        places.push(t.len() - 1);
    }
    Mesh { t, stops: places, points: stops.points.clone() }
}

/// The mesh with every interval halved.
pub(super) fn halved(mesh: &Mesh) -> Mesh {
    let mut t = Vec::with_capacity(2 * mesh.t.len());
    for ends in mesh.t.windows(2) {
        t.extend([ends[0], 0.5 * (ends[0] + ends[1])]);
    }
    t.push(mesh.t[mesh.intervals()]);
    Mesh { t, stops: mesh.stops.iter().map(|place| 2 * place).collect(), points: mesh.points.clone() }
}
