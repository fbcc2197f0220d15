"""What a notebook shows of a dataset."""

import pyarrow as pa

import arrowio


def test_html(small, tmp_path):
    shown = arrowio.open(small)._repr_html_()
    assert small.name in shown and "<td>x</td><td>int64</td>" in shown and "<td>10</td>" in shown
    odd = tmp_path / "t.arrow"
    arrowio.write(pa.table({"<b>&": [1]}), odd)
    shown = arrowio.open(odd, where="`<b>&` > 0")._repr_html_()
    assert "<td>&lt;b&gt;&amp;</td>" in shown and "`&lt;b&gt;&amp;` &gt; 0" in shown and "known after reading" in shown
    wide = tmp_path / "wide.arrow"
    arrowio.write(pa.table({f"c{i}": [1] for i in range(120)}), wide)
    assert "and 20 more columns" in arrowio.open([wide, wide])._repr_html_()
