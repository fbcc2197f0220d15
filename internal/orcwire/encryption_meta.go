package orcwire

import (
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/pb"
)

// Encryption says which columns are encrypted, and with which keys (specification, "Encryption Information").
type Encryption struct {
	Masks    []Mask
	Keys     []Key
	Variants []Variant
	Provider uint8 // who wraps local keys: 1 Hadoop, 2 AWS, 3 GCP, 4 Azure, 0 unknown
}

// Mask says what stands in the unencrypted form of columns. Reading needs no masks.
type Mask struct {
	Name    string
	Params  []string
	Columns []int // type ids, each with its subtree
}

// Key names a master key. The key itself is not in the file.
type Key struct {
	Name      string
	Version   uint32
	Algorithm uint8 // 1 AES_CTR_128, 2 AES_CTR_256; others are not known
}

// Variant is one encrypted form of a type and its subtree.
type Variant struct {
	Root         int    // type id
	Key          int    // position in Encryption.Keys
	EncryptedKey []byte // the local key for the file's statistics, and for stripes that have no other
	// StripeStats are the streams of encrypted stripe statistics. Those of all variants follow each other in front of
	// the metadata, with PostScript.StripeStatsLength bytes; Offset counts from the variant's first.
	StripeStats []Stream
	FileStats   []byte // a FileStatistics message, compressed in chunks, then encrypted
}

// parseEncryption reads an Encryption message. Types, keys and columns that it names exist.
func parseEncryption(b []byte, types int, budget *metaBudget) (*Encryption, error) {
	e := &Encryption{}
	// Lists grow while they are read. No element takes more than 32 bytes of memory for a byte of the message.
	if err := budget.take(len(b), 32); err != nil {
		return nil, err
	}
	m := pb.New(b)
	var variants [][]byte
	for m.Next() {
		switch m.Num {
		case 1:
			k, err := parseMask(m.Message(), types)
			if err != nil {
				return nil, within(err, "mask", len(e.Masks))
			}
			e.Masks = append(e.Masks, k)
		case 2:
			k, err := parseKey(m.Message())
			if err != nil {
				return nil, within(err, "encryption key", len(e.Keys))
			}
			e.Keys = append(e.Keys, k)
		case 3:
			variants = append(variants, m.Bytes()) // they name keys, which may follow
		case 4:
			v := m.Uint64()
			if v > 255 {
				v = 0
			}
			e.Provider = uint8(v)
		}
	}
	if m.Err != nil {
		return nil, m.Err
	}
	for i, b := range variants {
		v, err := parseVariant(pb.New(b), types, len(e.Keys))
		if err != nil {
			return nil, within(err, "encryption variant", i)
		}
		e.Variants = append(e.Variants, v)
	}
	return e, nil
}

func parseMask(m pb.Message, types int) (Mask, error) {
	var k Mask
	for m.Next() {
		switch m.Num {
		case 1:
			k.Name = m.String()
		case 2:
			k.Params = append(k.Params, m.String())
		case 3:
			k.Columns = m.AppendIDs(k.Columns, "column", types)
		}
	}
	return k, m.Err
}

func parseKey(m pb.Message) (Key, error) {
	var k Key
	for m.Next() {
		switch m.Num {
		case 1:
			k.Name = m.String()
		case 2:
			k.Version = m.Uint32()
		case 3:
			v := m.Uint64()
			if v > 255 {
				v = 255
			}
			k.Algorithm = uint8(v)
		}
	}
	return k, m.Err
}

func parseVariant(m pb.Message, types, keys int) (Variant, error) {
	var v Variant
	end := int64(0)
	hasKey := false
	for m.Next() {
		switch m.Num {
		case 1:
			v.Root = m.ID("column", types)
		case 2:
			v.Key, hasKey = m.ID("encryption key", keys), true
		case 3:
			v.EncryptedKey = m.Bytes()
		case 4:
			s, err := parseStream(m.Message(), types, &end, math.MaxInt64)
			if err != nil {
				return v, within(err, "stream", len(v.StripeStats))
			}
			v.StripeStats = append(v.StripeStats, s)
		case 5:
			v.FileStats = m.Bytes()
		}
	}
	if m.Err == nil && !hasKey && keys == 0 {
		return v, errs.Errorf(errs.ErrCorrupt, "no key")
	}
	return v, m.Err
}
