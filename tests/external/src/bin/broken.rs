//! A model with an error, and code that uses it as if it had none.

dae::dae! {
    pub struct Broken {
        param rate = 2;
        var x = 1;
        der(x) = -rte * x;
    }
}

fn main() {
    let form: BrokenIndex1 = Broken { rate: 3.0 }.index1();
    println!("{} {:?}", Broken::REPORT, dae::Integration::new(&form).run(0.0, 1.0));
}
