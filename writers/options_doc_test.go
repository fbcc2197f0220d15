package writers_test

import (
	"os"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/writers"
)

// TestOptionsAreDocumented: the chapter about writing of a format's page names each option of the writer.
func TestOptionsAreDocumented(t *testing.T) {
	for _, c := range []struct{ format, chapter string }{
		{"orc", "## Writing\n"},
		{"trevni", "## Writing\n"},
	} {
		b, err := os.ReadFile("../docs/formats/" + c.format + ".md")
		if err != nil {
			t.Fatal(err)
		}
		_, text, ok := strings.Cut(string(b), "\n"+c.chapter)
		if !ok {
			t.Errorf("docs/formats/%s.md has no chapter %q", c.format, c.chapter)
			continue
		}
		text, _, _ = strings.Cut(text, "\n## ")
		for _, f := range writers.All() {
			if f.Name != c.format {
				continue
			}
			for _, o := range f.Options {
				if !strings.Contains(text, "`--"+o.Name+" ") && !strings.Contains(text, "`--"+o.Name+"=") {
					t.Errorf("docs/formats/%s.md: the chapter about writing does not name --%s", c.format, o.Name)
				}
			}
		}
	}
}
