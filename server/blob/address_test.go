package blob

import (
	"strings"
	"testing"
)

func TestAddressesThatAreRead(t *testing.T) {
	for text, want := range map[string]Address{
		"":            {},
		"/mnt/shared": {Dir: "/mnt/shared"},
		`C:\shared`:   {Dir: `C:\shared`},
		"s3://clips":  {Bucket: "clips", Endpoint: "s3.amazonaws.com", PathStyle: true},
		"s3://clips/a/b.c/?endpoint=https://store:9000":                                     {Bucket: "clips", Prefix: "a/b.c/", Endpoint: "store:9000", PathStyle: true},
		"s3://my.clips?endpoint=http://10.0.0.9":                                            {Bucket: "my.clips", Endpoint: "10.0.0.9", Plain: true, PathStyle: true},
		"s3://clips/?endpoint=https://s3.example.com/&region=eu-central-1&path-style=false": {Bucket: "clips", Endpoint: "s3.example.com", Region: "eu-central-1"},
		"s3://clips?endpoint=http://[::1]:9000":                                             {Bucket: "clips", Endpoint: "[::1]:9000", Plain: true, PathStyle: true},
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v\nwant %+v", text, got, err, want)
		}
		if got.Bucket != "" {
			if again, err := Parse(got.String() + "&path-style=" + map[bool]string{true: "true", false: "false"}[got.PathStyle] + "&region=" + got.Region); err != nil || again != got {
				t.Errorf("%s is %s, which reads as %+v, %v", text, got, again, err)
			}
		}
	}
}

func TestAddressesThatAreRefused(t *testing.T) {
	const secret = "canary-9Qx"
	for text, want := range map[string]string{
		"s3://key:" + secret + "@clips?endpoint=https://store":   "AWS_ACCESS_KEY_ID",
		"s3://" + secret + "@clips":                              "AWS_ACCESS_KEY_ID",
		"s3://clips?endpoint=https://key:" + secret + "@store":   "AWS_ACCESS_KEY_ID",
		"s3://clips?secret=" + secret:                            "secret=",
		"s3://clips?endpoint=https://store&region=a%zz" + secret: "can't be read",
		"s3://clips%zz" + secret:                                 "can't be read",
		"https://store:9000/clips":                               "https://",
		"postgres://store/clips":                                 "postgres://",
		"s3:clips":                                               "s3://bucket",
		"s3://":                                                  "bucket is missing",
		"s3:///clips":                                            "bucket is missing",
		"s3://Clips":                                             "no name of a bucket",
		"s3://c":                                                 "no name of a bucket",
		"s3://store:9000/clips":                                  "endpoint=",
		"s3://clips/a b":                                         "prefix",
		"s3://clips/a//b":                                        "prefix",
		"s3://clips#a":                                           "#",
		"s3://clips?endpoint=":                                   "endpoint=",
		"s3://clips?endpoint=store:9000":                         "endpoint=",
		"s3://clips?endpoint=ftp://store":                        "endpoint=",
		"s3://clips?endpoint=https://":                           "endpoint=",
		"s3://clips?endpoint=https://store/clips":                "nothing behind",
		"s3://clips?endpoint=https://store:0":                    "port",
		"s3://clips?endpoint=https://store:99999":                "port",
		"s3://clips?endpoint=https://a&endpoint=https://b":       "twice",
		"s3://clips?region=a/b":                                  "region",
		"s3://clips?path-style=yes-please":                       "path-style",
		"s3://clips?endpoint=https://store&region=eu-central-1&acl=no": "acl=",
	} {
		_, err := Parse(text)
		switch {
		case err == nil:
			t.Errorf("%s was taken", text)
		case !strings.HasPrefix(err.Error(), "-files") || !strings.Contains(err.Error(), want):
			t.Errorf("%s: %v\nwant -files and %q", text, err, want)
		case strings.Contains(err.Error(), secret):
			t.Errorf("%v: the secret is told", err)
		}
	}
}

func TestWhatCrossesTheNetworkInTheOpen(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                       false,
		"/mnt/shared":                            false,
		"s3://clips":                             false,
		"s3://clips?endpoint=https://store":      false,
		"s3://clips?endpoint=http://store:9000":  true,
		"s3://clips?endpoint=http://10.0.0.9":    true,
		"s3://clips?endpoint=http://127.0.0.1:1": false,
		"s3://clips?endpoint=http://[::1]:1":     false,
		"s3://clips?endpoint=http://localhost:1": false,
	} {
		if a, err := Parse(text); err != nil || a.InTheOpen() != want {
			t.Errorf("%s: %v, %v", text, a.InTheOpen(), err)
		}
	}
}
