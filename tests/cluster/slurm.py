"""A Slurm of one node on the loopback, without systemd: its own munge, controller and daemon, stopped by process id.

The plugin that runs a job on its node drops every SLURM_* variable, SLURM_CONF too, so the config must lie where Slurm
looks by itself. /etc/slurm/slurm.conf becomes a link to ours while the cluster is up, and is never touched when a
site's own is there.
"""

import os
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from tests.workflow.held import alive, until

SITE = Path("/etc/slurm/slurm.conf")
DAEMONS = ("munged", "slurmctld", "slurmd")
# The profile, but asking every second: these jobs are short.
QUICK = ("--workflow-profile", "profiles/slurm", "--latency-wait", "10")
QUICK += ("--slurm-init-seconds-before-status-checks", "1", "--seconds-between-status-checks", "1")
QUICK += ("--max-status-checks-per-second", "1")
OURS = "# forgetting: a Slurm of one node, for tests\n"
CONFIG = """{ours}
ClusterName=forgetting
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
PlugStackConfig=/dev/null
MpiDefault=none
SwitchType=switch/none
TaskPlugin=task/none
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0
# without cgroups memory is sampled, and a job beyond its own is killed
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherParams=OverMemoryKill
JobAcctGatherFrequency=task=1
AccountingStorageType=accounting_storage/none
# a job that asks for more than there is would wait for ever; one that asks for no memory would take all
EnforcePartLimits=ALL
DefMemPerCPU=1000
MinJobAge=3600
KillWait=2
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def why_not() -> str | None:
    """Why no test cluster can be brought up here, in a sentence; None when it can."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    missing = [name for name in (*DAEMONS, "sbatch", "squeue", "srun") if not shutil.which(name, path=path)]
    if missing:
        return f"no {', '.join(missing)} here: apt-get install slurmctld slurmd slurm-client munge"
    if os.geteuid() != 0:
        return "a test cluster links /etc/slurm/slurm.conf, which needs root"
    if SITE.exists() and not (SITE.is_symlink() and SITE.read_text().startswith(OURS)):
        return f"a site's own {SITE} is here; it is not touched"
    file = SITE.resolve().with_name("slurmctld.pid")
    if file.is_file() and alive(int(file.read_text())):
        return f"another test cluster is up (process {file.read_text().strip()})"
    return None


def free_ports(count: int) -> list[int]:
    """Ports on the loopback that nothing listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """The cluster, up from `start` to `stop`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self) -> None:
        """Write the config, link it, start the three daemons and wait for the node."""
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True)
        host = socket.gethostname().partition(".")[0]
        pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        (self.folder / "slurm.conf").write_text(
            CONFIG.format(
                ours=OURS.strip(),
                host=host,
                ports=free_ports(2),
                folder=self.folder,
                cpus=os.cpu_count(),
                memory=int(0.9 * pages / 2**20),
            )
        )
        SITE.unlink(missing_ok=True)
        SITE.symlink_to(self.folder / "slurm.conf")
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        names = {"key-file": key.name, "socket": "munge.socket", "pid-file": "munged.pid", "log-file": "munged.log"}
        options = [f"--{option}={self.folder / name}" for option, name in names.items()]
        self.run("/usr/sbin/munged", "--force", f"--seed-file={self.folder}/seed", *options)
        self.start_controller()
        self.run("/usr/sbin/slurmd")
        until(lambda: self.run("sinfo", "-h", "-o", "%T").strip() == "idle", f"node idle; logs are in {self.folder}")

    def start_controller(self) -> None:
        """Start slurmctld, which finds the jobs that it knew."""
        self.run("/usr/sbin/slurmctld")

    def stop_controller(self) -> None:
        """Stop slurmctld; jobs go on."""
        self.end("slurmctld")

    def end(self, daemon: str) -> None:
        """End a daemon by its process id."""
        file = self.folder / f"{daemon}.pid"
        if file.is_file():
            process = int(file.read_text())
            os.kill(process, signal.SIGTERM)
            until(lambda: not alive(process), f"end of {daemon}", 20)

    def stop(self) -> None:
        """Cancel what runs, end the daemons, take the link away."""
        self.run("scancel", "--user=root", check=False)
        for daemon in reversed(DAEMONS):
            self.end(daemon)
        if SITE.is_symlink() and SITE.resolve() == (self.folder / "slurm.conf").resolve():
            SITE.unlink()

    def run(self, *command: str, check: bool = True) -> str:
        """Output of a command; fails unless it exits with 0."""
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or not check, (command, done.stdout + done.stderr)
        return done.stdout

    def jobs(self) -> dict[str, str]:
        """State of every job that the controller remembers."""
        lines = self.run("squeue", "--states=all", "--noheader", "--format=%i %T").splitlines()
        return dict(line.split() for line in lines)
