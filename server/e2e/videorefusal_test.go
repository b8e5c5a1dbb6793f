package e2e

import (
	"encoding/json"
	"net/http"
	"testing"

	"screentest/server/e2e/rig"
	"screentest/shared/gateway"
)

// madeElsewhere makes a clip at the gateway itself and returns its UUID.
func madeElsewhere(t *testing.T, sandbox *rig.Program, body string) string {
	t.Helper()
	var made struct{ ID string }
	if err := json.NewDecoder(ask(t, sandbox, http.MethodPost, gateway.Video.Path(), body).Body).Decode(&made); err != nil {
		t.Fatal(err)
	}
	var reply struct {
		Data struct {
			Status gateway.TaskStatus
			Data   struct{ ID string }
		}
	}
	if !soon(func() bool {
		if err := json.NewDecoder(ask(t, sandbox, http.MethodGet, gateway.Video.Path()+"/"+made.ID, "").Body).Decode(&reply); err != nil {
			t.Fatal(err)
		}
		return reply.Data.Status == gateway.StatusSuccess
	}) {
		t.Fatal("the clip does not get done")
	}
	return reply.Data.Data.ID
}

// What only the gateway can know about a clip that was made elsewhere, it says:
// beside the field, with the model that fits one click away (F136).
func TestRefusalOffersTheModelThatFits(t *testing.T) {
	t.Parallel()
	sandbox := startSandboxAt(t, "127.0.0.1:0", "60", "-speed", "200")
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/video")
	uuid := madeElsewhere(t, sandbox, `{"model":"beta-video-480p","prompt":"A kite","seconds":"6"}`)
	p.mode("extend")
	p.fill("#source-uuid", uuid+"\t")
	p.wait(`!!document.querySelector("#other-source")`)
	p.videoModel("beta-video-720p-extend")
	p.fill("#f-prompt", "It flies on")
	p.verb("Extend clip")
	p.click("#create")
	p.says(`#e-task_id`, "source is 480p; use beta-video-480p-extend")
	p.picture("video-refused")
	p.click("#take-offer")
	p.wait(`document.activeElement?.id === "model-select" && document.getElementById("model-select").value === "beta-video-480p-extend"`)
	p.verb("Extend clip")
	p.click("#create")
	p.wait(`document.querySelectorAll(".tile").length === 2`)
	p.saved(p.text(newestCard + `.dataset.id`))
}
