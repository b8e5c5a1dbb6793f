package main

import (
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"screentest/shared/gateway"
)

// readCatalogue reads the file of -catalog, or takes the sample.
func readCatalogue(file string) (*gateway.Catalogue, error) {
	if file == "" {
		return gateway.SampleCatalogue(), nil
	}
	p, err := os.ReadFile(file)
	if err != nil {
		return nil, mistakef("-catalog: %w", err)
	}
	c, err := gateway.ParseCatalogue(p)
	if err != nil {
		return nil, mistakef("-catalog %s: %w", file, err)
	}
	return c, nil
}

// models are those that can be asked: at the sandbox those of the file of -catalog
// or of the sample, at another gateway those of the file and those that it lists.
type models struct {
	file string
	now  atomic.Pointer[catalogue]

	mu     sync.Mutex
	read   *gateway.Catalogue // the file, or the sample
	others bool               // it is another gateway than the sandbox
	listed []gateway.Model    // that it lists
	// entered are prices that a person entered for its models.
	entered map[string]gateway.Price
}

// catalogue is one that was put together, and as the pages get it.
type catalogue struct {
	*gateway.Catalogue
	json []byte
}

// readModels reads the file for the first time.
func readModels(file string) (*models, error) {
	c, err := readCatalogue(file)
	if err != nil {
		return nil, err
	}
	m := &models{file: file, read: c}
	m.combine()
	return m, nil
}

func (m *models) current() *gateway.Catalogue { return m.now.Load().Catalogue }
func (m *models) json() []byte                { return m.now.Load().json }

// sandbox are the models of the sandbox inside.
func (m *models) sandbox() *gateway.Catalogue {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.read
}

// at says which gateway is connected, what it lists, and the prices that were entered
// for its models. The sample is of the sandbox alone: its prices are nobody's else.
func (m *models) at(sandbox bool, listed []gateway.Model, entered map[string]gateway.Price) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.others, m.listed, m.entered = !sandbox, listed, entered
	m.combine()
}

// combine puts them together. The lock is held, but by who has just made m.
func (m *models) combine() {
	c := m.read
	if m.others {
		of := &gateway.Catalogue{}
		if m.file != "" {
			of = m.read
		}
		c = withListed(of, m.listed)
		price(c, m.entered)
	}
	text := c.JSON()
	// What the pages read is what the server goes by.
	if same, err := gateway.ReadCatalogue(text); err == nil {
		c = same
	}
	m.now.Store(&catalogue{c, text})
}

// withListed is a catalogue with the models that a gateway lists behind its own. Of
// one that is in both the catalogue's line counts, and what it leaves out is taken
// from the list.
func withListed(c *gateway.Catalogue, listed []gateway.Model) *gateway.Catalogue {
	all := &gateway.Catalogue{Note: c.Note, Sample: c.Sample && len(c.Models) > 0}
	place := map[string]int{}
	for i, m := range c.Models {
		place[m.ID] = i
	}
	all.Models = append(all.Models, c.Models...)
	for _, l := range listed {
		i, both := place[l.ID]
		if !both {
			all.Models = append(all.Models, l)
			continue
		}
		m := &all.Models[i]
		if m.Name == "" {
			m.Name = l.Name
		}
		if m.Endpoint != gateway.Video && m.Context == 0 {
			m.Context = l.Context
		}
		if m.Endpoint != gateway.Video && m.MaxOutput == 0 {
			m.MaxOutput = l.MaxOutput
		}
		if m.Takes == nil && m.Family == gateway.Ordinary && m.Endpoint == l.Endpoint {
			m.Takes = l.Takes
		}
		if !m.Price.Known && m.Endpoint == l.Endpoint {
			m.Price = l.Price
		}
	}
	return all
}

// price gives models the prices that were entered. One that is in no list is added.
func price(c *gateway.Catalogue, entered map[string]gateway.Price) {
	place := map[string]int{}
	for i, m := range c.Models {
		place[m.ID] = i
	}
	for _, id := range slices.Sorted(maps.Keys(entered)) {
		i, there := place[id]
		if !there {
			var nothing gateway.Catalogue
			m, _ := nothing.Lookup(id)
			if m.Endpoint == gateway.Video && m.Seconds.Any() {
				continue // nothing is known of it but the price
			}
			if m.Family == gateway.Unknown {
				m.Family = gateway.Ordinary
			}
			i, c.Models = len(c.Models), append(c.Models, m)
		}
		m, p := &c.Models[i], entered[id]
		if m.Endpoint == gateway.Video {
			p = gateway.Price{Known: p.PerSecond > 0 || p.PerClip > 0, PerSecond: p.PerSecond, PerClip: p.PerClip}
		} else {
			p = gateway.Price{Known: true, Input: p.Input, Output: p.Output, PerImage: p.PerImage}
		}
		m.Price, m.Sample = p, false
	}
}

// readAgain reads the file once more. One with a mistake in it changes nothing.
func (m *models) readAgain(log *slog.Logger) (changed bool) {
	if m.file == "" {
		log.Info("there is no -catalog to read again")
		return false
	}
	c, err := readCatalogue(m.file)
	if err != nil {
		log.Error("the catalogue was not read again; the old one stays", "err", err)
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.read = c
	m.combine()
	log.Info("read the catalogue again", "models", len(c.Models))
	return true
}
