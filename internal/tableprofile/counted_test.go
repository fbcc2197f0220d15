package tableprofile

import "testing"

// NaN and what is empty are counted exactly, also where frequent values are estimates.
func TestCountedFrequentValues(t *testing.T) {
	n := int64(70)
	c := Column{NaN: &n, Top: []Frequent{{"5", 60, 80}, {"NaN", 2, 90}}}
	c.setCounted()
	if c.Top[0] != (Frequent{"NaN", 70, 70}) || c.Top[1] != (Frequent{"5", 60, 80}) {
		t.Errorf("%+v", c.Top)
	}
	c = Column{Empty: &n, Top: []Frequent{{"", 2, 90}, {"NaN", 1, 2}}}
	c.setCounted()
	if c.Top[0] != (Frequent{"", 70, 70}) || c.Top[1] != (Frequent{"NaN", 1, 2}) {
		t.Errorf("%+v", c.Top)
	}
}
