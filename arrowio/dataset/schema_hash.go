package dataset

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/apache/arrow/go/v15/arrow"
)

// SchemaHash returns 16 hexadecimal digits that tell schemas apart, metadata included. What plans a read puts it into the
// parts of the plan, so that whoever reads a part later notices another schema.
func SchemaHash(s *arrow.Schema) string {
	h := sha256.Sum256([]byte(s.Fingerprint() + "\x00" + s.String()))
	return hex.EncodeToString(h[:8])
}
