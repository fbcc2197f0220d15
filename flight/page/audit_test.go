package page

import (
	"path/filepath"
	"testing"

	"github.com/arrowio/arrowio/flight"
)

// The logs have what a visitor has asked for, and how much of it was shown.
func TestVisitsAreSaid(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.arrow")
	numbered(t, path, 1000, 500)
	observed := &ended{}
	s := newSite(t, flight.Options{Observers: []flight.Observer{observed}}, map[string]flight.Spec{"d": files(path), "e": files(path)})
	for _, c := range []struct {
		target, method, dataset, statement string
		rows                               int64
	}{
		{"/datasets/d/rows", "VisitRead", "d", "d", 50},
		{"/datasets/d/rows?where=id+%3D+3", "VisitRead", "d", "d where id = 3", 1},
		{"/datasets/d/rows?where=nope+%3D+3", "VisitRead", "d", "d where nope = 3", 0},
		{"/datasets/d/rows?where=id+%3C+3&show=id&show=name&sort=-k", "VisitRead", "d", "d columns id, name, k where id < 3", 3},
		{"/datasets/d/rows.csv?where=id+%3C+3", "VisitSend", "d", "d where id < 3", 3},
		{"/datasets/d", "Visit", "d", "", 0},
		{"/", "Visit", "", "", 0},
	} {
		w := s.do("GET", c.target, nil)
		call := observed.last
		rows, _, bytes := call.Sent()
		if call.Method != c.method || call.Dataset() != c.dataset || call.Statement() != c.statement || rows != c.rows || w.Code != 200 || bytes != int64(w.Body.Len()) {
			t.Errorf("%s: %d: %s of %q, %q: %d rows, %d bytes of %d", c.target, w.Code, call.Method, call.Dataset(), call.Statement(), rows, bytes, w.Body.Len())
		}
	}
}
