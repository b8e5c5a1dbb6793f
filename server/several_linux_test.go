package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The example of several replicas tells the program nothing that it doesn't know, and
// each of them all that the other is told but for its own address.
func TestTheExampleOfSeveralReplicas(t *testing.T) {
	raw, err := os.ReadFile(deployDir + "several/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"SCREENTEST_SEAL_KEY": true, "SCREENTEST_HOST": true /* is the example's own */}
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	new(serveConfig).flags(fs)
	fs.VisitAll(func(f *flag.Flag) {
		known["SCREENTEST_"+strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))] = true
	})
	for _, name := range regexp.MustCompile(`SCREENTEST_[A-Z_]+`).FindAllString(string(raw), -1) {
		if !known[name] {
			t.Errorf("the example says %s, which is nothing to the program", name)
		}
	}
	for _, must := range []string{"SCREENTEST_DATABASE", "SCREENTEST_FILES", "SCREENTEST_SEAL_KEY", "SCREENTEST_GATEWAY", "SCREENTEST_PUBLIC_URL",
		"SCREENTEST_REPLICA: http://screentest-1:8081", "SCREENTEST_REPLICA: http://screentest-2:8081", "stop_grace_period"} {
		if !strings.Contains(string(raw), must) {
			t.Errorf("the example doesn't say %s", must)
		}
	}
	// What it is started with is taken.
	for _, n := range []string{"1", "2"} {
		c := clusterConfig{database: "postgres://screentest:x@postgres:5432/screentest?sslmode=disable", replica: "http://screentest-" + n + ":8081"}
		if err := c.checked("s3://screentest?endpoint=http://s3:7070"); err != nil {
			t.Error(err)
		}
	}
}

func TestWrongReplicasAreRefused(t *testing.T) {
	const database = "postgres://db/screentest"
	const files = "/mnt/screentest"
	for _, tt := range []struct{ database, files, replica, want string }{
		{"", files, "http://10.0.0.4:8081", "-database"},
		{database, files, "https://10.0.0.4:8081", "http://10.0.0.4:8081"},
		{database, files, "http://10.0.0.4", "a port of its own"},
		{database, files, "10.0.0.4:8081", "it must be an address"},
		{database, files, "http://10.0.0.4:8081/x", "it must be an address"},
		{database, files, "http://me:pw@10.0.0.4:8081", "it must be an address"},
		{database, files, "http://10.0.0.4:8081", ""},
		{database, files, "http://0.0.0.0:8081", "-replica http://0.0.0.0:8081: that is every address"},
		{database, files, "http://[::]:8081", "such as http://10.0.0.4:8081"},
		{database, files, "http://[::ffff:0.0.0.0]:8081", "every address"},
		{database, "", "http://10.0.0.4:8081", "-files"},
		{database, "", "", ""},
	} {
		err := clusterConfig{database: tt.database, replica: tt.replica}.checked(tt.files)
		if (err != nil) != (tt.want != "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
