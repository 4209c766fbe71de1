//! Lookups tell what a table says of a key, each key for itself.
mod support;

use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ashlar::{Cache, ErrorCode, Lookup, Options, ReadOptions, Reader, Results};
use support::{key, make_table, options, value, write_numbers, Folder};

/// "a" has a value, "b", "c" and "f" are deleted, "m" has a merge operand.
fn mixed_table(folder: &Folder) -> Reader {
    make_table(&folder.path("t.sst"), 5, |writer| {
        writer.put(b"a", b"1")?;
        writer.delete(b"b")?;
        writer.single_delete(b"c")?;
        writer.merge(b"m", b"2")?;
        writer.delete_range(b"e", b"g")
    })
}

#[test]
fn deleted_and_merged_keys_are_not_absent_ones() {
    let folder = Folder::new();
    let reader = mixed_table(&folder);
    let states: Vec<Lookup<Vec<u8>>> = ["a", "b", "c", "d", "f", "g", "m"]
        .iter()
        .map(|key| match reader.lookup(key.as_bytes(), None).unwrap() {
            Lookup::Found(value) => Lookup::Found(value.to_vec()),
            Lookup::Absent => Lookup::Absent,
            Lookup::Deleted => Lookup::Deleted,
            Lookup::Merged => Lookup::Merged,
        })
        .collect();
    assert_eq!(
        states,
        [
            Lookup::Found(b"1".to_vec()),
            Lookup::Deleted,
            Lookup::Deleted,
            Lookup::Absent,
            Lookup::Deleted,
            Lookup::Absent,
            Lookup::Merged,
        ]
    );
}

#[test]
fn get_has_no_answer_for_merge_operands() {
    let folder = Folder::new();
    let reader = mixed_table(&folder);
    assert_eq!(reader.get(b"a").unwrap().as_deref(), Some(&b"1"[..]));
    assert!(reader.get(b"b").unwrap().is_none());
    assert!(reader.get(b"d").unwrap().is_none());
    let error = reader.get(b"m").unwrap_err();
    assert_eq!(error.code, ErrorCode::MergeInProgress);
}

#[test]
fn snapshot_hides_newer_entries() {
    let folder = Folder::new();
    let reader = mixed_table(&folder);
    let mut read = ReadOptions::new().unwrap();
    read.set_snapshot(4);
    assert!(reader.get_with(b"a", &read).unwrap().is_none());
    let deleted = reader.lookup(b"b", Some(&read)).unwrap();
    assert!(matches!(deleted, Lookup::Absent));
    read.set_snapshot(5);
    assert!(reader.get_with(b"a", &read).unwrap().is_some());
}

#[test]
fn multi_get_answers_each_key() {
    let folder = Folder::new();
    let reader = mixed_table(&folder);
    let mut results = Results::new().unwrap();
    assert!(results.is_empty());
    let keys = ["m", "a", "x", "b"];
    reader.multi_get(&keys, None, &mut results).unwrap();
    let all: Vec<_> = results.iter().map(|result| result.unwrap()).collect();
    let found = Lookup::Found(&b"1"[..]);
    assert_eq!(
        all,
        [Lookup::Merged, found, Lookup::Absent, Lookup::Deleted]
    );
    assert_eq!(results.len(), 4);
    assert!(results.get(4).is_none());

    // The object is used again, for fewer keys and for none.
    reader.multi_get(&[b"a"], None, &mut results).unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results.get(0).unwrap().unwrap(), found);
    reader.multi_get::<&[u8]>(&[], None, &mut results).unwrap();
    assert!(results.is_empty());
    let mut read = ReadOptions::new().unwrap();
    read.set_snapshot(4);
    reader
        .multi_get(&[b"a"], Some(&read), &mut results)
        .unwrap();
    assert_eq!(results.get(0).unwrap().unwrap(), Lookup::Absent);
}

#[test]
fn cleared_results_pin_nothing() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 1000);
    let cache = Cache::clock(1 << 20).unwrap();
    let mut options = Options::new().unwrap();
    options.set_cache(Some(&cache));
    let reader = Reader::open(&path, &options).unwrap();
    let mut results = Results::new().unwrap();
    reader
        .multi_get(&[key(1), key(900)], None, &mut results)
        .unwrap();
    assert!(cache.pinned_usage() > 0);
    results.clear();
    assert_eq!(cache.pinned_usage(), 0);
    assert!(results.is_empty());
}

