package kudu

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/arrowio/arrowio/arrowio"
)

// A server that runs has locked its data directories: whoever reads them is warned.
func TestServerRuns(t *testing.T) {
	s := newRealServer(t, "log")
	f, err := os.OpenFile(s.path("data", "data", dirInstanceName), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	// A lock of the open file counts against this process, too.
	if err := syscall.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		t.Fatal(err)
	}
	_, w := s.warningsOf("kudu-table=changed")
	if len(w) != 1 || w[0].Kind != arrowio.WarnDoubt || !strings.Contains(w[0].Text, "the server is running") {
		t.Errorf("%+v", w)
	}
	if w := s.overview().Warnings(); len(w) != 1 {
		t.Errorf("overview: %+v", w)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, w := s.warningsOf("kudu-table=changed"); len(w) > 0 {
		t.Errorf("stopped: %+v", w)
	}
}
