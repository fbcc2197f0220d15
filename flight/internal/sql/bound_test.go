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
	v.bind(key("a", "1"), []string{"5"}, false)
	v.bind(key("b", "1"), []string{"6"}, false)
	of := func(key string) string {
		params, _ := v.params(key)
		return strings.Join(params, "|")
	}
	if of(key("a", "1")) != "5" || of(key("b", "1")) != "6" || of(key("c", "1")) != "" {
		t.Error("clients see the values of others")
	}
	for i := range 2 * maxBound {
		v.bind(key("a", fmt.Sprint(i)), []string{"1"}, false)
	}
	if v.order.Len() != maxBound || len(v.by) != maxBound {
		t.Errorf("%d are kept", v.order.Len())
	}
	for i := range 100 {
		v.bind(key("a", fmt.Sprint(i)), []string{strings.Repeat("x", MaxTextBytes)}, false)
	}
	if v.bytes > boundBytes {
		t.Errorf("%d bytes are kept", v.bytes)
	}
	for e := v.order.Front(); e != nil; e = e.Next() {
		e.Value.(*boundSet).at = e.Value.(*boundSet).at.Add(-2 * boundFor)
	}
	if of(key("a", "99")) != "" {
		t.Error("they are kept too long")
	}
	v.bind(key("a", "z"), nil, false)
	if v.order.Len() != 1 {
		t.Errorf("%d are kept too long", v.order.Len())
	}
}
