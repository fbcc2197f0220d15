package arrowio

// As returns f as a T if f is one, and otherwise the first File that f wraps and that is one. As[Verifier](f), for example, finds
// out whether a file can check itself, also if f shows that file under another schema. A File that wraps another has a method
// Unwrap() File; As does not look into a wrapper without that method.
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
