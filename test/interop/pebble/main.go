// Pebble's side of run_pebble: writes tables in the formats that Pebble shares
// with RocksDB and LevelDB, and lists the contents of tables.
//
//	pebble write <folder>    <name>.sst and its contents, <name>.rows
//	pebble dump <file>...    <file>.rows
//
// A row is "<hex user key> <sequence> <type> <hex value>", with range deletions
// last, as `ashlar scan --output_format=canonical` prints it.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/sstable"
)

type row struct {
	userKey []byte
	seq     uint64
	kind    sstable.InternalKeyKind
	value   []byte
}

func (r row) key() sstable.InternalKey {
	return sstable.InternalKey{
		UserKey: r.userKey,
		Trailer: r.seq<<8 | uint64(r.kind),
	}
}

func writeRows(path string, rows []row) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	for _, r := range rows {
		fmt.Fprintf(out, "%s %d %d %s\n", hex.EncodeToString(r.userKey),
			r.seq, r.kind, hex.EncodeToString(r.value))
	}
	return out.Flush()
}

func writeAll(folder string) error {
	for _, p := range choosePlans() {
		path := filepath.Join(folder, p.name())
		rows := makeRows(p)
		if err := writeTable(path+".sst", p, rows); err != nil {
			return fmt.Errorf("%s: %w", p.name(), err)
		}
		if err := writeRows(path+".rows", rows); err != nil {
			return err
		}
	}
	return nil
}

func dumpAll(paths []string) error {
	for _, path := range paths {
		rows, err := readTable(path)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := writeRows(path+".rows", rows); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	err := fmt.Errorf("usage: pebble write <folder> | dump <file>...")
	if len(os.Args) == 3 && os.Args[1] == "write" {
		err = writeAll(os.Args[2])
	} else if len(os.Args) > 2 && os.Args[1] == "dump" {
		err = dumpAll(os.Args[2:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pebble:", err)
		os.Exit(1)
	}
}
