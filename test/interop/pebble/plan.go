package main

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"math/rand"
	"sort"

	"github.com/cockroachdb/pebble/sstable"
)

// The options and data of one table. The plans of choosePlans contain every
// value of each field and, almost certainly, all pairs of values.
type plan struct {
	format      string
	compression string
	checksum    string
	blockSize   int
	restart     int
	indexSize   int
	bloom       bool
	shape       string
}

const (
	kDelete        sstable.InternalKeyKind = 0
	kSet           sstable.InternalKeyKind = 1
	kMerge         sstable.InternalKeyKind = 2
	kSingleDelete  sstable.InternalKeyKind = 7
	kRangeDelete   sstable.InternalKeyKind = 15
	kSetWithDelete sstable.InternalKeyKind = 18
)

// "versions" has all types and many entries per key. "rangedels" has range
// deletions too. "onlyrangedels" has only range deletions.
var shapes = []string{"random", "prefixes", "empty", "large", "versions",
	"rangedels", "onlyrangedels", "nothing"}

func pick[T any](random *rand.Rand, values ...T) T {
	return values[random.Intn(len(values))]
}

func (p plan) name() string {
	filter := "nofilter"
	if p.bloom {
		filter = "bloom"
	}
	return fmt.Sprintf("%s-%s-%s-b%d-r%d-i%d-%s-%s", p.format, p.compression,
		p.checksum, p.blockSize, p.restart, p.indexSize, filter, p.shape)
}

func choosePlans() []plan {
	const count = 240
	random := rand.New(rand.NewSource(1))
	seen := map[string]bool{}
	var plans []plan
	for len(plans) < count {
		p := plan{
			format:      pick(random, "rocksdb", "rocksdb", "leveldb"),
			compression: pick(random, "none", "snappy", "zstd"),
			checksum:    pick(random, "crc32c", "xxhash64"),
			blockSize:   pick(random, 1, 512, 4096, 32768),
			restart:     pick(random, 1, 4, 16),
			indexSize:   pick(random, 100, 1000, 1<<30),
			bloom:       pick(random, false, true),
			shape:       pick(random, shapes...),
		}
		// LevelDB's format always has crc32c and an index of one level.
		if p.format == "leveldb" {
			p.checksum = "crc32c"
		}
		if !seen[p.name()] {
			seen[p.name()] = true
			plans = append(plans, p)
		}
	}
	return plans
}

func randomBytes(random *rand.Rand, size int) []byte {
	b := make([]byte, size)
	random.Read(b)
	return b
}

// The second half repeats the first.
func makeValue(random *rand.Rand, size int) []byte {
	half := randomBytes(random, (size+1)/2)
	return append(half, half...)[:size]
}

func makeKey(random *rand.Rand, shape string) []byte {
	switch shape {
	case "random":
		return randomBytes(random, random.Intn(40))
	case "prefixes":
		prefix := bytes.Repeat([]byte{'p'}, random.Intn(4)*80)
		return append(prefix, fmt.Sprintf("/%d", random.Intn(100000))...)
	case "versions", "rangedels":
		return []byte(fmt.Sprintf("key%02d", random.Intn(60)))
	}
	return []byte(fmt.Sprintf("key%06d", random.Intn(1000000)))
}

func makePoint(random *rand.Rand, shape string, seq uint64) row {
	r := row{userKey: makeKey(random, shape), seq: seq, kind: kSet}
	switch shape {
	case "versions", "rangedels":
		r.kind = pick(random, kSet, kSet, kMerge, kDelete, kSingleDelete,
			kSetWithDelete)
	case "empty":
		return r
	case "large":
		r.value = makeValue(random, 1000+random.Intn(60000))
		return r
	}
	if r.kind != kDelete && r.kind != kSingleDelete {
		r.value = makeValue(random, random.Intn(150))
	}
	return r
}

// Spans that do not overlap, some with several deletions: Pebble requires
// fragments.
func makeRangeDeletions(random *rand.Rand) []row {
	var rows []row
	for at := random.Intn(5); at < 60; at += 2 + random.Intn(9) {
		start := []byte(fmt.Sprintf("key%02d", at))
		end := []byte(fmt.Sprintf("key%02d", at+1+random.Intn(2)))
		seq := uint64(1000)
		for n := 1 + random.Intn(3); n > 0; n-- {
			seq -= uint64(1 + random.Intn(300))
			rows = append(rows, row{start, seq, kRangeDelete, end})
		}
	}
	return rows
}

func makeRows(p plan) []row {
	hash := fnv.New64a()
	hash.Write([]byte(p.name()))
	random := rand.New(rand.NewSource(int64(hash.Sum64())))
	count := map[string]int{"large": 20, "onlyrangedels": 0, "nothing": 0}
	n, ok := count[p.shape]
	if !ok {
		n = 600
	}
	seen := map[string]bool{}
	var rows []row
	for i := 0; i < n; i++ {
		r := makePoint(random, p.shape, uint64(i+1))
		one := p.shape != "versions" && p.shape != "rangedels"
		if one && seen[string(r.userKey)] {
			continue
		}
		seen[string(r.userKey)] = true
		rows = append(rows, r)
	}
	sort.Slice(rows, func(i, j int) bool {
		order := bytes.Compare(rows[i].userKey, rows[j].userKey)
		return order < 0 || order == 0 && rows[i].seq > rows[j].seq
	})
	if p.shape == "rangedels" || p.shape == "onlyrangedels" {
		rows = append(rows, makeRangeDeletions(random)...)
	}
	return rows
}
