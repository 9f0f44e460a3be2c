package answers

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"example.com/patchwork"
	"example.com/patchwork/internal/rows"
	"example.com/patchwork/internal/score/joint"
)

const (
	searchRows  = 3000 // different rows that the search takes, drawn at random if there are more
	farBehind   = 200  // nats by which a direction is given up
	mostClasses = 32
	leastClass  = 10 // rows of a class, in the mean
	starts      = 8  // of a number of classes
)

// search finds the pictures of a table.
type search struct {
	ctx      context.Context
	seed     uint64
	only     int            // as many classes; 0 finds it out
	data     patchwork.Data // equal rows as one
	t        *answers
	wrong    *answers // t with on for off; nil until it is asked for
	by       map[string]found
	progress func(kind string)

	// whole is the search of all rows, of which this is a fold: as many classes, and parts grown once.
	whole *search
}

// learn finds the pictures.
func (s *search) learn() error {
	s.by = map[string]found{}
	s.keep("independent", measured(independent(s.t), s.t, 1))
	if err := s.classes(); err != nil {
		return err
	}
	if err := s.tell("level"); err != nil {
		return err
	}
	s.keep("level", s.richer(measured(s.by["independent"].withLevel(), s.t, 40), s.t))
	flat := map[string]found{}
	kinds := slices.DeleteFunc([]string{"parts", "skills"}, func(kind string) bool {
		return s.whole != nil && s.whole.by[kind].Picture == nil && s.whole.by[kind+"+level"].Picture == nil
	})
	shortest := math.Inf(1)
	for _, kind := range kinds {
		if err := s.tell(kind); err != nil {
			return err
		}
		flat[kind] = measured(independent(s.side(kind)), s.side(kind), 1).grown(s.side(kind))
		shortest = min(shortest, flat[kind].nats)
	}
	for _, kind := range kinds {
		if flat[kind].nats < shortest+farBehind {
			if err := s.parts(kind, flat[kind]); err != nil {
				return err
			}
		}
	}
	if err := s.relocate(); err != nil {
		return err
	}
	s.again()
	return nil
}

// tell says what is learned next, and whether to go on.
func (s *search) tell(kind string) error {
	if s.progress != nil && s.ctx.Err() == nil {
		s.progress(kind)
	}
	return s.ctx.Err()
}

// keep keeps a picture if it is the shortest of its kind.
func (s *search) keep(kind string, f found) {
	if old, ok := s.by[kind]; ok && old.nats <= f.nats {
		return
	}
	f.Picture = f.clone()
	f.Kind = kind
	s.by[kind] = f
}

// shortest returns the length of the shortest description so far.
func (s *search) shortest() float64 {
	best := math.Inf(1)
	for _, f := range s.by {
		best = min(best, f.nats)
	}
	return best
}

// classes fits mixtures, of more and more classes until two more describe the rows at greater length.
func (s *search) classes() error {
	if s.whole != nil {
		s.keep("classes", s.mixture(len(s.whole.by["classes"].Votes), starts))
		return nil
	}
	most, best := min(mostClasses, max(2, int(s.t.n/leastClass))), 0
	ask := func(k int) (better bool) {
		old := s.by["classes"]
		f := s.mixture(k, starts)
		s.keep("classes", f)
		if better = old.Picture == nil || f.nats < old.nats; better {
			best = k
		}
		return better
	}
	if s.only > 0 {
		ask(s.only)
		return s.tell("classes")
	}
	step := 1
	for k, worse := 2, 0; k <= most && worse < 2; k += step {
		if err := s.tell("classes"); err != nil {
			return err
		}
		if worse++; ask(k) {
			worse = 0
		}
		step = max(1, k/4)
	}
	for _, k := range []int{best - 1, best + 1} { // that were left out
		if step > 1 && k > 1 && k <= most {
			ask(k)
		}
	}
	return nil
}

// mixture fits so many classes from some starts: each class from a row.
func (s *search) mixture(k, starts int) found {
	var tries []found
	rng := rand.New(rand.NewPCG(s.seed, 1<<34+uint64(k)))
	for range starts {
		p := independent(s.t)
		p.Classes, p.Sets = true, nil
		for c := range k {
			from, votes := s.t.x[rng.IntN(len(s.t.x))], slices.Clone(s.t.mean)
			for d, v := range from {
				if v != joint.Unknown {
					votes[d] = (votes[d] + float64(v)) / 2
				}
			}
			p.Votes, p.Usage = append(p.Votes, votes), append(p.Usage, 0)
			p.Sets, p.Share = append(p.Sets, 1<<c), append(p.Share, 1/float64(k))
		}
		tries = append(tries, measured(p, s.t, 5))
	}
	return measured(slices.MinFunc(tries, byLength).Picture, s.t, 60)
}

