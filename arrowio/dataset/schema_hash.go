package dataset

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/apache/arrow/go/v15/arrow"
)

// SchemaHash returns 16 hexadecimal digits that differ for different schemas; metadata counts. A program that plans a read stores
// the hash in each part of the plan. A program that reads a part later compares it, and so notices that the schema has changed.
func SchemaHash(s *arrow.Schema) string {
	h := sha256.Sum256([]byte(s.Fingerprint() + "\x00" + s.String()))
	return hex.EncodeToString(h[:8])
}
