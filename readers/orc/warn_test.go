package orc

import (
	"slices"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// Reading an encrypted file without its keys gives a warning that names the masked columns and no others.
func TestMaskedColumns(t *testing.T) {
	for _, c := range []struct {
		file, keys string
		want       []string
	}{
		{"java-2.3.1/encrypted-0-none.orc", "", []string{"card__mix__r10", "ssn__seq"}},
		{"java-2.3.1/encrypted-0-none.orc", keysFile, nil},
		{"java-2.3.1/encrypted-0-none.orc", `{"pii": {"version": 0, "algorithm": "AES_CTR_128", "key": "000102030405060708090a0b0c0d0e0f"}}`, []string{"card__mix__r10"}},
		{"java-2.3.1/encrypted-1-zlib.orc", "", []string{"addr__mix", "card__mix__r10", "name__dict__r10", "ssn__seq"}},
		{"java-2.3.1/bools-v12.orc", "", nil},
	} {
		var o Options
		if c.keys != "" {
			var err error
			if o.Keys, err = loadKeys(c.keys); err != nil {
				t.Fatal(err)
			}
		}
		w := arrowio.WarningsOf(showFile(t, fixtureDir+c.file, o))
		if c.want == nil {
			if len(w) > 0 {
				t.Errorf("%s: %v", c.file, w)
			}
			continue
		}
		if len(w) != 1 || w[0].Kind != arrowio.WarnMasked || !slices.Equal(slices.Sorted(slices.Values(w[0].Columns)), c.want) || w[0].Rows <= 0 {
			t.Errorf("%s: %+v, want %s", c.file, w, c.want)
		}
	}
}

// What C++ wrote in a zone other than UTC before 1900 is told as doubtful once it has been read, and only that.
func TestTimesOfTwoClocks(t *testing.T) {
	for _, c := range []struct {
		file    string
		columns []string
		want    []string
	}{
		{"pyorc-0.12.0/pacific-apia.orc", nil, []string{"t"}},
		{"pyorc-0.12.0/america-new-york.orc", []string{"t"}, []string{"t"}},
		{"pyorc-0.12.0/pacific-apia.orc", []string{"n", "i"}, nil},
		{"java-2.3.1/zone-america-los-angeles-v11.orc", nil, nil},
	} {
		f := showFile(t, fixtureDir+c.file, Options{})
		if w := arrowio.WarningsOf(f); len(w) > 0 {
			t.Errorf("%s: %v before anything is read", c.file, w)
		}
		scanText(t, f, arrowio.ScanOptions{Columns: c.columns})
		w := arrowio.WarningsOf(f)
		if c.want == nil {
			if len(w) > 0 {
				t.Errorf("%s: %v", c.file, w)
			}
			continue
		}
		if len(w) != 1 || w[0].Kind != arrowio.WarnDoubt || !slices.Equal(w[0].Columns, c.want) {
			t.Errorf("%s: %+v, want one about %s", c.file, w, c.want)
		}
		if err := f.Verify(t.Context(), func(err error) { t.Errorf("%s: %v", c.file, err) }); err != nil {
			t.Error(err)
		}
	}
}
