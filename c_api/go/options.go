package ashlar

// #include <ashlar/c.h>
// #include <stdlib.h>
import "C"

import (
	"strings"
	"unsafe"
)

// Cache is a cache of blocks, which readers share through their options.
type Cache struct{ handle *C.ashlar_cache }

// NewClockCache makes a lock-free cache of that many bytes.
func NewClockCache(capacity uint64) (*Cache, error) {
	cache := &Cache{}
	err := toError(C.ashlar_cache_new_clock(C.size_t(capacity), &cache.handle))
	if err != nil {
		return nil, err
	}
	return cache, nil
}

// NewLRUCache makes a cache that evicts by age, of that many bytes.
func NewLRUCache(capacity uint64) (*Cache, error) {
	cache := &Cache{}
	err := toError(C.ashlar_cache_new_lru(C.size_t(capacity), &cache.handle))
	if err != nil {
		return nil, err
	}
	return cache, nil
}

// Capacity returns how many bytes the cache may have.
func (c *Cache) Capacity() uint64 {
	if c.handle == nil {
		return 0
	}
	return uint64(C.ashlar_cache_capacity(c.handle))
}

// SetCapacity changes it, and evicts what no longer fits.
func (c *Cache) SetCapacity(capacity uint64) {
	if c.handle != nil {
		C.ashlar_cache_set_capacity(c.handle, C.size_t(capacity))
	}
}

// Usage returns how many bytes the cache has.
func (c *Cache) Usage() uint64 {
	if c.handle == nil {
		return 0
	}
	return uint64(C.ashlar_cache_usage(c.handle))
}

// PinnedUsage returns how many of them are in use.
func (c *Cache) PinnedUsage() uint64 {
	if c.handle == nil {
		return 0
	}
	return uint64(C.ashlar_cache_pinned_usage(c.handle))
}

// Close gives the cache up. Its memory goes with the last reader that uses it.
func (c *Cache) Close() {
	C.ashlar_cache_free(c.handle)
	c.handle = nil
}

// Options are the options of tables, builds and readers. Where a call takes
// them, nil stands for the default ones.
type Options struct{ handle *C.ashlar_options }

// NewOptions makes default options with what the text says, as RocksDB's option
// strings have it: "block_size=16K;compression=kZSTD".
func NewOptions(text string) (*Options, error) {
	options := &Options{C.ashlar_options_new()}
	if options.handle == nil {
		return nil, errNoMemory
	}
	if err := options.Set(text); err != nil {
		options.Close()
		return nil, err
	}
	return options, nil
}

// Set sets what the text says. An error names the option and its place, and
// changes nothing.
func (o *Options) Set(text string) error {
	if o.handle == nil {
		return ErrClosed
	}
	return toError(C.ashlar_options_set(o.handle, slice([]byte(text))))
}

// LoadOptions returns the options of a column family of a RocksDB database,
// from an OPTIONS file or the folder of the database. What is unknown is an
// error.
func LoadOptions(path, family string) (*Options, error) {
	return loadOptions(path, family, nil)
}

// LoadKnownOptions does the same, but leaves out what is unknown: it returns a
// line for each option that was left out.
func LoadKnownOptions(path, family string) (*Options, []string, error) {
	var ignored *C.ashlar_bytes
	options, err := loadOptions(path, family, &ignored)
	if err != nil {
		return nil, nil, err
	}
	text := strings.TrimSuffix(takeBytes(ignored), "\n")
	if text == "" {
		return options, nil, nil
	}
	return options, strings.Split(text, "\n"), nil
}

func loadOptions(path, family string, ignored **C.ashlar_bytes) (*Options,
	error) {
	file, err := cText(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(file))
	name, err := cText(family)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	options, err := NewOptions("")
	if err != nil {
		return nil, err
	}
	err = toError(C.ashlar_options_load(options.handle, file, name, ignored))
	if err != nil {
		options.Close()
		return nil, err
	}
	return options, nil
}

// Text returns all options as text, of which NewOptions makes the same. The
// cache is left out.
func (o *Options) Text() (string, error) {
	if o.handle == nil {
		return "", ErrClosed
	}
	var text *C.ashlar_bytes
	if err := toError(C.ashlar_options_text(o.handle, &text)); err != nil {
		return "", err
	}
	return takeBytes(text), nil
}

// SetCache sets the cache of readers that are opened from now on. Nil: none.
func (o *Options) SetCache(cache *Cache) error {
	if o.handle == nil || cache != nil && cache.handle == nil {
		return ErrClosed
	}
	var handle *C.ashlar_cache
	if cache != nil {
		handle = cache.handle
	}
	C.ashlar_options_set_cache(o.handle, handle)
	return nil
}

// Close frees the options.
func (o *Options) Close() {
	C.ashlar_options_free(o.handle)
	o.handle = nil
}

// orDefault returns options to pass to a call, and what frees them after it.
func (o *Options) orDefault() (*C.ashlar_options, func(), error) {
	if o != nil {
		if o.handle == nil {
			return nil, nil, ErrClosed
		}
		return o.handle, func() {}, nil
	}
	options := C.ashlar_options_new()
	if options == nil {
		return nil, nil, errNoMemory
	}
	return options, func() { C.ashlar_options_free(options) }, nil
}
