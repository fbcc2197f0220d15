package flight

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/arrowio/arrowio/arrowio/errs"
	"github.com/arrowio/arrowio/flight/internal/rpcerr"
)

// SQLSessionCookie is the cookie by which a client tells its session.
const SQLSessionCookie = "arrow_flight_session_id"

// SQLSessionEngine is a SQLEngine with sessions, in which temporary tables, settings and the like stay from one statement to the next.
type SQLSessionEngine interface {
	SQLEngine
	// OfSession reports whether a statement is one that only a session can do.
	OfSession(text string) bool
	// Settable reports whether there is a setting of that name that a client may change in its session.
	Settable(name string) bool
	// NewSession begins a session. It opens datasets by tables alone, with the context of each call.
	NewSession(tables SQLTables) (SQLSession, error)
}

// SQLSession is a session of one client. Its methods are not called at the same time, nor while rows of Run are open, but Close may be.
type SQLSession interface {
	// Describe and Run are those of SQLEngine.
	Describe(ctx context.Context, text string, params arrow.Record) (result, parameters *arrow.Schema, err error)
	Run(ctx context.Context, text string, params arrow.Record) (SQLRows, error)
	// Changes reports whether a statement changes the session. Change does it, once or for each row of params, and returns how many rows of
	// its tables have changed.
	Changes(ctx context.Context, text string) (bool, error)
	Change(ctx context.Context, text string, params arrow.Record) (int64, error)
	// Begun reports whether the client has begun a transaction that has not ended.
	Begun() bool
	// Temporary lists the temporary tables and views, sorted by name. It may be called at any time.
	Temporary() []SQLTemporary
	// Ingest puts rows into a temporary table, all or none, and returns how many there were.
	Ingest(ctx context.Context, in SQLIngestion) (int64, error)
	// Set changes a setting. Settings returns all that are settable.
	Set(name, value string) error
	Settings() (map[string]string, error)
	Close()
}

// offered begins the cookie of a session that is not there yet: a client that sends it back keeps cookies. The first statement that
// needs a session makes it, under the name behind this.
const offered = "new-"

// sqlSessions are those of a server.
type sqlSessions struct {
	mu    sync.Mutex
	byID  map[string]*sqlSession
	ended bool
}

// sqlSession is one of them. Who has its turn uses it.
type sqlSession struct {
	SQLSession
	id     string // of the cookie
	client Client
	key    string // of whose account it is
	turn   chan struct{}
	wait   time.Duration
	idle   *time.Timer
	closed bool // by who had the turn

	// transaction is the id of the one that has begun; "" = it has none, nil = none has begun.
	transaction atomic.Pointer[string]
}

// sessionTicket is what tickets have of a session's id: it gives no cookie away.
func sessionTicket(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:8])
}

// errSessionGone is for a client whose session is not there.
var errSessionGone = rpcerr.Errorf(codes.FailedPrecondition,
	"SQL: the session has ended, or is one of another server, and with it its temporary tables, settings and prepared statements: the next statement is outside of it")

// sessionWait is how long a statement waits for another of its session.
const sessionWait = 10 * time.Second

var (
	errNoSession = rpcerr.Errorf(codes.InvalidArgument,
		"SQL: the statement needs a session, and this client sends no cookie %s: have it keep cookies (ADBC: adbc.flight.sql.rpc.with_cookie_middleware=true; JDBC: retainCookies=true), and try again", SQLSessionCookie)
	errForeignSession = rpcerr.Errorf(codes.PermissionDenied, "SQL: the session is one of another client")
)

// sessions returns the engine if it has sessions; nil = it has none.
func (s *Server) sessionEngine() SQLSessionEngine {
	e, _ := s.o.SQL.Engine.(SQLSessionEngine)
	if s.o.SQL.Sessions < 0 {
		return nil
	}
	return e
}

// cookie returns the cookie of a call; "" = it has none.
func sessionCookie(ctx context.Context) string {
	md, _ := metadata.FromIncomingContext(ctx)
	for _, c := range (&http.Request{Header: http.Header{"Cookie": md.Get("cookie")}}).Cookies() {
		if c.Name == SQLSessionCookie {
			return c.Value
		}
	}
	return ""
}

// setSessionCookie has the client keep a cookie; "" = no more.
func setSessionCookie(ctx context.Context, value string) {
	text := SQLSessionCookie + "=" + value
	if value == "" {
		text += "; Max-Age=0"
	}
	// Fails only where the answer has begun.
	_ = grpc.SetHeader(ctx, metadata.Pairs("set-cookie", text))
}

