//! A function of any formulation asks for `Classified`, under a path that is public.

pub fn go(form: &impl dae::Dae) {
    let _ = dae::Integration::new(form).run(0.0, 1.0);
}

fn main() {}
