import base64

import numpy as np

from wayword.workbench.figures import draw
from workbench.test_quality import MOST, look


def read(numbers):
    """Return numbers of a figure, which plotly may have packed."""
    if isinstance(numbers, dict):
        return np.frombuffer(base64.b64decode(numbers["bdata"]), numbers["dtype"]).tolist()
    return numbers


def test_the_learning_curve_is_what_was_estimated_and_its_band_the_interval():
    _, found = look(MOST)
    band, line = draw("learning_curve", None, found)["data"]
    sizes, means, lows, highs = zip(*found.curve, strict=True)
    assert len(means) > 2
    assert read(line["x"]) == list(sizes)
    assert read(line["y"]) == list(means)
    assert read(band["y"]) == [*highs, *reversed(lows)]
    assert "runs" not in line["hovertext"][0]
    assert line["hovertext"][-1].endswith(f"{means[-1]:.3f}<br>between {lows[-1]:.3f} and {highs[-1]:.3f}")
