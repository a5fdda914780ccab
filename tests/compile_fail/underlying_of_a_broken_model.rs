//! Code that uses a model with errors is compiled against its stub: the model's own error is the only one.

dae::dae! {
    pub struct Fall {
        forms(underlying, recommended);
        param gravity = 9.81;
        var height = 100;
        var speed = 0;
        der(height) = -speed;
        der(speed) = gravty;
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ode = Fall::default().underlying();
    let (mut y, mut yp) = ([100.0, 0.0], [0.0; 2]);
    ode.solve(0.0, &mut y, &mut yp)?;
    println!("{:?} {}", yp, ode.states().len());
    dae::Integration::new(&Fall::default().recommended()).method(dae::Bdf).run(0.0, 1.0)?;
    Ok(())
}
