package store

const writerChildEnv = "SCREENTEST_STORE_TEST_CHILD"

func writeUntilKilled(dir string) {}
