package sql

import (
	"maps"
	"runtime/debug"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/flight/flightsql"
	pb "github.com/apache/arrow/go/v15/arrow/flight/gen/flight"
)

// keywords are the words of the SELECT that is answered, beyond those of every SQL.
var keywords = []string{"DURATION", "LIMIT", "OFFSET"}

// infos is what GetSqlInfo tells. JDBC drivers ask for each value by itself and fail without it, so all are here: a bound
// that is 0 is none, or not known.
var infos = map[flightsql.SqlInfo]any{
	flightsql.SqlInfoFlightSqlServerName:         "arrowio",
	flightsql.SqlInfoFlightSqlServerVersion:      moduleVersion(),
	flightsql.SqlInfoFlightSqlServerArrowVersion: arrow.PkgVersion,
	flightsql.SqlInfoFlightSqlServerSql:          true,
	flightsql.SqlInfoFlightSqlServerSubstrait:    false,
	flightsql.SqlInfoFlightSqlServerTransaction:  int32(pb.SqlSupportedTransaction_SQL_SUPPORTED_TRANSACTION_NONE),
	flightsql.SqlInfoFlightSqlServerCancel:       true,

	flightsql.SqlInfoDDLCatalog:                        false,
	flightsql.SqlInfoDDLSchema:                         false,
	flightsql.SqlInfoDDLTable:                          false,
	flightsql.SqlInfoIdentifierCase:                    int64(flightsql.SqlCaseSensitivityUnknown), // there is no word for: they are what they are
	flightsql.SqlInfoIdentifierQuoteChar:               `"`,
	flightsql.SqlInfoQuotedIdentifierCase:              int64(flightsql.SqlCaseSensitivityUnknown),
	flightsql.SqlInfoAllTablesAreASelectable:           true,
	flightsql.SqlInfoNullOrdering:                      int64(flightsql.SqlNullOrderingSortAtEnd), // nothing is sorted
	flightsql.SqlInfoKeywords:                          keywords,
	flightsql.SqlInfoNumericFunctions:                  []string{},
	flightsql.SqlInfoStringFunctions:                   []string{},
	flightsql.SqlInfoSystemFunctions:                   []string{},
	flightsql.SqlInfoDateTimeFunctions:                 []string{},
	flightsql.SqlInfoSearchStringEscape:                `\`,
	flightsql.SqlInfoExtraNameChars:                    "$",
	flightsql.SqlInfoSupportsColumnAliasing:            true,
	flightsql.SqlInfoNullPlusNullIsNull:                true,
	flightsql.SqlInfoSupportsConvert:                   map[int32][]int32{},
	flightsql.SqlInfoSupportsTableCorrelationNames:     true,
	flightsql.SqlInfoSupportsExpressionsInOrderBy:      false,
	flightsql.SqlInfoSupportsOrderByUnrelated:          false,
	flightsql.SqlInfoSupportedGroupBy:                  int32(0),
	flightsql.SqlInfoSupportsLikeEscapeClause:          true,
	flightsql.SqlInfoSupportsNonNullableColumns:        true,
	flightsql.SqlInfoSupportedGrammar:                  int32(0),
	flightsql.SqlInfoOuterJoinsSupportLevel:            int32(0),
	flightsql.SqlInfoSchemaTerm:                        "schema",
	flightsql.SqlInfoProcedureTerm:                     "procedure",
	flightsql.SqlInfoCatalogTerm:                       "catalog",
	flightsql.SqlInfoCatalogAtStart:                    true,
	flightsql.SqlInfoSchemasSupportedActions:           int32(0),
	flightsql.SqlInfoCatalogsSupportedActions:          int32(0),
	flightsql.SqlInfoSelectForUpdateSupported:          false,
	flightsql.SqlInfoStoredProceduresSupported:         false,
	flightsql.SqlInfoSupportedSubqueries:               int32(0),
	flightsql.SqlInfoCorrelatedSubqueriesSupported:     false,
	flightsql.SqlInfoSupportedUnions:                   int32(0),
	flightsql.SqlInfoMaxStatementLen:                   int64(MaxTextBytes),
	flightsql.SqlInfoMaxTableNameLen:                   int64(128), // see ValidName
	flightsql.SqlInfoMaxTablesInSelect:                 int64(1),
	flightsql.SqlInfoTransactionsSupported:             false,
	flightsql.SqlInfoBatchUpdatesSupported:             false,
	flightsql.SqlInfoSavePointsSupported:               false,
	flightsql.SqlInfoNamedParametersSupported:          false,
	flightsql.SqlInfoLocatorsUpdateCopy:                false,
	flightsql.SqlInfoFlightSqlServerStatementTimeout:   int32(0),
	flightsql.SqlInfoFlightSqlServerTransactionTimeout: int32(0),

	flightsql.SqlInfoSupportsDifferentTableCorrelationNames:              false,
	flightsql.SqlInfoANSI92SupportedLevel:                                int32(0),
	flightsql.SqlInfoSupportsIntegrityEnhancementFacility:                false,
	flightsql.SqlInfoSupportedPositionedCommands:                         int32(0),
	flightsql.SqlInfoMaxBinaryLiteralLen:                                 int64(0),
	flightsql.SqlInfoMaxCharLiteralLen:                                   int64(0),
	flightsql.SqlInfoMaxColumnNameLen:                                    int64(0),
	flightsql.SqlInfoMaxColumnsInGroupBy:                                 int64(0),
	flightsql.SqlInfoMaxColumnsInIndex:                                   int64(0),
	flightsql.SqlInfoMaxColumnsInOrderBy:                                 int64(0),
	flightsql.SqlInfoMaxColumnsInSelect:                                  int64(0),
	flightsql.SqlInfoMaxColumnsInTable:                                   int64(0),
	flightsql.SqlInfoMaxConnections:                                      int64(0),
	flightsql.SqlInfoMaxCursorNameLen:                                    int64(0),
	flightsql.SqlInfoMaxIndexLen:                                         int64(0),
	flightsql.SqlInfoDBSchemaNameLen:                                     int64(0),
	flightsql.SqlInfoMaxProcedureNameLen:                                 int64(0),
	flightsql.SqlInfoMaxCatalogNameLen:                                   int64(0),
	flightsql.SqlInfoMaxRowSize:                                          int64(0),
	flightsql.SqlInfoMaxRowSizeIncludesBlobs:                             true,
	flightsql.SqlInfoMaxStatements:                                       int64(0),
	flightsql.SqlInfoMaxUsernameLen:                                      int64(0),
	flightsql.SqlInfoDefaultTransactionIsolation:                         int64(pb.SqlTransactionIsolationLevel_SQL_TRANSACTION_NONE),
	flightsql.SqlInfoSupportedTransactionsIsolationlevels:                int32(1 << pb.SqlTransactionIsolationLevel_SQL_TRANSACTION_NONE),
	flightsql.SqlInfoDataDefinitionCausesTransactionCommit:               false,
	flightsql.SqlInfoDataDefinitionsInTransactionsIgnored:                false,
	flightsql.SqlInfoSupportedResultSetTypes:                             int32(1 << pb.SqlSupportedResultSetType_SQL_RESULT_SET_TYPE_FORWARD_ONLY),
	flightsql.SqlInfoSupportedConcurrenciesForResultSetUnspecified:       int32(0),
	flightsql.SqlInfoSupportedConcurrenciesForResultSetForwardOnly:       int32(1 << pb.SqlSupportedResultSetConcurrency_SQL_RESULT_SET_CONCURRENCY_READ_ONLY),
	flightsql.SqlInfoSupportedConcurrenciesForResultSetScrollSensitive:   int32(0),
	flightsql.SqlInfoSupportedConcurrenciesForResultSetScrollInsensitive: int32(0),
	flightsql.SqlInfoStoredFunctionsUsingCallSyntaxSupported:             false,
}

func moduleVersion() string {
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		return b.Main.Version
	}
	return "(devel)"
}

// Codes of SqlInfo that are newer than those of Arrow 15.
const (
	infoBulkIngestion         = 10
	infoIngestionTransactions = 11
)

// infosOf returns infos of a server to which rows can be put, or not, for a client that can have a session, with transactions and temporary
// tables, or not. What JDBC asks for, SqlInfoTransactionsSupported, stays false: its driver's commit and rollback send nothing.
func infosOf(writable, session bool) map[flightsql.SqlInfo]any {
	out := maps.Clone(infos)
	out[flightsql.SqlInfoFlightSqlServerReadOnly] = !writable
	out[infoBulkIngestion], out[infoIngestionTransactions] = writable || session, false
	if session {
		out[flightsql.SqlInfoFlightSqlServerTransaction] = int32(pb.SqlSupportedTransaction_SQL_SUPPORTED_TRANSACTION_TRANSACTION)
	}
	return out
}

// appendInfo appends what is asked for of infos, or everything, in order. Unknown codes are left out.
func appendInfo(b *array.RecordBuilder, infos map[flightsql.SqlInfo]any, want []uint32) {
	if len(want) == 0 {
		for _, k := range slices.Sorted(maps.Keys(infos)) {
			want = append(want, uint32(k))
		}
	}
	seen := map[uint32]bool{}
	for _, k := range want {
		if v, ok := infos[flightsql.SqlInfo(k)]; ok && !seen[k] {
			seen[k] = true
			b.Field(0).(*array.Uint32Builder).Append(k)
			appendValue(b.Field(1).(*array.DenseUnionBuilder), v)
		}
	}
}

func appendValue(u *array.DenseUnionBuilder, v any) {
	switch v := v.(type) {
	case string:
		u.Append(0)
		u.Child(0).(*array.StringBuilder).Append(v)
	case bool:
		u.Append(1)
		u.Child(1).(*array.BooleanBuilder).Append(v)
	case int64:
		u.Append(2)
		u.Child(2).(*array.Int64Builder).Append(v)
	case int32:
		u.Append(3)
		u.Child(3).(*array.Int32Builder).Append(v)
	case []string:
		u.Append(4)
		l := u.Child(4).(*array.ListBuilder)
		l.Append(true)
		l.ValueBuilder().(*array.StringBuilder).AppendValues(v, nil)
	case map[int32][]int32: // empty: there is no CONVERT
		u.Append(5)
		u.Child(5).(*array.MapBuilder).Append(true)
	}
}

// xdbcType is a row of GetXdbcTypeInfo.
type xdbcType struct {
	name           string
	code           pb.XdbcDataType
	size           int32 // 0 = not told
	prefix, suffix string
	unsigned       int8 // -1 = it is no number
	maxScale       int32
	radix          int32                  // 0 = it is no number
	kind           pb.XdbcDataType        // of SQL, where it differs
	subcode        pb.XdbcDatetimeSubcode // of a time
}

// xdbcTypes are the types of columns, by their literals in SQL. Lists, structs and other nested types have none.
var xdbcTypes = []xdbcType{
	{name: "BOOLEAN", code: pb.XdbcDataType_XDBC_BIT, size: 1, unsigned: -1},
	{name: "TINYINT", code: pb.XdbcDataType_XDBC_TINYINT, size: 3, radix: 10},
	{name: "UTINYINT", code: pb.XdbcDataType_XDBC_TINYINT, size: 3, radix: 10, unsigned: 1},
	{name: "BIGINT", code: pb.XdbcDataType_XDBC_BIGINT, size: 19, radix: 10},
	{name: "UBIGINT", code: pb.XdbcDataType_XDBC_BIGINT, size: 20, radix: 10, unsigned: 1},
	{name: "VARBINARY", code: pb.XdbcDataType_XDBC_VARBINARY, size: 1<<31 - 1, prefix: "X'", suffix: "'", unsigned: -1},
	{name: "DECIMAL", code: pb.XdbcDataType_XDBC_DECIMAL, size: 76, radix: 10, maxScale: 76},
	{name: "INTEGER", code: pb.XdbcDataType_XDBC_INTEGER, size: 10, radix: 10},
	{name: "UINTEGER", code: pb.XdbcDataType_XDBC_INTEGER, size: 10, radix: 10, unsigned: 1},
	{name: "SMALLINT", code: pb.XdbcDataType_XDBC_SMALLINT, size: 5, radix: 10},
	{name: "USMALLINT", code: pb.XdbcDataType_XDBC_SMALLINT, size: 5, radix: 10, unsigned: 1},
	{name: "REAL", code: pb.XdbcDataType_XDBC_REAL, size: 24, radix: 2},
	{name: "DOUBLE", code: pb.XdbcDataType_XDBC_DOUBLE, size: 53, radix: 2},
	{name: "VARCHAR", code: pb.XdbcDataType_XDBC_VARCHAR, size: 1<<31 - 1, prefix: "'", suffix: "'", unsigned: -1},
	{name: "DATE", code: pb.XdbcDataType_XDBC_DATE, size: 10, prefix: "DATE '", suffix: "'", unsigned: -1, kind: pb.XdbcDataType_XDBC_DATETIME, subcode: pb.XdbcDatetimeSubcode_XDBC_SUBCODE_DATE},
	{name: "TIME", code: pb.XdbcDataType_XDBC_TIME, size: 18, prefix: "TIME '", suffix: "'", unsigned: -1, maxScale: 9, kind: pb.XdbcDataType_XDBC_DATETIME, subcode: pb.XdbcDatetimeSubcode_XDBC_SUBCODE_TIME},
	{name: "TIMESTAMP", code: pb.XdbcDataType_XDBC_TIMESTAMP, size: 29, prefix: "TIMESTAMP '", suffix: "'", unsigned: -1, maxScale: 9, kind: pb.XdbcDataType_XDBC_DATETIME, subcode: pb.XdbcDatetimeSubcode_XDBC_SUBCODE_TIMESTAMP},
}

// appendXdbcTypes lists the types, or those of one code, in the order of their codes.
func appendXdbcTypes(b *array.RecordBuilder, code *int32) {
	text := func(i int, s string) {
		if s == "" {
			b.Field(i).AppendNull()
		} else {
			b.Field(i).(*array.StringBuilder).Append(s)
		}
	}
	number := func(i int, n int32) {
		if n == 0 {
			b.Field(i).AppendNull()
		} else {
			b.Field(i).(*array.Int32Builder).Append(n)
		}
	}
	flag := func(i int, yes, known bool) {
		if !known {
			b.Field(i).AppendNull()
		} else {
			b.Field(i).(*array.BooleanBuilder).Append(yes)
		}
	}
	for _, t := range xdbcTypes {
		if code != nil && *code != int32(t.code) {
			continue
		}
		exact := t.radix == 10
		text(0, t.name)
		b.Field(1).(*array.Int32Builder).Append(int32(t.code))
		number(2, t.size)
		text(3, t.prefix)
		text(4, t.suffix)
		b.Field(5).AppendNull() // nothing is created
		b.Field(6).(*array.Int32Builder).Append(int32(pb.Nullable_NULLABILITY_NULLABLE))
		flag(7, t.name == "VARCHAR", true)
		b.Field(8).(*array.Int32Builder).Append(int32(searchable(t)))
		flag(9, t.unsigned > 0, t.unsigned >= 0)
		flag(10, false, true)
		flag(11, false, true)
		text(12, t.name)
		if exact || t.maxScale > 0 {
			b.Field(13).(*array.Int32Builder).Append(0)
			b.Field(14).(*array.Int32Builder).Append(t.maxScale)
		} else {
			b.Field(13).AppendNull()
			b.Field(14).AppendNull()
		}
		kind := t.kind
		if kind == 0 {
			kind = t.code
		}
		b.Field(15).(*array.Int32Builder).Append(int32(kind))
		number(16, int32(t.subcode))
		number(17, t.radix)
		b.Field(18).AppendNull()
	}
}

// searchable says in which conditions a type may stand: LIKE is of text and bytes.
func searchable(t xdbcType) pb.Searchable {
	if t.prefix == "'" || t.prefix == "X'" {
		return pb.Searchable_SEARCHABLE_FULL
	}
	return pb.Searchable_SEARCHABLE_BASIC
}
