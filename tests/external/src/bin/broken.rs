//! A model with an error, and code that uses it as if it had none; or one in a file.

#[cfg(feature = "broken_include")]
mod included {
    dae::include_model!("models/broken.dae");
    dae::include_model!("models/none.dae");
    dae::include_model!(models / broken);
}

#[cfg(not(feature = "broken_include"))]
dae::dae! {
    pub struct Broken {
        param rate = 2;
        var x = 1;
        der(x) = -rte * x;
    }
}

#[cfg(feature = "broken_include")]
fn main() {}

#[cfg(not(feature = "broken_include"))]
fn main() {
    let form: BrokenIndex1 = Broken { rate: 3.0 }.index1();
    println!("{} {:?}", Broken::REPORT, dae::Integration::new(&form).run(0.0, 1.0));
}
