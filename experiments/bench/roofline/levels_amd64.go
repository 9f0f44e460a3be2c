package roofline

import "golang.org/x/sys/cpu"

// levels returns the kernels that this processor and its system can run.
func levels() []level {
	var out []level
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		out = append(out, level{"AVX2", 32, fmaYMM, addYMM, wordsYMM, lookupYMM, loadYMM, loadAddYMM})
	}
	if cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW {
		l := level{"AVX-512", 64, fmaZMM, addZMM, wordsZMM, nil, loadZMM, loadAddZMM}
		if cpu.X86.HasAVX512VBMI {
			l.lookup = lookupZMM
		}
		out = append(out, l)
	}
	return out
}

// chain makes additions*n additions that wait for each other, one cycle each, and returns
// their sum.
func chain(n int64) int64 { return addChain(n) }
