//! `denym generate`: synthetic data on standard output.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use denym::Error;
use denym::generate;

use crate::console::Console;

/// Arguments of `generate`.
#[derive(Args)]
pub(crate) struct GenerateArgs {
    /// Which data: hospital
    pub(crate) name: String,
    /// Makes the same data again
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many records
    #[arg(long, default_value_t = 1000)]
    pub(crate) rows: usize,
}

/// Writes the data set as CSV.
pub(crate) fn run(args: &GenerateArgs, _: &Console) -> Result<ExitCode, Error> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    match generate::write(&args.name, args.seed, args.rows, &mut out)
        .map(|result| result.and_then(|()| out.flush()))
    {
        None => Err(Error::Argument {
            what: format!("there is no generator called `{}`", args.name),
            help: format!("known here: {}", generate::NAMES.join(", ")),
        }),
        // A reader that has seen enough is no error.
        Some(Err(error)) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::Argument {
                what: "standard output cannot be written".into(),
                help: "check where it is redirected to, and the space left there".into(),
            })
        }
        Some(_) => Ok(ExitCode::SUCCESS),
    }
}
