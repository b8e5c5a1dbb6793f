package ops

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"screentest/shared/wire"
)

// Gauges are asked when the figures are read. Each must return at once but
// VideoTasks and StoreBytes, which may look something up. nil ones are left out.
type Gauges struct {
	Runs       func() int // answers under way
	Sockets    func() int // open tabs
	Streams    func() int // answers that tabs are reading
	StoreQueue func() int // writes that wait for the disk
	StoreBytes func() int64
	DiskFree   func() int64 // bytes, below 0 where it is not known
	Replicas   *Replicas    // nil: there is only one process
	// VideoTasks counts those that are not over, by their state.
	VideoTasks func(ctx context.Context) (map[wire.VideoState]int64, error)
}

// Replicas are the processes that serve one database, as this one sees them.
type Replicas struct {
	There     func() int // with this one
	TakenOver func() int // how often this one went on with what another had held
	// Heard is how long ago this one was last heard of in the database: it is found
	// gone after 10 s.
	Heard func() time.Duration
}

const (
	namespace = "screentest"
	// scrapeWithin bounds reading the figures.
	scrapeWithin = 5 * time.Second
	// otherModel stands for what the catalogue doesn't have.
	otherModel = "other"
)

// metrics are the figures, in a registry of their own.
type metrics struct {
	registry *prometheus.Registry
	known    func(model string) bool

	runs, tokens, spend, tasks *prometheus.CounterVec
	firstToken, run, commit    prometheus.Histogram
	pollLate                   prometheus.Histogram
	call                       *prometheus.HistogramVec
}

// Buckets, in seconds: of what a disk or a processor takes, and of what a
// gateway takes.
var (
	quick = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}
	slow  = []float64{.1, .25, .5, 1, 2.5, 5, 10, 25, 60, 150, 600, 1800}
)

func newMetrics(c Config) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}
	}
	m := &metrics{
		registry:   prometheus.NewRegistry(),
		known:      c.KnownModel,
		runs:       counter("runs_ended_total", "Answers of text models that have ended.", "state", "model"),
		tokens:     counter("tokens_total", "Tokens of text models, as reported or estimated.", "direction", "model"),
		spend:      counter("spend_usd_total", "US dollars booked in the ledger: charges, and what came back.", "kind", "what"),
		tasks:      counter("video_tasks_ended_total", "Video tasks that have ended.", "state", "model"),
		firstToken: prometheus.NewHistogram(histogram("run_first_token_seconds", "From sending a message to the first of its answer.", slow)),
		run:        prometheus.NewHistogram(histogram("run_seconds", "From sending a message to the end of its answer.", slow)),
		commit:     prometheus.NewHistogram(histogram("store_commit_seconds", "One transaction of the database, with the wait for the disk.", quick)),
		pollLate:   prometheus.NewHistogram(histogram("video_poll_late_seconds", "How long after its time a video task is asked about.", slow)),
		call:       prometheus.NewHistogramVec(histogram("call_seconds", "A page's call over its socket, until it is answered.", quick), []string{"op", "outcome"}),
	}
	version := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: "build_info", Help: "1, with the program's version.",
		ConstLabels: prometheus.Labels{"version": c.Version}})
	version.Set(1)
	m.registry.MustRegister(m.runs, m.tokens, m.spend, m.tasks, m.firstToken, m.run, m.commit, m.pollLate, m.call, version,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.register(c.Gauges)
	return m
}

