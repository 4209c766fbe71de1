//! A table that is written is read again; errors have a code and a message.
use ashlar::{Options, Reader, Writer};

#[test]
fn table_is_read_as_it_was_written() {
    let path = std::env::temp_dir().join(format!("ashlar-{}.sst", std::process::id()));
    let options = Options::from_text("block_size=512;filter_policy=bloomfilter:10").unwrap();
    let mut writer = Writer::create(&path, &options).unwrap();
    for i in 0..1000 {
        let key = format!("key{i:06}");
        writer.put(key.as_bytes(), format!("value of {key}").as_bytes()).unwrap();
    }
    writer.finish().unwrap();

    let reader = Reader::open(&path, &options).unwrap();
    std::fs::remove_file(&path).unwrap();
    let value = reader.get(b"key000500").unwrap().unwrap();
    assert!(reader.get(b"absent").unwrap().is_none());
    let entries = reader.iter_from(b"key000990").unwrap();
    drop(reader);
    // The value and the walk outlive the reader.
    assert_eq!(&*value, b"value of key000500");
    let entries: Vec<_> = entries.map(|entry| entry.unwrap()).collect();
    assert_eq!(entries.len(), 10);
    assert_eq!(entries[9], (b"key000999".to_vec(), b"value of key000999".to_vec()));
}

#[test]
fn errors_have_a_code_and_a_message() {
    let error = Options::from_text("block_sise=1").err().unwrap();
    assert_eq!(error.code, 4);
    assert!(error.message.contains("block_sise: there is no such option"));
    let options = Options::from_text("").unwrap();
    assert_eq!(Reader::open("/none.sst", &options).err().unwrap().code, 5);
}
