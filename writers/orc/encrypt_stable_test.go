package orc

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/arrowio/local"
	"github.com/arrowio/arrowio/internal/orcwire"
)

// encryptWith writes a column twice, encrypted with local keys that come from random, cut into batches of n rows.
func encryptWith(random *mathrand.Rand, n, workers int) (map[string][]byte, error) {
	s := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int64}, {Name: "b", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), s)
	defer b.Release()
	for i := range 3000 {
		b.Field(0).(*array.Int64Builder).Append(int64(i * i % 1013))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint("value ", i%71))
	}
	rec := b.NewRecord()
	defer rec.Release()
	p, err := Plan(s, arrowio.WriteOptions{Parallelism: workers, Options: map[string]string{
		"orc-keys": "../../testdata/orc/keys.json", "orc-encrypt": "pii:a;credit:b:sha256", "orc-row-index-stride": "100", "orc-stripe-rows": "1000",
	}})
	if err != nil {
		return nil, err
	}
	if random != nil {
		p.Driver.(*driver).crypt.random = random
	}
	st := local.NewMemStore()
	w, err := arrowio.NewWriter(context.Background(), Format(), st, p)
	if err != nil {
		return nil, err
	}
	for from := int64(0); from < 3000; from += int64(n) {
		part := rec.NewSlice(from, min(from+int64(n), 3000))
		err := w.Write(part)
		part.Release()
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return st.Objects(), nil
}

// Keys come from nothing but the system's random numbers; with the same ones, the same rows make the same file.
func TestEncryptedBytes(t *testing.T) {
	write := func(random *mathrand.Rand, n, workers int) []byte {
		files, err := encryptWith(random, n, workers)
		if err != nil {
			t.Fatal(err)
		}
		return files["part-00000.orc"]
	}
	seeded := func() *mathrand.Rand { return mathrand.New(mathrand.NewSource(1)) }
	first := write(seeded(), 3000, 1)
	if len(first) == 0 || !bytes.Equal(first, write(seeded(), 77, 3)) {
		t.Error("other bytes of the same rows")
	}
	if bytes.Equal(first, write(nil, 3000, 1)) || bytes.Equal(write(nil, 3000, 1), write(nil, 3000, 1)) {
		t.Error("the same bytes of different keys")
	}
	e, err := planEncryption(map[string]string{"orc-keys": "../../testdata/orc/keys.json", "orc-encrypt": "pii:_root"}, []*orcwire.Type{{Kind: orcwire.Int}})
	if err != nil || e.random != rand.Reader {
		t.Errorf("keys from %T, %v", e.random, err)
	}
}

type noRandom struct{}

func (noRandom) Read([]byte) (int, error) { return 0, errors.New("none left") }

func TestNoRandom(t *testing.T) {
	e, err := planEncryption(map[string]string{"orc-keys": "../../testdata/orc/keys.json", "orc-encrypt": "pii:_root"}, []*orcwire.Type{{Kind: orcwire.Int}})
	if err != nil {
		t.Fatal(err)
	}
	e.random = noRandom{}
	if _, err := e.open([]*orcwire.Type{{Kind: orcwire.Int}}); !errors.Is(err, errs.ErrInternal) {
		t.Errorf("%v", err)
	}
}

func TestManyStripes(t *testing.T) {
	var s orcwire.StripeInfo
	x := &secrets{}
	if err := x.number(&s, orcwire.MostEncryptStripes-1); err != nil || s.EncryptStripeID != orcwire.MostEncryptStripes {
		t.Errorf("%d, %v", s.EncryptStripeID, err)
	}
	if err := x.number(&s, orcwire.MostEncryptStripes); !errors.Is(err, errs.ErrLimit) {
		t.Errorf("%v", err)
	}
}
