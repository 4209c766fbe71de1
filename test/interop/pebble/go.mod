module ashlar/test/interop/pebble

go 1.20

require github.com/cockroachdb/pebble v1.1.5
