//! A crate with strict lints that uses models written in macros and models from a file.
#![deny(warnings, missing_docs, unsafe_code, unused, unreachable_pub, missing_debug_implementations)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]

use std::error::Error;

use dae::{Integration, Method};

/// A model whose types are public.
pub mod pendulum {
    dae::dae! {
        /// Planar pendulum.
        pub struct Pendulum {
            param g = 1.0;
            param l = 1.0;
            var x ~ 1.0;
            var y = 0.0;
            var u ~ 0.0;
            var v = 0.0;
            var lambda ~ 0.0;
            der(x) = u;
            der(y) = v;
            der(u) = -lambda * x;
            der(v) = -lambda * y - g;
            0 = x.powi(2) + y.powi(2) - l.powi(2);
        }
    }
}

/// A model from a file, compiled by the build script.
pub mod tank {
    include!(concat!(env!("OUT_DIR"), "/tank.rs"));
}

/// A model from a file, compiled by the macro.
pub mod included {
    dae::include_model!("models/tank.dae");
}

dae::dae! {
    struct Decay {
        param HalfLife = 2.0;
        var N = 1;
        der(N) = -LN_2 * N / HalfLife;
        var LN_2;
        LN_2 = ln(2);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let ggl = pendulum::Pendulum::default().ggl();
    let solution = Integration::new(&ggl).rtol(1e-9).atol(1e-9).run(0.0, 1.0)?;
    println!("{} {:.6}", solution.status, solution.end_state[0]);

    let index1 = tank::Tank { hole: 0.02, ..tank::Tank::default() }.index1();
    let solution = Integration::new(&index1).method(Method::Bdf).rtol(1e-9).atol(1e-9).run(0.0, 1.0)?;
    println!("{} {:.6}", solution.status, solution.end_state[1]);

    let index1 = included::Tank { hole: 0.02, ..included::Tank::default() }.index1();
    let solution = Integration::new(&index1).method(Method::Bdf).rtol(1e-9).atol(1e-9).run(0.0, 1.0)?;
    println!("{} {:.6}", solution.status, solution.end_state[1]);

    let decay = Decay::default().index1();
    let solution = Integration::new(&decay).rtol(1e-9).atol(1e-9).run(0.0, 2.0)?;
    println!("{} {:.6}", solution.status, solution.end_state[0]);
    Ok(())
}
