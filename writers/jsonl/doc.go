// Package jsonl writes JSON Lines: each row is an object, each column a member, also where it is null. Package arrowjson makes
// the text of values. The plan lists for each column what is lost when the text is read again.
package jsonl