func validSessionID(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}

// session returns the session of a call; nil = it has none. offer has a client without a cookie given one, to see whether it keeps it.
func (s *Server) session(ctx context.Context, offer bool) (*sqlSession, error) {
	call := CallFrom(ctx)
	if s.sessionEngine() == nil || call == nil {
		return nil, nil
	}
	if x := call.session.Load(); x != nil {
		return x, nil
	}
	cookie := sessionCookie(ctx)
	id, isOffer := strings.CutPrefix(cookie, offered)
	switch {
	case cookie == "" && offer && !call.offered:
		call.offered = true
		setSessionCookie(ctx, offered+randomID()+randomID())
		return nil, nil
	case cookie == "":
		return nil, nil
	case !validSessionID(id):
		setSessionCookie(ctx, "")
		return nil, errSessionGone
	}
	x := s.sessions.find(id)
	switch {
	case x == nil && isOffer:
		return nil, nil
	case x == nil:
		setSessionCookie(ctx, "")
		return nil, errSessionGone
	case !x.of(call):
		return nil, errForeignSession
	}
	if isOffer { // as another call at the same time has made it
		setSessionCookie(ctx, id)
	}
	call.session.Store(x)
	return x, nil
}

// of reports whether a call is by the client of the session, with the roles that it had.
func (x *sqlSession) of(c *Call) bool {
	return x.client.Name == c.Client.Name && slices.Equal(x.client.Roles, c.Client.Roles)
}

// needSession is session, and makes one where there is none. A client that has sent no cookie gets none, unless anyway.
func (s *Server) needSession(ctx context.Context, anyway bool) (*sqlSession, error) {
	x, err := s.session(ctx, !anyway)
	if err != nil || x != nil {
		return x, err
	}
	call := CallFrom(ctx)
	engine := s.sessionEngine()
	if engine == nil || call == nil {
		return nil, rpcerr.Errorf(codes.Unimplemented, "SQL: this server has no sessions")
	}
	id, ok := strings.CutPrefix(sessionCookie(ctx), offered)
	if !ok {
		if !anyway {
			return nil, errNoSession
		}
		id = randomID() + randomID()
	}
	x = &sqlSession{id: id, client: call.Client, key: clientKey(call), turn: make(chan struct{}, 1), wait: sessionWait}
	x.turn <- struct{}{} // until it is made
	if other, err := s.sessions.add(x, s.o.SQL.Sessions, s.o.SQL.ClientSessions); err != nil {
		return nil, err
	} else if other != nil {
		if !other.of(call) {
			return nil, errForeignSession
		}
		x = other
	} else {
		if x.SQLSession, err = engine.NewSession(sqlTables{sqlServer{&service{Server: s}}}); err != nil {
			s.sessions.remove(x)
			x.closed = true
			<-x.turn
			return nil, err
		}
		x.idle = time.AfterFunc(s.o.SQL.SessionIdle, func() { s.endIdle(x) })
		<-x.turn
	}
	setSessionCookie(ctx, x.id)
	call.session.Store(x)
	return x, nil
}

// take waits for the turn of a session. done gives it back.
func (s *Server) take(ctx context.Context, x *sqlSession) (done func(), err error) {
	wait := time.NewTimer(x.wait)
	defer wait.Stop()
	select {
	case x.turn <- struct{}{}:
	case <-wait.C:
		return nil, rpcerr.Errorf(codes.Aborted, "SQL: the rows of another statement of this session are not read to their end, after %s: read or cancel them, or use another session", x.wait)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if x.closed {
		<-x.turn
		return nil, errSessionGone
	}
	x.idle.Stop()
	return func() {
		if !x.closed {
			x.idle.Reset(s.o.SQL.SessionIdle)
		}
		<-x.turn
	}, nil
}

// end ends a session whose turn the caller has.
func (s *Server) end(x *sqlSession) {
	s.sessions.remove(x)
	x.closed = true
	x.idle.Stop()
	x.Close()
}

// endIdle ends a session that no statement has used for a while.
func (s *Server) endIdle(x *sqlSession) {
	select {
	case x.turn <- struct{}{}:
		if !x.closed {
			s.end(x)
		}
		<-x.turn
	default: // it is used; whoever does so sets the timer anew
	}
}

// endSessions ends all, once no call is under way.
func (s *Server) endSessions() {
	for _, x := range s.sessions.all() {
		x.turn <- struct{}{}
		if !x.closed {
			s.end(x)
		}
		<-x.turn
	}
}

func (ss *sqlSessions) find(id string) *sqlSession {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return ss.byID[id]
}

// findTicket returns the session that a ticket is of.
func (ss *sqlSessions) findTicket(ticket string) *sqlSession {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for id, x := range ss.byID {
		if sessionTicket(id) == ticket {
			return x
		}
	}
	return nil
}

// add counts a session in. other has its id already.
func (ss *sqlSessions) add(x *sqlSession, most, mostOfClient int) (other *sqlSession, err error) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if other := ss.byID[x.id]; other != nil {
		return other, nil
	}
	own := 0
	for _, y := range ss.byID {
		if y.key == x.key {
			own++
		}
	}
	switch {
	case ss.ended:
		return nil, errDraining
	case own >= mostOfClient:
		return nil, errs.Errorf(errs.ErrLimit, "SQL: this client has %d sessions, which is the most: close one", own)
	case len(ss.byID) >= most:
		return nil, errs.Errorf(errs.ErrLimit, "SQL: there are %d sessions, which is the most: try again later", most)
	}
	if ss.byID == nil {
		ss.byID = map[string]*sqlSession{}
	}
	ss.byID[x.id] = x
	return nil, nil
}

