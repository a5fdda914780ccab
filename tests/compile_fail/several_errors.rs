//! All errors are reported in one go.

dae::dae! {
    pub struct Model {
        param gravity = 9.81f32;
        var height = 1;
        var speed
        der(height) = sped;
        der(speed) = -gravity + drag(speed) ^ 2;
    }
}

fn main() {
    let model = Model { gravity: 1.62, ..Model::default() };
    let form: ModelIndex1 = model.index1();
    println!("{}", Model::REPORT);
    let _ = dae::Integration::new(&form).run(0.0, 1.0);
}
