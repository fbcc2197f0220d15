package orc

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
)

// Keys are printed by their names, wherever they are.
func TestKeysAreSecret(t *testing.T) {
	const secret = "000102030405060708090a0b0c0d0e0f"
	k, err := ParseKeys([]byte(`{"pii": {"version": 0, "algorithm": "AES_CTR_128", "key": "` + secret + `"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%x"} {
		for _, x := range []any{k, &k, Options{Keys: k}} {
			text := fmt.Sprintf(format, x)
			if strings.Contains(text, secret) || strings.Contains(text, "0x0f") || strings.Contains(text, "14 15") {
				t.Errorf("%s of %T: %s", format, x, text)
			}
		}
	}
	if _, err := ParseKeys([]byte(`{"pii": "` + secret + `"}`)); !errors.Is(err, errs.ErrOption) || strings.Contains(err.Error(), secret) {
		t.Error(err)
	}
}
