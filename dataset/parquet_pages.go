//go:build !js

package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/encoding/delta"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

// What a page holds is unpacked twice, by decompression and by run lengths, and both may
// claim anything: a hundred bytes become gigabytes. The library believes them. So a page
// is unpacked here first, into no more memory than its header admits, and the runs are
// counted.

// plainDictionary is the old name of format.RLEDictionary, which old writers use.
const plainDictionary format.Encoding = 2

// checkPage checks what a page unpacks to, given its header, its bytes as they are in the
// file, and the largest definition level of its column.
func checkPage(h *pageHeader, body []byte, codec format.CompressionCodec, maxLevel int) string {
	levels := []byte(nil)
	if h.kind == dataPageV2 {
		n := h.repetition + h.definition
		if h.repetition < 0 || h.definition < 0 || n > int64(len(body)) {
			return "levels longer than their page"
		}
		levels, body = body[h.repetition:n], body[n:]
	}
	if codec != format.Uncompressed && !(h.kind == dataPageV2 && h.plain) {
		var problem string
		if body, problem = unpackPage(codec, body, h.uncompressed); problem != "" {
			return problem
		}
	}
	switch h.kind {
	case dictionaryPage:
		return ""
	case dataPage:
		if maxLevel > 0 && h.levelCoding == int64(format.RLE) {
			if len(body) < 4 || int64(binary.LittleEndian.Uint32(body)) > int64(len(body)-4) {
				return "levels longer than their page"
			}
			n := 4 + int(binary.LittleEndian.Uint32(body))
			levels, body = body[4:n], body[n:]
		}
	case dataPageV2:
	default:
		return fmt.Sprintf("a page of kind %d", h.kind)
	}
	if maxLevel > 0 && !fewRuns(levels, bits.Len(uint(maxLevel)), h.values) {
		return fmt.Sprintf("more levels than the %d values of a page", h.values)
	}
	return checkValues(h, body)
}

// checkValues checks that the values of a data page are not more than its header says.
func checkValues(h *pageHeader, body []byte) string {
	few := true
	switch coding := format.Encoding(h.coding); coding {
	case format.Plain, format.ByteStreamSplit:
	case plainDictionary, format.RLEDictionary:
		few = len(body) == 0 || body[0] <= 32 && fewRuns(body[1:], int(body[0]), h.values)
	case format.RLE:
		few = len(body) < 4 || fewRuns(body[4:], 1, h.values)
	case format.DeltaBinaryPacked, format.DeltaLengthByteArray:
		few = fewDeltas(body, h.values)
	case format.DeltaByteArray:
		if few = fewDeltas(body, h.values); few && !shortPrefixes(body) {
			return "values that repeat more of each other than 64 MiB"
		}
	default:
		return fmt.Sprintf("values coded as %v, whose size cannot be known beforehand; write the file with another encoding", coding)
	}
	if !few {
		return fmt.Sprintf("more values than the %d of its header in a page", h.values)
	}
	return ""
}

const notAsClaimed = "a page that is not compressed as its header says"

// unpackPage decompresses a page into at most the size that its header claims.
func unpackPage(codec format.CompressionCodec, body []byte, size int64) (out []byte, problem string) {
	var r io.Reader
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(body); err != nil || int64(n) > size {
			return nil, notAsClaimed
		}
		out, err := snappy.Decode(nil, body)
		if err != nil {
			return nil, notAsClaimed
		}
		return out, ""
	case format.Lz4Raw:
		out := make([]byte, size)
		n, err := lz4.UncompressBlock(body, out)
		if err != nil {
			return nil, notAsClaimed
		}
		return out[:n], ""
	case format.Gzip:
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, notAsClaimed
		}
		r = z
	case format.Brotli:
		r = brotli.NewReader(bytes.NewReader(body))
	case format.Zstd:
		z, err := zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(uint64(max(size, 1<<20))))
		if err != nil {
			return nil, notAsClaimed
		}
		defer z.Close()
		r = z
	default:
		return nil, fmt.Sprintf("pages compressed by %v, which is not read here; write the file with snappy or zstd", codec)
	}
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(r, size+1))
	if err != nil || n > size {
		return nil, notAsClaimed
	}
	return b.Bytes(), ""
}

// slack is by how many values the runs of a page may exceed its header: packed ones come
// in groups of eight, and writers fill up the last ones.
const slack = 512

// fewRuns reports whether runs of values of some width in bits, in Parquet's hybrid of run lengths
// and packed bits, hold few more than a number of values.
func fewRuns(b []byte, width int, values int64) bool {
	total := uint64(0)
	for len(b) > 0 && total <= uint64(values)+slack {
		head, n := binary.Uvarint(b)
		if n <= 0 {
			return true // the library refuses it
		}
		b = b[n:]
		count, length := head>>1, uint64(width+7)/8
		if head&1 != 0 {
			if count > 1<<40 {
				return false
			}
			count, length = 8*count, count*uint64(width)
		}
		if total += count; count > 1<<40 {
			return false
		}
		b = b[min(length, uint64(len(b))):]
	}
	return total <= uint64(values)+slack
}

// fewDeltas reports whether a block of differences says that it has no more values than
// a number, in blocks no larger than the library takes.
func fewDeltas(b []byte, values int64) bool {
	for k := range 3 { // values of a block, parts of a block, all values
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return true // the library refuses it
		}
		if b = b[n:]; k == 2 {
			return v <= uint64(values)
		}
	}
	return true
}

// shortPrefixes reports whether values that each repeat the beginning of the one before
// repeat at most 64 MiB. It is called with few values only.
func shortPrefixes(b []byte) bool {
	lengths, err := new(delta.BinaryPackedEncoding).DecodeInt32(nil, b)
	total := int64(0)
	for _, n := range lengths {
		if total += int64(n); n < 0 || total > 64<<20 {
			return false
		}
	}
	return err == nil
}
