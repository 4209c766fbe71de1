//! Writes, reads and compacts SST tables in RocksDB's format, by the C
//! interface of Ashlar.
//!
//! ```no_run
//! use ashlar::{Cache, Options, Reader, Writer};
//!
//! # fn main() -> ashlar::Result<()> {
//! let mut options = Options::from_text("filter_policy=bloomfilter:10")?;
//! options.set_cache(Some(&Cache::clock(8 << 20)?));
//! let mut writer = Writer::create("fruit.sst", &options)?;
//! writer.put(b"apple", b"red")?;
//! writer.finish()?;
//!
//! let reader = Reader::open("fruit.sst", &options)?;
//! assert_eq!(reader.get(b"apple")?.as_deref(), Some(&b"red"[..]));
//! # Ok(())
//! # }
//! ```
//!
//! Objects keep what they need: options, caches and readers may be dropped
//! while values and iterators that came from them are in use.
//!
//! Any number of threads may share a [`Reader`] or a [`Cache`], read the same
//! [`Options`] and [`ReadOptions`], and look at a [`Value`] or [`Results`]. A
//! [`Writer`] and a [`TableIterator`] are for one thread at a time. The types
//! are [`Send`] and [`Sync`] accordingly.
#![warn(missing_docs)]
#![warn(unsafe_op_in_unsafe_fn)]
#![warn(clippy::undocumented_unsafe_blocks)]

mod bytes;
mod cache;
mod compaction;
mod error;
mod iterator;
mod lookup;
mod options;
mod read_options;
mod reader;
mod writer;

use std::ffi::CStr;

use ashlar_sys as sys;

pub use cache::Cache;
pub use compaction::{Compaction, Decision};
pub use error::{Error, ErrorCode, Result};
pub use iterator::{Entries, TableIterator};
pub use lookup::{Lookup, Results, Value};
pub use options::Options;
pub use read_options::ReadOptions;
pub use reader::Reader;
pub use writer::{TableSummary, Writer};

/// Returns the version of the library, such as "0.2.0".
pub fn version() -> &'static str {
    // SAFETY: the text ends with a zero byte and lives forever.
    let text = unsafe { CStr::from_ptr(sys::ashlar_version()) };
    text.to_str().expect("a version is ASCII")
}
