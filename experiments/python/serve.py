
# Each line of standard input is {"op", "in"} as JSON; for each a line is written: {"out"}, or {"error"}.
import json, sys

answers, sys.stdout = sys.stdout, sys.stderr  # what a library prints is no answer
for line in sys.stdin:
    job = json.loads(line)
    try:
        answer = {"out": ops[job["op"]](job["in"])}
    except Exception as e:
        answer = {"error": f"{type(e).__name__}: {e}"}
    print(json.dumps(answer), file=answers, flush=True)
