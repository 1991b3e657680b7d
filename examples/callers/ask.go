// Asks Consign about a code base, as any program can: an envelope goes in, an envelope comes out.
//
//	go run . --repo ../project --question 'how does authentication work?'
//	go run . --url http://127.0.0.1:4020 --token TOKEN --question 'how does authentication work?'
//
// Without --url it starts `consign process`; CONSIGN names the binary where that is not on the path. With --url it asks
// a `consign serve`, whose --repo counts. CONSIGN_TOKEN does in place of --token, and is not seen by others on the
// machine.
//
// If Consign asks back, it asks you, and reads a line from standard input. Exits with 0 and the answer, with 1 and an
// error, or with 43 when Consign asks and nobody answers. Nothing but the standard library.
package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Envelope is all that a question has come to. It stays a map, so that members that nobody here knows travel along.
type Envelope map[string]any

// Refused says why there is no envelope to go on with.
type Refused struct{ Code, Message string }

func (r Refused) Error() string { return fmt.Sprintf("error[%s]: %s", r.Code, r.Message) }

// errNobody says that Consign asked and nobody answered.
var errNobody = errors.New("nobody answered")

// Consign takes envelopes as far as they go. It keeps nothing: the envelope is the whole state.
type Consign struct{ Repo, URL, Token, Binary string }

func (c Consign) Process(envelope Envelope) (Envelope, error) {
	body, err := json.Marshal(envelope)
	if err != nil {
		return nil, err
	}
	if c.URL != "" {
		return c.byHTTP(body)
	}
	return c.byPipe(body)
}

func (c Consign) byPipe(body []byte) (Envelope, error) {
	var said, told bytes.Buffer
	command := exec.Command(c.Binary, "process", "--repo", c.Repo)
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(body), &said, &told
	failed := command.Run()
	if failed == nil {
		return decode(&said)
	}
	// Exit code 0 is an envelope, whatever became of it. Anything else is {"errors": […]}.
	var refusal struct {
		Errors []struct {
			Type    string `json:"error_type"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	if json.Unmarshal(said.Bytes(), &refusal) == nil && len(refusal.Errors) > 0 {
		return nil, Refused{refusal.Errors[0].Type, refusal.Errors[0].Message}
	}
	return nil, Refused{"NO_ANSWER", strings.TrimSpace(failed.Error() + "\n" + told.String())}
}

func (c Consign) byHTTP(body []byte) (Envelope, error) {
	url := strings.TrimRight(c.URL, "/") + "/api/v1/process"
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, Refused{"NO_ANSWER", err.Error()}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+c.Token)
	client := http.Client{Timeout: 2 * time.Minute}
	response, err := client.Do(request)
	if err != nil {
		return nil, Refused{"NO_ANSWER", err.Error()}
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return decode(response.Body)
	}
	var refusal struct {
		Error struct{ Code, Message string } `json:"error"`
	}
	if json.NewDecoder(response.Body).Decode(&refusal) != nil || refusal.Error.Code == "" {
		return nil, Refused{"HTTP", response.Status}
	}
	return nil, Refused{refusal.Error.Code, refusal.Error.Message}
}

// decode keeps the digits of numbers: an envelope that goes back must be the one that came.
func decode(from interface{ Read([]byte) (int, error) }) (Envelope, error) {
	decoder := json.NewDecoder(from)
	decoder.UseNumber()
	var envelope Envelope
	if err := decoder.Decode(&envelope); err != nil {
		return nil, Refused{"NO_ANSWER", err.Error()}
	}
	return envelope, nil
}

// newEnvelope has what a question needs at least. Everything else gets its default.
func newEnvelope(question string) Envelope {
	id := func(of string) string {
		random := make([]byte, 8)
		if _, err := rand.Read(random); err != nil {
			panic(err)
		}
		return of + "_" + hex.EncodeToString(random)
	}
	return Envelope{
		"envelope_id":   id("env"),
		"request_id":    id("req"),
		"session_id":    id("sess"),
		"user_id":       "anonymous",
		"raw_input":     question,
		"received_at":   time.Now().UTC().Format(time.RFC3339Nano),
		"outputs":       map[string]any{},
		"current_stage": "start",
		"terminated":    false,
	}
}

// ask goes on until there is an answer, and answers what Consign asks on the way.
func ask(consign Consign, question string) (Envelope, error) {
	lines := bufio.NewScanner(os.Stdin)
	reply := func(question string) (string, error) {
		fmt.Fprintf(os.Stderr, "%s\n> ", question)
		if !lines.Scan() || strings.TrimSpace(lines.Text()) == "" {
			return "", errNobody
		}
		return strings.TrimSpace(lines.Text()), nil
	}
	envelope, err := consign.Process(newEnvelope(question))
	for err == nil && envelope["terminated"] != true {
		var said string
		switch {
		case envelope["clarification_pending"] == true:
			if said, err = reply(fmt.Sprint(envelope["clarification_question"])); err != nil {
				return nil, err
			}
			envelope["clarification_response"] = said
		case envelope["confirmation_pending"] == true:
			if said, err = reply(fmt.Sprint(envelope["confirmation_message"], " [y/n]")); err != nil {
				return nil, err
			}
			said = strings.ToLower(said)
			envelope["confirmation_response"] = said == "y" || said == "yes"
		}
		envelope, err = consign.Process(envelope)
	}
	return envelope, err
}

func show(envelope Envelope) error {
	if envelope["terminal_reason"] != "completed_successfully" {
		return Refused{fmt.Sprint(envelope["terminal_reason"]), fmt.Sprint(envelope["termination_reason"])}
	}
	// What is read from it has types; the envelope itself needs none.
	var answer struct {
		FinalResponse string `json:"final_response"`
		Citations     []struct{ Text, Location string }
	}
	outputs, _ := envelope["outputs"].(map[string]any)
	written, err := json.Marshal(outputs["integration"])
	if err == nil {
		err = json.Unmarshal(written, &answer)
	}
	if err != nil {
		return err
	}
	fmt.Println(answer.FinalResponse)
	if len(answer.Citations) > 0 {
		fmt.Println("\nSources")
	}
	for _, citation := range answer.Citations {
		fmt.Printf("  %s  %s\n", citation.Location, strings.TrimSpace(citation.Text))
	}
	return nil
}

func main() {
	or := func(variable, other string) string {
		if set := os.Getenv(variable); set != "" {
			return set
		}
		return other
	}
	question := flag.String("question", "", "what to ask")
	consign := Consign{Binary: or("CONSIGN", "consign")}
	flag.StringVar(&consign.Repo, "repo", ".", "the repository, without --url")
	flag.StringVar(&consign.URL, "url", "", "where `consign serve` listens")
	flag.StringVar(&consign.Token, "token", os.Getenv("CONSIGN_TOKEN"), "the token that it printed")
	flag.Parse()
	if *question == "" || consign.URL != "" && consign.Token == "" {
		fmt.Fprintln(os.Stderr, "--question is needed; --url needs --token, or CONSIGN_TOKEN")
		os.Exit(2)
	}
	envelope, err := ask(consign, *question)
	if err == nil {
		err = show(envelope)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.Is(err, errNobody) {
			os.Exit(43)
		}
		os.Exit(1)
	}
}
