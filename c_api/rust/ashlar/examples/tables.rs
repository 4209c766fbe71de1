//! Writes a table with options from text, and reads it: by key, by several keys
//! at once and in order. Then compacts it with a newer table.
//!
//!     cargo run --example tables <file>
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ashlar::{
    Cache, Compaction, Lookup, Options, Reader, Result, Results, TableIterator,
    Writer,
};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn write(path: &Path, options: &Options) -> Result<()> {
    let mut writer = Writer::create(path, options)?;
    writer.put(b"apple", b"red")?;
    writer.put(b"banana", b"yellow")?;
    writer.put(b"cherry", b"dark red")?;
    writer.finish()?;
    Ok(())
}

fn write_newer(path: &Path, options: &Options) -> Result<()> {
    let mut writer = Writer::create(path, options)?;
    writer.put(b"banana", b"green")?;
    writer.delete(b"cherry")?;
    writer.finish()?;
    Ok(())
}

fn look_up(reader: &Reader) -> Result<()> {
    let keys = ["banana", "damson"];
    let mut results = Results::new()?;
    reader.multi_get(&keys, None, &mut results)?;
    for (key, result) in keys.iter().zip(results.iter()) {
        match result {
            Ok(Lookup::Found(value)) => println!("{key} is {}", text(value)),
            _ => println!("{key} is not there"),
        }
    }
    Ok(())
}

/// Prints the entries from `key` on.
fn walk(reader: &Reader, key: &[u8]) -> Result<()> {
    let mut iterator = TableIterator::new(&[reader], None, None)?;
    iterator.seek(key);
    while let (Some(key), Some(value)) = (iterator.key(), iterator.value()) {
        println!("{}: {}", text(key), text(value));
        iterator.next();
    }
    iterator.status()
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Compacts the tables. All entries of a file have one sequence number, which
/// says which table is newer.
fn compact(path: &Path, newer: &Path, options: &mut Options) -> Result<()> {
    options.set("largest_seqno=1")?;
    let older = Reader::open(path, options)?;
    options.set("largest_seqno=2")?;
    let newer = Reader::open(newer, options)?;
    let mut outputs = Vec::new();
    Compaction::new()
        .bottommost(true)
        .output(|path, _size| outputs.push(path.to_owned()))
        .run(options, &[&older, &newer], with_suffix(path, "-merged"))?;
    for output in outputs {
        let name = output.file_name().unwrap_or_default().to_string_lossy();
        println!("compacted: {name}");
        walk(&Reader::open(&output, &Options::new()?)?, b"")?;
    }
    Ok(())
}

fn run(path: &Path) -> Result<()> {
    let mut options = Options::from_text(
        "block_size=16K;filter_policy=bloomfilter:10:false",
    )?;
    options.set_cache(Some(&Cache::clock(8 << 20)?));
    write(path, &options)?;
    let reader = Reader::open(path, &options)?;
    look_up(&reader)?;
    walk(&reader, b"b")?;
    let newer = with_suffix(path, ".newer");
    write_newer(&newer, &options)?;
    compact(path, &newer, &mut options)
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let path = match (arguments.next(), arguments.next()) {
        (Some(path), None) => PathBuf::from(path),
        _ => {
            eprintln!("usage: tables <file>");
            return ExitCode::from(2);
        }
    };
    match run(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("tables: {error}");
            ExitCode::FAILURE
        }
    }
}
