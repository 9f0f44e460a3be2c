package learn

import (
	"example.com/patchwork"
	"example.com/patchwork/internal/elem"
	"example.com/patchwork/internal/rows"
)

// DescriptionLength returns the length in nats of a two-part code for the images
// of a tally, by the model m that explained them:
//
//	-LL + N sum_k H(pi_k) + log(N)/2 * #{votes}
//
// where LL is the log-likelihood of the N images (weights counted) given their
// explanations, H(pi) = -pi log pi - (1-pi) log(1-pi) with pi_k = (n_k+1/2)/(N+1)
// is the cost of saying in which images expert k is active, and a vote is an
// entry other than the abstention value, in an expert that is active in some
// image. Divide by N log 2 for bits per image. Poses cost nothing. The length is
// +Inf if an image is impossible. DescriptionLength panics if the tally counts
// other experts.
func DescriptionLength(m *patchwork.Model, t *patchwork.Tally) float64 {
	if !t.Fits(m) {
		panic("patchwork: this tally does not count this model's parts")
	}
	// A vote costs the precision to which N images determine a probability (Rissanen 1978, Schwarz 1978).
	sum, vote := -t.LogLik(), elem.Log(float64(max(t.Rows(), 1)))/2
	for k := range m.K() {
		active := t.Active(k)
		sum += usageLength(active, t.Rows())
		if active > 0 {
			sum += float64(vote * float64(rows.Votes(m, k, 0)))
		}
	}
	return sum
}

// usageLength returns the length in nats of a list of the images, active of n, in
// which an expert is active: n H(pi).
func usageLength(active, n int64) float64 {
	pi := (float64(active) + 0.5) / (float64(n) + 1)
	return -float64(n) * (float64(pi*elem.Log(pi)) + float64((1-pi)*elem.Log1p(-pi)))
}
