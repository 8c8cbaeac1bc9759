// Reports on tests that run as ordinary functions, in the place of `testing.T`.
//
// Placeholders: PACKAGE, Reporter, StopTest, plainName, firstText, CallTests and CALLS.

package PACKAGE

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

type Reporter struct {
	testing.TB
	lock    sync.Mutex
	name    string
	state   string
	message string
	logged  string
	inner   map[string]int
	ending  []func()
	emit    func(name, state, message string)
}

type StopTest struct{}

func (t *Reporter) note(state, message string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.state == "" || t.state == "skipped" {
		t.state = state
	}
	if t.message != "" {
		return
	}
	for _, line := range strings.Split(message, "\n") {
		if !strings.Contains(line, ".go:") && len(t.message) < 300 {
			t.message += strings.TrimSpace(line) + " "
		}
	}
	t.message = strings.TrimSpace(t.message)
}
func (t *Reporter) Helper()                         {}
func (t *Reporter) Parallel()                       {}
func (t *Reporter) Name() string                    { return t.name }
func (t *Reporter) Log(a ...interface{})            { t.logged = fmt.Sprintln(a...) }
func (t *Reporter) Logf(f string, a ...interface{}) { t.logged = fmt.Sprintf(f, a...) }
func (t *Reporter) Attr(key, value string)          {}
func (t *Reporter) Output() io.Writer               { return io.Discard }
func (t *Reporter) Fail()                           { t.note("failed", firstText(t.logged, "no words")) }
func (t *Reporter) FailNow()                        { t.Fail(); panic(StopTest{}) }
func (t *Reporter) Error(a ...interface{}) {
	t.note("failed", firstText(fmt.Sprintln(a...), "no words"))
}
func (t *Reporter) Errorf(f string, a ...interface{}) {
	t.note("failed", firstText(fmt.Sprintf(f, a...), "no words"))
}
func (t *Reporter) Fatal(a ...interface{})            { t.Error(a...); panic(StopTest{}) }
func (t *Reporter) Fatalf(f string, a ...interface{}) { t.Errorf(f, a...); panic(StopTest{}) }
func (t *Reporter) Failed() bool                      { return t.state != "" && t.state != "skipped" }
func (t *Reporter) Skipped() bool                     { return t.state == "skipped" }
func (t *Reporter) SkipNow()                          { t.note("skipped", ""); panic(StopTest{}) }
func (t *Reporter) Skip(a ...interface{})             { t.SkipNow() }
func (t *Reporter) Skipf(f string, a ...interface{})  { t.SkipNow() }
func (t *Reporter) Cleanup(f func())                  { t.ending = append(t.ending, f) }
func (t *Reporter) Deadline() (time.Time, bool)       { return time.Time{}, false }

func (t *Reporter) Setenv(key, value string) {
	old, wasSet := os.LookupEnv(key)
	os.Setenv(key, value)
	t.Cleanup(func() {
		if wasSet {
			os.Setenv(key, old)
		} else {
			os.Unsetenv(key)
		}
	})
}

func (t *Reporter) Chdir(folder string) {
	old, _ := os.Getwd()
	if err := os.Chdir(folder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chdir(old) })
}

func (t *Reporter) TempDir() string {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

func (t *Reporter) Context() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return ctx
}

func (t *Reporter) Run(name string, f func(*Reporter)) bool {
	name = t.name + "/" + plainName(name)
	if t.inner == nil {
		t.inner = map[string]int{}
	}
	count := t.inner[name]
	t.inner[name]++
	if count > 0 {
		name = fmt.Sprintf("%s#%02d", name, count)
	}
	inner := &Reporter{name: name, emit: t.emit}
	inner.call(f)
	if inner.Failed() {
		t.note("failed", inner.message)
	}
	return !inner.Failed()
}

func (t *Reporter) watch(f func()) {
	defer func() {
		problem := recover()
		if _, isStop := problem.(StopTest); problem != nil && !isStop {
			t.note("panicked", firstText(fmt.Sprint(problem), "no words"))
		}
	}()
	f()
}

func (t *Reporter) call(f func(*Reporter)) {
	t.watch(func() { f(t) })
	for len(t.ending) > 0 {
		last := t.ending[len(t.ending)-1]
		t.ending = t.ending[:len(t.ending)-1]
		t.watch(last)
	}
	t.emit(t.name, t.state, t.message)
}

func plainName(name string) string {
	if name == "" {
		name = "#00"
	}
	return strings.Map(func(r rune) rune {
		if r == ' ' || !strconv.IsPrint(r) {
			return '_'
		}
		return r
	}, name)
}

func firstText(words ...string) string {
	for _, each := range words {
		if strings.TrimSpace(each) != "" {
			return each
		}
	}
	return ""
}

func CallTests(emit func(name, state, message string)) {
	CALLS
}
