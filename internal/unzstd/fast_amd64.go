//go:build amd64 && !purego

package unzstd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate sh -c "cd kernel && go run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg unzstd"

// useAVX2 says whether the machine has the instructions of the assembly. It is a variable for the sake of tests.
var useAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2

// Fast says whether this machine has what the fast loops are written for. The others are slower than klauspost's.
func Fast() bool { return useAVX2 }

// The layout that kernel/main.go has.
var (
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.tables)]
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.sequences)-12288]
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.streams)-12408]
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.huffman)-12472]
	_ = [1]struct{}{}[unsafe.Offsetof(sequences{}.why)-112]
	_ = [1]struct{}{}[quarter-32832]
)

// fast executes sequences, but not the last one, as long as they need no special care. The stream begins at src[from].
func (d *Decoder) fast(dst, src []byte, from int) error {
	s := &d.sequences
	if useAVX2 && s.left > 1 && len(dst)-s.limit >= Slack && from >= 8 {
		sequencesAVX2(&d.tables[0].entries[0], &dst[0], &src[from], &d.literals[0])
		switch s.why {
		case whyCorrupt:
			return ErrCorrupt
		case whyLarge:
			return d.tooLarge
		case whyZero:
			return errZeroOffset
		}
	}
	return nil
}

// single decodes the first symbols of d.streams[0] into dst, and returns how many.
func (d *Decoder) single(dst []byte) int {
	n := len(dst) - len(dst)%5
	if !useAVX2 || n == 0 {
		return 0
	}
	huffman1x5AVX2(&d.tables[0].entries[0], &dst[0], &d.reversed[0], n)
	return n
}

// four decodes the first symbols of d.streams into dst, in which a stream has size bytes, and returns how many of each.
func (d *Decoder) four(dst []byte, size int) int {
	n := len(dst) - 3*size
	perLoad := 5
	switch {
	case d.huffman.log <= 8:
		perLoad = 7
	case d.huffman.log == 9:
		perLoad = 6
	}
	n -= n % perLoad
	if !useAVX2 || n == 0 {
		return 0
	}
	d.quarters = room(d.quarters, 4*quarter, 4*quarter)
	switch perLoad {
	case 5:
		huffman4x5AVX2(&d.tables[0].entries[0], &d.quarters[0], &d.reversed[0], n)
	case 6:
		huffman4x6AVX2(&d.tables[0].entries[0], &d.quarters[0], &d.reversed[0], n)
	default:
		huffman4x7AVX2(&d.tables[0].entries[0], &d.quarters[0], &d.reversed[0], n)
	}
	for i := range d.streams {
		copy(dst[i*size:], d.quarters[i*quarter:i*quarter+n])
	}
	return n
}

// reverseFast is reverse of all but the last bytes of src; it returns how many it has done.
func reverseFast(dst, src []byte) int {
	n := len(src) &^ 31
	if !useAVX2 || n == 0 {
		return 0
	}
	reverseAVX2(&dst[len(dst)-n], &src[0], n)
	return n
}
