"""Whether every number that the answer cites is that of a passage."""
import json
import re
import sys

asked = json.load(sys.stdin)
cited = {int(it) for it in re.findall(r"\[(\d+)\]", asked["artifacts"]["answer"]["text"])}
wrong = sorted(it for it in cited if not 1 <= it <= len(asked["case"]["passages"]))
if wrong:
    print(f"there is no passage {wrong[0]}")
    sys.exit(1)
