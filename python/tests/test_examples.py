"""Tests of the examples: they run, and draw their pictures."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from test_parts import ROOT, PartsModel, needs, planted  # noqa: E402


class TestExamples(unittest.TestCase):
    @needs("pandas")
    def test_worked_session(self):
        with tempfile.TemporaryDirectory() as folder:
            env = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
            said = subprocess.run([sys.executable, str(ROOT / "python" / "examples" / "parts.py"), folder], env=env,
                                  check=True, capture_output=True, text=True).stdout
            self.assertTrue(said.startswith("3 parts, "), said)
            self.assertIn("flour, sugar, eggs", said)
            self.assertIn("[2, 2, 2, 2, 2, 2, 2, 2] strokes", said)
            for name in ("habits.png", "strokes.png", "explained.png"):
                self.assertEqual((Path(folder) / name).read_bytes()[:8], b"\x89PNG\r\n\x1a\n", name)


class TestPictures(unittest.TestCase):
    def test_draw(self):
        X, _ = planted()
        m = PartsModel(3).fit(X)
        png, svg = m.draw(), m.draw(X, format="svg")
        self.assertEqual(png._repr_png_(), png)
        self.assertIsNone(png._repr_svg_())
        self.assertIn("<svg", svg._repr_svg_())
        self.assertIsNone(svg._repr_png_())
        with tempfile.TemporaryDirectory() as folder:
            png.save(Path(folder) / "parts.png")
            self.assertEqual((Path(folder) / "parts.png").read_bytes(), png)

    def test_draw_of_another_format(self):
        with self.assertRaisesRegex(ValueError, "gif"):
            PartsModel(3).fit(planted()[0]).draw(format="gif")


if __name__ == "__main__":
    unittest.main()
