package workers

// Each calls f with 0 to n-1, in up to so many goroutines, the caller's among them, and returns the first error. It waits
// for tasks that have begun, and begins no others after an error. A panic is an error, as Guard makes it.
func Each(workers, n int, f func(i int) error) error {
	p := Pool[struct{}]{Workers: workers}
	return p.Each(n, func(i int, _ *struct{}) error { return f(i) })
}

// Go calls f in another goroutine. wait waits for f and returns its error, any number of times. A panic is an error, as
// Guard makes it.
func Go(f func() error) (wait func() error) {
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = Guard(f)
	}()
	return func() error {
		<-done
		return err
	}
}
