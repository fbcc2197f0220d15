package sql

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// named is a server whose clients have the names that their contexts say.
type named struct{ Server }

type nameKey struct{}

func (named) Client(ctx context.Context) string { return ctx.Value(nameKey{}).(string) }

func TestBoundValues(t *testing.T) {
	d := New(named{})
	v := &d.bound
	key := func(client, id string) string {
		return d.boundKey(context.WithValue(t.Context(), nameKey{}, client), id)
	}
	v.bind(key("a", "1"), []string{"5"})
	v.bind(key("b", "1"), []string{"6"})
	if v.params(key("a", "1"))[0] != "5" || v.params(key("b", "1"))[0] != "6" || v.params(key("c", "1")) != nil {
		t.Error("clients see the values of others")
	}
	for i := range 2 * maxBound {
		v.bind(key("a", fmt.Sprint(i)), []string{"1"})
	}
	if v.order.Len() != maxBound || len(v.by) != maxBound {
		t.Errorf("%d are kept", v.order.Len())
	}
	for i := range 100 {
		v.bind(key("a", fmt.Sprint(i)), []string{strings.Repeat("x", MaxTextBytes)})
	}
	if v.bytes > boundBytes {
		t.Errorf("%d bytes are kept", v.bytes)
	}
	for e := v.order.Front(); e != nil; e = e.Next() {
		e.Value.(*boundSet).at = e.Value.(*boundSet).at.Add(-2 * boundFor)
	}
	if v.params(key("a", "99")) != nil {
		t.Error("they are kept too long")
	}
	v.bind(key("a", "z"), nil)
	if v.order.Len() != 1 {
		t.Errorf("%d are kept too long", v.order.Len())
	}
}
