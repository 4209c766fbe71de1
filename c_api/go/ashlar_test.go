package ashlar

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

const entries = 1000

func key(i int) []byte { return []byte(fmt.Sprintf("key%06d", i)) }

func value(i int) []byte { return []byte(fmt.Sprintf("value %d", i)) }

func mustOptions(t *testing.T, text string) *Options {
	t.Helper()
	options, err := NewOptions(text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(options.Close)
	return options
}

// mustWrite writes a table by the function.
func mustWrite(t *testing.T, options *Options, name string,
	fill func(*Writer) error) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	writer, err := Create(path, options)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := fill(writer); err != nil {
		t.Fatal(err)
	}
	if err := writer.Finish(); err != nil {
		t.Fatal(err)
	}
	return path
}

// numbers writes a table of `entries` keys.
func numbers(t *testing.T) string {
	t.Helper()
	options := mustOptions(t, "block_size=512;compression=kNoCompression;"+
		"filter_policy=bloomfilter:10")
	return mustWrite(t, options, "numbers.sst", func(w *Writer) error {
		for i := 0; i < entries; i++ {
			if err := w.Put(key(i), value(i)); err != nil {
				return err
			}
		}
		if w.Entries() != entries || w.FileSize() == 0 {
			return fmt.Errorf("%d entries, %d bytes", w.Entries(), w.FileSize())
		}
		return nil
	})
}

func mustOpen(t *testing.T, path string, options *Options) *Reader {
	t.Helper()
	reader, err := Open(path, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reader.Close)
	return reader
}

func wantCode(t *testing.T, err error, code Code, words string) {
	t.Helper()
	var own *Error
	if !errors.As(err, &own) || own.Code != code ||
		!strings.Contains(own.Message, words) {
		t.Fatalf("want code %d and %q, have %v", code, words, err)
	}
}

func wantWalk(t *testing.T, it *Iterator, want ...string) {
	t.Helper()
	have := []string{}
	for it.SeekToFirst(); it.Valid(); it.Next() {
		have = append(have, string(it.Key())+"="+string(it.Value()))
	}
	if it.Err() != nil || strings.Join(have, " ") != strings.Join(want, " ") {
		t.Fatal(have, it.Err())
	}
}

func TestTableIsReadAsItWasWritten(t *testing.T) {
	reader := mustOpen(t, numbers(t), nil)
	if reader.Entries() != entries {
		t.Fatal(reader.Entries())
	}
	if err := reader.Verify(); err != nil {
		t.Fatal(err)
	}
	found, err := reader.Get(key(500))
	if err != nil || !bytes.Equal(found, value(500)) {
		t.Fatalf("%q, %v", found, err)
	}
	if _, err := reader.Get([]byte("absent")); !errors.Is(err, ErrNotFound) {
		t.Fatal(err)
	}
}

func TestEmptyKeysAndValuesAreThere(t *testing.T) {
	path := mustWrite(t, nil, "empty.sst", func(w *Writer) error {
		return w.Put(nil, nil)
	})
	found, err := mustOpen(t, path, nil).Get([]byte{})
	if err != nil || found == nil || len(found) != 0 {
		t.Fatal(found, err)
	}
}

func TestMultiGetAnswersInTheOrderOfTheKeys(t *testing.T) {
	reader := mustOpen(t, numbers(t), nil)
	keys := [][]byte{}
	for i := 0; i < 200; i++ {
		keys = append(keys, key(7*(199-i))) // the last ones are not there
	}
	keys = append(keys, nil, key(1), key(1))
	results, err := reader.MultiGet(nil, keys)
	if err != nil || len(results) != len(keys) {
		t.Fatal(err)
	}
	for i, result := range results[:200] {
		n := 7 * (199 - i)
		want, state := value(n), Found
		if n >= entries {
			want, state = nil, Absent
		}
		if result.State != state || !bytes.Equal(result.Value, want) {
			t.Fatal(i, result)
		}
	}
	if results[200].State != Absent || string(results[202].Value) != "value 1" {
		t.Fatal(results[200:])
	}
	if results, err := reader.MultiGet(nil, nil); results != nil || err != nil {
		t.Fatal(results, err)
	}
}

func TestADamagedBlockFailsItsKeysAlone(t *testing.T) {
	path := numbers(t)
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[len(file)/3] ^= 1
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	reader := mustOpen(t, path, nil)
	wantCode(t, reader.Verify(), Corruption, "numbers.sst")
	keys := [][]byte{}
	for i := 0; i < entries; i++ {
		keys = append(keys, key(i))
	}
	results, err := reader.MultiGet(nil, keys)
	wantCode(t, err, Corruption, "numbers.sst")
	failed := 0
	for i, result := range results {
		if result.Err != nil {
			failed++
			wantCode(t, result.Err, Corruption, "numbers.sst")
		} else if !bytes.Equal(result.Value, value(i)) {
			t.Fatal(i, result)
		}
	}
	if failed == 0 || failed == entries {
		t.Fatal(failed)
	}
}

