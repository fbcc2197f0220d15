package kuduwire

import "testing"

// BenchmarkSuperBlock reads the superblock of a tablet with 500 rowsets of 50 columns.
func BenchmarkSuperBlock(b *testing.B) {
	var rowsets []msg
	block := uint64(1 << 40)
	for id := range int64(500) {
		r := msg{}.num(1, id).num(2, 3)
		for c := range int64(50) {
			block++
			r = r.sub(3, msg{}.block(2, block).num(4, c))
		}
		rowsets = append(rowsets, r.sub(4, msg{}.block(2, block+1<<41)).block(6, block+1<<42).str(8, "a key").str(9, "b key").num(10, 1000))
	}
	file := containerOf(2, superBlockType, superBlockOf(rowsets...))
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseSuperBlock(file, noLimits); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBlockRecords reads what the log of a container says of 1000 blocks.
func BenchmarkBlockRecords(b *testing.B) {
	file := AppendBlockContainer(nil)
	for i := range int64(1000) {
		file = AppendBlockRecord(file, BlockRecord{ID: uint64(i + 1), Op: BlockCreate, Off: i << 12, Length: 4000}, 1)
	}
	var records []BlockRecord
	b.SetBytes(int64(len(file)))
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if records, _, err = ParseBlockRecords(file, records[:0]); err != nil {
			b.Fatal(err)
		}
	}
}