/// A table of 1000 keys, of which that in the middle is in a damaged block.
fn damaged_table(folder: &Folder) -> PathBuf {
    let path = folder.path("t.sst");
    write_numbers(&path, 1000);
    let mut bytes = std::fs::read(&path).unwrap();
    let text = value(500);
    let at = bytes.windows(text.len()).position(|w| w == text).unwrap();
    bytes[at] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn damage_is_an_error_of_the_keys_in_the_block() {
    let folder = Folder::new();
    let path = damaged_table(&folder);
    let reader = Reader::open(&path, &options("")).unwrap();
    let mut results = Results::new().unwrap();
    let keys = [key(0), key(500), key(999), key(1000)];
    let error = reader.multi_get(&keys, None, &mut results).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corruption);
    let result = |index| results.get(index).unwrap();
    assert_eq!(result(0), Ok(Lookup::Found(&value(0)[..])));
    assert_eq!(result(1), Err(ErrorCode::Corruption));
    assert_eq!(result(2), Ok(Lookup::Found(&value(999)[..])));
    assert_eq!(result(3), Ok(Lookup::Absent));
    let error = reader.get(&key(500)).unwrap_err();
    assert_eq!(error.code, ErrorCode::Corruption);
}

#[test]
fn checksums_are_compared_unless_that_is_switched_off() {
    let folder = Folder::new();
    let path = damaged_table(&folder);
    let reader = Reader::open(&path, &options("")).unwrap();
    let mut read = ReadOptions::new().unwrap();
    assert!(reader.get_with(&key(500), &read).is_err());
    read.set_verify_checksums(false);
    let mut damaged = value(500);
    damaged[0] ^= 1;
    let found = reader.get_with(&key(500), &read).unwrap().unwrap();
    assert_eq!(&*found, damaged);
}

#[test]
fn cache_is_filled_unless_that_is_switched_off() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 1000);
    let cache = Cache::lru(1 << 20).unwrap();
    let mut options = Options::new().unwrap();
    options.set_cache(Some(&cache));
    let reader = Reader::open(&path, &options).unwrap();
    let before = cache.usage();
    let mut read = ReadOptions::new().unwrap();
    read.set_fill_cache(false);
    drop(reader.get_with(&key(1), &read).unwrap().unwrap());
    assert_eq!(cache.usage(), before);
    read.set_fill_cache(true);
    drop(reader.get_with(&key(1), &read).unwrap().unwrap());
    assert!(cache.usage() > before);
}

#[test]
fn deadline_that_has_passed_ends_a_read_of_the_file() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 1000);
    let reader = Reader::open(&path, &options("")).unwrap();
    let mut read = ReadOptions::new().unwrap();
    let hour = Duration::from_secs(3600);
    for past in [SystemTime::now() - hour, UNIX_EPOCH, UNIX_EPOCH - hour] {
        read.set_deadline(Some(past));
        let error = reader.get_with(&key(1), &read).unwrap_err();
        assert_eq!(error.code, ErrorCode::TimedOut);
    }
    let mut results = Results::new().unwrap();
    let error = reader.multi_get(&[key(1)], Some(&read), &mut results);
    assert_eq!(error.unwrap_err().code, ErrorCode::TimedOut);
    assert_eq!(results.get(0), Some(Err(ErrorCode::TimedOut)));
    for deadline in [Some(SystemTime::now() + 24 * hour), None] {
        read.set_deadline(deadline);
        assert!(reader.get_with(&key(1), &read).unwrap().is_some());
    }
}

#[test]
fn values_of_a_mapped_file_outlive_the_reader() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 1000);
    let mapped = options("allow_mmap_reads=true");
    let reader = Reader::open(&path, &mapped).unwrap();
    let found = reader.get(&key(500)).unwrap().unwrap();
    let mut results = Results::new().unwrap();
    reader.multi_get(&[key(7)], None, &mut results).unwrap();
    drop(reader);
    assert_eq!(&*found, value(500));
    let result = results.get(0).unwrap().unwrap();
    assert_eq!(result.found(), Some(&value(7)[..]));
}
