package main

import (
	"bytes"
	"fmt"

	"github.com/cockroachdb/pebble/bloom"
	"github.com/cockroachdb/pebble/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/sstable"
	"github.com/cockroachdb/pebble/vfs"
)

func (p plan) options() sstable.WriterOptions {
	options := sstable.WriterOptions{
		TableFormat:          sstable.TableFormatRocksDBv2,
		Compression:          sstable.NoCompression,
		Checksum:             sstable.ChecksumTypeCRC32c,
		BlockSize:            p.blockSize,
		BlockRestartInterval: p.restart,
		IndexBlockSize:       p.indexSize,
		MergerName:           "nullptr",
	}
	if p.format == "leveldb" {
		options.TableFormat = sstable.TableFormatLevelDB
	}
	if p.checksum == "xxhash64" {
		options.Checksum = sstable.ChecksumTypeXXHash64
	}
	switch p.compression {
	case "snappy":
		options.Compression = sstable.SnappyCompression
	case "zstd":
		options.Compression = sstable.ZstdCompression
	}
	if p.bloom {
		options.FilterPolicy = bloom.FilterPolicy(10)
	}
	return options
}

func writeTable(path string, p plan, rows []row) error {
	file, err := vfs.Default.Create(path)
	if err != nil {
		return err
	}
	writer := sstable.NewWriter(
		objstorageprovider.NewFileWritable(file), p.options())
	for _, r := range rows {
		if err := writer.Add(r.key(), r.value); err != nil {
			writer.Close()
			return err
		}
	}
	return writer.Close()
}

func readTable(path string) ([]row, error) {
	file, err := vfs.Default.Open(path)
	if err != nil {
		return nil, err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return nil, err
	}
	policy := bloom.FilterPolicy(10)
	reader, err := sstable.NewReader(readable, sstable.ReaderOptions{
		MergerName: "nullptr",
		Filters:    map[string]sstable.FilterPolicy{policy.Name(): policy},
	})
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	if err := reader.ValidateBlockChecksums(); err != nil {
		return nil, err
	}
	points, err := readPoints(reader)
	if err != nil {
		return nil, err
	}
	deletions, err := readRangeDeletions(reader)
	return append(points, deletions...), err
}

func readPoints(reader *sstable.Reader) ([]row, error) {
	iter, err := reader.NewIter(nil, nil)
	if err != nil {
		return nil, err
	}
	defer iter.Close()
	var rows []row
	for key, lazy := iter.First(); key != nil; key, lazy = iter.Next() {
		value, _, err := lazy.Value(nil)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{bytes.Clone(key.UserKey), key.SeqNum(),
			key.Kind(), bytes.Clone(value)})
	}
	at := len(rows)
	for key, _ := iter.Last(); key != nil; key, _ = iter.Prev() {
		at--
		if at < 0 || !bytes.Equal(key.UserKey, rows[at].userKey) {
			return nil, fmt.Errorf("other rows back")
		}
	}
	// Uses the filter, if there is one.
	for _, r := range rows {
		key, _ := iter.SeekPrefixGE(r.userKey, r.userKey, 0)
		if key == nil || !bytes.Equal(key.UserKey, r.userKey) {
			return nil, fmt.Errorf("%x is not found", r.userKey)
		}
	}
	if at != 0 {
		return nil, fmt.Errorf("fewer rows back")
	}
	return rows, iter.Error()
}

func readRangeDeletions(reader *sstable.Reader) ([]row, error) {
	iter, err := reader.NewRawRangeDelIter()
	if err != nil || iter == nil {
		return nil, err
	}
	defer iter.Close()
	var rows []row
	for span := iter.First(); span != nil; span = iter.Next() {
		for _, key := range span.Keys {
			rows = append(rows, row{bytes.Clone(span.Start), key.SeqNum(),
				key.Kind(), bytes.Clone(span.End)})
		}
	}
	return rows, iter.Error()
}
