// Package expr is the language of predicates. Programs build a predicate as an Expr; people write it as text, which Parse reads.
// A bound predicate can be evaluated in two ways: Test says, from statistics, what it can be over a range of rows, and Mask what
// it is for each row of a record.
//
//	e, err := expr.Parse(`price >= 9.99 AND address.city IN ('Bern', 'Basel')`)
//	b, err := expr.Bind(e, schema)       // paths resolved, literals made exact for the column's type
//	b.Test(evidence).CanBeTrue()         // false: no row of the range can pass
//	mask, err := b.Mask(rec)             // true, false or null for each row
//	for start, end := range expr.Runs(mask) { … }
//
// # Text
//
//	expr    = and { OR and }
//	and     = not { AND not }
//	not     = NOT not | "(" expr ")" | TRUE | FALSE | test
//	test    = path                                            a boolean column
//	        | path op (value | path) | value op path          op is = == != <> < <= > >=
//	        | path [NOT] IN "(" [value {"," value}] ")"
//	        | path [NOT] BETWEEN (value | path) AND (value | path)
//	        | path [NOT] (LIKE | ILIKE) 'pattern' [ESCAPE 'c']   % is any text, _ one character
//	        | path IS [NOT] (NULL | NAN)
//	        | contains "(" path "," value ")"                 a list has an element that equals the value
//	path    = name {"[" value "]"} { "." name {"[" value "]"} }
//	                                                          name is a word, "any text" or `any text`
//	value   = 5 | -2.50 | 1e5 | TRUE | FALSE | NULL | 'text' | X'00ff'
//	        | DATE '2020-01-31' | TIMESTAMP '2020-01-31 10:00:00.123456789+02:00' | TIME '10:00:00.5'
//	        | DURATION '1h30m0.5s' | DOUBLE 'NaN'
//
// Keywords are read in any case. A quote inside quotes is doubled. A 'text' compared with a column of another type is
// read as a value of that type: `day = '2020-01-31'`. NOT binds tighter than AND, AND tighter than OR.
//
// # Meaning
//
// Logic is Kleene's: a comparison with null is null, and a filter keeps the rows that are true. Literals are never
// rounded to the column's type. Where the column cannot hold the literal, the comparison is rewritten: for an integer
// column a < 2.5 is a <= 2, and a = 2.5 is false (null where a is null).
//
//   - Floats compare as IEEE says: NaN is unequal to everything, itself included; -0 equals 0. A number with a point or
//     an exponent stands for the nearest value of the column's type: 0.1 is the float32 nearest to 0.1 in a float32
//     column. One that would become zero or infinite, and one given as DOUBLE, are compared as they are. Integers are
//     compared exactly.
//   - Two columns of one kind compare exactly, whatever their widths, scales and units; a decimal compared with a float is
//     rounded to the nearest value of its type.
//   - Positions in lists are counted from 0. What is not there (an element, a key) is null.
//   - Case, in ILIKE and where names are looked for without regard to it, is Unicode's simple folding.
//   - Text and bytes compare byte by byte, which for UTF-8 is the order of code points. LIKE's _ is one code point in
//     text and one byte in binary columns.
//   - A timestamp column with a zone holds instants; a literal without a zone is in UTC. A timestamp column without a
//     zone holds wall-clock times; a literal with a zone cannot be compared with it. A DATE is its midnight.
//   - false is less than true. Dictionary, run-end encoded and extension columns compare as their values do.
package expr
