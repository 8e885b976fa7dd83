// Judges the histories of export.ts with porcupine, and compares the verdicts. The models are written anew here.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

type input struct {
	Do    string
	Name  string
	Value int
	From  int
	Uses  int
	Cas   *int
}

type operation struct {
	Client  int
	Input   input
	Called  int64
	Outcome *struct {
		At     int64
		Output string
	}
}

type line struct {
	Model   string
	Verdict string
	History []operation
}

type secret struct {
	version int
	value   string
}

func cell(state interface{}, in input) (string, interface{}) {
	value := state.(int)
	switch {
	case in.Do == "read":
		return fmt.Sprint(value), value
	case in.Do == "cas" && in.From != value:
		return "conflict", value
	}
	return "done", in.Value
}

func uses(state interface{}, in input) (string, interface{}) {
	left := state.(int)
	switch in.Do {
	case "revoke":
		return "done", 0
	case "create":
		if left > 0 {
			return "taken", left
		}
		return "done", in.Uses
	}
	if left == 0 {
		return "refused", 0
	}
	if in.Do == "ask" {
		return "refused", left - 1
	}
	return "served", left - 1
}

// secrets has a state of text: name=version:value, sorted, joined by blanks.
func secrets(state interface{}, in input) (string, interface{}) {
	folder := map[string]secret{}
	for _, entry := range strings.Fields(state.(string)) {
		name, rest, _ := strings.Cut(entry, "=")
		var s secret
		number, value, _ := strings.Cut(rest, ":")
		fmt.Sscan(number, &s.version)
		s.value = value
		folder[name] = s
	}
	found, exists := folder[in.Name]
	output := "done"
	switch in.Do {
	case "list":
		names := []string{}
		for name := range folder {
			names = append(names, name)
		}
		sort.Strings(names)
		output = strings.Join(names, ",")
	case "read":
		output = "none"
		if exists {
			output = fmt.Sprintf("%d:%s", found.version, found.value)
		}
	case "delete":
		if exists {
			folder[in.Name] = secret{found.version, "deleted"}
		}
	case "remove":
		delete(folder, in.Name)
	case "write":
		if in.Cas != nil && *in.Cas != found.version {
			output = "conflict"
		} else {
			folder[in.Name] = secret{found.version + 1, fmt.Sprint(in.Value)}
			output = fmt.Sprintf("version %d", found.version+1)
		}
	}
	entries := []string{}
	for name, s := range folder {
		entries = append(entries, fmt.Sprintf("%s=%d:%s", name, s.version, s.value))
	}
	sort.Strings(entries)
	return output, strings.Join(entries, " ")
}

func model(initial interface{}, apply func(interface{}, input) (string, interface{})) porcupine.Model {
	return porcupine.Model{
		Init: func() interface{} { return initial },
		Step: func(state, in, out interface{}) (bool, interface{}) {
			output, next := apply(state, in.(input))
			known, ok := out.(string)
			return !ok || known == output, next
		},
	}
}

func main() {
	models := map[string]porcupine.Model{"cell": model(0, cell), "uses": model(0, uses), "secrets": model("", secrets)}
	verdicts := map[porcupine.CheckResult]string{porcupine.Ok: "linearizable", porcupine.Illegal: "violation"}
	agreed := map[string]int{}
	differ := 0
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var one line
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		history := []porcupine.Operation{}
		for i, op := range one.History {
			// What was never answered may take effect until the end of time, and each client does one thing at a time.
			p := porcupine.Operation{ClientId: i, Input: op.Input, Call: op.Called, Return: math.MaxInt64}
			if op.Outcome != nil {
				p.Output = op.Outcome.Output
				p.Return = op.Outcome.At
			}
			history = append(history, p)
		}
		verdict, known := verdicts[porcupine.CheckOperationsTimeout(models[one.Model], history, 20*time.Second)]
		if !known || verdict != one.Verdict {
			differ++
			fmt.Printf("DIFFERENT: %q here, %s\n", verdict, lines.Text())
			continue
		}
		agreed[one.Model+" "+verdict]++
	}
	fmt.Println(agreed, "different:", differ)
	if differ > 0 {
		os.Exit(1)
	}
}
