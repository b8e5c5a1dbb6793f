package snippet

import "screentest/shared/gateway"

// maxArgument bounds what is put on curl's own command line, in bytes: Linux
// takes 128 KiB in one argument. The shell's printf has no such bound.
const maxArgument = 100 << 10

// curl writes the request as a command of a POSIX shell.
func curl(r Request) string {
	url := shellQuote(r.URL())
	if r.Endpoint == gateway.Video {
		return curlVideo(url, r.Body)
	}
	command := "curl -sS --fail-with-body "
	if r.kind() != whole {
		command = "curl -sS --fail-with-body --no-buffer "
	}
	pipe, data := curlBody(r.Body)
	return pipe + command + url + curlHeaders + ` \
  -H 'Content-Type: application/json' \
  ` + data + "\n"
}

const curlHeaders = ` \
  -H "Authorization: Bearer $` + KeyEnv + `"`

// curlBody is how a body gets to curl: what comes before the command, and what
// ends it.
func curlBody(body []byte) (pipe, data string) {
	if clean(body) {
		quoted := shellQuote(string(body))
		if len(quoted) < maxArgument {
			return "", "--data-raw " + quoted
		}
		return "printf '%s' " + quoted + " |\n", "--data-binary @-"
	}
	return "printf '%b' " + shellEscape(body) + " |\n", "--data-binary @-"
}

// curlVideo creates the task and polls it: in parentheses, so that it can be
// pasted into a shell and ended by itself.
func curlVideo(url string, body []byte) string {
	pipe, data := curlBody(body)
	return `(
url=` + url + `
reply=$(` + pipe + `curl -sS --fail-with-body "$url"` + curlHeaders + ` \
  -H 'Content-Type: application/json' \
  ` + data + `)
printf '%s\n' "$reply"
id=$(printf '%s' "$reply" | sed -n 's/.*"id" *: *"\(task_[^"]*\)".*/\1/p')
[ -n "$id" ] || exit 1
while reply=$(curl -sS --fail-with-body --retry 5 "$url/$id"` + curlHeaders + `); do
  printf '%s\n' "$reply"
  printf '%s' "$reply" | grep -Eqi '"status" *: *"(success|failure)"' && break
  sleep 5
done
[ -n "$reply" ] && printf '%s' "$reply" | grep -Eqi '"status" *: *"success"'
)
`
}
