//go:build !unix

package main

import "syscall"

func asPostgres() *syscall.SysProcAttr { return nil }

func givePostgres(string) error { return nil }
