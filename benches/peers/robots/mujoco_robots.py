"""Robots in MuJoCo: mujoco_robots.py PROGRAM [--rounds N] [--parts N], where PROGRAM prints them as MJCF (`drystone-robots-peers`).

Prints a line per robot, as that program does: name, CPU time of 1/60 s (microseconds, least mean of the rounds of 100), contacts, height of the first link,
mean of how far hinges are from their targets. With --parts 1/60 s is that many steps. Robots come to rest in steps a tenth as long: in steps of 1/60 s the
quadruped falls over when it lands.
"""

import argparse
import subprocess
import time

import mujoco
import numpy

SETTLE = {"arm": 120, "quadruped": 240, "humanoid": 300}
TARGETS = {"arm": [0.3] * 7, "quadruped": [0.0, 0.35, -0.7] * 4, "humanoid": [0.0] * 30}
ROUND = 100

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--rounds", type=int, default=10)
parser.add_argument("--parts", type=int, default=1)
arguments = parser.parse_args()

for name, settle in SETTLE.items():
    text = subprocess.run([arguments.program, "--mjcf", name], check=True, capture_output=True, text=True).stdout
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    # Actuators are in the order of the hinges, joints in the order of the bodies.
    data.ctrl[:] = TARGETS[name]
    model.opt.timestep = 1 / 600
    mujoco.mj_step(model, data, nstep=10 * settle)
    model.opt.timestep = 1 / 60 / arguments.parts
    mujoco.mj_step(model, data, nstep=60 * arguments.parts)
    least = float("inf")
    for _ in range(arguments.rounds):
        start = time.process_time()
        mujoco.mj_step(model, data, nstep=ROUND * arguments.parts)
        least = min(least, (time.process_time() - start) * 1e6 / ROUND)
    places = model.jnt_qposadr[model.actuator_trnid[:, 0]]
    error = numpy.abs(data.qpos[places] - TARGETS[name]).mean()
    print(f"{name} {least:.2f} {data.ncon} {data.xpos[1][1]:.4f} {error:.4f}")
