//! Compiles the model of the file.

use dae::build::{BuildError, compile};

fn main() -> Result<(), BuildError> {
    if cfg!(feature = "broken_file") {
        compile("models/broken.dae")?;
    }
    compile("models/tank.dae")
}
