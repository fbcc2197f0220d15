package orcwire

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/fixtures"
)

// Hashes, and the bits that a filter made for 128 values at 5 % gets, as Java and C++ have agreed on.
func TestHashes(t *testing.T) {
	for v, want := range map[int64]int64{
		0: 0, -1: 6614246905173314819, -2: -5218250166726157773, -3: 1396019780946710816,
		-9223372036854775805: 3691278333958578070, -9223372036854775806: -1192099642781211952, -9223372036854775807: -9102499068535824902,
		790302201: 1499534499340523007, 790302202: -5108695154500810163, 790302203: -2450623810987162260, 18000000000: -1097054448615658549,
		9223372036064673413: -4986173376161118712, 9223372036064673414: 3785699328822078862, 9223372036064673415: 294188322706112357,
	} {
		if got := int64(HashLong(v)); got != want {
			t.Errorf("%d: %d, want %d", v, got, want)
		}
	}
	const dickens = "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness," +
		" it was the epoch of belief, it was the epoch of incredulity, it was the season of Light, it was the season of Darkness," +
		" it was the spring of hope, it was the winter of despair, we had everything before us, we had nothing before us," +
		" we were all going direct to Heaven, we were all going direct the other way."
	if got := HashBytes([]byte(dickens)); got != 305830725663368540 {
		t.Errorf("%d", got)
	}
	nan := math.Float64frombits(0xfff8000000001234)
	if HashDouble(nan) != HashDouble(math.NaN()) || HashDouble(0) == HashDouble(math.Copysign(0, -1)) {
		t.Error("doubles are not hashed by their bits, or NaNs differ")
	}
	f := BloomFilter{Hashes: 5, Bits: make([]uint64, 832/64)}
	for _, k := range []struct {
		value any
		bits  []int
	}{
		{int64(1), []int{567, 288, 246, 306, 228}},
		{int64(11), []int{228, 285, 342, 399, 456}},
		{int64(111), []int{802, 630, 458, 545, 717}},
		{int64(1111), []int{826, 526, 40, 480, 86}},
		{int64(0), []int{0}},
		{int64(-1), []int{120, 308, 335, 108, 535}},
		{int64(-11), []int{323, 685, 215, 577, 107}},
		{int64(-111), []int{357, 318, 279, 15, 54}},
		{int64(-1111), []int{572, 680, 818, 434, 232}},
		{1.1, []int{522, 692, 12, 370, 753}},
		{11.11, []int{210, 188, 89, 720, 389}},
		{111.111, []int{831, 252, 583, 500, 335}},
		{1111.1111, []int{725, 175, 374, 92, 642}},
		{0.0, []int{0}},
		{-1.1, []int{636, 163, 565, 206, 679}},
		{-11.11, []int{473, 192, 743, 462, 181}},
		{-111.111, []int{167, 152, 472, 295, 24}},
		{-1111.1111, []int{308, 346, 384, 422, 371}},
		{"", []int{656, 807, 480, 151, 304}},
		{"english", []int{576, 221, 68, 729, 392}},
		{"中国字", []int{602, 636, 44, 362, 318}},
	} {
		clear(f.Bits)
		var h uint64
		switch v := k.value.(type) {
		case int64:
			h = HashLong(v)
		case float64:
			h = HashDouble(v)
		case string:
			h = HashBytes([]byte(v))
		}
		if f.MayContain(h) {
			t.Errorf("%v is in the empty filter", k.value)
		}
		f.Add(h)
		var got []int
		for i := range 832 {
			if f.Bits[i/64]>>(i%64)&1 == 1 {
				got = append(got, i)
			}
		}
		slices.Sort(k.bits)
		if !slices.Equal(got, k.bits) {
			t.Errorf("%v: bits %v, want %v", k.value, got, k.bits)
		}
		if !f.MayContain(h) {
			t.Errorf("%v is not in its filter", k.value)
		}
	}
	if !(BloomFilter{Hashes: 3}).MayContain(1) {
		t.Error("a filter without bits knows something")
	}
}

func TestAppendDecimal(t *testing.T) {
	for _, k := range []struct {
		v     string
		scale int
		want  string
	}{
		{"0", 0, "0"},
		{"0", 5, "0"},
		{"0", -5, "0"},
		{"1", 0, "1"},
		{"-1", 0, "-1"},
		{"100", 0, "100"},
		{"100", 2, "1"},
		{"100", 1, "10"},
		{"-150", 2, "-1.5"},
		{"5", 1, "0.5"},
		{"-5", 3, "-0.005"},
		{"1234500", 4, "123.45"},
		{"12", -3, "12000"},
		{"10", 1, "1"},
		{"99999999999999999999999999999999999999", 38, "0.99999999999999999999999999999999999999"},
		{"-99999999999999999999999999999999999999", 0, "-99999999999999999999999999999999999999"},
		{"18446744073709551616", 3, "18446744073709551.616"},
	} {
		v, _ := new(big.Int).SetString(k.v, 10)
		u := new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 128), big.NewInt(1)))
		low, high := new(big.Int).And(u, new(big.Int).SetUint64(math.MaxUint64)).Uint64(), new(big.Int).Rsh(u, 64).Uint64()
		if got := string(AppendDecimal([]byte("x"), low, high, k.scale)); got != "x"+k.want {
			t.Errorf("%s scale %d: %q, want %q", k.v, k.scale, got, k.want)
		}
	}
}