func (ss *sqlSessions) remove(x *sqlSession) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	delete(ss.byID, x.id)
}

// all returns all sessions, and has no more begin.
func (ss *sqlSessions) all() (out []*sqlSession) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.ended = true
	for _, x := range ss.byID {
		out = append(out, x)
	}
	return out
}

// Session tells which session a call is of, as tickets do; "" = none. It offers one to clients that have none.
func (q sqlServer) Session(ctx context.Context) (string, error) {
	x, err := q.session(ctx, true)
	if err != nil || x == nil {
		return "", err
	}
	return sessionTicket(x.id), nil
}

// within returns what answers the statements of a call: its session, which is the caller's until done, or the engine.
func (q sqlServer) within(ctx context.Context) (_ sqlAnswerer, done func(), err error) {
	x, err := q.session(ctx, false)
	if err != nil {
		return nil, nil, err
	}
	if x == nil {
		return engineAnswerer{q}, func() {}, nil
	}
	done, err = q.take(ctx, x)
	return x, done, err
}

// redeemed is within for a ticket, which says what session it is of.
func (q sqlServer) redeemed(ctx context.Context, ticket string) (_ sqlAnswerer, done func(), err error) {
	if ticket == "" {
		return engineAnswerer{q}, func() {}, nil
	}
	x := q.sessions.findTicket(ticket)
	switch call := CallFrom(ctx); {
	case x == nil:
		return nil, nil, errSessionGone
	case call == nil || !x.of(call):
		return nil, nil, errForeignSession
	}
	done, err = q.take(ctx, x)
	return x, done, err
}

// sqlAnswerer describes and runs statements: a session, or the engine.
type sqlAnswerer interface {
	Describe(ctx context.Context, text string, params arrow.Record) (result, parameters *arrow.Schema, err error)
	Run(ctx context.Context, text string, params arrow.Record) (SQLRows, error)
}

// engineAnswerer is the engine, outside of any session.
type engineAnswerer struct{ q sqlServer }

func (a engineAnswerer) Describe(ctx context.Context, text string, params arrow.Record) (result, parameters *arrow.Schema, err error) {
	return a.q.o.SQL.Engine.Describe(ctx, text, params, sqlTables{a.q})
}

func (a engineAnswerer) Run(ctx context.Context, text string, params arrow.Record) (SQLRows, error) {
	return a.q.o.SQL.Engine.Run(ctx, text, params, sqlTables{a.q})
}

// changes reports whether a statement changes the call's session, or would, if it had one.
func (q sqlServer) changes(ctx context.Context, text string) (bool, error) {
	engine := q.sessionEngine()
	if engine == nil {
		return false, nil
	}
	x, err := q.session(ctx, true)
	if err != nil {
		return false, err
	}
	if x == nil {
		return engine.OfSession(text), nil
	}
	done, err := q.take(ctx, x)
	if err != nil {
		return false, err
	}
	defer done()
	yes, err := x.Changes(ctx, text)
	return yes, q.sqlError(ctx, err)
}

// change does a statement that changes the session.
func (q sqlServer) change(ctx context.Context, text string, params arrow.Record) (int64, error) {
	x, err := q.needSession(ctx, false)
	if err != nil {
		return 0, err
	}
	end, err := q.take(ctx, x)
	if err != nil {
		return 0, err
	}
	defer end()
	return q.changeIn(ctx, x, text, params)
}
