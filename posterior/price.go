package posterior

import "example.com/patchwork"

// PickCosts returns what a pick of each expert costs, log((1-pi_k)/pi_k) in nats, for
// PursuitOptions.Costs, if the model was learned by posterior weights and its experts
// have one pose each, as those of tables: learning charged the same, so that a pursuit
// with these costs climbs the log joint probability and not the likelihood alone. Other
// models, and those that do not say how often their experts were active, have nil.
func PickCosts(m *patchwork.Model) []float64 {
	extras := m.Extras()
	if extras.Usage == nil || extras.Record.Method != "soft" || m.K() == 0 {
		return nil
	}
	if cfg := m.Config(); cfg.Poses.Len() != 1 || cfg.Scene {
		return nil
	}
	return activationCosts(m)
}
