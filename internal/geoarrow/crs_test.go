package geoarrow

import "testing"

func TestSameCRS(t *testing.T) {
	const utm = `{"type": "ProjectedCRS", "name": "ETRS89 / UTM zone 32N", "id": {"authority": "EPSG", "code": 25832}}`
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"", "OGC:CRS84", true},
		{"EPSG:25832", "epsg:25832", true},
		{"EPSG:25832", utm, true},
		{`{"name":"UTM 32N","id":{"authority":"EPSG","code":"25832"}}`, utm, true},
		{`{"name":"x","n":1.50}`, ` {"n": 1.50, "name": "x"}`, true},
		{"EPSG:25832", "EPSG:25833", false},
		{"EPSG:4326", "OGC:CRS84", false},
		{"EPSG:3857", "srid:3857", false},
		{"projjson:a", "projjson:A", false},
		{`{"name":"x"}`, `{"name":"y"}`, false},
		{`{"name":"x"} {}`, `{"name":"x"} []`, false},
		{`{"id":{"authority":"EPSG","code":null},"n":1}`, `{"id":{"authority":"EPSG","code":null},"n":2}`, false},
		{`{"n":9007199254740993}`, `{"n":9007199254740992}`, false},
		{"some place", "Some place", false},
	} {
		if SameCRS(c.a, c.b) != c.same || SameCRS(c.b, c.a) != c.same {
			t.Errorf("%s and %s are the same: %t", c.a, c.b, !c.same)
		}
	}
}

func TestShortCRS(t *testing.T) {
	for crs, want := range map[string]string{
		"":          "OGC:CRS84",
		"EPSG:4326": "EPSG:4326",
		`{"name":"there","id":{"authority":"EPSG","code":4326}}`: "EPSG:4326",
		`{"name":"there"}`: `"there"`,
		"a\nplace":         `"a\nplace"`,
		"0123456789012345678901234567890123456789012345678901234567890": `"012345678901234567890123456789012345678901234567890123456789…"`,
	} {
		if got := ShortCRS(crs); got != want {
			t.Errorf("%s: %s", crs, got)
		}
	}
}
