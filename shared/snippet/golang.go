package snippet

// golang writes the request as a program in Go.
func golang(r Request) string {
	program := goWhole
	switch r.kind() {
	case chatStream:
		program = goStream(goChatEvent)
	case responsesStream:
		program = goStream(goResponsesEvent)
	case video:
		program = goVideo
	}
	return fill(program, escaped([]byte(r.URL()), '"'), goQuote(r.Body))
}

const goWhole = `// @key=… go run main.go
package main

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

const url = @url

const body = @body

func main() {
	log.SetFlags(0)
	req, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("@key"))
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(res.Body)
	fmt.Printf("%s\n", reply)
	if err != nil {
		log.Fatal(err)
	}
	if res.StatusCode != http.StatusOK {
		log.Fatal(res.Status)
	}
}
`

// goStream is the program for a stream of which an event is read like that.
func goStream(event string) string {
	return `// @key=… go run main.go
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
)

const url = @url

const body = @body

func main() {
	log.SetFlags(0)
	req, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("@key"))
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	if !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		io.Copy(os.Stdout, res.Body) // an error, or the answer in one piece
		if res.StatusCode != http.StatusOK {
			log.Fatal("\n", res.Status)
		}
		return
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
` + event + `	}
	if err := lines.Err(); err != nil {
		log.Fatal(err)
	}
	fmt.Println()
}
`
}

const goChatEvent = `		var event struct {
			Choices []struct{ Delta struct{ Content string } }
			Error   any
		}
		if json.Unmarshal([]byte(data), &event) != nil {
			continue // [DONE]
		}
		if event.Error != nil {
			log.Fatal(data)
		}
		if len(event.Choices) > 0 {
			fmt.Print(event.Choices[0].Delta.Content)
		}
`

const goResponsesEvent = `		var event struct{ Type, Delta string }
		if json.Unmarshal([]byte(data), &event) != nil {
			continue // [DONE]
		}
		switch event.Type {
		case "response.output_text.delta":
			fmt.Print(event.Delta)
		case "response.failed", "error":
			log.Fatal(data)
		}
`

const goVideo = `// @key=… go run main.go
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

const url = @url

const body = @body

func main() {
	log.SetFlags(0)
	// Sent once: a task that was created is paid for, and a second one too.
	var created struct{ ID string }
	if err := call("POST", url, strings.NewReader(body), &created); err != nil {
		log.Fatal(err)
	}
	fmt.Println(created.ID)
	for {
		var task struct {
			Data struct {
				Status     string
				Progress   any
				FailReason string ` + "`json:\"fail_reason\"`" + `
				Data       struct{ Output []struct{ URL string } }
			}
		}
		err := call("GET", url+"/"+created.ID, nil, &task)
		switch strings.ToUpper(task.Data.Status) {
		case "SUCCESS":
			for _, o := range task.Data.Data.Output {
				fmt.Println(o.URL)
			}
			return
		case "FAILURE":
			log.Fatal(task.Data.FailReason)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err) // the task goes on all the same
		} else {
			fmt.Fprintln(os.Stderr, task.Data.Status, task.Data.Progress)
		}
		time.Sleep(5 * time.Second)
	}
}

func call(method, url string, body io.Reader, out any) error {
	req, err := http.NewRequest(method, url, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+os.Getenv("@key"))
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	reply, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", res.Status, reply)
	}
	return json.Unmarshal(reply, out)
}
`
