//! Stretches of files as the objects a `DataFusion` scan opens.
//!
//! A CSV file is cut at line ends that no quote spans; each stretch is an object of its own, read in large blocks. That
//! leaves out byte order mark and header, and serves files that had to be decoded in memory the same way.

use std::fmt;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;

use async_trait::async_trait;
use bytes::Bytes;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::object_store::path::Path;
use datafusion::object_store::{
    Attributes, CopyOptions, Error, GetOptions, GetRange, GetResult, GetResultPayload, ListResult,
    MultipartUpload, ObjectMeta, ObjectStore, PutMultipartOptions, PutOptions, PutPayload,
    PutResult, Result,
};
use futures::StreamExt as _;
use futures::stream::BoxStream;

/// Bytes read at a time: large enough that a system call is nothing, small enough for the cache.
const BLOCK: u64 = 1 << 18;

/// Where the bytes of an object are.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// In a file.
    File(PathBuf),
    /// In memory.
    Memory(Bytes),
}

/// One object: a stretch of a file.
#[derive(Debug, Clone)]
pub(crate) struct Stretch {
    pub(crate) place: Place,
    pub(crate) range: Range<u64>,
}

/// Read-only objects named `0`, `1`, `2`, ...
#[derive(Debug)]
pub(crate) struct Stretches(pub(crate) Vec<Stretch>);

impl fmt::Display for Stretches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} stretches", self.0.len())
    }
}

impl Stretches {
    fn find(&self, location: &Path) -> Result<&Stretch> {
        let index: Option<usize> = location.as_ref().parse().ok();
        index
            .and_then(|index| self.0.get(index))
            .ok_or_else(|| Error::NotFound {
                path: location.to_string(),
                source: "no such stretch".into(),
            })
    }
}

fn read_only<T>() -> Result<T> {
    Err(Error::NotImplemented {
        operation: "writing".into(),
        implementer: "stretches of files".into(),
    })
}

#[async_trait]
impl ObjectStore for Stretches {
    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let stretch = self.find(location)?;
        let size = stretch.range.end - stretch.range.start;
        let range = match options.range {
            None => 0..size,
            Some(GetRange::Bounded(range)) => range.start.min(size)..range.end.min(size),
            Some(GetRange::Offset(offset)) => offset.min(size)..size,
            Some(GetRange::Suffix(length)) => size.saturating_sub(length)..size,
        };
        let meta = PartitionedFile::new(location.as_ref(), size).object_meta;
        let start = stretch.range.start + range.start;
        let end = stretch.range.start + range.end;
        let payload = if options.head {
            GetResultPayload::Stream(futures::stream::empty().boxed())
        } else {
            GetResultPayload::Stream(match &stretch.place {
                Place::Memory(bytes) => {
                    let bytes = bytes.slice(start as usize..end as usize);
                    futures::stream::iter([Ok(bytes)]).boxed()
                }
                Place::File(path) => {
                    let mut file = File::open(path).map_err(generic)?;
                    file.seek(SeekFrom::Start(start)).map_err(generic)?;
                    let mut left = end - start;
                    let blocks = std::iter::from_fn(move || {
                        (left > 0).then(|| {
                            let mut block = Vec::with_capacity(left.min(BLOCK) as usize);
                            let wanted = left.min(BLOCK);
                            left -= wanted;
                            let got = (&mut file).take(wanted).read_to_end(&mut block);
                            match got {
                                Ok(got) if got as u64 == wanted => Ok(Bytes::from(block)),
                                // The file shrank while it was read.
                                Ok(_) => Err(generic(std::io::ErrorKind::UnexpectedEof.into())),
                                Err(error) => Err(generic(error)),
                            }
                        })
                    });
                    futures::stream::iter(blocks).boxed()
                }
            })
        };
        Ok(GetResult {
            payload,
            meta,
            range,
            attributes: Attributes::default(),
        })
    }

    async fn put_opts(&self, _: &Path, _: PutPayload, _: PutOptions) -> Result<PutResult> {
        read_only()
    }

    async fn put_multipart_opts(
        &self,
        _: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        read_only()
    }

    fn delete_stream(
        &self,
        _: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        futures::stream::iter([read_only()]).boxed()
    }

    fn list(&self, _: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        futures::stream::empty().boxed()
    }

    async fn list_with_delimiter(&self, _: Option<&Path>) -> Result<ListResult> {
        read_only()
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        read_only()
    }
}

fn generic(error: std::io::Error) -> Error {
    Error::Generic {
        store: "stretches of files",
        source: Box::new(error),
    }
}
