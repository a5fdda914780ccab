//! Heat in a square plate by the method of lines: a two-dimensional array, index 1.
//!
//! The temperature along the heated edge is a half sine, which is an eigenvector of the second-difference operator: at
//! all times every row of points is a multiple of it, and the result is checked against that.

use std::error::Error;
use std::f64::consts::PI;

use dae::Integration;

dae::dae! {
    /// Temperature of a square plate by finite differences: one edge is held at a temperature that rises and falls, the opposite one
    /// is insulated, the other two are cold. The boundary values are unknowns with algebraic equations; index 1.
    pub struct Plate {
        /// Interior points per direction.
        const N = 6;
        /// Distance of the points, for a plate of side 1.
        const H = 1 / (N + 1);
        /// Thermal diffusivity.
        param a = 0.1;
        /// Temperature of the heated edge.
        input heat = 1 - cos(2 * PI * t);
        var T: [[f64; N + 2]; N + 2];

        fn laplacian(west, east, south, north, centre) {
            (west + east + south + north - 4 * centre) / H.powi(2)
        }
        for i in 1..=N {
            for j in 1..=N {
                start T[i][j] = 0;
                der(T[i][j]) = a * laplacian(T[i - 1][j], T[i + 1][j], T[i][j - 1], T[i][j + 1], T[i][j]);
            }
        }
        for j in 0..N + 2 {
            T[0][j] = heat * sin(PI * j * H);
            T[N + 1][j] = T[N][j];
        }
        for i in 1..=N {
            T[i][0] = 0;
            T[i][N + 1] = 0;
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let form = Plate::default().index1();
    let solution = Integration::new(&form).rtol(1e-8).atol(1e-8).run(0.0, 2.5)?;
    let plate = PlateSolution::try_from(solution)?;
    let at = |i: usize, j: usize| plate.T(i, j, 2.5).unwrap_or(f64::NAN);
    let mut worst: f64 = 0.0;
    for i in 0..8 {
        let row: Vec<f64> = (0..8).map(|j| at(i, j)).collect();
        println!("{}", row.iter().map(|value| format!("{value:8.4}")).collect::<String>());
        for (j, value) in row.iter().enumerate() {
            let shape = (PI * j as f64 / 7.0).sin() / (PI * 3.0 / 7.0).sin();
            worst = worst.max((value - row[3] * shape).abs());
        }
    }
    println!("rows differ from multiples of the sine by {worst:.1e}");
    assert!(worst < 1e-6 && at(1, 3) > 0.1);
    Ok(())
}
