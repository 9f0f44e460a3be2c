package tables

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"example.com/patchwork"
	"example.com/patchwork/table"
)

func TestDebugTable(t *testing.T) {
	seed := uint64(1)
	fmt.Sscan(os.Getenv("E_SEED"), &seed)
	for _, r := range Recoveries {
		if !strings.HasPrefix(r.Name, os.Getenv("E_NAME")) {
			continue
		}
		data, groups := r.Draw(seed)
		cfg := patchwork.Config{Rule: r.Rule, Height: 1, Width: data.Images[0].Width()}
		began := time.Now()
		n := map[string]int{}
		last := ""
		var m *patchwork.Model
		for s, err := range table.Run(context.Background(), data, cfg, table.Options{Workers: 1}) {
			if err != nil {
				t.Fatal(err)
			}
			m = s.Model
			n[s.Stage]++
			if s.Candidate || s.Chosen || os.Getenv("E_V") != "" {
				line := fmt.Sprintf("%6.2f %s cand %v K %d DL %.1f it %d", time.Since(began).Seconds(), s.Stage, s.Candidate, s.Experts, s.DescriptionLength, s.Iteration)
				if line != last {
					fmt.Println(line)
				}
				last = line
			}
		}
		fmt.Println(n)
		for g, c := range groups {
			fmt.Println("group", g, c)
		}
		for k, v := range m.Templates() {
			fmt.Printf("%.3f ", m.Extras().Usage[k])
			for i, p := range v {
				if p != m.Abstention(i) {
					fmt.Printf("%d:%.2f ", i, p)
				}
			}
			fmt.Println()
		}
		return
	}
}
