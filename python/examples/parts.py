# %% [markdown]
# # Parts of rows and of drawings
#
# A worked session with patchwork-parts. Each `# %%` begins a cell: Jupyter (with jupytext), VS Code, Spyder and
# PyCharm open this file as a notebook; `python3 parts.py FOLDER` runs it as a script and writes its pictures to the
# folder. Nothing is downloaded: the data are made here.

# %%
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from patchwork_parts import PartsModel

folder = Path(sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else ".")
rng = np.random.default_rng(1)

# %% [markdown]
# ## A table
#
# What 500 people bought. Three habits are behind it, and each person has some of them; 3 % of all cells are chance.
# Nobody tells the model how many habits there are.

# %%
goods = ["bread", "butter", "jam", "sausages", "charcoal", "mustard", "flour", "sugar", "eggs", "milk"]
habits = {"breakfast": "bread butter jam milk", "barbecue": "sausages charcoal mustard bread", "baking": "flour sugar eggs butter milk"}
templates = np.array([[0.9 if g in text.split() else 0 for g in goods] for text in habits.values()])
has = rng.random((500, 3)) < (0.4, 0.25, 0.3)
baskets = pd.DataFrame(rng.random((500, len(goods))) < np.maximum(0.03, (has[:, :, None] * templates).max(axis=1)), columns=goods).astype(float)

model = PartsModel().fit(baskets)
print(f"{model.n_components_} parts, {model.description_length_:.0f} nats")
for part, used in zip(model.components_, model.usage_):
    votes = [g for g, p in zip(goods, part) if p > 0.5]
    print(f"  in {used:4.0%} of the baskets: {', '.join(votes)}")

# %%
model.draw().save(folder / "habits.png")
model.draw()

# %% [markdown]
# Which habits does a basket show, and what does it cost to leave one out? Gains are in nats.

# %%
for why in model.explain(baskets[:3]):
    print([(f"part {p['part'] + 1}", round(p["gain"], 1)) for p in why["picks"]])

# %% [markdown]
# A cell that is not known (`NaN`) is left out of the explanation, which then says how likely it is.

# %%
hidden = rng.random((200, len(goods))) < 0.2
truth = baskets[:200].to_numpy()
guess = model.impute(baskets[:200].mask(hidden))
common = np.tile(baskets.mean().round(), (200, 1))
print(f"{(guess.round() == truth)[hidden].mean():.1%} of {hidden.sum()} hidden cells are right; "
      f"{(common == truth)[hidden].mean():.1%} by the commoner value of each column")

# %% [markdown]
# ## Drawings
#
# Twenty letters T, each of two bars that are shifted and turned a little. The parts move, so two of them are enough.


# %%
def bar(x, y, length, width, angle, size=40):
    """Draw a bar around a centre, at an angle in degrees."""
    yy, xx = np.mgrid[:size, :size]
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    along, across = (xx - x) * c + (yy - y) * s, -(xx - x) * s + (yy - y) * c
    return (abs(along) < length / 2) & (abs(across) < width / 2)


letters = np.array([
    bar(20 + rng.integers(-3, 4), 9 + rng.integers(-2, 3), 24, 3, rng.normal(0, 6)) | bar(20 + rng.integers(-2, 3), 21 + rng.integers(-2, 3), 24, 3, 90 + rng.normal(0, 6))
    for _ in range(20)]).reshape(20, -1).astype(float)
strokes = PartsModel(2, shape=(40, 40), shift=8, rotate="24:6").fit(letters[:12])
strokes.draw().save(folder / "strokes.png")
strokes.draw(letters[12:]).save(folder / "explained.png")
print(f"{strokes.score(letters[12:]):.0f} nats for an unseen letter; "
      f"{[len(e['picks']) for e in strokes.explain(letters[12:])]} strokes in each")

# %%
strokes.draw(letters[12:])
