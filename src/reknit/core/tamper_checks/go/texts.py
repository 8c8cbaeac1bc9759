"""Program texts in Go: the tests that must pass and fail, and the second harness.

`§` marks what is filled in, since braces are part of the language.
"""

CANARIES = """
func Test§passing§(§reporter§) {
	if got := len("§passing§"); got != §length§ {
		§t§.Fatalf("got %d", got)
	}
}

func Test§failing§(§reporter§) {
	§t§.Fatal("§failing§")
}
"""

REPORTER = r"""package §package§

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

type §T§ struct {
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

type §Stop§ struct{}

func (t *§T§) note(state, message string) {
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
func (t *§T§) Helper()                           {}
func (t *§T§) Parallel()                         {}
func (t *§T§) Name() string                      { return t.name }
func (t *§T§) Log(a ...interface{})              { t.logged = fmt.Sprintln(a...) }
func (t *§T§) Logf(f string, a ...interface{})   { t.logged = fmt.Sprintf(f, a...) }
func (t *§T§) Attr(key, value string)            {}
func (t *§T§) Output() io.Writer                 { return io.Discard }
func (t *§T§) Fail()                             { t.note("failed", §first§(t.logged, "no words")) }
func (t *§T§) FailNow()                          { t.Fail(); panic(§Stop§{}) }
func (t *§T§) Error(a ...interface{})            { t.note("failed", §first§(fmt.Sprintln(a...), "no words")) }
func (t *§T§) Errorf(f string, a ...interface{}) { t.note("failed", §first§(fmt.Sprintf(f, a...), "no words")) }
func (t *§T§) Fatal(a ...interface{})            { t.Error(a...); panic(§Stop§{}) }
func (t *§T§) Fatalf(f string, a ...interface{}) { t.Errorf(f, a...); panic(§Stop§{}) }
func (t *§T§) Failed() bool                      { return t.state != "" && t.state != "skipped" }
func (t *§T§) Skipped() bool                     { return t.state == "skipped" }
func (t *§T§) SkipNow()                          { t.note("skipped", ""); panic(§Stop§{}) }
func (t *§T§) Skip(a ...interface{})             { t.SkipNow() }
func (t *§T§) Skipf(f string, a ...interface{})  { t.SkipNow() }
func (t *§T§) Cleanup(f func())                  { t.ending = append(t.ending, f) }
func (t *§T§) Deadline() (time.Time, bool)       { return time.Time{}, false }

func (t *§T§) Setenv(key, value string) {
	old, was := os.LookupEnv(key)
	os.Setenv(key, value)
	t.Cleanup(func() {
		if was {
			os.Setenv(key, old)
		} else {
			os.Unsetenv(key)
		}
	})
}

func (t *§T§) Chdir(folder string) {
	old, _ := os.Getwd()
	if err := os.Chdir(folder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chdir(old) })
}

func (t *§T§) TempDir() string {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

func (t *§T§) Context() context.Context {
	made, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return made
}

func (t *§T§) Run(name string, f func(*§T§)) bool {
	name = t.name + "/" + §plain§(name)
	if t.inner == nil {
		t.inner = map[string]int{}
	}
	count := t.inner[name]
	t.inner[name]++
	if count > 0 {
		name = fmt.Sprintf("%s#%02d", name, count)
	}
	inner := &§T§{name: name, emit: t.emit}
	inner.call(f)
	if inner.Failed() {
		t.note("failed", inner.message)
	}
	return !inner.Failed()
}

func (t *§T§) watch(f func()) {
	defer func() {
		problem := recover()
		if _, isStop := problem.(§Stop§); problem != nil && !isStop {
			t.note("panicked", §first§(fmt.Sprint(problem), "no words"))
		}
	}()
	f()
}

func (t *§T§) call(f func(*§T§)) {
	t.watch(func() { f(t) })
	for len(t.ending) > 0 {
		last := t.ending[len(t.ending)-1]
		t.ending = t.ending[:len(t.ending)-1]
		t.watch(last)
	}
	t.emit(t.name, t.state, t.message)
}

func §plain§(name string) string {
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

func §first§(words ...string) string {
	for _, each := range words {
		if strings.TrimSpace(each) != "" {
			return each
		}
	}
	return ""
}

func §Entry§(emit func(name, state, message string)) {
§calls§}
"""

CALL = '	(&§T§{name: "§name§", emit: emit}).call(§function§)\n'

MAIN = r"""package main

import (
	"encoding/json"
	"fmt"
	"os"
§imports§)

func main() {
	out, start, count := os.Stdout, "", 0
	for at, sign := range []byte{§sign§} {
		start += fmt.Sprintf("%02x", sign^byte(§mask§+at))
	}
	wanted := map[string]string{
§wanted§	}
	emit := func(name, state, message string) {
		id, known := wanted[name]
		if !known || state == "skipped" {
			return
		}
		delete(wanted, name)
		count++
		line, _ := json.Marshal(map[string]interface{}{"test": id, "ok": state == "", "message": message})
		fmt.Fprintf(out, "%s%s\n", start, line)
	}
§runs§	fmt.Fprintf(out, "%s{\"end\": %d}\n", start, count)
}
"""


def filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace(f"§{name}§", value)
    return text
