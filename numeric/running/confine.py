"""Confinement of the process that runs a document's code, by what an ordinary Linux kernel offers without privileges.

Standard library only, and loaded by its path: the interpreter that runs a document need not have this project.

| promise | means                                                       | by                                   |
|---------|-------------------------------------------------------------|--------------------------------------|
| time    | a cell that runs longer is stopped, then its process ended  | an alarm, the parent's clock         |
| memory  | private writable memory is limited                          | RLIMIT_DATA, RLIMIT_AS               |
| network | no socket is made                                           | seccomp                              |
| files   | nothing is written outside the temporary folder; read are   | Landlock, and seccomp for what       |
|         | the interpreter's own folders and those of the system       | Landlock does not know (chmod, ...)  |

Beside that seccomp lets the process start no other program and no other process, and send no signal to one.
Each promise is tried after it was set up: only what was seen to be refused is reported as enforced.

Sources: Linux man-pages landlock(7), seccomp(2), setrlimit(2); linux/filter.h; asm/unistd.h of x86-64 and AArch64.
"""

import contextlib
import ctypes
import errno
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import sys

PROMISES = ("time", "memory", "network", "files")

_PARENT_DIES, _NEW_PRIVILEGES, _SECCOMP, _FILTER = 1, 38, 22, 2
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446

# Rights of linux/landlock.h, by the version of the interface that knows them.
_EXECUTE, _WRITE, _READ, _READ_DIRECTORY, _TRUNCATE, _IOCTL = 1, 2, 4, 8, 1 << 14, 1 << 15
_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL

# Refused with EPERM: (x86-64, AArch64) numbers; None where the architecture has no such call.
_REFUSED = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201),
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "tkill": (200, 130), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434), "pidfd_send_signal": (424, 424),
    "io_uring_setup": (425, 425), "memfd_create": (319, 279), "setrlimit": (160, 164),
    "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190),
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452),
    "chown": (92, None), "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54),
    "utime": (132, None), "utimes": (235, None), "utimensat": (280, 88), "futimesat": (261, None),
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
    "truncate": (76, 45), "mknod": (133, None), "mknodat": (259, 33),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "setns": (308, 268),
    "unshare": (272, 97), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "open_by_handle_at": (304, 265),
    "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282), "reboot": (169, 142),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "swapon": (167, 224), "swapoff": (168, 225), "sethostname": (170, 161), "setdomainname": (171, 162),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "add_key": (248, 217), "request_key": (249, 218),
    "keyctl": (250, 219), "setpriority": (141, 140),
}  # fmt: skip
# Calls that are refused by their arguments.
_CLONE, _CLONE3, _KILL, _TGKILL, _PRLIMIT = (56, 220), (435, 435), (62, 129), (234, 131), (302, 261)
_AUDIT = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_CLONE_THREAD = 0x10000


def confine(folder, memory, cpu, readable):
    """Confine this process; returns for each promise the means that holds it, or None, and why what failed did.

    `folder` may be written; `memory` is in bytes, `cpu` in seconds; `readable` are further folders that may be read.
    """
    held, failed = {"time": "a clock outside the process"}, {}
    os.umask(0o077)
    for name, set_up, probe in (
        ("memory", lambda: _limit(memory, cpu), lambda: _memory_is_limited(memory)),
        ("files", lambda: _landlock(folder, readable), lambda: _files_are_closed(folder)),
        ("network", _seccomp, _network_is_closed),
    ):
        try:
            means = set_up()
            held[name] = means if probe() else None
            if held[name] is None:
                failed[name] = "it was set up, but a trial was not refused"
        except (OSError, ValueError, AttributeError) as error:
            held[name], failed[name] = None, str(error)
    if held["files"] and not held["network"]:
        held["files"], failed["files"] = None, "without seccomp the rights of files could be changed"
    return held, failed


def end_with(parent):
    """End this process when `parent` ends, however that does; where the system has no means for it, the limits remain."""
    try:
        _libc().prctl(_PARENT_DIES, signal.SIGKILL, 0, 0, 0)
    except (OSError, AttributeError):
        return
    if os.getppid() != parent:  # it ended before that was asked for
        os._exit(1)


def _limit(memory, cpu):
    for which, value in (
        (resource.RLIMIT_DATA, memory),
        (resource.RLIMIT_AS, memory + (16 << 30)),  # libraries and reserved addresses; a backstop for shared memory
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_FSIZE, 256 << 20),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(which)
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(which, (value, value))
    return "RLIMIT_DATA"


