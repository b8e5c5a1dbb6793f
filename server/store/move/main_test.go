package move

import (
	"testing"

	"screentest/server/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }
