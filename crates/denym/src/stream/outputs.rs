//! Where lines go: files in the directory, standard output, a broker; each knows what it has already.

use std::io::Write;
use std::path::{Path, PathBuf};

use denym_engine::BrokerMistake;
use denym_engine::events::{Address, Channel, Ledger, LineFile, LineSink, Outgoing, Patience};

use super::StreamRun;
use crate::Error;
use crate::policy::stream::{StreamSink, StreamSpec};
use crate::windows::{CERTIFICATES, WINDOWS};

/// One place per channel.
enum Place {
    File(LineFile),
    /// Lines of standard output cannot be asked for: after a fault the last ones may come twice.
    Standard,
    /// Which of the brokers.
    Broker(usize),
}

/// All places that lines go to.
pub(super) struct Outputs {
    /// Windows, certificates, late events.
    places: [Place; 3],
    brokers: Vec<Box<dyn LineSink>>,
    /// Certificates are kept in the directory whatever happens to windows.
    certificates: Option<LineFile>,
}

impl Outputs {
    /// Opens everything, as the ledger knows it.
    pub(super) fn open(
        spec: &StreamSpec,
        directory: &Path,
        ledger: Option<&Ledger>,
        patience: &Patience,
        run: &StreamRun,
    ) -> Result<Self, Error> {
        let lengths = ledger.map_or([0; 3], |ledger| ledger.lengths);
        let file = |name: &str, channel: Channel| -> Result<LineFile, Error> {
            let path: PathBuf = directory.join(name);
            // What came too late is raw data.
            let private = channel == Channel::Late;
            Ok(LineFile::open(path, lengths[channel as usize], private)?)
        };
        let mut brokers = Vec::new();
        let mut connect = |address: &Address, channels: &[Channel]| {
            let sink = run.brokers()?.sink(address, channels, patience)?;
            for &channel in channels {
                // What this run has not put there, somebody else has.
                let known = ledger.map_or(0, |ledger| ledger.numbers[channel as usize]);
                if sink.last(channel).is_some_and(|last| last > known) {
                    return Err(Error::Engine(denym_engine::Error::Broker {
                        address: address.to_string(),
                        mistake: BrokerMistake::Foreign,
                    }));
                }
            }
            brokers.push(sink);
            Ok(Place::Broker(brokers.len() - 1))
        };
        let certificates = file(CERTIFICATES, Channel::Certificates)?;
        let (windows, certificates, kept) = match &spec.sink {
            StreamSink::Directory => (
                Place::File(file(WINDOWS, Channel::Windows)?),
                Place::File(certificates),
                None,
            ),
            StreamSink::Standard => (Place::Standard, Place::File(certificates), None),
            StreamSink::Broker(address) => {
                let channels = [Channel::Windows, Channel::Certificates];
                let Place::Broker(at) = connect(address, &channels)? else {
                    return Err(Error::Internal {
                        what: "a broker is a broker".to_owned(),
                    });
                };
                (Place::Broker(at), Place::Broker(at), Some(certificates))
            }
        };
        let late = match &spec.late {
            None => Place::File(file("steward/late.ndjson", Channel::Late)?),
            Some(address) => connect(address, &[Channel::Late])?,
        };
        Ok(Self {
            places: [windows, certificates, late],
            brokers,
            certificates: kept,
        })
    }

    /// Lets lines out; all are where they belong when it returns, none of them twice.
    pub(super) fn publish(&mut self, lines: &[Outgoing]) -> Result<(), Error> {
        for channel in Channel::ALL {
            let own = || {
                let own = lines.iter().filter(|line| line.channel == channel);
                own.map(|line| line.line.as_str())
            };
            match &mut self.places[channel as usize] {
                Place::File(file) => file.append(own())?,
                Place::Standard => print(own())?,
                Place::Broker(_) => {
                    if let (Channel::Certificates, Some(file)) = (channel, &mut self.certificates) {
                        file.append(own())?;
                    }
                }
            }
        }
        for (at, broker) in self.brokers.iter_mut().enumerate() {
            let own: Vec<Outgoing> = lines
                .iter()
                .filter(|line| {
                    let place = &self.places[line.channel as usize];
                    matches!(place, Place::Broker(known) if *known == at)
                })
                .cloned()
                .collect();
            broker.publish(&own)?;
        }
        Ok(())
    }

    /// Bytes of each file.
    pub(super) fn lengths(&self) -> [u64; 3] {
        let mut lengths = [0; 3];
        for (length, place) in lengths.iter_mut().zip(&self.places) {
            if let Place::File(file) = place {
                *length = file.length();
            }
        }
        if let Some(file) = &self.certificates {
            lengths[Channel::Certificates as usize] = file.length();
        }
        lengths
    }
}

fn print<'a>(lines: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    let write = || -> std::io::Result<()> {
        for line in lines {
            out.write_all(line.as_bytes())?;
            out.write_all(b"\n")?;
        }
        out.flush()
    };
    write().map_err(|error| Error::io("write the windows", Path::new("-"), &error))
}
