//! `denym generate`: synthetic data on standard output.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;

use denym::Error;
use denym::generate::{self, Form};

use crate::console::Console;

/// Arguments of `generate`.
#[derive(Args)]
pub(crate) struct GenerateArgs {
    /// Which data: hospital; paths: subway, subway-uniform, scalability, metro
    pub(crate) name: String,
    /// Makes the same data again
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many records; as many as in the paper, or 1000, when not given
    #[arg(long)]
    pub(crate) rows: Option<usize>,
    /// csv, or serial: paths as the reference generators write them
    #[arg(long, default_value = "csv", value_name = "FORM")]
    pub(crate) format: String,
}

/// Writes the data set as CSV.
pub(crate) fn run(args: &GenerateArgs, _: &Console) -> Result<ExitCode, Error> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let form = match args.format.as_str() {
        "csv" => Form::Csv,
        "serial" => Form::Serial,
        other => {
            return Err(Error::Argument {
                what: format!("there is no form called `{other}`"),
                help: "known here: csv, serial".into(),
            });
        }
    };
    let rows = args
        .rows
        .unwrap_or_else(|| generate::default_rows(&args.name));
    match generate::write(&args.name, args.seed, rows, form, &mut out)
        .map(|result| result.and_then(|()| out.flush()))
    {
        None if form == Form::Serial && generate::NAMES.contains(&args.name.as_str()) => {
            Err(Error::Argument {
                what: format!("`{}` has no serial form", args.name),
                help: "only paths have one; leave out --format".into(),
            })
        }
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
