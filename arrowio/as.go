package arrowio

// As returns f, or the first File that it wraps, as a T: As[Verifier](f) tells whether a file can check itself, whatever it
// is shown as. Files that wrap another have a method Unwrap() File; one that is not to be looked through has none.
func As[T any](f File) (t T, ok bool) {
	for f != nil {
		if t, ok = f.(T); ok {
			return t, true
		}
		w, wraps := f.(interface{ Unwrap() File })
		if !wraps {
			break
		}
		f = w.Unwrap()
	}
	return t, false
}
