"""Pictures that a notebook shows."""

from pathlib import Path

__all__ = ["Picture"]


class Picture(bytes):
    """The bytes of a picture, in PNG or SVG."""

    def save(self, path):
        """Write the picture to a file."""
        Path(path).write_bytes(self)

    def _repr_png_(self):
        return bytes(self) if self[1:4] == b"PNG" else None

    def _repr_svg_(self):
        return None if self[1:4] == b"PNG" else self.decode()

    def __repr__(self):
        return f"Picture of {len(self)} bytes"

    __str__ = __repr__
