//! Arrow's C interface in Python's capsules: the one file that touches memory of other libraries.
//!
//! A producer hands over a capsule that owns a C structure; taking it means *moving* the structure out and leaving an empty one
//! behind, whose `release` is null, so that the capsule's own destructor frees nothing twice. The other way round, a capsule of ours
//! owns a structure that frees itself when it is dropped.
//!
//! # What is relied on
//! The [interface](https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html): a capsule of that name points to a
//! valid structure of that kind, and nobody else uses it meanwhile. Python checks the name; that the structure is valid nobody can
//! check. What arrives is validated before any of it is read as text (`to_batches`).

#![expect(
    unsafe_code,
    reason = "another library's memory is read through pointers, as Arrow's C interface has it"
)]

use std::ffi::CStr;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// What was handed over is not what the interface says; what the producer says of it is not kept, since it may quote cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unreadable;

impl From<ArrowError> for Unreadable {
    fn from(_: ArrowError) -> Unreadable {
        Unreadable
    }
}

impl From<PyErr> for Unreadable {
    fn from(_: PyErr) -> Unreadable {
        Unreadable
    }
}

/// The structure that `capsule` owns.
fn pointer<T>(
    capsule: &Bound<'_, PyCapsule>,
    name: &'static CStr,
) -> Result<NonNull<T>, Unreadable> {
    Ok(capsule.pointer_checked(Some(name))?.cast::<T>())
}

/// All batches of a stream, and their schema; the producer is asked on this thread.
pub(crate) fn from_stream(
    capsule: &Bound<'_, PyCapsule>,
) -> Result<(SchemaRef, Vec<RecordBatch>), Unreadable> {
    let stream = pointer::<FFI_ArrowArrayStream>(capsule, STREAM)?;
    // SAFETY: the capsule has the name of a stream, so it points to one; `from_raw` moves it out and leaves an empty one behind. A
    // stream that was taken before is empty, and refused by the reader.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(stream.as_ptr()) }?;
    let schema = reader.schema();
    let batches = reader.collect::<Result<Vec<RecordBatch>, ArrowError>>()?;
    for batch in &batches {
        valid(batch)?;
    }
    Ok((schema, batches))
}

/// One array of structs as a batch.
pub(crate) fn from_array(
    schema: &Bound<'_, PyCapsule>,
    array: &Bound<'_, PyCapsule>,
) -> Result<(SchemaRef, Vec<RecordBatch>), Unreadable> {
    let schema = pointer::<FFI_ArrowSchema>(schema, SCHEMA)?;
    let array = pointer::<FFI_ArrowArray>(array, ARRAY)?;
    // SAFETY: the capsules have the names of an array and a schema, so they point to them. The array is moved out and an empty one
    // left behind; the schema is only borrowed while both are read, and its capsule keeps it.
    let data = unsafe {
        let array = FFI_ArrowArray::from_raw(array.as_ptr());
        if array.is_released() {
            return Err(Unreadable);
        }
        from_ffi(array, schema.as_ref())
    }?;
    if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) || data.null_count() > 0 {
        return Err(Unreadable);
    }
    data.validate_full()?;
    let batch = RecordBatch::from(StructArray::from(data));
    Ok((batch.schema(), vec![batch]))
}

/// Checks that every offset, length and text of a batch is what its type says: a producer's mistake must not become ours.
fn valid(batch: &RecordBatch) -> Result<(), Unreadable> {
    use arrow_array::Array as _;
    for column in batch.columns() {
        column.to_data().validate_full()?;
    }
    Ok(())
}

/// A capsule with a stream of these batches, for whoever asks.
pub(crate) fn to_stream<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
    batches: &Arc<Vec<RecordBatch>>,
) -> PyResult<Bound<'py, PyCapsule>> {
    // Batches are cheap to clone: their memory is shared.
    let batches: Vec<Result<RecordBatch, ArrowError>> = batches.iter().cloned().map(Ok).collect();
    let reader = RecordBatchIterator::new(batches, Arc::clone(schema));
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, STREAM)
}

/// A capsule with the names and types of a table.
pub(crate) fn to_schema<'py>(
    py: Python<'py>,
    schema: &SchemaRef,
) -> PyResult<Option<Bound<'py, PyCapsule>>> {
    match FFI_ArrowSchema::try_from(schema.as_ref()) {
        Ok(schema) => PyCapsule::new_with_value(py, schema, SCHEMA).map(Some),
        Err(_) => Ok(None),
    }
}
