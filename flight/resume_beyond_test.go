package flight

import (
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
)

// A place behind a file's last row is one that no stream has named: to go on there would leave rows out without a word.
func TestResumeBeyond(t *testing.T) {
	dir := events(t, 5000)
	c := start(t, Options{}, map[string]Spec{"events": {Paths: []string{dir}}}).client(t)
	info, err := c.GetFlightInfo(t.Context(), cmdOf(`{"dataset":"events","endpoints":1}`))
	if err != nil {
		t.Fatal(err)
	}
	var ticket Ticket
	if err := json.Unmarshal(info.Endpoint[0].Ticket.Ticket, &ticket); err != nil {
		t.Fatal(err)
	}
	beyond := Position{Fragment: ticket.Parts[0].Fragment, Row: 1 << 40}
	for _, b := range [][]byte{
		withResume(t, info.Endpoint[0].Ticket.Ticket, beyond),
		[]byte(`{"dataset":"events","resume":{"fragment":0,"split":0,"row":1099511627776}}`),
	} {
		if err := get(t.Context(), t, c, b).err; codeOf(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "resume") {
			t.Errorf("%s: %v", b, err)
		}
	}
}
