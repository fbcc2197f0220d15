package kudu

// log checks what the replay of a log does not need.
func (v *verifier) log(*tablet) error { return nil }
