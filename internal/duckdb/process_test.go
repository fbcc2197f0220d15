//go:build duckdb && cgo && (linux || darwin) && (amd64 || arm64)

package duckdb

import "testing"

func TestSizeOf(t *testing.T) {
	for text, want := range map[string]int64{"0 bytes": 0, "512 bytes": 512, "64.0 MiB": 64 << 20, "1.5 GiB": 3 << 29, "2.0 TiB": 2 << 40, "many": 0, "-1 GiB": 0, "1 QiB": 0} {
		if got := sizeOf(text); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
