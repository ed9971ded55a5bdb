"""Clocks: blocks of timed calls, and what else the machine did meanwhile."""

import glob
import os
import resource
import time

#: how many of a block's sorted times are kept: every quantile of 1/32
KEPT = 33
#: a share of CPU that calls must have had from the calling thread for its clock to be theirs
OWN_SHARE = 0.9
#: of calls, to know whose clock that is
ENOUGH_SECONDS = 5e-3


def machine_seconds():
    """(seconds that all CPUs were busy, seconds that other guests of the host stole)."""
    with open("/proc/stat") as file:
        user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, file.readline().split()[1:9])
    tick = os.sysconf("SC_CLK_TCK")
    return (user + nice + system + irq + softirq) / tick, steal / tick


def process_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def run_delay():
    """Seconds that threads of this process were ready to run and waited for a CPU."""
    total = 0
    for path in glob.glob("/proc/self/task/*/schedstat"):
        try:
            with open(path) as file:
                total += int(file.read().split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue  # the thread has ended
    return total * 1e-9


class Watch:
    """What others did on this machine since it was made."""

    def __init__(self):
        self.start = self.read()

    @staticmethod
    def read():
        return (time.perf_counter(), *machine_seconds(), process_seconds(), run_delay())

    def stop(self):
        """`foreign`: CPUs that others kept busy; `steal` and `delay`: shares of the time."""
        elapsed, busy, steal, own, delay = (after - before for before, after in zip(self.start, self.read()))
        elapsed = max(elapsed, 1e-9)
        return {"foreign": round(max(0.0, busy - own) / elapsed, 3), "steal": round(steal / elapsed, 4),
                "delay": round(delay / elapsed, 4)}


def choose_clock(call, threads):
    """The clock of the work: at one thread the calling thread's, unless other threads of the process work
    for it; at more the process's, which counts all of its threads."""
    if threads > 1:
        return time.process_time
    process_start, thread_start, process = time.process_time(), time.thread_time(), 0.0
    while process < ENOUGH_SECONDS:
        call()
        process = time.process_time() - process_start
    thread = time.thread_time() - thread_start
    return time.thread_time if thread >= OWN_SHARE * process else time.process_time


def thin(times):
    """Evenly spaced quantiles of the times, in milliseconds, the least and the largest among them."""
    ordered = sorted(times)
    last = len(ordered) - 1
    kept = ordered if last < KEPT else [ordered[round(i * last / (KEPT - 1))] for i in range(KEPT)]
    return [round(value * 1e3, 6) for value in kept]


def block(call, clock, seconds, least):
    """Times calls for `seconds`, and at least `least` of them, after one that is not counted."""
    call()
    wall, cpu = [], []
    watch = Watch()
    begin = time.perf_counter()
    while len(wall) < least or time.perf_counter() - begin < seconds:
        cpu_start, wall_start = clock(), time.perf_counter()
        call()
        wall_end, cpu_end = time.perf_counter(), clock()
        wall.append(wall_end - wall_start)
        cpu.append(cpu_end - cpu_start)
    return {"calls": len(wall), "wall": thin(wall), "cpu": thin(cpu), **watch.stop()}
