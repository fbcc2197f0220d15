package parquet

import (
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
)

// pyarrow 26 has written this file: t is INT96 of 0001-01-01 and of the last microsecond of 9999.
const farInt96 = "UEFSMRUAFTwVPCwVBBUAFQYVBhwAAAACAAAABAEAAAAAAAAAAFJEGgAY/E6RlE4AACz+UQAVBBksNQAYBnNjaGVtYRUCABUGJQIYAXQAFgQZHBkcJgAcFQYZJQYAGRgBdBUAFgQWYhZiJghJHBUAFQAVAgA8KQYZJgAEAAAAFmIWBCYIFmIAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRkcHAAAAHoAAABQQVIx"

// Times that nanoseconds cannot hold are no fault of a file.
func TestVerifyFarInt96(t *testing.T) {
	b, err := base64.StdEncoding.DecodeString(farInt96)
	if err != nil {
		t.Fatal(err)
	}
	f, err := openBytes(b, arrowio.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.(arrowio.Verifier).Verify(context.Background(), func(err error) { t.Errorf("a fault: %v", err) }); err != nil {
		t.Error(err)
	}
	recs, err := readAll(f, nil, 10, memory.DefaultAllocator)
	release(recs)
	if err == nil || !strings.Contains(err.Error(), "--parquet-int96=us can hold it") {
		t.Errorf("in nanoseconds: %v", err)
	}
}
