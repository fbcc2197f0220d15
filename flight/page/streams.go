package page

import (
	"context"
	"net/http"
	"time"

	"github.com/arrowio/arrowio/flight"
	"github.com/arrowio/arrowio/internal/drawing"
)

type streamLine struct {
	ID      string
	Method  string
	Client  string
	Peer    string
	Dataset string
	Rows    int64
	Batches int64
	Bytes   int64
	Since   time.Time
}

type streamsPage struct {
	Streams  []streamLine
	All      int
	Manages  bool
	Every    bool // loaded again by itself
	Rendered time.Time
}

// maxStreams is how many are listed.
const maxStreams = 500

func (p *Page) streams(ctx context.Context, v *flight.Visit, r *http.Request) (*answer, error) {
	s := streamsPage{Manages: v.Manages(ctx), Every: r.URL.Query().Get("every") == "5", Rendered: time.Now()}
	running := v.Streams(ctx)
	s.All = len(running)
	for _, c := range running[:min(len(running), maxStreams)] {
		rows, batches, bytes := c.Sent()
		s.Streams = append(s.Streams, streamLine{c.ID, c.Method, drawing.Short(c.Client.Name), c.Peer, drawing.Short(c.Dataset()), rows, batches, bytes, c.Started})
	}
	a := &answer{template: "streams.html", frame: frame{Title: "Streams", At: "streams"}, data: s}
	if s.Every {
		a.frame.Refresh = 5
	}
	return a, nil
}

// cancel ends streams by their request id, and leads back to what is left.
func (p *Page) cancel(ctx context.Context, v *flight.Visit, r *http.Request) (*answer, error) {
	if err := v.Cancel(ctx, r.PostFormValue("id")); err != nil {
		return nil, err
	}
	return &answer{location: "/streams"}, nil
}
