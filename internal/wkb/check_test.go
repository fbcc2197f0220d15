package wkb

import "testing"

// Statistics that are right of some writer are; others are not.
func TestCheck(t *testing.T) {
	square := binaryOf(false, little, 3, 2, 5, 0., 0., 4., 0., 4., 4., 0., 4., 0., 0., 4, 9., 1., 8., 1., 8., 2., 9., 1.) // its hole lies outside
	values := [][]byte{point(1, 2), square, binaryOf(false, little, 1002, 2, 1., 2., nan, 3., 4., 5.), point(nan, nan)}
	java := Told{Box: &Box{X: Axis{0, 4}, Y: Axis{0, 4}, Z: &Axis{5, 5}}, Types: []int32{1, 2, 3}}
	everything := Told{Box: &Box{X: Axis{0, 9}, Y: Axis{0, 4}, Z: &Axis{5, 5}}, Types: []int32{1, 3, 1002}}
	for _, c := range []struct {
		name string
		told Told
		flat Flat
		want string
	}{
		{"Java's", java, Exact, ""},
		{"of all points", everything, Exact, ""},
		{"no box", Told{Types: []int32{1, 2, 3}}, Exact, ""},
		{"no types", Told{Box: java.Box}, Exact, ""},
		{"not a number", Told{Box: &Box{X: Axis{nan, nan}, Y: Axis{0, 4}}}, Exact, ""},
		{"too small", Told{Box: &Box{X: Axis{1, 4}, Y: Axis{0, 4}}}, Exact, "minimum of x 1, it is 0"},
		{"too large", Told{Box: &Box{X: Axis{0, 4}, Y: Axis{0, 5}}}, Exact, "maximum of y 5, it is 4"},
		{"another z", Told{Box: &Box{X: Axis{0, 4}, Y: Axis{0, 4}, Z: &Axis{5, 6}}}, Exact, "maximum of z 6, it is 5"},
		{"m of none", Told{Box: &Box{X: Axis{0, 4}, Y: Axis{0, 4}, M: &Axis{5, 6}}}, Exact, "minimum of m 5, it is +Inf"},
		{"over the edge of the map", Told{Box: &Box{X: Axis{170, -170}, Y: Axis{0, 4}}}, Plane, ""},
		{"over the edge of no map", Told{Box: &Box{X: Axis{170, -170}, Y: Axis{0, 4}}}, Exact, "minimum of x 170, it is 0"},
		{"on a sphere", Told{Box: &Box{X: Axis{7, 8}, Y: Axis{7, 8}}, Types: []int32{1, 2, 3}}, Sphere, ""},
		{"a kind too few", Told{Types: []int32{1, 2}}, Exact, "types [1 2], they are [1 2 3 1002]"},
		{"a kind too many", Told{Types: []int32{1, 2, 3, 7}}, Sphere, "types [1 2 3 7], they are [1 2 3 1002]"},
		{"no kind", Told{Types: []int32{1, 2, 3, 5000}}, Exact, "types [1 2 3 5000], they are [1 2 3 1002]"},
	} {
		var whole Check
		for _, b := range values {
			var part Check
			part.Add(b)
			whole.Merge(&part)
		}
		if got := whole.Compare(&c.told, c.flat); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		whole.Add([]byte("POINT (1 2)"))
		if got := whole.Compare(&c.told, c.flat); got != "" {
			t.Errorf("%s: %q beside a value that is not well-known binary", c.name, got)
		}
	}
	var none Check
	if got := none.Compare(&java, Exact); got != "" {
		t.Errorf("of no values: %q", got)
	}
	var open Check // JTS takes m for z where it closes a ring
	open.Add(binaryOf(false, little, 2002, 1, 1., 2., 3.))
	if got := open.Compare(&Told{Box: &Box{X: Axis{1, 1}, Y: Axis{2, 2}, Z: &Axis{3, 3}}, Types: []int32{1002}}, Exact); got != "" {
		t.Error(got)
	}
}
