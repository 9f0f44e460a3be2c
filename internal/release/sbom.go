package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The list of what is in a program, in SPDX 2.3 as JSON (spdx.github.io/spdx-spec).

type spdxDocument struct {
	Version       string             `json:"spdxVersion"`
	DataLicense   string             `json:"dataLicense"`
	ID            string             `json:"SPDXID"`
	Name          string             `json:"name"`
	Namespace     string             `json:"documentNamespace"`
	Creation      spdxCreation       `json:"creationInfo"`
	Packages      []spdxPackage      `json:"packages"`
	Relationships []spdxRelationship `json:"relationships"`
}

type spdxCreation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID        string         `json:"SPDXID"`
	Name      string         `json:"name"`
	Version   string         `json:"versionInfo"`
	Download  string         `json:"downloadLocation"`
	Analyzed  bool           `json:"filesAnalyzed"`
	Concluded string         `json:"licenseConcluded"`
	Declared  string         `json:"licenseDeclared"`
	Copyright string         `json:"copyrightText"`
	Checksums []spdxChecksum `json:"checksums,omitempty"`
	External  []spdxExternal `json:"externalRefs,omitempty"`
}

type spdxChecksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type spdxExternal struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxRelationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

// writeSBOM writes the list of the parts in a program.
func (r *release) writeSBOM(exe string, parts []part, path string) error {
	data, err := os.ReadFile(exe)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	hash := hex.EncodeToString(sum[:])
	const self = "SPDXRef-patchwork"
	doc := spdxDocument{
		Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: "SPDXRef-DOCUMENT",
		Name:      strings.TrimSuffix(filepath.Base(path), ".spdx.json"),
		Namespace: r.base + "/" + filepath.Base(path) + "#" + hash,
		Creation:  spdxCreation{r.at.Format(time.RFC3339), []string{"Tool: patchwork-release"}},
		Packages: []spdxPackage{{
			ID: self, Name: filepath.Base(exe), Version: r.version, Download: "NOASSERTION",
			Concluded: "NOASSERTION", Declared: "Apache-2.0", Copyright: "NOASSERTION",
			Checksums: []spdxChecksum{{"SHA256", hash}},
		}},
		Relationships: []spdxRelationship{{"SPDXRef-DOCUMENT", "DESCRIBES", self}},
	}
	for i, p := range parts {
		q, err := p.spdx(fmt.Sprintf("SPDXRef-%s-%d", p.ecosystem, i+1))
		if err != nil {
			return err
		}
		doc.Packages = append(doc.Packages, q)
		doc.Relationships = append(doc.Relationships, spdxRelationship{self, "CONTAINS", q.ID})
	}
	out, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(out, '\n'), 0o644)
}

// spdx returns the entry of a part. A module of Go has the hash of its tree only (h1:),
// which SPDX has no name for; it is left to go.sum.
func (p part) spdx(id string) (spdxPackage, error) {
	q := spdxPackage{
		ID: id, Name: p.Name, Version: p.Version, Download: "NOASSERTION",
		Concluded: "NOASSERTION", Declared: "NOASSERTION", Copyright: "NOASSERTION",
		External: []spdxExternal{{"PACKAGE-MANAGER", "purl", "pkg:" + p.ecosystem + "/" + p.Name + "@" + p.Version}},
	}
	if p.licence != "" {
		q.Declared = p.licence
	}
	if b64, is := strings.CutPrefix(p.sum, "sha512-"); is {
		raw, err := base64.StdEncoding.DecodeString(b64)
		if err != nil {
			return q, fmt.Errorf("integrity of %s: %w", p.Name, err)
		}
		q.Checksums = []spdxChecksum{{"SHA512", hex.EncodeToString(raw)}}
	}
	return q, nil
}
