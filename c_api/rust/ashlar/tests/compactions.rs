//! Compactions call closures, which decide, stop and panic.
mod support;

use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::PathBuf;

use ashlar::{Compaction, Decision, ErrorCode, Options, Reader, TableIterator};
use support::{key, make_table, options, shown, write_numbers, Folder};

fn show(path: &std::path::Path) -> Vec<String> {
    let reader = Reader::open(path, &options("")).unwrap();
    shown(TableIterator::new(&[&reader], None, None).unwrap())
}

/// Two tables, the older first. The newer changes "b" and deletes "c".
fn two_tables(folder: &Folder) -> (Reader, Reader) {
    let older = make_table(&folder.path("older"), 1, |writer| {
        writer.put(b"a", b"1")?;
        writer.put(b"b", b"2")?;
        writer.put(b"c", b"3")
    });
    let newer = make_table(&folder.path("newer"), 2, |writer| {
        writer.put(b"b", b"4")?;
        writer.delete(b"c")
    });
    (older, newer)
}

/// A folder with a table of many keys, which C reports progress of.
fn large_table() -> (Folder, Reader) {
    let folder = Folder::new();
    let path = folder.path("large");
    write_numbers(&path, 5000);
    let reader = Reader::open(&path, &options("")).unwrap();
    (folder, reader)
}

#[test]
fn newest_versions_are_left() {
    let folder = Folder::new();
    let (older, newer) = two_tables(&folder);
    let mut outputs: Vec<(PathBuf, u64)> = Vec::new();
    Compaction::new()
        .bottommost(true)
        .output(|path, size| outputs.push((path.to_owned(), size)))
        .run(
            &Options::new().unwrap(),
            &[&older, &newer],
            folder.path("merged"),
        )
        .unwrap();
    let path = folder.path("merged-000001.sst");
    let size = std::fs::metadata(&path).unwrap().len();
    assert_eq!(outputs, [(path.clone(), size)]);
    assert_eq!(show(&path), ["a: 1", "b: 4"]);
    // "c" and its deletion are gone.
    let merged = Reader::open(&path, &options("")).unwrap();
    assert_eq!(merged.entries(), 2);
}

#[test]
fn deletions_stay_above_the_bottom_and_snapshots_keep_versions() {
    let folder = Folder::new();
    let (older, newer) = two_tables(&folder);
    let entries = |name: &str, compaction: Compaction| {
        let options = Options::new().unwrap();
        let tables = [&newer, &older];
        compaction
            .run(&options, &tables, folder.path(name))
            .unwrap();
        let path = folder.path(&format!("{name}-000001.sst"));
        Reader::open(path, &options).unwrap().entries()
    };
    let bottommost = || Compaction::new().bottommost(true);
    assert_eq!(entries("bottommost", bottommost()), 2);
    assert_eq!(entries("above", Compaction::new()), 3);
    // The snapshot sees all three of the older table.
    assert_eq!(entries("seen", bottommost().snapshots(&[1])), 5);
}

#[test]
fn snapshots_are_passed_in_order() {
    let compaction = Compaction::new().snapshots(&[9, 1, 9]);
    assert!(format!("{compaction:?}").contains("snapshots: [1, 9]"));
}

#[test]
fn filter_removes_and_changes() {
    let folder = Folder::new();
    let (older, newer) = two_tables(&folder);
    let mut seen = Vec::new();
    Compaction::new()
        .bottommost(true)
        .filter(|key, value| {
            seen.push((key.to_vec(), value.to_vec()));
            match key {
                b"a" => Decision::Remove,
                b"b" => Decision::Change([value, b" changed"].concat()),
                _ => Decision::Keep,
            }
        })
        .run(
            &Options::new().unwrap(),
            &[&older, &newer],
            folder.path("m"),
        )
        .unwrap();
    let pair = |key: &[u8], value: &[u8]| (key.to_vec(), value.to_vec());
    assert_eq!(seen, [pair(b"a", b"1"), pair(b"b", b"4")]);
    assert_eq!(show(&folder.path("m-000001.sst")), ["b: 4 changed"]);
}

