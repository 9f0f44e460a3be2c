// Package modelfile reads and writes a [patchwork.Model] as a file.
//
// A model file is a zip that numpy.load opens. Its members are always in this
// order, with a fixed time stamp and not compressed, so that the same model has
// the same bytes on every machine:
//
//	model.json          what kind of model it is, see below
//	experts.npy         float64 (K,H,W): the templates, on a frame of H x W pixels
//	on.npy, seen.npy    int64 (K,H,W): the counts behind them (optional)
//	lost_on.npy, lost_seen.npy  the same of the pixels lost, where any was
//	q.npy               float64 (H,W): an abstention value per pixel (optional)
//	usage.npy           float64 (K): share of images an expert is active in (optional)
//	means.npy           float64 (H,W): of tables, the column means of the training rows (optional)
//	geometry_mean.npy   float64 (3K): mean of (dy, dx, degrees) of expert 0, 1, ... (optional)
//	geometry_cov.npy    float64 (3K,3K): its covariance
//	predictor_shares.npy  float64 (C): shares of the components of all mixtures of a predictor (optional)
//	predictor_components.npy  float64 (C,D): their probabilities
//	predictor_means.npy, predictor_covariance.npy  float64 (D), (D,D): of the columns
//	level.npy           float64 (D): of answers, how much the level of a row counts for each column (optional)
//	counts.npy          uint8: what the rows of a table say, to go on with new ones (optional, see package table)
//
// The fields of model.json, each with its default:
//
//	format      "patchwork-model"
//	version     1
//	rule        "max" or "max-minus-min"; never left out
//	q           abstention value; the rule's own: 0 or 0.5
//	height, width  of the experts' frame in pixels; never left out. Where experts.npy
//	            is smaller these are of the images: the experts may lie anywhere in
//	            them, as if scene were true and images were [height, width]
//	scene       true: images may be larger than the frame; false
//	images      [height, width] of the images of a scene: of those it was learned
//	            from, and samples; as the frame
//	overhang    pixels by which the frame may reach beyond the border of a scene; 0
//	shift, shift_step  shifts -shift..shift in both directions, in multiples of
//	            shift_step counted from 0; 0 and 1
//	shift_y, shift_x  instead of these: [min, max] or [min, max, step]; only 0
//	rotations   angles in degrees, positive = clockwise on screen; only 0
//	reuse       picks an expert may have in one image; 1
//	truncate    search with truncated templates; false
//	outside     "background" or "unknown"; "background"
//	prior       {"on":a,"off":b}, pseudo-counts; Beta(1, 1)
//	rows        images behind the counts
//	presence    [{"experts":[0,2],"count":5}, ...]: which experts appear together
//	set_prior   of tables: how probable sets of experts are, if not independent:
//	            {"sets":[{"experts":[0,2],"share":s}, ...],
//	            "parts":[{"active":a,"parent":0,"with":b}, ...]}; a row has one of the sets, or
//	            else experts one by one. Where sets say how "sure" each of their experts is, any
//	            of them come, and an expert is as probable as the surest set that came says, or
//	            "active"; "above", a set_prior of the sets, says how these come together
//	compounds_kind  of these sets: "any", with "sure", or "one"; not read
//	predictor   of tables: what predicts unknown bits beside the parts (package stack):
//	            {"weights":[of mixtures, shrunk, few, the parts],
//	            "mixtures":[{"weight":w,"components":k,"starts":n}, ...],
//	            "shrunk":[{"weight":w,"share":a}, ...], "few":[{"weight":w,"rank":k}, ...]}
//	answers     of tables of answers (package answers): {"kind":"skills+level","steps":[of the level],
//	            "weights":[of the steps],"usage_log_odds":[of the parts],"usage_slope":g}
//	record      how it was learned: method, mode, seed, rows, sample, log_lik, chosen,
//	            starts (with score, leave_one_out, description_length), interrupted,
//	            description_length, curve; a log-likelihood of
//	            minus infinity and a description length of infinity are null
//	columns     names of the H*W pixels, which are the columns of a table; none
//	names       names of the K experts, "" for one without; none
//	reading     how the data were read, an object that package dataset writes and
//	            understands: {"threshold":128,"meta":["site"],...}; nothing special
//	stretch     factors by which parts are stretched along their own axis, the rows of
//	            their frame, before they are turned, such as [0.75, 1, 1.33]; in place of
//	            a factor, [y, x] stretches both ways; default [1]
//
// Other fields and arrays are refused, because they may change what the model
// means. Names that begin with "x-" belong to the user and are ignored; so are
// members that are neither model.json nor an array, and unknown fields inside
// record. None of these is written back.
//
// A file with only a rule, a size and experts is already a model. In Python:
//
//	import json, numpy
//	head = {"rule": "max", "height": 28, "width": 28, "shift": 3}
//	numpy.savez("mine.npz", experts=E, **{"model.json": json.dumps(head)})
//
// (NumPy stores that text as the array model.json.npy, which is accepted in
// place of model.json. experts may have any numeric type.)
//
// Files are not trusted: sizes are checked before memory is allocated, and bad
// content yields a [*FormatError].
package modelfile
