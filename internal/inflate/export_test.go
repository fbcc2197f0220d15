package inflate

// Kernels calls f with each of the loops for this machine in use; the assembly also where it does not pay.
var Kernels = func(f func(name string)) { f("portable") }