// fixture is a file in memory with its tail.
type fixtureFile struct {
	bytes  []byte
	ps     *PostScript
	footer *Footer
	stats  int // where the encrypted stripe statistics begin
}

const javaFixtures = "../../testdata/orc/java-2.3.1/"

func openFixture(t *testing.T, path string) fixtureFile {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f := fixtureFile{bytes: b}
	end := len(b) - 1 - int(b[len(b)-1])
	if f.ps, err = ParsePostScript(b[end : len(b)-1]); err != nil {
		t.Fatal(err)
	}
	foot := end - int(f.ps.FooterLength)
	f.stats = foot - int(f.ps.MetadataLength) - int(f.ps.StripeStatsLength)
	if f.footer, err = ParseFooter(unpackMessage(t, f.ps, b[foot:end]), errs.Limits{}); err != nil {
		t.Fatal(err)
	}
	return f
}

// rowsOf reads canonical text: a JSON array for each row.
func rowsOf(t testing.TB, path string) (rows [][]any) {
	t.Helper()
	for _, line := range fixtures.Lines(t, path) {
		var row []any
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// hashText hashes a value of canonical text as the specification says for its type; false for what is not hashed the
// same in both kinds of filters.
func hashText(t *testing.T, typ *Type, v any) (uint64, bool) {
	t.Helper()
	number := func(s string, base int) int64 {
		n, err := strconv.ParseUint(s, base, 64)
		if base == 10 {
			var i int64
			i, err = strconv.ParseInt(s, 10, 64)
			n = uint64(i)
		}
		if err != nil {
			t.Fatal(err)
		}
		return int64(n)
	}
	switch typ.Kind {
	case Byte, Short, Int, Long, Date:
		return HashLong(number(string(v.(json.Number)), 10)), true
	case Double:
		return HashDouble(math.Float64frombits(uint64(number(v.(string)[1:], 16)))), true
	case Float:
		return HashDouble(float64(math.Float32frombits(uint32(number(v.(string)[1:], 16))))), true
	case String, Varchar:
		return HashBytes([]byte(v.(string))), true
	case Char:
		return HashBytes(fmt.Appendf(nil, "%-*s", typ.MaxLength, v)), true
	case Binary:
		b, err := hex.DecodeString(v.(string))
		if err != nil {
			t.Fatal(err)
		}
		return HashBytes(b), true
	case Decimal:
		s := v.(string)
		if strings.Contains(s, ".") {
			s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
		}
		if s == "-0" {
			s = "0"
		}
		return HashBytes([]byte(s)), true
	case TimestampInstant:
		pair := v.([]any)
		return HashLong(number(string(pair[0].(json.Number)), 10)*1000 + number(string(pair[1].(json.Number)), 10)/1e6), true
	}
	return 0, false
}

// Filters that Java wrote contain every value of their row group, and not many others: they were made to be wrong about up
// to half of them.
func TestBloomFiltersOfJava(t *testing.T) {
	rows := rowsOf(t, javaFixtures+"bloom-original.jsonl.gz")
	for _, name := range []string{"bloom-original.orc", "bloom-utf8.orc"} {
		f := openFixture(t, javaFixtures+name)
		first, tested, others, wrong := 0, 0, 0, 0
		columns := map[int]bool{}
		for _, s := range f.footer.Stripes {
			data := s.IndexLength + s.DataLength
			sf, err := ParseStripeFooter(unpackMessage(t, f.ps, f.bytes[s.Offset+data:s.End()]), len(f.footer.Types), data)
			if err != nil {
				t.Fatal(err)
			}
			stride := int(f.footer.RowIndexStride)
			for _, x := range sf.Streams {
				if x.Kind != BloomFilterUTF8 && x.Kind != BloomFilterOriginal {
					continue
				}
				filters, err := ParseBloomIndex(unpackMessage(t, f.ps, f.bytes[s.Offset+x.Offset:s.Offset+x.Offset+x.Length]), math.MaxInt32)
				if err != nil {
					t.Fatal(err)
				}
				typ := f.footer.Types[x.Column]
				for g, filter := range filters {
					from, to := first+g*stride, min(first+(g+1)*stride, first+int(s.Rows))
					there := map[string]bool{}
					for i, row := range rows {
						v := row[x.Column-1]
						if v == nil {
							continue
						}
						h, ok := hashText(t, typ, v)
						if !ok {
							continue
						}
						if i >= from && i < to {
							there[fmt.Sprint(v)] = true
							columns[x.Column] = true
							tested++
							if !filter.MayContain(h) {
								t.Errorf("%s: column %s, row %d: %v is not in the filter", name, typ.Path(), i, v)
							}
						}
					}
					for _, row := range rows {
						v := row[x.Column-1]
						if v == nil || there[fmt.Sprint(v)] {
							continue
						}
						if h, ok := hashText(t, typ, v); ok {
							there[fmt.Sprint(v)] = true
							if others++; filter.MayContain(h) {
								wrong++
							}
						}
					}
				}
			}
			first += int(s.Rows)
		}
		if tested < 10000 || len(columns) < 13 || others < 2000 || wrong > others/4 {
			t.Errorf("%s: %d values in %d columns; of %d others %d seem to be there", name, tested, len(columns), others, wrong)
		}
	}
}

func BenchmarkHashBytes(b *testing.B) {
	v := []byte("a value of forty bytes, more or less ...")
	b.SetBytes(int64(len(v)))
	for b.Loop() {
		HashBytes(v)
	}
}
