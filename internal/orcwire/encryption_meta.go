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

var encryptionTable = pb.NewTable(
	pb.Parts(1, "mask", "mask", pb.NewTable(
		pb.Text(1, "name", func(k *Mask) *string { return &k.Name }),
		pb.Strings(2, "maskParameters", pb.FormText, func(k *Mask) *[]string { return &k.Params }),
		pb.Varints(3, "columns", func(k *Mask) *[]int { return &k.Columns }),
	), func(e *Encryption) *[]Mask { return &e.Masks }),
	pb.Parts(2, "key", "encryption key", pb.NewTable(
		pb.Text(1, "keyName", func(k *Key) *string { return &k.Name }),
		pb.Uint(2, "keyVersion", func(k *Key) *uint32 { return &k.Version }),
		pb.Uint(3, "algorithm", func(k *Key) *uint8 { return &k.Algorithm }).Words("", "AES_CTR_128", "AES_CTR_256").
			Reading(func(m *pb.Message, k *Key) { k.Algorithm = uint8(min(m.Uint64(), math.MaxUint8)) }),
	), func(e *Encryption) *[]Key { return &e.Keys }).Each(pb.ListNumbered, 0),
	pb.Parts(3, "variants", "encryption variant", pb.NewTable(
		pb.Uint(1, "root", func(v *Variant) *int { return &v.Root }),
		pb.Uint(2, "key", func(v *Variant) *int { return &v.Key }),
		pb.Bytes(3, "encryptedKey", func(v *Variant) *[]byte { return &v.EncryptedKey }),
		pb.Parts(4, "stripeStatistics", "stream", streamTable, func(v *Variant) *[]Stream { return &v.StripeStats }),
		pb.Bytes(5, "fileStatistics", func(v *Variant) *[]byte { return &v.FileStats }),
	), func(e *Encryption) *[]Variant { return &e.Variants }).Each(pb.ListNumbered, 0),
	pb.Uint(4, "keyProvider", func(e *Encryption) *uint8 { return &e.Provider }).OmitZero().Words("UNKNOWN", "HADOOP", "AWS", "GCP", "AZURE").
		Reading(func(m *pb.Message, e *Encryption) {
			if v := m.Uint64(); v <= math.MaxUint8 {
				e.Provider = uint8(v)
			}
		}),
)

// check says whether the types, keys and columns that are named exist, and places the streams of statistics.
func (e *Encryption) check(types int) error {
	for i := range e.Masks {
		for _, c := range e.Masks[i].Columns {
			if c < 0 || c >= types {
				return errs.Errorf(errs.ErrCorrupt, "mask %d: column %d of %d", i, c, types)
			}
		}
	}
	for i := range e.Variants {
		v := &e.Variants[i]
		switch {
		case v.Root >= types:
			return errs.Errorf(errs.ErrCorrupt, "encryption variant %d: column %d of %d", i, v.Root, types)
		case v.Key >= len(e.Keys):
			return errs.Errorf(errs.ErrCorrupt, "encryption variant %d: encryption key %d of %d", i, v.Key, len(e.Keys))
		}
		if err := placeStreams(v.StripeStats, types, math.MaxInt64); err != nil {
			return pb.Inside(err, "encryption variant %d", i)
		}
	}
	return nil
}
