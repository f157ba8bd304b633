"""Run in an environment that has rliable: its stratified-bootstrap intervals of the mean for every arm of a table.

    python rliable_means.py TABLE.csv REPETITIONS

TABLE.csv is wide: `cell`, `method`, `seed`, then one column a benchmark. Prints one JSON object with the seconds that
reading and computing took and the number of arms.
"""

import json
import sys
import time

import numpy as np
import pandas as pd
from rliable import library, metrics


def main() -> None:
    path, repetitions = sys.argv[1], int(sys.argv[2])
    started = time.perf_counter()
    table = pd.read_csv(path)
    benchmarks = list(table.columns[3:])
    scores = {
        f"{cell} {method}": rows[benchmarks].to_numpy() for (cell, method), rows in table.groupby(["cell", "method"])
    }
    _, intervals = library.get_interval_estimates(
        scores, lambda values: np.array([metrics.aggregate_mean(values)]), reps=repetitions
    )
    seconds = time.perf_counter() - started
    sys.stdout.write(json.dumps({"seconds": seconds, "arms": len(intervals)}) + "\n")


if __name__ == "__main__":
    main()
