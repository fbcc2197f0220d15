//go:build amd64 && !purego

package bitpack

//go:generate sh -c "cd unshuffleasm && go run ./gather -out ../gather_amd64.s -stubs ../gather_amd64.go -pkg bitpack"

const (
	gatherBlock  = 32
	gatherBlocks = 4 // of longer entries
	fewIDs       = 8 // are left to the functions that look at the room for each
	mostTurn     = 32
)

// gatherVectors copies entries to data from q on, as many as it can. It returns how many, and the end of the last. The ids have been checked.
func (d *Dictionary) gatherVectors(ends []int32, data []byte, ids []int32, q int) (done, end int) {
	if !useAVX2 || d.longest > gatherBlocks*gatherBlock {
		return 0, q
	}
	blocks := (d.longest + gatherBlock - 1) / gatherBlock
	width := blocks * gatherBlock
	switch d.mode {
	case byNothing:
		return 0, q
	case byByte:
		width = 1
	case byCell16:
		width = 16
	}
	for done < len(ids) {
		room := len(data) - width - q // the entries that begin within it have the room that they are written to
		if room < 0 {
			break
		}
		n := min(len(ids)-done, room/d.longest+1)
		if n < fewIDs {
			break
		}
		to, e, x := &data[q], &ends[done], &ids[done]
		switch d.mode {
		case byByte:
			q = gather1AVX2(to, e, x, n, &d.ones[0], &d.lens[0], q)
		case byCell16:
			q = gather16AVX2(to, e, x, n, &d.cells16[0][0], &d.lens[0], q)
		case byCell32:
			q = gather32AVX2(to, e, x, n, &d.cells32[0][0], &d.lens[0], q)
		case byOffset:
			left := 0
			if left, q = gatherLongAVX2(to, e, x, n, &d.offsets[0], &d.data[0], blocks, len(d.data)-width, q); left > 0 {
				n -= left
				q += copy(data[q:], d.At(int(ids[done+n]))) // it is at the end of the dictionary
				ends[done+n] = int32(q)
				n++
			}
		}
		done += n
	}
	return done, q
}

// mostOf returns the greatest of some ids, taken as having no sign, and how many they are.
func mostOf(ids []int32) (most uint32, n int) {
	turns := len(ids) / mostTurn
	if turns == 0 || !useAVX2 {
		return 0, 0
	}
	return mostAVX2(&ids[0], turns), turns * mostTurn
}
