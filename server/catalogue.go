package main

import (
	"log/slog"
	"os"
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

// models are those of the file of -catalog, or of the sample, as they are now.
type models struct {
	file string
	now  atomic.Pointer[catalogue]
}

// catalogue is one that was read, and as the pages get it.
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
	m := &models{file: file}
	m.set(c)
	return m, nil
}

func (m *models) set(c *gateway.Catalogue)    { m.now.Store(&catalogue{c, c.JSON()}) }
func (m *models) current() *gateway.Catalogue { return m.now.Load().Catalogue }
func (m *models) json() []byte                { return m.now.Load().json }

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
	m.set(c)
	log.Info("read the catalogue again", "models", len(c.Models))
	return true
}
