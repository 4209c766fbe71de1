//! Options come from text and from OPTIONS files, and go back to text. Caches
//! are shared through them.
mod support;

use ashlar::{Cache, ErrorCode, Options, Reader};
use support::{key, options, value, write_numbers, Folder};

const OPTIONS_FILE: &str = "\
[CFOptions \"default\"]
  compression=kZSTD
[TableOptions/BlockBasedTable \"default\"]
  block_size=12345
[CFOptions \"other\"]
  of_tomorrow=1
[TableOptions/BlockBasedTable \"other\"]
  block_size=54321
";

#[test]
fn text_makes_the_same_options_again() {
    let text = "block_size=12345;parallel_threads=3;allow_mmap_reads=true";
    let made = options(text).text().unwrap();
    for option in text.split(';') {
        assert!(made.contains(option), "{made}");
    }
    assert_eq!(options(&made).text().unwrap(), made);
    assert_ne!(Options::new().unwrap().text().unwrap(), made);
}

#[test]
fn text_that_is_wrong_changes_nothing() {
    let mut options = options("block_size=12345");
    let before = options.text().unwrap();
    let error = options.set("block_size=1024;block_sise=1").unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert_eq!(options.text().unwrap(), before);
}

#[test]
fn options_of_a_family_are_loaded() {
    let folder = Folder::new();
    let path = folder.path("OPTIONS-000007");
    std::fs::write(&path, OPTIONS_FILE).unwrap();
    let mut loaded = Options::new().unwrap();
    loaded.load(&path, "default").unwrap();
    assert!(loaded.text().unwrap().contains("block_size=12345"));
    let ignored = loaded.load_ignoring_unknown(&path, "default").unwrap();
    assert!(ignored.is_empty());

    let error = loaded.load(&path, "other").unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert!(error.message.contains("of_tomorrow"), "{error}");
    let ignored = loaded.load_ignoring_unknown(&path, "other").unwrap();
    assert_eq!(ignored.len(), 1);
    assert!(ignored[0].contains("of_tomorrow"), "{ignored:?}");
    assert!(loaded.text().unwrap().contains("block_size=54321"));

    let error = loaded.load(&path, "third").unwrap_err();
    assert!(error.message.contains("'third'"), "{error}");
    let error = loaded.load_ignoring_unknown(&path, "a\0b").unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
}

#[test]
fn caches_have_a_capacity() {
    for cache in [Cache::clock(1 << 20), Cache::lru(1 << 20)] {
        let cache = cache.unwrap();
        assert_eq!(cache.capacity(), 1 << 20);
        cache.set_capacity(1 << 19);
        assert_eq!(cache.capacity(), 1 << 19);
        assert_eq!(cache.pinned_usage(), 0);
    }
}

#[test]
fn cache_holds_the_blocks_of_readers() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 1000);
    for cache in [Cache::clock(1 << 20), Cache::lru(1 << 20)] {
        let cache = cache.unwrap();
        let mut options = Options::new().unwrap();
        options.set_cache(Some(&cache));
        let reader = Reader::open(&path, &options).unwrap();
        let before = cache.usage();
        let found = reader.get(&key(1)).unwrap();
        assert!(cache.usage() > before);
        assert!(cache.pinned_usage() > 0);
        drop(found);
        assert_eq!(cache.pinned_usage(), 0);

        let filled = cache.usage();
        options.set_cache(None);
        let reader = Reader::open(&path, &options).unwrap();
        assert!(reader.get(&key(999)).unwrap().is_some());
        assert_eq!(cache.usage(), filled);
    }
}

#[test]
fn users_of_a_cache_keep_it() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 1000);
    for cache in [Cache::clock(1 << 20), Cache::lru(1 << 20)] {
        let mut options = Options::new().unwrap();
        options.set_cache(Some(cache.as_ref().unwrap()));
        drop(cache);
        let reader = Reader::open(&path, &options).unwrap();
        drop(options);
        let found = reader.get(&key(500)).unwrap().unwrap();
        let mut results = ashlar::Results::new().unwrap();
        reader.multi_get(&[key(7)], None, &mut results).unwrap();
        drop(reader);
        assert_eq!(&*found, value(500));
        let result = results.get(0).unwrap().unwrap();
        assert_eq!(result.found(), Some(&value(7)[..]));
    }
}
