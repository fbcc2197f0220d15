//go:build amd64 && !purego

package bitpack

import "unsafe"

//go:generate sh -c "cd unshuffleasm && go run ./pick -out ../pick_amd64.s -stubs ../pick_amd64.go -pkg bitpack"

// markedWords, markedLongs and markedWide are marked for values of 16, 64 and 128 bits: by bytes, and by halves of 32 bits.
var (
	markedWords = makeMarkedWords()
	markedLongs = makeMarkedParts[[16][8]uint8](4)
	markedWide  = makeMarkedParts[[4][8]uint8](2)
)

func makeMarkedWords() (t [256][16]uint8) {
	for b := range t {
		for j, k := range marked[b] {
			t[b][2*j], t[b][2*j+1] = 2*k, 2*k+1
		}
	}
	return t
}

// makeMarkedParts makes a table for vectors of some lanes.
func makeMarkedParts[T [16][8]uint8 | [4][8]uint8](lanes int) (t T) {
	rows := unsafe.Slice((*[8]uint8)(unsafe.Pointer(&t)), 1<<lanes)
	parts := 8 / lanes
	for b := range rows {
		for j, k := range marked[b][:lanes] {
			for p := range parts {
				rows[b][parts*j+p] = uint8(parts)*k + uint8(p)
			}
		}
	}
	return t
}

// pickVectors is pickTable for values of up to 16 bytes; false if the machine cannot.
func pickVectors[T any](dst, src []T, marks Marks) (int, bool) {
	if !useAVX2 {
		return 0, false
	}
	n := len(marks)
	first, s := (*byte)(unsafe.Pointer(&dst[:64*n][0])), (*byte)(unsafe.Pointer(&src[:64*n][0]))
	var bytes int
	switch unsafe.Sizeof(dst[0]) {
	case 1:
		bytes = pick8AVX2(first, s, &marks[0], n, &marked[0][0])
	case 2:
		bytes = pick16AVX2(first, s, &marks[0], n, &markedWords[0][0])
	case 4:
		bytes = pick32AVX2(first, s, &marks[0], n, &marked[0][0])
	case 8:
		bytes = pick64AVX2(first, s, &marks[0], n, &markedLongs[0][0])
	case 16:
		bytes = pick128AVX2(first, s, &marks[0], n, &markedWide[0][0])
	default:
		return 0, false
	}
	return bytes / int(unsafe.Sizeof(dst[0])), true
}

// pickTexts copies texts as PickTexts does, up to one that is longer than 64 bytes, or that is, or goes, to the last 64 of src or of dst.
// It returns how many texts it copied, and where they end.
func pickTexts(dst []byte, at int, src []byte, starts, stops []int32, shift int) (done, to int) {
	if !useAVX2 {
		return pickTextsWords(dst, at, src, starts, stops, shift)
	}
	if len(stops) == 0 || len(dst) < longText || len(src) < longText {
		return 0, at
	}
	return pickTextsAVX2(&dst[0], at, len(dst)-longText, &src[0], len(src)-longText, &starts[:len(stops)][0], &stops[0], len(stops), shift)
}
