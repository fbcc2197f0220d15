package flight

import "testing"

func TestPublicNames(t *testing.T) {
	for _, c := range []struct {
		root, file, want string
	}{
		{"/data/in", "/data/in/a/b.orc", "d/a/b.orc"},
		{"/data/in/", "/data/in/a/b.orc", "d/a/b.orc"},
		{"./in", "in/a.orc", "d/a.orc"},
		{".", "a/b.orc", "d/a/b.orc"},
		{"*.orc", "a.orc", "d/a.orc"},
		{"k=*/x.orc", "k=1/x.orc", "d/k=1/x.orc"},
		{"/data/in/k=*/x.orc", "/data/in/k=1/x.orc", "d/k=1/x.orc"},
		{"/data/in/b.orc", "/data/in/b.orc", "d/b.orc"},
		{"file:///data/in", "/data/in/a.orc", "d/a.orc"},
		{"/*/x", "/a/x", "d/a/x"},
		{"s3://lake/in/", "s3://lake/in/k=1/a.orc", "d/k=1/a.orc"},
		{"s3://lake/in/k=*", "s3://lake/in/k=1/a.orc", "d/k=1/a.orc"},
		{"s3://lake", "s3://lake/k=1/a.orc", "d/k=1/a.orc"},
		{"hdfs:///in", "hdfs:///in/a.orc", "d/a.orc"},
		{"s3://lake/a.orc", "s3://lake/a.orc", "d/a.orc"},
		{"/table", "/table", "d/table"},
	} {
		d := &served{name: "d", spec: Spec{Paths: []string{c.root}}, roots: rootsOf([]string{c.root})}
		if got := d.publicName(c.file, 0); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.file, c.root, got, c.want)
		}
	}
	d := &served{name: "d", spec: Spec{Paths: []string{"/in", "/in/sub"}}, roots: rootsOf([]string{"/in", "/in/sub"})}
	if got := d.publicName("/in/sub/a", 0); got != "d/a" {
		t.Error(got)
	}
}

func TestPublicText(t *testing.T) {
	for _, c := range []struct {
		root, text, want string
	}{
		{"data/in", "data/in/x: open data/in/x: gone; data/in is not old/data/in/x", "d/x: open d/x: gone; d is not old/data/in/x"},
		{"/data/in", "/data/in/x: open /data/in/x: gone; /data/in is not /data/inn or /old/data/in/x", "d/x: open d/x: gone; d is not d/inn or d/x"},
		{"/srv/k/wal", "it is in /srv/k/data/data/c.data, not in /srv/k/data or /mnt/d 1/c", "it is in d/data/data/c.data, not in d/data or d/d 1/c"},
		{"/srv/k/wal", "open /mnt/d1/data/c: gone (/mnt/d1/x.y, /mnt/d2/z); a/b, 5/6, C:/Data/c, D:\\x\\y.z", "open d/c: gone (d/x.y, d/z); a/b, 5/6, d/c, d/y.z"},
		{"/srv/k/wal", `column c: "/home/x" is no number; time zone Europe/Berlin; https://a.b/c/d`, `column c: "/home/x" is no number; time zone Europe/Berlin; https://a.b/c/d`},
		{"/data/in/k=*/x", "/data/in/k=1/x: gone", "d/k=1/x: gone"},
		{"a", "a file that is a mess", "a file that is a mess"},
		{".", "x: 1.5 is no a.b", "x: 1.5 is no a.b"},
		{"/", "/x: gone", "/x: gone"},
		{"s3://lake/in", `s3://lake/in/x: Get "https://minio:9000/lake/in/x?a=b": refused`, `d/x: Get "(its store)": refused`},
		{"hdfs://nn:8020/in", "hdfs://nn:8020/in: not found", "d: not found"},
	} {
		d := &served{name: "d", spec: Spec{Paths: []string{c.root}}, roots: rootsOf([]string{c.root})}
		if got := d.publicText(c.text); got != c.want {
			t.Errorf("%s: %s, want %s", c.root, got, c.want)
		}
	}
}