def _memory_is_limited(memory):
    try:
        block = mmap.mmap(-1, memory + (1 << 20), flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except (OSError, MemoryError, OverflowError):
        return True
    block.close()
    return False


def _libc():
    return ctypes.CDLL(None, use_errno=True)


def _call(libc, *arguments):
    done = libc.syscall(*[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if done < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return done


def _no_new_privileges(libc):
    # Without effect for an ordinary user; root gives up what would let it go round the rest.
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0), 8)
    libc.capset(header, ctypes.create_string_buffer(24))
    if libc.prctl(_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise OSError("no_new_privs was refused")


def _landlock(folder, readable):
    if not sys.platform.startswith("linux"):
        raise OSError(f"needs Linux with Landlock (5.13 or later), found {sys.platform}")
    libc = _libc()
    try:
        version = _call(libc, _LANDLOCK_CREATE, None, 0, 1)
    except OSError as error:
        raise OSError(
            f"needs a kernel with Landlock (5.13 or later, not switched off), found: {error.strerror}"
        ) from None
    rights = _RIGHTS[min(version, 5)]
    # The size tells the kernel which fields there are: files; from version 4 TCP ports; from version 6 signals.
    fields = [rights] + ([3] if version >= 4 else []) + ([3] if version >= 6 else [])
    rules = struct.pack(f"={len(fields)}Q", *fields)
    handle = _call(libc, _LANDLOCK_CREATE, ctypes.create_string_buffer(rules, len(rules)), len(rules), 0)
    reading = _EXECUTE | _READ | _READ_DIRECTORY
    places = [(folder, rights & ~_EXECUTE)]
    places += [(p, _READ | _WRITE) for p in ("/dev/null",)]
    places += [(p, reading) for p in (*_system(), *readable)]
    for path, wanted in places:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            if not os.path.isdir(path):
                wanted &= _OF_FILES
            row = ctypes.create_string_buffer(struct.pack("=Qi", wanted & rights, place), 12)
            _call(libc, _LANDLOCK_ADD, handle, 1, row, 0)
        finally:
            os.close(place)
    _no_new_privileges(libc)
    _call(libc, _LANDLOCK_RESTRICT, handle, 0)
    os.close(handle)
    return f"Landlock {version}"


def _system():
    """What an interpreter and its libraries read."""
    found = ["/usr", "/lib", "/lib32", "/lib64", "/bin", "/opt", "/nix/store", "/gnu/store", "/sys"]
    found += [
        "/proc/" + name
        for name in ("self", "cpuinfo", "meminfo", "stat", "version", "filesystems", "sys/vm", "sys/kernel")
    ]
    found += [
        "/etc/" + name for name in ("ld.so.cache", "ld.so.conf", "localtime", "fonts", "mime.types", "alternatives")
    ]
    found += ["/dev/" + name for name in ("null", "zero", "random", "urandom")]
    found += [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix]
    found += [p for p in sys.path if p and os.path.exists(p)]
    return list(dict.fromkeys(os.path.realpath(p) for p in found))


def _files_are_closed(folder):
    """A file beside the temporary folder cannot be made, one inside can, and the parent's environment stays closed."""
    outside = os.path.join(os.path.dirname(folder), f"derivations-probe-{os.getpid()}")
    try:
        with open(outside, "w"):
            pass
    except OSError:
        pass
    else:
        os.unlink(outside)
        return False
    inside = os.path.join(folder, "probe")
    with open(inside, "w"):
        pass
    os.unlink(inside)
    return True


def _seccomp():
    if platform.machine() not in _AUDIT or not sys.platform.startswith("linux") or struct.calcsize("P") != 8:
        raise OSError(f"needs Linux on x86-64 or AArch64, found {sys.platform} on {platform.machine()}")
    column, arch = _AUDIT[platform.machine()]
    load, equal, bits, answer = 0x20, 0x15, 0x45, 0x06
    refuse = (answer, 0, 0, 0x00050000 | errno.EPERM)
    absent = (answer, 0, 0, 0x00050000 | errno.ENOSYS)
    allow = (answer, 0, 0, 0x7FFF0000)
    own = os.getpid()
    rows = [(load, 0, 0, 4), (equal, 1, 0, arch), refuse, (load, 0, 0, 0)]
    if column == 0:
        rows += [(0x35, 0, 1, 0x40000000), refuse]  # the numbers of the x32 interface
    for numbers in _REFUSED.values():
        if numbers[column] is not None:
            rows += [(equal, 0, 1, numbers[column]), refuse]
    rows += [(equal, 0, 1, _CLONE3[column]), absent]  # the C library then uses clone, whose flags can be read
    rows += [(equal, 0, 4, _CLONE[column]), (load, 0, 0, 16), (bits, 1, 0, _CLONE_THREAD), refuse, allow]
    for call in (_KILL, _TGKILL):
        rows += [(equal, 0, 4, call[column]), (load, 0, 0, 16), (equal, 1, 0, own), refuse, allow]
    # prlimit64 may read limits, not set them: its third argument is no address
    rows += [(equal, 0, 6, _PRLIMIT[column]), (load, 0, 0, 32), (equal, 0, 3, 0), (load, 0, 0, 36), (equal, 0, 1, 0)]
    rows += [allow, refuse, allow]
    program = b"".join(struct.pack("=HBBI", *row) for row in rows)
    code = ctypes.create_string_buffer(program, len(program))
    header = ctypes.create_string_buffer(struct.pack("@HP", len(rows), ctypes.addressof(code)))
    libc = _libc()
    _no_new_privileges(libc)
    zero = ctypes.c_ulong(0)
    if libc.prctl(_SECCOMP, ctypes.c_ulong(_FILTER), header, zero, zero) != 0:
        number = ctypes.get_errno()
        raise OSError(f"needs seccomp filters, found: {os.strerror(number)}")
    return "seccomp"


def _network_is_closed():
    for family in (socket.AF_INET, socket.AF_INET6):
        with contextlib.suppress(OSError):
            socket.socket(family, socket.SOCK_STREAM).close()
            return False
    return True
