package unzstd

// Kernels calls f with each of the loops for this machine in use.
var Kernels = func(f func(name string)) { f("portable") }

// Errors where klauspost's decoder has none.
var Strict = []error{errZeroOffset, errOffsetLog}
