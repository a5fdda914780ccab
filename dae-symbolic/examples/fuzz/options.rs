//! The command line.

/// The options of a run.
pub(crate) struct Options {
    pub(crate) executions: u64,
    pub(crate) start: u64,
    pub(crate) jobs: u64,
    pub(crate) seed: u64,
    pub(crate) trace: bool,
    pub(crate) show: Option<u64>,
    pub(crate) costs: bool,
    pub(crate) collect: bool,
}

impl Options {
    /// Reads the options from the command line.
    pub(crate) fn read() -> Result<Self, String> {
        let mut options = Options {
            executions: 100_000,
            start: 0,
            jobs: 1,
            seed: 1,
            trace: false,
            show: None,
            costs: false,
            collect: false,
        };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut number = || {
                let value = arguments.next().ok_or(format!("{argument} needs a number"))?;
                value.replace('_', "").parse::<u64>().map_err(|error| format!("{argument} {value}: {error}"))
            };
            match argument.as_str() {
                "--executions" => options.executions = number()?,
                "--start" => options.start = number()?,
                "--jobs" => options.jobs = number()?.max(1),
                "--seed" => options.seed = number()?,
                "--show" => options.show = Some(number()?),
                "--trace" => options.trace = true,
                "--costs" => options.costs = true,
                "--collect" => options.collect = true,
                _ => return Err(format!("unknown option {argument}")),
            }
        }
        Ok(options)
    }
}
