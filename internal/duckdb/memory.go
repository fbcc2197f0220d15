package duckdb

// LeastMemory is the least Options.Memory with which a database of any number of threads opens and answers small queries. DuckDB fails
// in its own statements below about 32 KiB.
const LeastMemory = 1 << 20
