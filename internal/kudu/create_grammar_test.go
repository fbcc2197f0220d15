package kudu

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/arrowio/arrowio/arrowio"
)

// impalaToken are the words of a CREATE TABLE: quoted names and texts, numbers, words, and signs.
var impalaToken = regexp.MustCompile("^(?:`[^`]+`|'(?:\\\\.|[^'\\\\])*'|-?[0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|[A-Za-z_]+|<=|[<(),;.=])")

// impalaGrammar reads a CREATE TABLE as Impala's reference describes it for Kudu: the columns of the key first, each column with its
// attributes in any order, then the key, the partitions, and the properties.
type impalaGrammar struct {
	tokens []string
	err    error
}

func parseImpala(sql string) error {
	g := &impalaGrammar{}
	for line := range strings.Lines(sql) {
		if rest := strings.TrimSpace(line); !strings.HasPrefix(rest, "--") {
			for ; rest != ""; rest = strings.TrimSpace(rest) {
				token := impalaToken.FindString(rest)
				if token == "" {
					return fmt.Errorf("no word at %q", rest)
				}
				g.tokens, rest = append(g.tokens, token), rest[len(token):]
			}
		}
	}
	g.table()
	return g.err
}

// take takes one of the words given; "name", "text" and "number" stand for any of these.
func (g *impalaGrammar) take(words ...string) bool {
	if len(g.tokens) == 0 || g.err != nil {
		return false
	}
	kind := map[byte]string{'`': "name", '\'': "text"}[g.tokens[0][0]]
	if strings.Trim(g.tokens[0], "-.0123456789eE+") == "" {
		kind = "number"
	}
	ok := slices.Contains(words, g.tokens[0]) || kind != "" && slices.Contains(words, kind)
	if ok {
		g.tokens = g.tokens[1:]
	}
	return ok
}

func (g *impalaGrammar) must(words ...string) {
	for _, w := range words {
		if !g.take(w) && g.err == nil {
			g.err = fmt.Errorf("no %s before %q", w, strings.Join(g.tokens, " "))
		}
	}
}

func (g *impalaGrammar) names() {
	g.must("(", "name")
	for g.take(",") {
		g.must("name")
	}
	g.must(")")
}

func (g *impalaGrammar) value() {
	if g.take("CAST") {
		g.must("(", "text", "AS")
		if !g.take("TIMESTAMP", "DATE") {
			g.must("TIMESTAMP")
		}
		g.must(")")
	} else if g.take("DATE") {
		g.must("text")
	} else if !g.take("text", "number", "TRUE", "FALSE") {
		g.must("a value")
	}
}

func (g *impalaGrammar) table() {
	g.must("CREATE", "TABLE", "name")
	if g.take(".") {
		g.must("name")
	}
	g.must("(")
	for !g.take("PRIMARY") && g.err == nil {
		g.must("name")
		g.column()
		g.must(",")
	}
	g.must("KEY")
	g.names()
	g.must(")")
	if g.take("PARTITION") {
		g.must("BY")
		g.partitions()
	}
	g.must("STORED", "AS", "KUDU")
	if g.take("TBLPROPERTIES") {
		g.must("(", "text", "=", "text", ")")
	}
	g.must(";")
	if len(g.tokens) > 0 && g.err == nil {
		g.err = fmt.Errorf("%q behind the end", g.tokens)
	}
}

func (g *impalaGrammar) column() {
	switch {
	case g.take("DECIMAL"):
		g.must("(", "number", ",", "number", ")")
	case g.take("VARCHAR"):
		g.must("(", "number", ")")
	case !g.take("TINYINT", "SMALLINT", "INT", "BIGINT", "STRING", "BOOLEAN", "FLOAT", "DOUBLE", "BINARY", "TIMESTAMP", "DATE"):
		g.must("a type")
	}
	for g.err == nil {
		switch {
		case g.take("NOT"):
			g.must("NULL")
		case g.take("NULL"):
		case g.take("ENCODING"):
			if !g.take("AUTO_ENCODING", "PLAIN_ENCODING", "PREFIX_ENCODING", "GROUP_VARINT", "RLE", "DICT_ENCODING", "BIT_SHUFFLE") {
				g.must("an encoding")
			}
		case g.take("COMPRESSION"):
			if !g.take("DEFAULT_COMPRESSION", "NO_COMPRESSION", "SNAPPY", "LZ4", "ZLIB") {
				g.must("a compression")
			}
		case g.take("DEFAULT"):
			g.value()
		case g.take("BLOCK_SIZE"):
			g.must("number")
		case g.take("COMMENT"):
			g.must("text")
		default:
			return
		}
	}
}

func (g *impalaGrammar) partitions() {
	for g.err == nil {
		if g.take("RANGE") {
			g.names()
			g.must("(")
			for more := true; more && g.err == nil; more = g.take(",") {
				g.must("PARTITION")
				if !g.take("VALUES") {
					g.value()
					g.must("<=", "VALUES")
				}
				if g.take("<") {
					g.value()
				}
			}
			g.must(")")
			return
		}
		g.must("HASH")
		g.names()
		g.must("PARTITIONS", "number")
		if !g.take(",") {
			return
		}
	}
}

// What is written for Impala has the form that Impala's reference says. No Impala has read it.
func TestImpalaGrammar(t *testing.T) {
	for _, manager := range []string{"file", "log"} {
		s := readOnlyServer(t, manager)
		for _, x := range realTables(t, manager) {
			d, err := Define(t.Context(), s.root, arrowio.Limits{}, Options{Table: x.Table})
			if err != nil && x.Table == "tombstoned" {
				continue
			}
			if err == nil {
				err = parseImpala(d.Impala)
			}
			if err != nil {
				t.Errorf("%s: %v", x.Table, err)
			}
		}
	}
	const head = "CREATE TABLE `a`.`b` (\n  `k` INT,\n  `v` STRING NOT NULL DEFAULT 'it\\'s' COMMENT 'x',\n  PRIMARY KEY (`k`)\n)\n"
	for sql, good := range map[string]bool{
		head + "PARTITION BY HASH (`k`) PARTITIONS 4, RANGE (`k`) (\n  PARTITION VALUES < -3,\n  PARTITION -3 <= VALUES < 10,\n  PARTITION 10 <= VALUES\n)\nSTORED AS KUDU;\n": true,
		head + "STORED AS KUDU\nTBLPROPERTIES ('kudu.num_tablet_replicas' = '3');\n":                                                                                           true,
		head + "PARTITION BY HASH (`k`) PARTITIONS\nSTORED AS KUDU;\n":                                                                                                         false,
		head + "PARTITION BY RANGE (`k`) (PARTITION 1 < VALUES)\nSTORED AS KUDU;\n":                                                                                            false,
		strings.Replace(head, "INT,", "INT32,", 1) + "STORED AS KUDU;\n":                                                                                                       false,
		strings.Replace(head, "`k`", "k", 1) + "STORED AS KUDU;\n":                                                                                                             false,
		strings.Replace(head, "`v`", "`v``w`", 1) + "STORED AS KUDU;\n":                                                                                                        false,
	} {
		if err := parseImpala(sql); (err == nil) != good {
			t.Errorf("%s: %v", sql, err)
		}
	}
}