#[test]
fn filter_keeps() {
    let folder = Folder::new();
    let (older, newer) = two_tables(&folder);
    Compaction::new()
        .filter(|_, _| Decision::Keep)
        .run(
            &Options::new().unwrap(),
            &[&older, &newer],
            folder.path("m"),
        )
        .unwrap();
    assert_eq!(show(&folder.path("m-000001.sst")), ["a: 1", "b: 4"]);
}

#[test]
fn outputs_are_cut_and_operands_joined() {
    let (folder, large) = large_table();
    let n = make_table(&folder.path("n"), 7, |writer| {
        writer.merge(&key(0), b"more")
    });
    let mut paths = Vec::new();
    Compaction::new()
        .merge_operator("stringappend")
        .target_file_size(32 << 10)
        .output(|path, _| paths.push(path.to_owned()))
        .run(
            &options("compression=kNoCompression"),
            &[&large, &n],
            folder.path("cut"),
        )
        .unwrap();
    assert!(paths.len() > 2, "{paths:?}");
    assert_eq!(paths[1], folder.path("cut-000002.sst"));
    let all: Vec<String> = paths.iter().flat_map(|path| show(path)).collect();
    assert_eq!(all.len(), 5000);
    assert_eq!(all[0], "key000000: value of key000000,more");

    let unknown = Compaction::new().merge_operator("none");
    let error = unknown
        .run(&options(""), &[&large], folder.path("none"))
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::NotSupported);
}

#[test]
fn progress_stops() {
    let (folder, large) = large_table();
    let mut calls = Vec::new();
    let error = Compaction::new()
        .progress(|entries| {
            calls.push(entries);
            match calls.len() {
                3 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        })
        .run(&Options::new().unwrap(), &[&large], folder.path("m"))
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Incomplete);
    assert_eq!(calls.len(), 3);
    assert!(calls[0] < calls[2] && calls[2] < 5000, "{calls:?}");
    assert_eq!(folder.names(), ["large"]);
}

/// Runs it, and returns the text of its panic.
fn panic_of(compaction: Compaction, table: &Reader, path: PathBuf) -> String {
    let options = options("compression=kNoCompression");
    let run = || compaction.run(&options, &[table], path);
    let payload = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    payload.downcast_ref::<&str>().unwrap().to_string()
}

#[test]
fn panic_of_the_filter_ends_the_compaction() {
    let (folder, large) = large_table();
    let mut calls = 0;
    let compaction = Compaction::new().filter(|_, _| {
        calls += 1;
        panic!("filter");
    });
    assert_eq!(panic_of(compaction, &large, folder.path("m")), "filter");
    assert_eq!(calls, 1);
    assert_eq!(folder.names(), ["large"]);
}

#[test]
fn panic_of_the_filter_leaves_no_output_of_a_small_table() {
    // C calls no progress for so few bytes, and makes the table.
    let folder = Folder::new();
    let (older, _newer) = two_tables(&folder);
    let mut outputs = 0;
    let compaction = Compaction::new()
        .filter(|_, _| panic!("filter"))
        .output(|_, _| outputs += 1);
    assert_eq!(panic_of(compaction, &older, folder.path("m")), "filter");
    assert_eq!(outputs, 0);
    assert_eq!(folder.names(), ["newer", "older"]);
}

#[test]
fn panic_of_progress_ends_the_compaction() {
    let (folder, large) = large_table();
    let mut calls = 0;
    let compaction = Compaction::new().progress(|_| {
        calls += 1;
        panic!("progress");
    });
    assert_eq!(panic_of(compaction, &large, folder.path("m")), "progress");
    assert_eq!(calls, 1);
    assert_eq!(folder.names(), ["large"]);
}

#[test]
fn panic_of_the_output_leaves_none() {
    let (folder, large) = large_table();
    let mut calls = 0;
    let compaction =
        Compaction::new().target_file_size(32 << 10).output(|_, _| {
            calls += 1;
            panic!("output");
        });
    assert_eq!(panic_of(compaction, &large, folder.path("m")), "output");
    assert_eq!(calls, 1);
    assert_eq!(folder.names(), ["large"]);
}
