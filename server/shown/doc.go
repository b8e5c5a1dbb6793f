// Package shown is the page of what somebody shows others, at /s/…: HTML that the
// server writes, and a small script that shows an answer while it is given.
package shown
