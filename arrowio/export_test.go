package arrowio

// What the tests of writers share with those of the engine.
var (
	Ints    = ints
	VField  = vField
	ErrDisk = errDisk
)