func TestStatesTellDeletionsAndOperands(t *testing.T) {
	path := mustWrite(t, nil, "states.sst", func(w *Writer) error {
		for _, err := range []error{
			w.Delete([]byte("a")), w.Merge([]byte("b"), []byte("x")),
			w.SingleDelete([]byte("c")), w.Put([]byte("e"), []byte("y")),
			w.DeleteRange([]byte("d"), []byte("f"))} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	reader := mustOpen(t, path, mustOptions(t, "largest_seqno=7"))
	want := map[string]State{"a": Deleted, "b": Merged, "c": Deleted,
		"d": Deleted, "e": Found, "e1": Deleted, "f": Absent}
	for key, state := range want {
		result := reader.Lookup(nil, []byte(key))
		if result.Err != nil || result.State != state {
			t.Fatal(key, result)
		}
	}
	_, err := reader.Get([]byte("b"))
	wantCode(t, err, MergeInProgress, "merge operands")
	if _, err := reader.Get([]byte("a")); err != ErrNotFound {
		t.Fatal(err)
	}
	options, err := NewReadOptions()
	if err != nil {
		t.Fatal(err)
	}
	defer options.Close()
	options.SetSnapshot(6)
	if found := reader.Lookup(options, []byte("e")); found.State != Absent {
		t.Fatal(found)
	}
}

func TestReadOptionsCount(t *testing.T) {
	cache, err := NewLRUCache(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer cache.Close()
	options := mustOptions(t, "")
	if err := options.SetCache(cache); err != nil {
		t.Fatal(err)
	}
	reader := mustOpen(t, numbers(t), options)
	read, err := NewReadOptions()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	for _, deadline := range []time.Time{time.Unix(1, 0), time.Unix(-1, 0)} {
		read.SetDeadline(deadline)
		wantCode(t, reader.Lookup(read, key(1)).Err, TimedOut, "deadline")
	}
	read.SetDeadline(time.Time{})
	read.SetFillCache(false)
	read.SetVerifyChecksums(false)
	read.SetReadahead(4096)
	before := cache.Usage()
	if found := reader.Lookup(read, key(1)); found.State != Found {
		t.Fatal(found)
	}
	if cache.Usage() != before {
		t.Fatal("a read without fill_cache filled the cache")
	}
	read.SetFillCache(true)
	read.SetVerifyChecksums(true)
	reader.Lookup(read, key(1))
	if cache.Usage() <= before || cache.Capacity() != 1<<20 {
		t.Fatal(before, cache.Usage(), cache.Capacity())
	}
	if cache.PinnedUsage() != 0 {
		t.Fatal(cache.PinnedUsage())
	}
	cache.SetCapacity(0)
	if cache.Usage() != 0 {
		t.Fatal(cache.Usage())
	}
}

func TestIteratorWalksBetweenBounds(t *testing.T) {
	reader, err := Open(numbers(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	read, err := NewReadOptions()
	if err != nil {
		t.Fatal(err)
	}
	if err := read.SetBounds(key(10), key(13)); err != nil {
		t.Fatal(err)
	}
	it, err := reader.NewIterator(read)
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	read.Close()
	wantWalk(t, it, "key000010=value 10", "key000011=value 11",
		"key000012=value 12")
	it.SeekToLast()
	it.Prev()
	if string(it.Key()) != "key000011" {
		t.Fatalf("%q", it.Key())
	}
	it.Seek([]byte("key000011x"))
	if string(it.Key()) != "key000012" {
		t.Fatalf("%q", it.Key())
	}
	it.SeekForPrev([]byte("key000011x"))
	if string(it.Key()) != "key000011" {
		t.Fatalf("%q", it.Key())
	}
	it.Close()
	it.Close()
	if it.Valid() || it.Key() != nil || it.Value() != nil ||
		it.Err() != ErrClosed {
		t.Fatal("a closed iterator is at an entry")
	}
}

// twoTables writes an older and a newer table, and opens both, newest first.
func twoTables(t *testing.T) []*Reader {
	t.Helper()
	older := mustWrite(t, nil, "older.sst", func(w *Writer) error {
		for _, k := range []string{"a", "b", "c", "d"} {
			if err := w.Put([]byte(k), []byte("old")); err != nil {
				return err
			}
		}
		return nil
	})
	newer := mustWrite(t, nil, "newer.sst", func(w *Writer) error {
		for _, err := range []error{w.Put([]byte("a"), []byte("new")),
			w.Merge([]byte("b"), []byte("more")), w.Delete([]byte("c"))} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	return []*Reader{mustOpen(t, newer, mustOptions(t, "largest_seqno=2")),
		mustOpen(t, older, mustOptions(t, "largest_seqno=1"))}
}

func TestNewerTablesHideOlderOnes(t *testing.T) {
	tables := twoTables(t)
	it, err := NewMergingIterator(tables, nil, "stringappend")
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	wantWalk(t, it, "a=new", "b=old,more", "d=old")
	_, err = NewMergingIterator(tables, nil, "none")
	wantCode(t, err, NotSupported, "'none' is not built in")
}

func TestCompactionCallsBack(t *testing.T) {
	tables := twoTables(t)
	base := filepath.Join(t.TempDir(), "joined")
	outputs := []string{}
	err := Compact(nil, &Compaction{
		MergeOperator: "stringappend",
		Bottommost:    true,
		Filter: func(key, value []byte) (Decision, []byte) {
			switch string(key) {
			case "a":
				return Change, append([]byte("very "), value...)
			case "d":
				return Remove, nil
			}
			return Keep, nil
		},
		Output: func(path string, fileSize uint64) {
			if fileSize == 0 {
				t.Error("an empty file")
			}
			outputs = append(outputs, path)
		},
	}, tables, base)
	if err != nil || len(outputs) != 1 || outputs[0] != base+"-000001.sst" {
		t.Fatal(outputs, err)
	}
	it, err := mustOpen(t, outputs[0], nil).NewIterator(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	wantWalk(t, it, "a=very new", "b=old,more")
}

func TestCompactionKeepsWhatSnapshotsSee(t *testing.T) {
	base := filepath.Join(t.TempDir(), "joined")
	output := ""
	err := Compact(nil, &Compaction{
		MergeOperator: "stringappend",
		Snapshots:     []uint64{1},
		Output:        func(path string, _ uint64) { output = path },
	}, twoTables(t), base)
	if err != nil {
		t.Fatal(err)
	}
	read, err := NewReadOptions()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	read.SetSnapshot(1)
	it, err := mustOpen(t, output, nil).NewIterator(read)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	wantWalk(t, it, "a=old", "b=old", "c=old", "d=old")
}

func TestCompactionsThatEndEarlyLeaveNothing(t *testing.T) {
	table := mustOpen(t, numbers(t), nil)
	folder := t.TempDir()
	options := mustOptions(t, "compression=kNoCompression")
	compact := func(compaction *Compaction) (err error, panicked interface{}) {
		defer func() { panicked = recover() }()
		return Compact(options, compaction, []*Reader{table},
			filepath.Join(folder, "x")), nil
	}
	err, _ := compact(&Compaction{Progress: func(uint64) bool { return false }})
	wantCode(t, err, Incomplete, "")
	keep := func(_, _ []byte) (Decision, []byte) { panic("in the filter") }
	if _, panicked := compact(&Compaction{Filter: keep}); panicked !=
		"in the filter" {
		t.Fatal(panicked)
	}
	made := func(string, uint64) { panic("at an output") }
	if _, panicked := compact(&Compaction{Output: made}); panicked !=
		"at an output" {
		t.Fatal(panicked)
	}
	stop := func(uint64) bool { panic("in between") }
	if _, panicked := compact(&Compaction{Progress: stop}); panicked !=
		"in between" {
		t.Fatal(panicked)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Fatal(left)
	}
	// A long one is cut into several tables.
	count := 0
	err, _ = compact(&Compaction{TargetFileSize: 4096,
		Output: func(string, uint64) { count++ }})
	if err != nil || count < 2 {
		t.Fatal(count, err)
	}
}

func TestOptionsAreTextAndFiles(t *testing.T) {
	options := mustOptions(t, "block_size=16K;parallel_threads=3")
	text, err := options.Text()
	if err != nil || !strings.Contains(text, "block_size=16384;") ||
		!strings.Contains(text, "parallel_threads=3;") {
		t.Fatal(text, err)
	}
	again, err := mustOptions(t, text).Text()
	if err != nil || again != text {
		t.Fatal(again, err)
	}
	file := filepath.Join(t.TempDir(), "OPTIONS-000001")
	content := "[Version]\n  rocksdb_version=11.8.1\n  options_file_version=1.1\n" +
		"[DBOptions]\n[CFOptions \"default\"]\n  new_option=1\n" +
		"[TableOptions/BlockBasedTable \"default\"]\n  block_size=8192\n"
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = LoadOptions(file, "default")
	wantCode(t, err, InvalidArgument, "new_option")
	loaded, ignored, err := LoadKnownOptions(file, "default")
	if err != nil || len(ignored) != 1 ||
		!strings.Contains(ignored[0], "new_option") {
		t.Fatal(ignored, err)
	}
	defer loaded.Close()
	if text, _ := loaded.Text(); !strings.Contains(text, "block_size=8192;") {
		t.Fatal(text)
	}
}

func TestErrorsHaveACodeAndAMessage(t *testing.T) {
	options, err := NewOptions("block_sise=1")
	wantCode(t, err, InvalidArgument, "block_sise: there is no such option")
	if options != nil {
		t.Fatal("options beside an error")
	}
	reader, err := Open(filepath.Join(t.TempDir(), "none.sst"), nil)
	wantCode(t, err, IOError, "none.sst")
	if reader != nil {
		t.Fatal("a reader beside an error")
	}
	writer, err := Create(filepath.Join(t.TempDir(), "none", "a.sst"), nil)
	wantCode(t, err, IOError, "a.sst")
	if writer != nil {
		t.Fatal("a writer beside an error")
	}
}

func TestTextsForCHaveNoZeroByte(t *testing.T) {
	_, err := Open("a\x00b", nil)
	wantCode(t, err, InvalidArgument, "zero byte")
	_, err = Create(filepath.Join(t.TempDir(), "a\x00b"), nil)
	wantCode(t, err, InvalidArgument, "zero byte")
	_, err = LoadOptions("a", "b\x00")
	wantCode(t, err, InvalidArgument, "zero byte")
	_, err = NewMergingIterator(nil, nil, "a\x00")
	wantCode(t, err, InvalidArgument, "zero byte")
	wantCode(t, Compact(nil, nil, nil, "\x00"), InvalidArgument, "zero byte")
	wantCode(t, Compact(nil, &Compaction{MergeOperator: "\x00"}, nil, "a"),
		InvalidArgument, "zero byte")
}

func TestDeadlinesOfAllTimes(t *testing.T) {
	for deadline, want := range map[time.Time]int64{
		{}:                  0,
		time.Unix(-5, 0):    1,
		time.Unix(0, 0):     1,
		time.Unix(7, 8000):  7000008,
		time.Unix(1<<60, 0): 1<<63 - 1,
		time.Unix(1<<62, 0): 1<<63 - 1,
	} {
		if have := microsecondsOf(deadline); have != want {
			t.Error(deadline, have, want)
		}
	}
}

func TestWhatIsNotFinishedHasNoName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.sst")
	writer, err := Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := writer.Put([]byte("b"), nil); err != nil {
		t.Fatal(err)
	}
	wantCode(t, writer.Put([]byte("a"), nil), InvalidArgument, "")
	writer.Close()
	writer.Close()
	if writer.Put(nil, nil) != ErrClosed || writer.Finish() != ErrClosed {
		t.Fatal("a closed writer writes")
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

func TestReadersOutliveTheirCache(t *testing.T) {
	cache, err := NewClockCache(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	options, err := NewOptions("")
	if err != nil {
		t.Fatal(err)
	}
	if err := options.SetCache(cache); err != nil {
		t.Fatal(err)
	}
	reader := mustOpen(t, numbers(t), options)
	options.Close()
	cache.Close()
	if options.SetCache(nil) != ErrClosed ||
		mustOptions(t, "").SetCache(cache) != ErrClosed {
		t.Error("a closed object takes or is a cache")
	}
	// Goroutines share it.
	group := sync.WaitGroup{}
	for g := 0; g < 4; g++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := 0; i < entries; i++ {
				found, err := reader.Get(key(i))
				if err != nil || !bytes.Equal(found, value(i)) {
					t.Error(i, found, err)
				}
			}
		}()
	}
	group.Wait()
}

// Each function of c.h has a use. What has none, because values are copied at
// once: ashlar_values_reset.
func TestEveryFunctionIsUsed(t *testing.T) {
	header, err := os.ReadFile("../c.h")
	if err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	code := ""
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code += string(text)
	}
	names := regexp.MustCompile(`\bashlar_[a-z_]+\(`).FindAllString(
		string(header), -1)
	if len(names) < 50 {
		t.Fatal(names)
	}
	for _, name := range names {
		if name != "ashlar_values_reset(" && !strings.Contains(code, "C."+name) {
			t.Error(name + ") has no use")
		}
	}
	if !strings.HasPrefix(Version(), "0.") {
		t.Error(Version())
	}
}
