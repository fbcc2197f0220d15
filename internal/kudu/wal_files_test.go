package kudu

import "testing"

// A segment that the log lacks, and that is there under another name, is told as a loss.
func TestSegmentRenamed(t *testing.T) {
	for _, n := range []int{2, 3} {
		l := newLog(t, threeSegments()...)
		name := segmentName(n)
		l.files[name+".tmp"] = l.files[name]
		delete(l.files, name)
		st, err := l.replay(t, replayOptions{Salvage: true})
		if err != nil {
			t.Fatal(err)
		}
		if !anyHas(st.lost, name+".tmp is not read", "which the log lacks", "named "+name) {
			t.Errorf("%s: %q", name, st.lost)
		}
	}
}