func (m *metrics) register(g Gauges) {
	add := func(name, help string, value func() float64) {
		m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help}, value))
	}
	for _, c := range []struct {
		name, help string
		count      func() int
	}{
		{"runs_under_way", "Answers of text models under way.", g.Runs},
		{"sockets", "Open sockets, one for each tab.", g.Sockets},
		{"streams", "Answers that sockets are reading.", g.Streams},
		{"store_queue", "Writes that wait for the database.", g.StoreQueue},
	} {
		if c.count != nil {
			add(c.name, c.help, func() float64 { return float64(c.count()) })
		}
	}
	if g.StoreBytes != nil {
		add("store_bytes", "Size of the database, with its write-ahead log.", func() float64 { return float64(g.StoreBytes()) })
	}
	if g.DiskFree != nil {
		add("disk_free_bytes", "Room on the disk of the data folder; -1 where it is not known.", func() float64 { return float64(g.DiskFree()) })
	}
	if r := g.Replicas; r != nil {
		add("replicas", "Processes that serve the database, with this one.", func() float64 { return float64(r.There()) })
		add("replica_heard_seconds", "Since when this process was not heard of in the database; it is taken for gone after 10.", func() float64 { return r.Heard().Seconds() })
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Name: "replica_taken_over_total",
			Help: "How often this process went on with what another one had held."}, func() float64 { return float64(r.TakenOver()) }))
	}
	if g.VideoTasks != nil {
		m.registry.MustRegister(openTasks{g.VideoTasks})
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: 4,
		Timeout:             scrapeWithin,
	})
}

// openTasks counts video tasks when it is asked.
type openTasks struct {
	count func(ctx context.Context) (map[wire.VideoState]int64, error)
}

var openTasksDesc = prometheus.NewDesc(namespace+"_video_tasks", "Video tasks that are not over.", []string{"state"}, nil)

// Describe is of prometheus.Collector.
func (o openTasks) Describe(to chan<- *prometheus.Desc) { to <- openTasksDesc }

// Collect is of prometheus.Collector.
func (o openTasks) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	counts, err := o.count(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(openTasksDesc, err)
		return
	}
	for _, state := range []wire.VideoState{wire.VideoCreating, wire.VideoUnknown, wire.VideoQueued, wire.VideoRunning} {
		to <- prometheus.MustNewConstMetric(openTasksDesc, prometheus.GaugeValue, float64(counts[state]), string(state))
	}
}

func (m *metrics) model(id string) string {
	if m.known(id) {
		return id
	}
	return otherModel
}

// RunEnded is told once of each run, when its end is stored.
func (m *metrics) RunEnded(r wire.Run) {
	model := m.model(r.Model)
	m.runs.WithLabelValues(string(r.State), model).Inc()
	m.tokens.WithLabelValues("input", model).Add(float64(max(r.InputTokens, 0)))
	m.tokens.WithLabelValues("output", model).Add(float64(max(r.OutputTokens, 0)))
	m.run.Observe(float64(r.DurationMS) / 1e3)
	if r.FirstTokenMS > 0 {
		m.firstToken.Observe(float64(r.FirstTokenMS) / 1e3)
	}
}

// VideoEnded is told once of each video task, when its end is stored.
func (m *metrics) VideoEnded(t wire.VideoTask) {
	m.tasks.WithLabelValues(string(t.State), m.model(t.Model)).Inc()
}

// VideoPolled is told how long after its time a task is asked about.
func (m *metrics) VideoPolled(late time.Duration) { m.pollLate.Observe(late.Seconds()) }

// Booked is told of each row of the ledger, once it is durable. What is below 0
// came back.
func (m *metrics) Booked(what string, nanoUSD int64) {
	kind := "charged"
	if nanoUSD < 0 {
		kind, nanoUSD = "returned", -nanoUSD
	}
	m.spend.WithLabelValues(kind, what).Add(float64(nanoUSD) / 1e9)
}

// Committed is told how long a transaction took.
func (m *metrics) Committed(took time.Duration) { m.commit.Observe(took.Seconds()) }

// Called is told how long a page's call took, and whether it was answered with a
// problem.
func (m *metrics) Called(op wire.Op, took time.Duration, failed bool) {
	outcome := "ok"
	if failed {
		outcome = "problem"
	}
	m.call.WithLabelValues(string(op), outcome).Observe(took.Seconds())
}
