"""OpenCV's matchTemplate with non-maximum suppression, beside package sheets.

Reads page.npy (H,W) and templates.npy (K,h,w), both 0 and 1, and writes finds.npy: a row
for each find, best first: symbol, y, x, turn, mirror, correlation. Prints processor seconds.
"""
import sys
import time

try:
    import cv2
    import numpy as np
except ImportError as error:
    print("missing", error)
    sys.exit(3)

cv2.setNumThreads(1)
folder, least = sys.argv[1], float(sys.argv[2])
page = np.load(folder + "/page.npy").astype(np.uint8) * 255
templates = np.load(folder + "/templates.npy").astype(np.uint8) * 255
began = time.process_time()
found = []
for k, symbol in enumerate(templates):
    seen = []
    for mirror in (0, 1):
        for turn in (0, 90, 180, 270):
            glyph = np.ascontiguousarray(np.rot90(symbol[:, ::-1] if mirror else symbol, -turn // 90))
            if any(np.array_equal(glyph, other) for other in seen):
                continue
            seen.append(glyph)
            score = cv2.matchTemplate(page, glyph, cv2.TM_CCOEFF_NORMED)
            peak = cv2.dilate(score, np.ones((5, 5), np.uint8))
            for y, x in np.argwhere((score >= least) & (score == peak)):
                found.append((k, y, x, turn, mirror, score[y, x]))
found.sort(key=lambda f: -f[5])
side = min(templates.shape[1:]) // 2
kept = []
for f in found:
    if all(max(abs(f[1] - o[1]), abs(f[2] - o[2])) >= side for o in kept):
        kept.append(f)
np.save(folder + "/finds.npy", np.array(kept, dtype=np.float64).reshape(-1, 6))
print("seconds", time.process_time() - began)
