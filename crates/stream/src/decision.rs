//! The decision: a window that the judge agrees with leaves for good, one that it does not is as if never cut.

use denym_measure::sequences::SequenceAudit;

use crate::candidate::Candidate;
use crate::carried::Fate;
use crate::error::Error;
use crate::slide::Slide;
use crate::stream::Stream;
use crate::verdict::program;
use denym_release::certificate::AttackResult;
use denym_release::windows::{Asked, Certificate, Claims, Delta, Form, Measured, Status, sha256};

impl Stream {
    /// Lets the window out, or not.
    pub(crate) fn decide(
        &mut self,
        candidate: Candidate,
        audit: &SequenceAudit,
        (attacks, holds): (Vec<AttackResult>, bool),
    ) -> Result<Slide, Error> {
        let Candidate {
            window,
            line: whole,
            chosen,
            work,
        } = candidate;
        let mut suppressed = Vec::new();
        let (mut content, mut line) = (String::new(), None);
        if holds {
            for &id in &chosen {
                let seen = &mut self.carried.doublets[id as usize];
                let events = u64::from(seen.support);
                if seen.fate == Fate::Published {
                    self.counts.retracted += events;
                } else {
                    self.counts.suppressed += events;
                    self.counts.open -= events;
                }
                seen.fate = Fate::Suppressed;
                suppressed.push((self.locations.text(seen.location).to_owned(), seen.time));
            }
            for seen in &mut self.carried.doublets {
                if seen.fate == Fate::New {
                    seen.fate = Fate::Published;
                    self.counts.published += u64::from(seen.support);
                    self.counts.open -= u64::from(seen.support);
                }
            }
            self.carried.all_decided();
            self.counts.windows += 1;
            self.counts.violations += audit.violations;
            content = sha256(&whole);
            line = Some(whole);
        } else {
            self.counts.withheld += 1;
        }
        let certificate = Certificate {
            window: window.number,
            from: window.from,
            to: window.to,
            status: if holds {
                Status::Published
            } else {
                Status::Withheld
            },
            claims: Claims::new(&self.options),
            measured: Measured::new(audit, &Asked::new(&self.options)),
            counts: self.counts,
            content,
            attacks,
            previous: std::mem::take(&mut self.chain),
            program: Some(program(&self.options)),
        };
        self.chain = sha256(&certificate.line()?);
        let mut delta = None;
        if holds && self.options.form == Form::Delta {
            delta = self.base.as_ref().map(|base| Delta::between(base, &window));
            self.base = Some(window.clone());
            line = delta.as_ref().map(Delta::line).or(line);
        }
        Ok(Slide {
            certificate,
            window: holds.then_some(window),
            delta,
            suppressed,
            work,
            line,
        })
    }
}
