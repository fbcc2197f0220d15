package recordsplit

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// What follows a gzip file is another member, padding, or told as what it is.
func TestBehindGzip(t *testing.T) {
	pack := func(s string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, err := io.WriteString(z, s)
		if err == nil {
			err = z.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	one, two := string(pack("a,b\n1,2\n")), string(pack("3,4\n"))
	for _, x := range []struct{ file, want, fault string }{
		{one, "a,b\n1,2\n", ""},
		{one + two, "a,b\n1,2\n3,4\n", ""},
		{one + strings.Repeat("\x00", 4096), "a,b\n1,2\n", ""},
		{one + "\x00" + two, "a,b\n1,2\n3,4\n", ""},
		{one + "garbage", "a,b\n1,2\n", "bytes follow behind its end"},
		{one + "\x1f", "a,b\n1,2\n", "bytes follow behind its end"},
		{one + two[:len(two)-5], "a,b\n1,2\n3,4\n", "ends too early"},
		{one + two[:6], "a,b\n1,2\n", "ends too early"},
	} {
		f, err := OpenText(bytes.NewReader([]byte(x.file)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(f.Reader())
		if string(got) != x.want || (err == nil) != (x.fault == "") || err != nil && !strings.Contains(err.Error(), x.fault) {
			t.Errorf("%q: %q, %v", x.file, got, err)
		}
	}
}
