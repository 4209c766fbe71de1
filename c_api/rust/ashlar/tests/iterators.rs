//! Iterators show the live keys of tables, in both directions.
mod support;

use ashlar::{ErrorCode, ReadOptions, Reader, TableIterator};
use support::{key, make_table, options, shown, value, write_numbers, Folder};

/// Two tables, the older first. The newer changes "b", deletes "c" and "e" to
/// "g", and adds 2 to "n", which is 1.
fn two_tables(folder: &Folder) -> (Reader, Reader) {
    let older = make_table(&folder.path("older.sst"), 1, |writer| {
        for key in [b"a", b"b", b"c", b"d", b"e", b"f", b"g"] {
            writer.put(key, b"old")?;
        }
        writer.put(b"n", &1u64.to_le_bytes())
    });
    let newer = make_table(&folder.path("newer.sst"), 2, |writer| {
        writer.put(b"b", b"new")?;
        writer.delete(b"c")?;
        writer.merge(b"n", &2u64.to_le_bytes())?;
        writer.delete_range(b"e", b"g")
    });
    (older, newer)
}

fn at(iterator: &TableIterator) -> Option<String> {
    let key = iterator.key()?;
    Some(String::from_utf8(key.to_vec()).unwrap())
}

#[test]
fn several_tables_are_shown_as_one() {
    let folder = Folder::new();
    let (older, newer) = two_tables(&folder);
    let mut iterator =
        TableIterator::new(&[&newer, &older], None, Some("uint64add")).unwrap();
    drop((older, newer));
    iterator.seek_to_last();
    assert_eq!(iterator.key(), Some(&b"n"[..]));
    assert_eq!(iterator.value(), Some(&3u64.to_le_bytes()[..]));
    assert_eq!(
        shown(iterator),
        [
            "a: old",
            "b: new",
            "d: old",
            "g: old",
            "n: \u{3}\0\0\0\0\0\0\0"
        ]
    );
}

#[test]
fn snapshot_shows_the_older_table() {
    let folder = Folder::new();
    let (older, newer) = two_tables(&folder);
    let mut read = ReadOptions::new().unwrap();
    read.set_snapshot(1);
    let iterator =
        TableIterator::new(&[&older, &newer], Some(&read), None).unwrap();
    assert_eq!(shown(iterator)[1..3], ["b: old", "c: old"]);
}

#[test]
fn iterator_moves_in_both_directions() {
    let folder = Folder::new();
    let (older, newer) = two_tables(&folder);
    let mut it =
        TableIterator::new(&[&older, &newer], None, Some("uint64add")).unwrap();
    // Before the first seek, moves do nothing.
    it.next();
    it.prev();
    assert!(!it.valid());
    assert_eq!((it.key(), it.value()), (None, None));
    it.seek(b"c");
    assert_eq!(at(&it).unwrap(), "d");
    it.prev();
    assert_eq!(at(&it).unwrap(), "b");
    it.next();
    it.next();
    assert_eq!(at(&it).unwrap(), "g");
    it.seek_for_prev(b"f");
    assert_eq!(at(&it).unwrap(), "d");
    it.seek_to_first();
    assert_eq!(at(&it).unwrap(), "a");
    it.prev();
    assert!(!it.valid());
    // Moves past an end do nothing, and are no error.
    it.prev();
    it.next();
    it.status().unwrap();
    it.seek_to_last();
    assert!(it.valid());
    it.next();
    it.next();
    assert_eq!(at(&it), None);
    it.status().unwrap();
    it.seek(b"z");
    assert!(!it.valid());
    it.seek_for_prev(b"0");
    assert!(!it.valid());
}

#[test]
fn walk_backward_is_the_walk_forward_reversed() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 500);
    let reader = Reader::open(&path, &options("")).unwrap();
    let mut it = TableIterator::new(&[&reader], None, None).unwrap();
    it.seek_to_last();
    for number in (0..500).rev() {
        assert_eq!(it.key(), Some(&key(number)[..]));
        assert_eq!(it.value(), Some(&value(number)[..]));
        it.prev();
    }
    assert!(!it.valid());
}

#[test]
fn bounds_outlive_their_options() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 500);
    let reader = Reader::open(&path, &options("")).unwrap();
    let mut read = ReadOptions::new().unwrap();
    read.set_readahead(64 << 10);
    read.set_bounds(Some(&key(10)), Some(&key(20))).unwrap();
    let mut it = TableIterator::new(&[&reader], Some(&read), None).unwrap();
    // The iterator has the bounds as they were.
    read.set_bounds(Some(&key(400)), None).unwrap();
    let mut other = TableIterator::new(&[&reader], Some(&read), None).unwrap();
    drop(read);
    it.seek_to_last();
    assert_eq!(it.key(), Some(&key(19)[..]));
    it.seek(b"");
    assert_eq!(it.key(), Some(&key(10)[..]));
    assert_eq!(it.entries().count(), 10);
    other.seek_to_first();
    assert_eq!(other.entries().count(), 100);
}

/// How often this thread has read files. `None`: the kernel does not count.
fn reads() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    let count = counts.lines().find_map(|line| line.strip_prefix("syscr: "));
    count.unwrap().parse().ok()
}

#[test]
fn readahead_reads_more_at_once() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 20000);
    let walk = |bytes| {
        let reader = Reader::open(&path, &options("")).unwrap();
        let mut read = ReadOptions::new().unwrap();
        read.set_readahead(bytes);
        let it = TableIterator::new(&[&reader], Some(&read), None).unwrap();
        let before = reads()?;
        assert_eq!(shown(it).len(), 20000);
        Some(reads()? - before)
    };
    if let (Some(by_itself), Some(large)) = (walk(0), walk(4 << 20)) {
        assert!(large < by_itself, "{large} {by_itself}");
    }
}

#[test]
fn operands_need_an_operator() {
    let folder = Folder::new();
    let (older, newer) = two_tables(&folder);
    let tables = [&older, &newer];
    let mut it = TableIterator::new(&tables, None, None).unwrap();
    it.seek(b"n");
    assert!(!it.valid());
    let error = it.status().unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    // The error is the last item, and the next seek starts again.
    it.seek(b"g");
    let items: Vec<_> = it.entries().collect();
    assert_eq!(items.len(), 2);
    assert!(items[0].is_ok());
    assert_eq!(items[1], Err(error));

    let error = TableIterator::new(&tables, None, Some("none")).unwrap_err();
    assert_eq!(error.code, ErrorCode::NotSupported);
    let error = TableIterator::new(&tables, None, Some("a\0")).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
}

#[test]
fn no_tables_have_no_keys() {
    let mut it = TableIterator::new(&[], None, None).unwrap();
    it.seek_to_first();
    assert!(!it.valid());
    it.status().unwrap();
}

#[test]
fn empty_keys_and_values_are_shown() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    let table = make_table(&path, 0, |writer| writer.put(b"", b""));
    let mut it = TableIterator::new(&[&table], None, None).unwrap();
    it.seek(b"");
    assert_eq!((it.key(), it.value()), (Some(&b""[..]), Some(&b""[..])));
    assert_eq!(table.get(b"").unwrap().as_deref(), Some(&b""[..]));
    assert_eq!(it.entries().count(), 1);
}

#[test]
fn iterator_passes_from_thread_to_thread() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 500);
    let reader = Reader::open(&path, &options("")).unwrap();
    let mut it = TableIterator::new(&[&reader], None, None).unwrap();
    it.seek(&key(400));
    let counted = std::thread::spawn(move || it.entries().count());
    assert_eq!(counted.join().unwrap(), 100);
}
