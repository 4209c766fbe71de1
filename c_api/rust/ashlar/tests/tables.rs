//! A table that is written is read again; errors have a code and a message.
mod support;

use ashlar::{ErrorCode, Options, Reader, Writer};
use support::{key, options, value, write_numbers, Folder};

#[test]
fn table_is_read_as_it_was_written() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 1000);
    let reader = Reader::open(&path, &Options::new().unwrap()).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(reader.entries(), 1000);
    let found = reader.get(&key(500)).unwrap().unwrap();
    assert!(reader.get(b"absent").unwrap().is_none());
    let entries = reader.iter_from(&key(990)).unwrap();
    drop(reader);
    // The value and the walk outlive the reader.
    assert_eq!(&*found, value(500));
    let entries: Vec<_> = entries.map(|entry| entry.unwrap()).collect();
    assert_eq!(entries.len(), 10);
    assert_eq!(entries[9], (key(999), value(999)));
}

#[test]
fn errors_have_a_code_and_a_message() {
    let error = Options::from_text("block_sise=1").unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    let message = "block_sise: there is no such option";
    assert!(error.message.contains(message));
    assert_eq!(error.to_string(), error.message);
    let error = Reader::open("/none.sst", &options("")).unwrap_err();
    assert_eq!(error.code, ErrorCode::IoError);
    let error = Reader::open("a\0b", &options("")).unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
}

#[test]
fn writer_refuses_keys_that_do_not_ascend() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    let mut writer = Writer::create(&path, &options("")).unwrap();
    writer.put(b"b", b"").unwrap();
    for key in [b"a", b"b"] {
        let error = writer.put(key, b"").unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidArgument);
    }
    let error = writer.delete_range(b"y", b"x").unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    // It may be used even so.
    writer.put(b"c", b"").unwrap();
    assert_eq!(writer.finish().unwrap().entries, 2);
}

#[test]
fn writer_counts() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    let small = options("block_size=512;compression=kNoCompression");
    let mut writer = Writer::create(&path, &small).unwrap();
    assert_eq!((writer.entries(), writer.file_size()), (0, 0));
    for number in 0..100 {
        writer.put(&key(number), &[b'v'; 50]).unwrap();
    }
    assert_eq!(writer.entries(), 100);
    assert!(writer.file_size() > 4000);
    assert!(!path.exists());
    let made = writer.finish().unwrap();
    assert_eq!(made.entries, 100);
    assert_eq!(made.file_size, std::fs::metadata(&path).unwrap().len());
    assert_eq!(folder.names(), ["t.sst"]);
}

#[test]
fn dropped_writer_leaves_no_file() {
    let folder = Folder::new();
    let mut writer =
        Writer::create(folder.path("t.sst"), &options("")).unwrap();
    writer.put(b"a", b"1").unwrap();
    drop(writer);
    assert!(folder.names().is_empty());
    let empty = Writer::create(folder.path("t.sst"), &options("")).unwrap();
    let error = empty.finish().unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidArgument);
    assert!(folder.names().is_empty());
}

#[test]
fn verify_finds_damage() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 1000);
    Reader::open(&path, &options("")).unwrap().verify().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let reader = Reader::open(&path, &options("")).unwrap();
    let error = reader.verify().unwrap_err();
    assert_eq!(error.code, ErrorCode::Corruption);
    assert!(error.message.contains("t.sst"), "{error}");
}

#[test]
fn version_is_that_of_the_crate() {
    assert_eq!(ashlar::version(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn threads_may_do_what_the_header_says() {
    fn is_shared<T: Send + Sync>() {}
    fn is_sent<T: Send>() {}
    is_shared::<ashlar::Cache>();
    is_shared::<Options>();
    is_shared::<ashlar::ReadOptions>();
    is_shared::<Reader>();
    is_shared::<ashlar::Value>();
    is_shared::<ashlar::Results>();
    is_sent::<Writer>();
    is_sent::<ashlar::TableIterator>();
    is_sent::<ashlar::Entries>();
}

#[test]
fn threads_share_a_reader() {
    let folder = Folder::new();
    let path = folder.path("t.sst");
    write_numbers(&path, 1000);
    let mut options = options("");
    options.set_cache(Some(&ashlar::Cache::clock(1 << 20).unwrap()));
    let reader = Reader::open(&path, &options).unwrap();
    std::thread::scope(|scope| {
        for start in 0..4 {
            let reader = &reader;
            scope.spawn(move || {
                for number in (start..1000).step_by(3) {
                    let found = reader.get(&key(number)).unwrap().unwrap();
                    assert_eq!(&*found, value(number));
                }
            });
        }
    });
}
