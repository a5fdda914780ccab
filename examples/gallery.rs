//! Pictures of integrators on manifolds, each with its data beside it as comma-separated values.
//!
//! The experiments are those of E. Hairer, G. Wanner, *Solving Ordinary Differential Equations II*, section VII.2, and
//! E. Hairer, *Solving Differential Equations on Manifolds* (2011). `tests/gallery.rs` checks the figures.
//!
//! ```sh
//! cargo run --release --example gallery
//! cargo run --release --example gallery -- --out DIR
//! ```

#[path = "gallery/heavy_top.rs"]
pub(crate) mod heavy_top;
#[path = "gallery/index_2.rs"]
pub(crate) mod index_2;
#[path = "gallery/kepler.rs"]
pub(crate) mod kepler;
#[path = "gallery/pendulum.rs"]
pub(crate) mod pendulum;
#[path = "gallery/rigid_body.rs"]
pub(crate) mod rigid_body;
#[path = "gallery/ring.rs"]
pub(crate) mod ring;
#[path = "gallery/spherical_pendulum.rs"]
pub(crate) mod spherical_pendulum;

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use dae::plot::{Panel, svg};

/// A picture of curves over time.
#[derive(Clone, Debug)]
pub(crate) struct Picture {
    /// Name of the files, without extension.
    pub(crate) name: &'static str,
    /// What it shows.
    pub(crate) title: &'static str,
    /// The curves.
    pub(crate) panels: Vec<Panel>,
}

impl Picture {
    /// Writes `name.svg` and `name.csv`.
    fn write(&self, directory: &Path) -> Result<(), Box<dyn Error>> {
        let file = |extension: &str| directory.join(self.name).with_extension(extension);
        std::fs::write(file("svg"), svg(self.title, "t", &self.panels)?)?;
        std::fs::write(file("csv"), self.csv())?;
        println!("{}: {}", file("svg").display(), self.title);
        Ok(())
    }

    /// A line for each point of each curve.
    fn csv(&self) -> String {
        let mut text = "quantity,curve,t,value\n".to_string();
        for (panel, series) in self.panels.iter().flat_map(|panel| panel.series.iter().map(move |it| (panel, it))) {
            for (t, value) in &series.points {
                let _ = writeln!(text, "{},{},{t:e},{value:e}", panel.y_label, series.label);
            }
        }
        text
    }
}

/// All pictures.
///
/// # Errors
/// If a run fails.
pub(crate) fn pictures() -> Result<Vec<Picture>, Box<dyn Error>> {
    Ok(vec![
        pendulum::drift_off()?,
        pendulum::projections()?,
        index_2::perturbed_index_2()?,
        index_2::robot_arm()?,
        kepler::picture()?,
        rigid_body::picture()?,
        ring::picture()?,
        spherical_pendulum::heights()?,
        spherical_pendulum::energies()?,
        heavy_top::picture()?,
    ])
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = match (arguments.next().as_deref(), arguments.next()) {
        (None, _) => PathBuf::from("."),
        (Some("--out"), Some(directory)) => PathBuf::from(directory),
        _ => return Err("usage: gallery [--out DIR]".into()),
    };
    std::fs::create_dir_all(&directory)?;
    pictures()?.iter().try_for_each(|picture| picture.write(&directory))
}
