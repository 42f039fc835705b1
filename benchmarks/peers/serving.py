"""The peer's end of the line: reads questions, calls functions, writes answers. Runs without this project."""

import json
import os
import sys
import time
import warnings

warnings.filterwarnings("ignore")
clock = time.thread_time_ns
"""Processor time of this thread: what other programs do meanwhile does not count."""


def serve(functions):
    """Answer until the line is closed. What the peer prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        question = json.loads(line)
        try:
            answer = {"result": functions[question.pop("call")](**question)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def reach(targets, first, step, error, tolerance, max_steps):
    """Steps from a start until the pose error is below the tolerance: seconds, steps and success of each target.

    The clock runs for the steps and for the errors that tell when to stop, as in a program that uses the peer.
    """
    seconds, steps, solved = [], [], []
    for target in targets:
        begin = clock()
        first(target)
        done = False
        for count in range(max_steps + 1):
            done = error() < tolerance
            if done or count == max_steps:
                break
            try:
                step()
            except Exception:  # a quadratic program without solution
                break
        seconds.append((clock() - begin) * 1e-9)
        steps.append(count)
        solved.append(bool(done))
    return {"seconds": seconds, "steps": steps, "solved": solved}


def steps_of(rounds, begin, step, errors, count):
    """Times [s] of steps after each of several targets, and the errors at the end of each."""
    seconds, left = [], []
    for target in rounds:
        begin(target)
        for _ in range(count):
            start = clock()
            step()
            seconds.append((clock() - start) * 1e-9)
        left.append(errors())
    return {"seconds": seconds, "errors": left}
