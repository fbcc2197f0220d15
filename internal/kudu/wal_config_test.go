package kudu

import (
	"os"
	"testing"

	"github.com/arrowio/arrowio/internal/blockcodec"
	"github.com/arrowio/arrowio/internal/kuduwire"
)

// Consensus metadata that is empty is as good as none: operations without COMMIT are left out, with a warning, with and without a salvage.
func TestConfigEmpty(t *testing.T) {
	for _, salvage := range []bool{false, true} {
		l := newLog(t, newSegment(1, blockcodec.None, false, schemaOf(madeColumns, true), 0).add(writeOp(1, rowOp(kuduwire.RowInsert, 1, int32(1)))))
		s := newServer(t, madeUUID)
		s.wal("wal")
		s.write(l.files[segmentName(1)], "wal", "wals", l.dir, segmentName(1))
		s.write(nil, "wal", "consensus-meta", madeTablet)
		if b, err := os.ReadFile(s.path("wal", "consensus-meta", madeTablet)); err != nil || len(b) > 0 {
			t.Fatal(b, err)
		}
		root := s.path("wal")
		st, err := replay(t.Context(), &Dirs{UUID: madeUUID, Wal: root, Metadata: root, lim: testLimits}, &l.super, l.disk(), replayOptions{Salvage: salvage})
		if err != nil || st.mem != nil || !anyHas(st.notes, "left out", "consensus metadata", "cannot be read") {
			t.Errorf("salvage %t: %v, %+v", salvage, err, st)
		}
	}
}
