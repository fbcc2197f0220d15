package flight

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/arrowio/arrowio/arrowio"
	"github.com/arrowio/arrowio/arrowio/dataset"
	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
	"github.com/arrowio/arrowio/internal/news"
	"github.com/arrowio/arrowio/readers"
)

// Catalog holds the datasets that a server serves, by name. All methods may be called concurrently.
type Catalog struct {
	o  CatalogOptions
	mu sync.Mutex
	by map[string]*served

	leftOut    []Fault                                        // see LeaveOut
	told       news.Teller                                    // by RefreshAll
	others     func(context.Context) (map[string]Spec, error) // see Discover
	refreshing sync.Mutex                                     // one RefreshAll at a time
	seeking    seeking
}

// CatalogOptions says how a Catalog opens datasets. The zero value is the default.
type CatalogOptions struct {
	Refresh time.Duration // how often Run looks for new and changed files; 0 = only when asked
	Timeout time.Duration // for opening a dataset; default 10 minutes
	Logger  *slog.Logger  // default slog.Default()
}

// Spec says which dataset a name of the catalog stands for.
type Spec struct {
	Paths []string        // as readers.OpenDataset takes them
	Read  readers.Options // how to open the files; options that their formats do not have are ignored
	// ClientOptions lists format options that clients may set, in addition to those that the function ClientOptions returns.
	ClientOptions []string
	// Open returns the dataset if it does not consist of files at Paths. options are those that the client has set; see
	// ClientOptions. The fragments of the dataset are opened again for each call.
	Open func(ctx context.Context, options map[string]string) (*dataset.Dataset, error)
}

