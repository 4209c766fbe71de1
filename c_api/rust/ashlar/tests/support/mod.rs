//! What the tests share: a folder that goes with the test, and tables in it.
// Each test program uses a part.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use ashlar::{Options, Reader, TableIterator, Writer};

/// An empty folder, which is removed with all in it.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("ashlar-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
    /// The names of the files, in order.
    pub fn names(&self) -> Vec<String> {
        let files = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}
impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn options(text: &str) -> Options {
    Options::from_text(text).unwrap()
}

pub fn key(number: usize) -> Vec<u8> {
    format!("key{number:06}").into_bytes()
}
pub fn value(number: usize) -> Vec<u8> {
    format!("value of key{number:06}").into_bytes()
}

/// Writes a table of keys 0 to `count` in small blocks without compression.
pub fn write_numbers(path: &Path, count: usize) {
    let options = options("block_size=512;compression=kNoCompression");
    let mut writer = Writer::create(path, &options).unwrap();
    for number in 0..count {
        writer.put(&key(number), &value(number)).unwrap();
    }
    writer.finish().unwrap();
}

/// Writes what `add` adds, and opens it with this sequence number.
pub fn make_table(
    path: &Path,
    sequence: u64,
    add: impl FnOnce(&mut Writer) -> ashlar::Result<()>,
) -> Reader {
    let mut writer = Writer::create(path, &Options::new().unwrap()).unwrap();
    add(&mut writer).unwrap();
    writer.finish().unwrap();
    let text = format!("largest_seqno={sequence}");
    Reader::open(path, &options(&text)).unwrap()
}

/// All that the iterator shows, from its first key on, as "key: value".
pub fn shown(mut iterator: TableIterator) -> Vec<String> {
    iterator.seek_to_first();
    iterator
        .entries()
        .map(|entry| text(&entry.unwrap()))
        .collect()
}
fn text((key, value): &(Vec<u8>, Vec<u8>)) -> String {
    let text = String::from_utf8_lossy;
    format!("{}: {}", text(key), text(value))
}
