"""A hub between network namespaces that delays or drops the packets it forwards.

python3 hub.py COUNT SEED creates COUNT unnamed network namespaces, each with one TUN device, and one device here for the
watching program, whose packets are always delivered. It prints its process id and the file descriptors of the namespaces.
Each line on standard input is a JSON object of links, {"1>2": {"delay": 0.1, "loss": 0.05}}, which replaces all earlier
links; other links are perfect. The hub and its namespaces end with its input.
"""
import ctypes, fcntl, heapq, json, os, random, select, struct, subprocess, sys, time

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
WATCHER = 254
MAX_WAITING = 100_000

libc = ctypes.CDLL(None, use_errno=True)
count, chance = int(sys.argv[1]), random.Random(int(sys.argv[2]))


def tun(host):
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH14x", b"tun0", IFF_TUN | IFF_NO_PI))
    for words in (f"addr add 10.78.0.{host}/24 dev tun0", "link set tun0 up", "link set lo up"):
        subprocess.run(["ip", *words.split()], check=True)
    return device


devices = {WATCHER: tun(WATCHER)}
spaces = []
for host in range(1, count + 1):
    if libc.unshare(CLONE_NEWNET) != 0:
        sys.exit(f"no namespace: {os.strerror(ctypes.get_errno())}")
    spaces.append(os.open("/proc/self/ns/net", os.O_RDONLY))
    devices[host] = tun(host)
print(json.dumps({"pid": os.getpid(), "spaces": spaces}), flush=True)

hosts = {device: host for host, device in devices.items()}
links, waiting, number, text = {}, [], 0, b""


def take(device):
    global number
    source = hosts[device]
    for _ in range(64):
        try:
            packet = os.read(device, 65536)
        except BlockingIOError:
            return
        if len(packet) < 20 or packet[0] >> 4 != 4:
            continue
        target = packet[19]
        link = links.get((source, target), {}) if target in devices else None
        if link is None or chance.random() < link.get("loss", 0) or len(waiting) > MAX_WAITING:
            continue
        number += 1
        heapq.heappush(waiting, (time.monotonic() + link.get("delay", 0), number, devices[target], packet))


while True:
    pause = max(0, waiting[0][0] - time.monotonic()) if waiting else None
    for ready in select.select([0, *hosts], [], [], pause)[0]:
        if ready != 0:
            take(ready)
            continue
        piece = os.read(0, 65536)
        if piece == b"":
            sys.exit(0)
        *lines, text = (text + piece).split(b"\n")
        for line in lines:
            links = {tuple(map(int, pair.split(">"))): link for pair, link in json.loads(line).items()}
            print("ok", flush=True)
    now = time.monotonic()
    while waiting and waiting[0][0] <= now:
        _, _, target, packet = heapq.heappop(waiting)
        try:
            os.write(target, packet)
        except OSError:
            pass