// ClientOptions returns the format options that every client may set for its own call: see arrowio.Option.Remote.
func ClientOptions() []string {
	var out []string
	for _, f := range readers.All() {
		out = append(out, remoteOptions(f.Options)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func remoteOptions(options []arrowio.Option) (out []string) {
	for _, o := range options {
		if o.Remote {
			out = append(out, o.Name)
		}
	}
	return out
}

// NewCatalog returns a catalog without datasets.
func NewCatalog(o CatalogOptions) *Catalog {
	if o.Timeout <= 0 {
		o.Timeout = 10 * time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return &Catalog{o: o, by: map[string]*served{}, seeking: newSeeking()}
}

var validName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`) })

// ValidName reports whether a dataset can have this name: 1 to 128 ASCII letters, digits, dots, dashes and underscores, of which
// the first is neither a dot nor a dash.
func ValidName(name string) bool { return validName().MatchString(name) }

// Add opens a dataset and adds it under a name, which must be new.
func (c *Catalog) Add(ctx context.Context, name string, s Spec) error {
	return c.add(ctx, name, s, false)
}

// Offer is Add, but adds a dataset that cannot be opened, too, and logs why. Lookup returns the error until the dataset can be opened:
// it tries again from time to time, and Refresh does at once. Faults lists such datasets.
func (c *Catalog) Offer(ctx context.Context, name string, s Spec) error {
	return c.add(ctx, name, s, true)
}

func (c *Catalog) add(ctx context.Context, name string, s Spec, broken bool) error {
	if !ValidName(name) {
		return errs.Errorf(errs.ErrOption, "%q cannot be the name of a dataset: letters, digits, _ . - are allowed, at most 128", name)
	}
	d := &served{name: name, spec: s, roots: rootsOf(s.Paths), catalog: c, loaded: map[string]*Entry{}}
	_, err := d.entry(ctx, nil, false)
	if err != nil && (!broken || ctx.Err() != nil) {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by[name] != nil {
		return errs.Errorf(errs.ErrOption, "there is a dataset %q already", name)
	}
	if err != nil {
		c.o.Logger.ErrorContext(ctx, "a dataset cannot be opened", "dataset", name, "error", err.Error())
	}
	c.by[name] = d
	return nil
}

// Remove removes a dataset; streams of it continue. It reports whether the catalog had it.
func (c *Catalog) Remove(name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.by[name]
	delete(c.by, name)
	return ok
}

// Names returns the names of all datasets, sorted.
func (c *Catalog) Names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.by))
}

func (c *Catalog) dataset(name string) (*served, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d := c.by[name]; d != nil {
		return d, nil
	}
	return nil, rpcerr.Errorf(codes.NotFound, "there is no dataset %q", name)
}

// unqualified returns the dataset that a table's name in SQL means: as it is, without SQLCatalog and SQLSchema in front of it, or
// in another case where only one dataset fits. written is the name without them, which is also what a name means that fits none.
func (c *Catalog) unqualified(name string) (written, meant string) {
	short := strings.TrimPrefix(strings.TrimPrefix(name, SQLCatalog+"."), SQLSchema+".")
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range []string{name, short} {
		if c.by[n] != nil {
			return short, n
		}
	}
	fits, found := 0, short
	for n := range c.by {
		if strings.EqualFold(n, short) {
			fits, found = fits+1, n
		}
	}
	if fits == 1 {
		return short, found
	}
	return short, short
}

// Lookup returns the present state of a dataset, opened with these format options; nil = as it was added.
func (c *Catalog) Lookup(ctx context.Context, name string, options map[string]string) (*Entry, error) {
	d, err := c.sought(ctx, name)
	if err != nil {
		return nil, err
	}
	e, err := d.entry(ctx, options, false)
	return e, d.public(err)
}

// listed is Lookup for lists of several datasets: one that cannot be opened now does not hide the others, and is returned as
// it was, or as nil if it never could be opened. Who reads it learns why.
func (c *Catalog) listed(ctx context.Context, name string) (*Entry, error) {
	e, err := c.Lookup(ctx, name, nil)
	if err == nil || ctx.Err() != nil {
		return e, err
	}
	d, gone := c.dataset(name)
	if gone != nil {
		return nil, gone
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if e = d.loaded[""]; e == nil {
		return nil, nil // it never could be
	}
	c.o.Logger.WarnContext(ctx, "listed as it was", "dataset", name, "error", err.Error())
	return e, nil
}

// Refresh looks for new and changed files, and reports whether there are any. Entries that were returned earlier do not change.
func (c *Catalog) Refresh(ctx context.Context, name string) (e *Entry, changed bool, err error) {
	d, err := c.dataset(name)
	if err != nil {
		return nil, false, err
	}
	d.mu.Lock()
	old := d.loaded[""]
	d.mu.Unlock()
	e, err = d.entry(ctx, nil, true)
	return e, err == nil && (old == nil || !old.same(e)), d.public(err)
}

// Discover makes RefreshAll look for datasets, too, for example those that clients have put on another server over the same
// store. find returns all datasets; one that it found earlier and does not find any more is removed. Call Discover before the
// first RefreshAll. find is called, too, where a dataset is asked for that the catalog does not have: by one caller at a time, and at most a tenth of
// the time.
func (c *Catalog) Discover(find func(context.Context) (map[string]Spec, error)) { c.others = find }

// discoverNew adds what find has found; nil = it has failed, or there is none.
func (c *Catalog) discoverNew(ctx context.Context) map[string]Spec {
	if c.others == nil {
		return nil
	}
	found, err := c.others(ctx)
	if err != nil {
		c.o.Logger.WarnContext(ctx, "discover", "error", err.Error())
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if _, err := c.dataset(name); err == nil {
			continue
		}
		add := c.Add
		if found[name].Read.SkipBroken {
			add = c.Offer
		}
		if err := add(ctx, name, found[name]); err != nil {
			c.o.Logger.WarnContext(ctx, "discover", "dataset", name, "error", err.Error())
			continue
		}
		c.o.Logger.InfoContext(ctx, "discover", "dataset", name, "new", true)
	}
	return found
}

// discover adds what find has found, and takes out what is gone.
func (c *Catalog) discover(ctx context.Context) {
	found := c.discoverNew(ctx)
	if found == nil {
		return
	}
	for _, name := range c.Names() {
		d, err := c.dataset(name)
		if err != nil {
			continue
		}
		if s, ok := found[name]; ok && slices.Equal(s.Paths, d.spec.Paths) {
			d.found, d.missed = true, 0
			continue
		}
		if d.missed++; d.found && d.missed > 1 { // once is what a replacement may look like
			c.Remove(name)
			c.o.Logger.InfoContext(ctx, "discover", "dataset", name, "gone", true)
		}
	}
}

// Run calls RefreshAll again and again, as CatalogOptions.Refresh says, until ctx ends.
func (c *Catalog) Run(ctx context.Context) {
	if c.o.Refresh <= 0 {
		return
	}
	t := time.NewTicker(c.o.Refresh)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		c.RefreshAll(ctx)
	}
}

// RefreshAll looks for datasets, as Discover says, and refreshes every one. What has changed is logged, and so are errors, once while
// they stay the same: a dataset that cannot be refreshed stays as it was.
func (c *Catalog) RefreshAll(ctx context.Context) {
	c.refreshing.Lock()
	defer c.refreshing.Unlock()
	told := c.told.Begin()
	defer told.End()
	c.discover(ctx)
	for _, name := range c.Names() {
		_, changed, err := c.Refresh(ctx, name)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && told.New(name+": "+err.Error()):
			c.o.Logger.WarnContext(ctx, "refresh", "dataset", name, "error", err.Error())
		case changed:
			c.o.Logger.InfoContext(ctx, "refresh", "dataset", name, "changed", true)
		}
	}
}

// maxVariants is how many sets of client options a dataset is kept open for.
const maxVariants = 16

// served is a dataset's name and what it stands for.
type served struct {
	name    string
	spec    Spec
	roots   []string // see rootsOf
	catalog *Catalog
	found   bool // by Catalog.others; Run's, as is
	missed  int  // how many times since it was found last

	mu      sync.Mutex
	loaded  map[string]*Entry // by options, "" = none
	stale   int               // how often somebody has seen a file that is not what it was,
	fresh   int               // and of those, how many before the latest load that succeeded began
	loading map[string]*loading

	doubts news.Teller // of loads

	failed   error // why it could not be opened, if it never could
	failedAt time.Time
}

// retryBroken is how long the error of a dataset that never could be opened is taken for what it is.
const retryBroken = 5 * time.Second

// loading is a load that several wait for.
type loading struct {
	done  chan struct{}
	entry *Entry
	err   error
	next  *loading // for those who came after it had begun and want to see what is there now
	stale int      // served.stale when it began
	again bool     // it is to see what is there now
}

// entry returns the dataset for these options, and loads it where it is not loaded, or is to be again. Several callers
// share one load, which goes on when they do not wait any more.
func (d *served) entry(ctx context.Context, options map[string]string, again bool) (*Entry, error) {
	options, err := d.clientOptions(options)
	if err != nil {
		return nil, err
	}
	key := optionsKey(options)
	d.mu.Lock()
	again = again || d.stale > d.fresh
	if e := d.loaded[key]; e != nil && !e.old && !again {
		d.mu.Unlock()
		return e, nil
	}
	if d.failed != nil && !again && time.Since(d.failedAt) < retryBroken {
		d.mu.Unlock()
		return nil, d.failed
	}
	l := d.loading[key]
	switch {
	case l == nil:
		l = &loading{done: make(chan struct{}), again: again}
		d.begin(ctx, key, options, l)
	case again:
		if l.next == nil {
			l.next = &loading{done: make(chan struct{}), again: true}
		}
		l = l.next
	}
	d.mu.Unlock()
	select {
	case <-l.done:
		return l.entry, l.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin starts a load. d.mu is held.
func (d *served) begin(ctx context.Context, key string, options map[string]string, l *loading) {
	if d.loading == nil {
		d.loading = map[string]*loading{}
	}
	d.loading[key], l.stale = l, d.stale
	go d.load(context.WithoutCancel(ctx), key, options, l)
}

// load keeps what there was where it fails.
func (d *served) load(ctx context.Context, key string, options map[string]string, l *loading) {
	ctx, cancel := context.WithTimeout(ctx, d.catalog.o.Timeout)
	defer cancel()
	l.entry, l.err = loadEntry(ctx, d, options)
	if l.err != nil && errors.Is(l.err, context.DeadlineExceeded) {
		l.err = rpcerr.Errorf(codes.Unavailable, "%s: it could not be opened in %s", d.name, d.catalog.o.Timeout)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.loading, key)
	if l.next != nil {
		d.begin(ctx, key, options, l.next)
	}
	if l.err != nil && d.loaded[""] == nil {
		d.failed, d.failedAt = l.err, time.Now()
	}
	if l.err == nil {
		d.failed = nil
		if len(d.loaded) >= maxVariants && d.loaded[key] == nil {
			d.forget()
		}
		for _, e := range d.loaded { // of other options, and older than what was found
			e.old = e.old || l.again && e.Loaded.Before(l.entry.Loaded)
		}
		if key == "" {
			d.warn(ctx, d.loaded[key], l.entry)
		}
		d.loaded[key] = l.entry
		d.fresh = max(d.fresh, l.stale)
	}
	close(l.done)
}

// forget drops the variant that was loaded first, not the dataset as it was added.
func (d *served) forget() {
	oldest := ""
	for k, e := range d.loaded {
		if k != "" && (oldest == "" || e.Loaded.Before(d.loaded[oldest].Loaded)) {
			oldest = k
		}
	}
	delete(d.loaded, oldest)
}

// markStale makes the next Lookup load the dataset again.
func (d *served) markStale() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stale++
}

// lookAgain returns the dataset for somebody who knows of files that it does not have: those that another server has
// found, or nobody. However often that is asked, it takes a tenth of the time at most.
func (d *served) lookAgain(ctx context.Context, e *Entry) (*Entry, error) {
	if time.Since(e.Loaded) < max(10*e.took, 20*time.Millisecond) {
		return e, nil
	}
	e, err := d.entry(ctx, e.Options, true)
	return e, d.public(err)
}

// clientOptions checks what a client asks for, and leaves out what the dataset's format does not have.
func (d *served) clientOptions(options map[string]string) (map[string]string, error) {
	if len(options) == 0 {
		return nil, nil
	}
	allowed := append(ClientOptions(), d.spec.ClientOptions...)
	out := map[string]string{}
	for k, v := range options {
		if !slices.Contains(allowed, k) {
			return nil, errs.Errorf(errs.ErrOption, "%q is not an option that may be set here: %s", k, strings.Join(allowed, ", "))
		}
		out[k] = v
	}
	return out, nil
}

func optionsKey(options map[string]string) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(options)) {
		b.WriteString(k + "\x00" + options[k] + "\x00")
	}
	return b.String()
}
