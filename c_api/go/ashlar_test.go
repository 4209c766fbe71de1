package ashlar

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestTableIsReadAsItWasWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.sst")
	writer, err := Create(path, "block_size=512;filter_policy=bloomfilter:10")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 1000; i++ {
		key := fmt.Sprintf("key%06d", i)
		if err := writer.Put([]byte(key), []byte("value of "+key)); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Finish(); err != nil {
		t.Fatal(err)
	}
	writer.Close()

	reader, err := Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	value, err := reader.Get([]byte("key000500"))
	if err != nil || string(value) != "value of key000500" {
		t.Fatalf("%q, %v", value, err)
	}
	if _, err := reader.Get([]byte("absent")); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
	it, err := reader.NewIterator()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	defer it.Close()
	count := 990
	for it.Seek([]byte("key000990")); it.Valid(); it.Next() {
		key := fmt.Sprintf("key%06d", count)
		if string(it.Key()) != key || string(it.Value()) != "value of "+key {
			t.Fatalf("%q: %q", it.Key(), it.Value())
		}
		count++
	}
	if it.Err() != nil || count != 1000 {
		t.Fatal(count, it.Err())
	}
}

func TestErrorsHaveACodeAndAMessage(t *testing.T) {
	_, err := Open(filepath.Join(t.TempDir(), "none.sst"), "block_sise=1")
	var own *Error
	if !errors.As(err, &own) || own.Code != 4 ||
		!strings.Contains(own.Message, "block_sise: there is no such option") {
		t.Fatal(err)
	}
	_, err = Open(filepath.Join(t.TempDir(), "none.sst"), "")
	if !errors.As(err, &own) || own.Code != 5 {
		t.Fatal(err)
	}
}
