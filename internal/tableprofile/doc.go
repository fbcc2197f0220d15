// Package tableprofile measures the columns of record batches: nulls, different values, the least and the greatest, quantiles, frequent values,
// lengths. A Profiler takes batches of one schema and keeps for each column, nested ones too, a bounded amount of memory:
//
//	counter   the values of a column and how often each occurs, as long as they are few: everything below is then exact.
//	          Otherwise the number of different values is HyperLogLog's estimate, and frequent values are those that
//	          a table of counters, which are lowered together when it is full, still has (Misra and Gries)
//	digest    quantiles of a column whose values are too many, from a t-digest
//	measure   what else a kind of values has: extremes, sums, lengths, empty values, zeros
//
// Nulls, extremes, lengths, and numbers of zeros, empty and true values are always exact. What is estimated does not depend on the number
// of workers nor on the run.
package tableprofile