// richer gives the columns own slopes and the level own weights, where that is shorter.
func (s *search) richer(best found, t *answers) found {
	for _, slopes := range []bool{true, false} {
		p := best.clone()
		if slopes {
			p.OwnSlopes = true
		} else {
			p.OwnWeights = true
		}
		iterations := 60
		if len(p.Votes) > 0 {
			iterations = 15
		}
		if f := measured(p, t, iterations); f.nats < best.nats {
			best = f
		}
	}
	return best
}

// side returns the table that parts of a kind are of.
func (s *search) side(kind string) *answers {
	if kind != "skills" {
		return s.t
	}
	if s.wrong == nil {
		s.wrong = s.t.flipped()
	}
	return s.wrong
}

// parts finds parts with a level beside those without one, and what may be between them.
func (s *search) parts(kind string, flat found) error {
	if err := s.tell(kind + "+level"); err != nil {
		return err
	}
	t := s.side(kind)
	var leveled found
	if s.whole == nil {
		leveled = measured(independent(t).withLevel(), t, 40).grown(t)
		flat, leveled = s.exchanged(flat, leveled, t)
	} else {
		leveled = measured(flat.withLevel(), t, 20).polished(t).shrunk(t).grown(t)
	}
	if min(flat.nats, leveled.nats) < s.shortest()+farBehind {
		s.layers(kind, flat, t)
		s.layers(kind, leveled, t)
	}
	return s.ctx.Err()
}

// exchanged finds parts under a level from those without one, and the other way round.
func (s *search) exchanged(flat, leveled found, t *answers) (found, found) {
	if f := measured(flat.withLevel(), t, 20).polished(t).shrunk(t).grown(t); f.nats < leveled.nats {
		leveled = f
	}
	if f := measured(leveled.withoutLevel(), t, 20).polished(t).shrunk(t).grown(t); f.nats < flat.nats {
		flat = f
	}
	return flat, leveled
}

// layers keeps a picture with parts, and those in which its parts are not active independently.
func (s *search) layers(base string, f found, t *answers) {
	s.add(base, f)
	if f.leveled() {
		s.add(base, s.richer(f, t))
	}
	if len(f.Votes) > 1 {
		s.add(base, measured(f.withUsage(), t, 20).polished(t))
		if f = f.withProfiles(t); len(f.Sets) > len(f.Votes) {
			s.add(base, f)
		} else { // parts that always come together are one
			s.add(base, measured(f.merged(), t, 20).polished(t).shrunk(t))
		}
	}
}

// add keeps a picture with parts, by its layers.
func (s *search) add(base string, f found) {
	if len(f.Votes) == 0 {
		return
	}
	kind := base
	for _, layer := range []struct {
		has  bool
		name string
	}{{f.leveled(), "+level"}, {f.WithUsage, "+usage"}, {f.Share != nil, "+profiles"}} {
		if layer.has {
			kind += layer.name
		}
	}
	f.Picture = f.clone()
	f.Lacking = base == "skills"
	s.keep(kind, f)
}

// again learns the parts of the shortest picture again without its level, or with one, and with its usage or without.
func (s *search) again() {
	for range 2 {
		var best found
		for _, f := range s.parted() {
			if best.Picture == nil || f.nats < best.nats {
				best = f
			}
		}
		if best.Picture == nil {
			return
		}
		base, _, _ := cutKind(best.Kind)
		t := s.side(base)
		others := []*Picture{best.otherLevel(), best.otherUsage()}
		if len(best.Votes) < 2 {
			others = others[:1]
		}
		for _, p := range others {
			s.add(base, measured(p, t, 20).polished(t).shrunk(t))
		}
		if best.nats <= s.shortest() {
			return
		}
	}
}

