package hivetable

import (
	"slices"
	"strings"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/internal/metastore"
)

// stored are the classes with which Hive stores tables whose files are written.
var stored = []struct{ format, input, output, serde string }{
	{
		"orc", "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat", "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat",
		"org.apache.hadoop.hive.ql.io.orc.OrcSerde",
	},
	{
		"parquet", "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat", "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
		"org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe",
	},
}

// formatOf returns the name of the format of files that are stored so.
func formatOf(s *metastore.Storage) (string, error) {
	for _, x := range stored {
		if s.InputFormat == x.input && s.OutputFormat == x.output && s.SerDe == x.serde {
			return x.format, nil
		}
	}
	short := func(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }
	return "", errs.Errorf(errs.ErrUnsupported, "the table is stored as %.100s, %.100s with the SerDe %.100s, which is not written; ORC and Parquet are", short(s.InputFormat), short(s.OutputFormat), short(s.SerDe))
}

// writable refuses tables to which no files can be added.
func writable(t *metastore.Table) error {
	refuse := func(format string, args ...any) error { return errs.Errorf(errs.ErrUnsupported, format, args...) }
	is := func(parameter, value string) bool { return strings.EqualFold(t.Parameters[parameter], value) }
	switch t.Kind {
	case "MANAGED_TABLE", "EXTERNAL_TABLE":
	case "VIRTUAL_VIEW", "MATERIALIZED_VIEW":
		return refuse("this is a view (%s), which has no files: name the table that it is about", t.Kind)
	default:
		return refuse("this is a %.40q, and only tables are written", t.Kind)
	}
	switch {
	case is("table_type", "iceberg"):
		return refuse("this is a table of Iceberg, whose metadata say which files count: name it iceberg://CATALOG/NAMESPACE.TABLE")
	case t.Parameters["storage_handler"] != "":
		return refuse("the rows of this table are not in files, but in another system, which the storage handler %.200q writes", t.Parameters["storage_handler"])
	case is("spark.sql.sources.provider", "delta"), is("spark.sql.sources.provider", "hudi"):
		return refuse("this is a table of %s, whose own metadata say which files count", t.Parameters["spark.sql.sources.provider"])
	case is("transactional", "true"):
		return refuse("this is a table with transactions (ACID), whose files belong to write ids that Hive gives out: write to an external table, and let Hive copy it, INSERT INTO … SELECT")
	case is("immutable", "true"):
		return refuse("the table is immutable: rows are not added to it")
	case t.Storage.Buckets > 0 || len(t.Storage.BucketColumns) > 0 || t.Parameters["spark.sql.sources.schema.numBuckets"] != "":
		return refuse("the table is bucketed (CLUSTERED BY), and readers expect each row in the file of its hash: write to a table without buckets, and let Hive copy it")
	case t.Storage.Directories:
		return refuse("the table is skewed, with directories for some values (STORED AS DIRECTORIES): such tables are not written")
	}
	for _, c := range t.Storage.Columns {
		typ := strings.ToLower(c.Type)
		switch {
		case strings.Contains(typ, "timestamp with local time zone"):
			return errs.Locate(refuse("columns of the type timestamp with local time zone are not written"), errs.At{Column: c.Name})
		case strings.Contains(typ, "timestamp") && strings.Contains(strings.ToLower(t.Storage.SerDe), "parquet"):
			return errs.Locate(refuse("timestamps in Parquet are not written: Hive before version 4 reads them as INT96 alone; store the table as ORC"), errs.At{Column: c.Name})
		}
	}
	return nil
}

// keyTypes are the types of partition columns whose values are written as Hive writes them. Not among them are float and double, whose
// texts Java's versions write in different ways, and char, whose blanks at the end do not count.
var keyTypes = []string{"string", "varchar", "tinyint", "smallint", "int", "bigint", "date", "boolean", "decimal", "timestamp"}

func checkKeys(keys []metastore.Column) error {
	for _, k := range keys {
		name, _, _ := strings.Cut(strings.ToLower(k.Type), "(")
		if !slices.Contains(keyTypes, strings.TrimSpace(name)) {
			return errs.Locate(errs.Errorf(errs.ErrUnsupported, "a partition column of type %.100s is not written, only those of %s", k.Type, strings.Join(keyTypes, ", ")), errs.At{Column: k.Name})
		}
	}
	return nil
}

// sameStorage returns an error for a partition whose files differ from those of the table.
func sameStorage(t *metastore.Table, p *metastore.Partition) error {
	a, b := &t.Storage, &p.Storage
	if a.InputFormat != b.InputFormat || a.OutputFormat != b.OutputFormat || a.SerDe != b.SerDe {
		return errs.Errorf(errs.ErrUnsupported, "the partition is stored in another way than the table, with the SerDe %.200q: rows are not added to it", b.SerDe)
	}
	if b.Buckets > 0 || len(b.BucketColumns) > 0 || b.Directories {
		return errs.Errorf(errs.ErrUnsupported, "the partition is bucketed or skewed: rows are not added to it")
	}
	if !slices.EqualFunc(a.Columns, b.Columns, func(x, y metastore.Column) bool {
		return strings.EqualFold(x.Name, y.Name) && strings.EqualFold(x.Type, y.Type)
	}) {
		return errs.Errorf(errs.ErrUnsupported, "the partition has other columns in the metastore than the table, and Hive would read its rows with those: change them first, ALTER TABLE … PARTITION (…) REPLACE COLUMNS")
	}
	return nil
}
