package kudu

import (
	"os"
	"path/filepath"
)

const (
	spaceUnit   = 1 << 20 // --log_segment_size_mb
	maxSpaceAsk = 64      // logs of other tablets that are looked at
)

// segmentSpace returns how many bytes the server sets aside for a segment, as the size of the last segment of another tablet shows; 0 =
// none shows it. The segments that are open when a server ends were all made since it started, with the same flags.
func (d *Dirs) segmentSpace() int64 {
	wals := filepath.Join(d.Wal, walsName)
	tablets, err := os.ReadDir(wals)
	if err != nil { // it is only a witness
		return 0
	}
	for _, t := range tablets[:min(len(tablets), maxSpaceAsk)] {
		if !isTabletID(t.Name()) {
			continue
		}
		files, err := os.ReadDir(filepath.Join(wals, t.Name()))
		if err != nil {
			continue
		}
		for i := len(files) - 1; i >= 0; i-- {
			if !isSegment(files[i].Name()) {
				continue
			}
			if fi, err := files[i].Info(); err == nil && fi.Size() > 0 && fi.Size()%spaceUnit == 0 {
				return fi.Size()
			}
			break
		}
	}
	return 0
}
