package bitpack

// TimeRule says how Times makes times of the two numbers that ORC stores of each. The kernel knows the order of its fields.
type TimeRule struct {
	Epoch       int64 // seconds from 1970 to where stored ones begin
	Kept        int64 // nanoseconds, above which a time before 1970 is a second earlier than stored
	Least, Most int64 // seconds since 1970 that are taken
	PerSecond   int64 // how many of the unit make a second, 1e9 at most
	// A number n of nanoseconds, below 2^30, is n*Recip>>Shift of the unit; Recip is below 2^32.
	Recip uint64
	Shift uint64
	Zeros [8]uint32 // what nanoseconds are multiplied by, by the lowest three bits of what is stored
}
