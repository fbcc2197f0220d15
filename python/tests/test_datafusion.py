"""DataFusion: queries of a dataset, whose columns and conditions reach the files."""

import datafusion
import pyarrow.dataset as pads
import pytest
from test_engines import asked  # noqa: F401, a fixture

import arrowio


@pytest.mark.parametrize("of", [lambda d: d, lambda d: d.to_pyarrow_dataset()], ids=["dataset", "pyarrow"])
def test_register_dataset(small, asked, of):  # noqa: F811
    ctx = datafusion.SessionContext()
    ctx.register_dataset("t", of(arrowio.open(small)))
    assert ctx.sql("select name from t where x > 7").to_pydict() == {"name": ["n8", "n9"]}
    columns, where = asked[-1]
    assert where == '("x" > 7)'
    assert ctx.sql("select count(*) as n, sum(x) as s from t where x % 2 = 1").to_pydict() == {"n": [5], "s": [25]}
    assert ctx.sql("select a.name from t a join t b using (x) where b.name = 'n3'").to_pydict() == {"name": ["n3"]}
    assert ctx.sql("select x from t limit 2").count() == 2


def test_from_arrow(small):
    assert datafusion.SessionContext().from_arrow(arrowio.open(small)).count() == 10


def test_fragments(small):
    """One, with all rows."""
    ds = arrowio.open(small)
    (f,) = ds.get_fragments(pads.field("x") > 3)
    assert f.physical_schema == ds.schema and f.count_rows() == 10
    assert f.to_table(ds.schema, columns=["x"], filter=pads.field("x") < 2).to_pydict() == {"x": [0, 1]}
    assert f.head(1).num_rows == 1 and sum(b.num_rows for b in f.to_batches()) == 10
    with pytest.raises(NotImplementedError):
        f.to_table(ds.schema.remove(0))