// parted returns the pictures whose parts have no profiles, in the order of their kinds.
func (s *search) parted() (out []found) {
	for _, kind := range slices.Sorted(maps.Keys(s.by)) {
		if f := s.by[kind]; len(f.Votes) > 0 && f.Share == nil {
			out = append(out, f)
		}
	}
	return out
}

// otherLevel returns the picture without its level, or with one.
func (p *Picture) otherLevel() *Picture {
	switch {
	case !p.leveled():
		return p.withLevel()
	case !p.WithUsage:
		return p.withoutLevel()
	}
	p = p.clone()
	clear(p.Slope)
	p.OwnSlopes = false
	return p
}

// otherUsage returns the picture without its level of usage, or with one.
func (p *Picture) otherUsage() *Picture {
	switch {
	case !p.WithUsage:
		return p.withUsage()
	case !p.leveled():
		return p.withoutLevel()
	}
	p = p.clone()
	p.WithUsage, p.UsageSlope = false, 0
	return p
}

// merged returns the picture with parts that the same profiles have as one, and without those that none has, all active
// independently.
func (p *Picture) merged() *Picture {
	out := p.clone()
	out.Votes, out.Usage = nil, nil
	at := map[string]int{}
	for k, votes := range p.Votes {
		var in []byte
		for _, set := range p.Sets {
			in = append(in, byte(set>>k&1))
		}
		i, ok := at[string(in)]
		switch {
		case slices.Max(in) == 0:
		case !ok:
			at[string(in)] = len(out.Votes)
			out.Votes, out.Usage = append(out.Votes, slices.Clone(votes)), append(out.Usage, p.Usage[k])
		default:
			for d, v := range votes {
				out.Votes[i][d] = max(out.Votes[i][d], v)
			}
		}
	}
	return out.withSets()
}

// relocate tries other places for the parts of the shortest picture, and of that of the other side.
func (s *search) relocate() error {
	if s.whole != nil {
		return nil
	}
	all := slices.DeleteFunc(s.parted(), func(f found) bool { return f.WithUsage })
	slices.SortStableFunc(all, byLength)
	for i, f := range all {
		if i > 0 && (f.Lacking == all[0].Lacking || i > 1 && all[1].Lacking != all[0].Lacking) {
			continue
		}
		if err := s.tell("other places of " + f.Kind); err != nil {
			return err
		}
		if f.nats < s.shortest()+30 {
			kind, _, _ := cutKind(f.Kind)
			s.layers(kind, f.relocated(s.side(kind)), s.side(kind))
		}
	}
	return nil
}

// withUsage makes parts the more probable the higher the level.
func (p *Picture) withUsage() *Picture {
	p = p.clone()
	p.WithUsage, p.UsageSlope = true, 0.7
	if len(p.Steps) == 1 {
		p.Steps, p.Weights = normalSteps()
	}
	return p
}

// withProfiles returns the picture with a share for each set of parts, without the sets that are not worth one.
func (f found) withProfiles(t *answers) found {
	p := f.clone()
	p.Share = make([]float64, len(p.Sets))
	for s := range p.Sets {
		for _, n := range f.c.rows[s] {
			p.Share[s] += (n + 0.1) / (t.n + float64(0.1*float64(len(p.Sets)*len(p.Steps))))
		}
	}
	best := measured(p, t, 10)
	for least := 0.5; least < t.n/4; least *= 2 { // rows that a set must have
		p := best.clone()
		p.Sets, p.Share = nil, nil
		for s, share := range best.Share {
			if share*t.n >= least {
				p.Sets, p.Share = append(p.Sets, best.Sets[s]), append(p.Share, share)
			}
		}
		if len(p.Sets) == len(best.Sets) {
			continue
		}
		next := measured(p, t, 2)
		if next.nats > best.nats {
			break
		}
		best = next
	}
	return measured(best.Picture, t, 10)
}

// newSearch returns a search of rows, a sample of them if there are very many.
func newSearch(ctx context.Context, data patchwork.Data, opt Options) (*search, error) {
	distinct := rows.Distinct(data)
	if n := rows.Counting(data); len(distinct.Images) > searchRows { // of equal rows, as many as chance has it
		_, data = rows.Split(data, searchRows/float64(n), opt.Seed)
		distinct = rows.Distinct(data)
	}
	data = distinct
	t, err := read(data)
	return &search{ctx: ctx, seed: opt.Seed, only: opt.Classes, data: data, t: t, progress: opt.Progress}, err
}
