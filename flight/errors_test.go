package flight

import (
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A condition of any length gets an answer that names what is wrong, not a stream that is reset.
func TestLongErrors(t *testing.T) {
	t.Parallel()
	r, _ := startSQL(t, Options{})
	c := r.sqlClient(t)
	for _, n := range []int{1_000, 5_000, 100_000} {
		_, err := c.Execute(t.Context(), "select id from events where s = '"+strings.Repeat("é", n/2)+"' and id = 'five'")
		st := status.Convert(err)
		if st.Code() != codes.InvalidArgument || len(st.Message()) > maxErrorText || !utf8.ValidString(st.Message()) || !strings.Contains(st.Message(), "five") {
			t.Errorf("%d bytes: %s, %d bytes: %.80s", n, st.Code(), len(st.Message()), st.Message())
		}
	}
}
