"""OpenCV's matchTemplate with non-maximum suppression, beside package sheets."""
import time

import cv2
import numpy as np

cv2.setNumThreads(1)


def find(job):
    """Finds, best first: symbol, y, x, turn, mirror, correlation; and processor seconds. Pixels are digits, 9 is white."""
    def pixels(image):
        return np.array([np.frombuffer(row.encode(), np.uint8) - 48 for row in image]) * 28

    page, templates, least = pixels(job["page"]), np.array([pixels(t) for t in job["templates"]]), job["least"]
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
                    found.append((k, int(y), int(x), turn, mirror, float(score[y, x])))
    found.sort(key=lambda f: -f[5])
    side = min(templates.shape[1:]) // 2
    kept = []
    for f in found:
        if all(max(abs(f[1] - o[1]), abs(f[2] - o[2])) >= side for o in kept):
            kept.append(f)
    return {"finds": kept, "seconds": time.process_time() - began}


ops = {"find": find}
