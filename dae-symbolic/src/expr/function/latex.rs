//! Functions in LaTeX.

use super::Function;

impl Function {
    /// The function applied to arguments that are LaTeX already.
    pub fn latex(self, a: &str, b: &str, c: &str) -> String {
        let named = |command: &str| format!("\\{command}\\left({a}\\right)");
        let operator = |name: &str| format!("\\operatorname{{{name}}}\\left({a}\\right)");
        match self {
            Function::Sqrt => format!("\\sqrt{{{a}}}"),
            Function::Cbrt => format!("\\sqrt[3]{{{a}}}"),
            Function::Exp => format!("e^{{{a}}}"),
            Function::Ln => named("ln"),
            Function::Log10 => format!("\\log_{{10}}\\left({a}\\right)"),
            Function::Log2 => format!("\\log_2\\left({a}\\right)"),
            Function::Sin => named("sin"),
            Function::Cos => named("cos"),
            Function::Tan => named("tan"),
            Function::Asin => named("arcsin"),
            Function::Acos => named("arccos"),
            Function::Atan => named("arctan"),
            Function::Atan2 => format!("\\operatorname{{atan2}}\\left({a}, {b}\\right)"),
            Function::Sinh => named("sinh"),
            Function::Cosh => named("cosh"),
            Function::Tanh => named("tanh"),
            Function::Asinh => operator("arsinh"),
            Function::Acosh => operator("arcosh"),
            Function::Atanh => operator("artanh"),
            Function::Abs => format!("\\left|{a}\\right|"),
            Function::Signum => operator("sgn"),
            Function::Min => format!("\\min\\left({a}, {b}\\right)"),
            Function::Max => format!("\\max\\left({a}, {b}\\right)"),
            Function::Floor => format!("\\left\\lfloor {a} \\right\\rfloor"),
            Function::Hypot => format!("\\sqrt{{\\left({a}\\right)^2 + \\left({b}\\right)^2}}"),
            Function::ExpM1 => format!("\\left(e^{{{a}}} - 1\\right)"),
            Function::Ln1p => format!("\\ln\\left(1 + {a}\\right)"),
            Function::Powf => format!("\\left({a}\\right)^{{{b}}}"),
            Function::If => {
                format!("\\begin{{cases}} {b} & \\text{{if }} {a} > 0 \\\\ {c} & \\text{{otherwise}} \\end{{cases}}")
            }
        }
    }
}
