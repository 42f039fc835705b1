"""Methods of position-level inverse kinematics on random reachable poses: `python -m benchmarks.inverse_kinematics`."""

import argparse
import time

import numpy as np

import tarsus as ts
from tarsus.ik.position.solve import METHODS

ARMS = {
    "crops9, tool": (ts.robots.crops9, "tool"),
    "hrp2, right hand": (lambda: ts.robots.hrp2(base="fixed"), "r_hand"),
}


def compare(model, frame, method, count, starts):
    """Share of targets that is solved, mean number of steps of the last start, and processor time a target [us]."""
    targets = ts.frame_pose(model, model.random(np.random.default_rng(11), (count,)), frame)
    task = ts.tasks.FramePose(frame, targets)
    begin = time.process_time()
    answer = ts.ik.solve(model, task, method=method, starts=starts)
    spent = time.process_time() - begin
    return answer.success.mean(), answer.iterations.mean(), 1e6 * spent / count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="targets")
    count = parser.parse_args().count
    print("| robot | method | solved from 1 start | from 30 | steps | us a target, 1 start | 30 |")
    print("|---|---|---|---|---|---|---|")
    for name, (make, frame) in ARMS.items():
        model = make()
        for method in METHODS:
            one, steps, quick = compare(model, frame, method, count, 1)
            many, _, slow = compare(model, frame, method, count, 30)
            print(f"| {name} | {method} | {one:.1%} | {many:.1%} | {steps:.1f} | {quick:.0f} | {slow:.0f} |")


if __name__ == "__main__":
    main()
