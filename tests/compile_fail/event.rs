//! An event whose new value is not said to be one before or after it, and a condition that cannot change.

dae::dae! {
    pub struct Tank {
        param leak = 1;
        var level = 1;
        discrete fillings = 0;
        der(level) = -leak * level;
        when level < 0.1 {
            level = 10 * level;
            fillings = fillings + 1;
        }
        when leak > 2 { terminate "the tank leaks"; }
    }
}

fn main() {}
