package avrowire

import (
	"encoding/binary"
	"hash/crc32"
	"math"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/blockcodec"
)

// Codec is a compression of blocks.
type Codec struct{ blockcodec.Codec }

// names are what avro.codec says, by codec.
var names = map[blockcodec.Codec]string{
	blockcodec.None: "null", blockcodec.Deflate: "deflate", blockcodec.Snappy: "snappy", blockcodec.Zstd: "zstandard", blockcodec.Bzip2: "bzip2",
}

// CodecNamed returns the codec of a value of avro.codec; "" is null.
func CodecNamed(name string) (Codec, error) {
	if name == "" {
		return Codec{}, nil
	}
	for c, n := range names {
		if n == name {
			return Codec{c}, nil
		}
	}
	return Codec{}, errs.Errorf(errs.ErrUnsupported, "codec %.40q is not supported (supported: null, deflate, snappy, zstandard, bzip2)", name)
}

// String returns the value of avro.codec.
func (c Codec) String() string { return names[c.Codec] }

// Checked reports whether blocks have a checksum.
func (c Codec) Checked() bool { return c.Codec == blockcodec.Snappy }

// sumSize is the size of the checksum behind a block that snappy packed: CRC-32 of the unpacked bytes, big-endian.
const sumSize = 4

// Decoder unpacks blocks. The zero value is ready. It is used by one goroutine at a time.
type Decoder struct {
	blocks blockcodec.Decoder
	ratio  float64 // of unpacked bytes to packed ones in the blocks so far
}

// Release leaves the state of codecs to other decoders. The decoder can be used again.
func (d *Decoder) Release() { d.blocks.Release() }

// guessBytes is the room that a block is first unpacked into, at least, where nothing says how large it is.
const guessBytes = 64 << 10

// Unpack returns the rows of a block, in the memory of buf if that is enough; without a codec they are packed itself. A block of
// more than limit bytes is errs.ErrLimit. Only snappy says how large a block is; for the others room is made as it is needed.
func (d *Decoder) Unpack(c Codec, buf, packed []byte, limit int64) ([]byte, error) {
	var sum []byte
	if c.Codec == blockcodec.None {
		return packed, nil
	}
	if c.Checked() {
		if len(packed) < sumSize {
			return nil, errs.Errorf(errs.ErrCorrupt, "a block of %d bytes has no room for its checksum", len(packed))
		}
		packed, sum = packed[:len(packed)-sumSize], packed[len(packed)-sumSize:]
		raw, n := binary.Uvarint(packed)
		if n <= 0 || raw > math.MaxInt32 {
			return nil, errs.Errorf(errs.ErrCorrupt, "snappy: the size of the block cannot be read")
		}
		if int64(raw) > blockcodec.MaxRaw(c.Codec, int64(len(packed))) {
			return nil, errs.Errorf(errs.ErrCorrupt, "snappy: %d bytes cannot hold %d", len(packed), raw)
		}
		if int64(raw) > limit {
			return nil, tooLarge(limit)
		}
		out, err := d.blocks.Decode(c.Codec, buf[:0], packed, int(raw), true)
		if err == nil && crc32.ChecksumIEEE(out) != binary.BigEndian.Uint32(sum) {
			return nil, errs.Errorf(errs.ErrCorrupt, "the checksum is wrong")
		}
		return out, err
	}
	most := min(blockcodec.MaxRaw(c.Codec, int64(len(packed))), limit)
	size := max(int64(float64(len(packed))*max(d.ratio, 4)*1.25), guessBytes)
	for ; ; size *= 4 {
		size = min(size, most)
		room := max(size, min(int64(cap(buf)-blockcodec.Slack), most))
		out, err := d.blocks.Decode(c.Codec, buf[:0], packed, int(room), false)
		if err == nil {
			d.ratio = float64(len(out)) / float64(max(len(packed), 1))
			return out, nil
		}
		if room < most {
			continue
		}
		if most == limit && blockcodec.MaxRaw(c.Codec, int64(len(packed))) > limit {
			return nil, errs.Errorf(errs.ErrLimit, "the block is damaged, or unpacked over the limit BlockBytes = %d (%w)", limit, err)
		}
		return nil, err
	}
}

func tooLarge(limit int64) error {
	return errs.Errorf(errs.ErrLimit, "the block is unpacked over the limit BlockBytes = %d", limit)
}

// Encoder packs blocks. The zero value is ready. It is used by one goroutine at a time.
type Encoder struct{ blocks blockcodec.Encoder }

// Pack appends the stored bytes of a block to dst.
func (e *Encoder) Pack(c Codec, level int, dst, raw []byte) ([]byte, error) {
	out, err := e.blocks.Encode(c.Codec, level, dst, raw)
	if err == nil && c.Checked() {
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(raw))
	}
	return out, err
}
