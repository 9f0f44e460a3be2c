package words

// Nouns are what the pieces of some data are called.
type Nouns struct {
	Image string // one of the data
	Pixel string // one value of it
	Place string // where the values of all of them stand
}

// NounsOf returns the nouns of a table or of images.
func NounsOf(table bool) Nouns {
	if table {
		return Nouns{Image: "row", Pixel: "cell", Place: "column"}
	}
	return Nouns{Image: "image", Pixel: "pixel", Place: "pixel"}
}
