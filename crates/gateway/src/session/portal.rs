//! A bound statement or cursor that runs: rows on demand, with a look at the user's roles before each batch.

use super::consent::Consent;
use super::prepared::{Prepared, Values, format_of};
use super::text;
use crate::audit::Event;
use crate::embedded::Batches;
use crate::remote::Answer;
use crate::reply::FieldOut;
use arrow_pg::row_encoder::RowEncoder;
use bytes::{BufMut as _, BytesMut};
use datafusion::arrow::array::RecordBatch;
use denym_purpose::Moment;
use pgwire::api::results::{FieldFormat, FieldInfo};
use pgwire::messages::Message as _;
use std::sync::Arc;

use crate::request::Refusal;

/// A bound statement, or a cursor: both are called portals.
pub(crate) struct Portal {
    pub(crate) prepared: Arc<Prepared>,
    pub(crate) values: Values,
    /// Result formats as the client asked for them.
    pub(crate) formats: Vec<i16>,
    pub(crate) running: Option<Running>,
    pub(crate) has_ended: bool,
    /// Made by DECLARE.
    pub(crate) is_cursor: bool,
    /// Outlives the transaction.
    pub(crate) holds: bool,
}

/// A statement that runs.
pub(crate) struct Running {
    pub(crate) rows: Rows,
    pub(crate) fields: Vec<FieldOut>,
    /// What the audit log is told of it; `None` for the catalogue.
    pub(crate) event: Option<Event>,
    /// The consent that its rows rest on.
    pub(crate) consent: Consent,
    /// The day it began on, when its purpose may not see records that are older than so many days.
    pub(crate) day: Option<i64>,
    /// When roles were last looked at.
    pub(crate) seen: Moment,
    pub(crate) deadline: Option<tokio::time::Instant>,
}

/// Where rows come from.
pub(crate) enum Rows {
    Engine {
        batches: Batches,
        /// A batch and how far it was sent.
        current: Option<(RecordBatch, usize)>,
    },
    Remote {
        answer: Box<Answer>,
        formats: Vec<i16>,
    },
    /// One text, for SHOW.
    Text(Option<String>),
}

/// Rows encoded between two looks at the socket.
const CHUNK: usize = 1024;

impl Rows {
    /// Encodes up to `most` rows into `out`; the number, 0 at the end.
    pub(crate) async fn encode(
        &mut self,
        fields: &[FieldOut],
        formats: &[i16],
        most: usize,
        out: &mut BytesMut,
    ) -> Result<usize, Refusal> {
        match self {
            Self::Text(text) => {
                let Some(text) = text.take() else {
                    return Ok(0);
                };
                out.put_u8(b'D');
                out.put_u32((4 + 2 + 4 + text.len()) as u32);
                out.put_u16(1);
                out.put_u32(text.len() as u32);
                out.put_slice(text.as_bytes());
                Ok(1)
            }
            Self::Remote {
                answer,
                formats: made,
            } => {
                if (0..fields.len())
                    .any(|place| format_of(made, place) != format_of(formats, place))
                {
                    return Err(Refusal::new(
                        "0A000",
                        "format-fixed",
                        "a cursor's format is fixed when it is declared",
                    ));
                }
                answer.fetch(most.min(CHUNK), out).await
            }
            Self::Engine { batches, current } => {
                let (batch, start) = loop {
                    match current.take() {
                        Some((batch, start)) if start < batch.num_rows() => break (batch, start),
                        _ => match batches.next().await? {
                            Some(batch) => *current = Some((batch, 0)),
                            None => return Ok(0),
                        },
                    }
                };
                let count = most.min(CHUNK).min(batch.num_rows() - start);
                let is_text = (0..fields.len()).all(|place| format_of(formats, place) == 0);
                if is_text && text::write(&batch, start, count, out) {
                    *current = Some((batch, start + count));
                    return Ok(count);
                }
                let infos: Vec<FieldInfo> = fields
                    .iter()
                    .enumerate()
                    .map(|(place, field)| {
                        let format = FieldFormat::from(format_of(formats, place));
                        FieldInfo::new(field.name.clone(), None, None, field.kind.clone(), format)
                    })
                    .collect();
                let unreadable = || {
                    Refusal::new(
                        "0A000",
                        "type-not-supported",
                        "a cell of the answer has a type that clients cannot read",
                    )
                };
                if infos.len() != batch.num_columns() {
                    return Err(unreadable());
                }
                let mut encoder = RowEncoder::new(batch.slice(start, count), Arc::new(infos));
                while let Some(row) = encoder.next_row() {
                    row.and_then(|row| row.encode(out))
                        .map_err(|_| unreadable())?;
                }
                *current = Some((batch, start + count));
                Ok(count)
            }
        }
    }
}
