// Tables writes a table with options from text, and reads it: by several keys
// at once and in order. Then it compacts it with a newer one.
//
//	tables <file>
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"ashlar"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func newOptions(text string) *ashlar.Options {
	options, err := ashlar.NewOptions(text)
	check(err)
	return options
}

func open(path string, options *ashlar.Options) *ashlar.Reader {
	reader, err := ashlar.Open(path, options)
	check(err)
	return reader
}

func write(path string, options *ashlar.Options) {
	writer, err := ashlar.Create(path, options)
	check(err)
	defer writer.Close()
	check(writer.Put([]byte("apple"), []byte("red")))
	check(writer.Put([]byte("banana"), []byte("yellow")))
	check(writer.Put([]byte("cherry"), []byte("dark red")))
	check(writer.Finish())
}

// writeNewer writes a table that replaces one key and deletes another.
func writeNewer(path string, options *ashlar.Options) {
	writer, err := ashlar.Create(path, options)
	check(err)
	defer writer.Close()
	check(writer.Put([]byte("banana"), []byte("green")))
	check(writer.Delete([]byte("cherry")))
	check(writer.Finish())
}

func lookUp(reader *ashlar.Reader) {
	keys := [][]byte{[]byte("banana"), []byte("damson")}
	results, err := reader.MultiGet(nil, keys)
	check(err)
	for i, result := range results {
		if result.State == ashlar.Found {
			fmt.Printf("%s is %s\n", keys[i], result.Value)
		} else {
			fmt.Printf("%s is not there\n", keys[i])
		}
	}
}

func walk(reader *ashlar.Reader, from string) {
	it, err := reader.NewIterator(nil)
	check(err)
	defer it.Close()
	for it.Seek([]byte(from)); it.Valid(); it.Next() {
		fmt.Printf("%s: %s\n", it.Key(), it.Value())
	}
	check(it.Err())
}

// compact joins two tables. Which is newer, the sequence numbers say.
func compact(options *ashlar.Options, older, newer, path string) {
	first := newOptions("largest_seqno=1")
	defer first.Close()
	second := newOptions("largest_seqno=2")
	defer second.Close()
	tables := []*ashlar.Reader{open(newer, second), open(older, first)}
	for _, table := range tables {
		defer table.Close()
	}
	check(ashlar.Compact(options, &ashlar.Compaction{
		Bottommost: true,
		Output: func(path string, fileSize uint64) {
			fmt.Printf("compacted: %s\n", filepath.Base(path))
			output := open(path, options)
			defer output.Close()
			walk(output, "")
		},
	}, tables, path))
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: tables <file>")
		os.Exit(2)
	}
	path := os.Args[1]
	options := newOptions("block_size=16K;filter_policy=bloomfilter:10:false")
	defer options.Close()
	cache, err := ashlar.NewClockCache(8 << 20)
	check(err)
	defer cache.Close()
	check(options.SetCache(cache))

	write(path, options)
	reader := open(path, options)
	defer reader.Close()
	lookUp(reader)
	walk(reader, "b")

	writeNewer(path+".newer", options)
	compact(options, path, path+".newer", path+"-merged")
}
