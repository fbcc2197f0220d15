//go:build amd64 && !purego

package inflate

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate sh -c "cd kernel && go run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg inflate"

// The assembly is used where the machine has its instructions and at least leastAVX2 bytes of input are left: with less,
// making the tables of tokens takes longer than they save. Both are variables for the sake of tests.
var (
	useAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
	leastAVX2 = 400
)

// mostAVX2 is how many bytes the assembly writes before it returns: it cannot be interrupted.
const mostAVX2 = 256 << 10

// The layout that kernel/main.go has.
var (
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.lit)]
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.dist)-12288]
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.in)-20480]
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.why)-20528]
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.links)-20536]
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.steps)-21048]
	_ = [1]struct{}{}[unsafe.Offsetof(Decoder{}.table)-25144]
)

// fast decodes symbols of a block as long as there is room on both sides, and says in d.why why it stopped.
func (d *Decoder) fast(dst, src []byte) {
	if !useAVX2 || d.in > d.lastIn-leastAVX2 || d.out > d.lastOut {
		d.portable(dst, src)
		return
	}
	d.links = links
	tokensAVX2(&d.lit[0])
	for last := d.lastOut; ; {
		d.lastOut = min(last, d.out+mostAVX2)
		decodeAVX2(&d.lit[0], &dst[0], &src[0])
		if d.why != whyRoom || d.in > d.lastIn || d.out > last {
			d.lastOut = last
			return
		}
	}
}
