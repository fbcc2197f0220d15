// Package sqltext reads the SQL that a server of datasets answers: one SELECT of columns of one table, with a condition,
// a limit and parameters. What is more than that is refused by its name, with what to use instead.
//
//	select = SELECT ( "*" | item {"," item} ) FROM table [[AS] name] [WHERE condition] [LIMIT n] [OFFSET n] [";"]
//	       | SELECT integer                                     what clients ask to see whether anybody answers
//	item   = column [[AS] name] | COUNT "(" "*" ")" [[AS] name]
//	table  = [[catalog "."] schema "."] name
//	column = [table "."] name {"." name}
//
// Names are words, "any text" or `any text`. A column whose name is a word is found without regard to case where none has
// the name as it is written; of a name in quotes the case counts. The condition is one of package arrowio/expr, in which ? stands for a parameter, and a comparison with NULL is null.
package sqltext
