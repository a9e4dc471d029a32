/** Exports a network as systemd services: one hardened unit for all nodes, and an install script. */
import { databaseLockOf } from '#fleet/network-directory.ts'
import type { NewFile } from '#fleet/new-network.ts'
import { refusal } from '#fleet/plan-network.ts'
import type { ExportedNode } from './exported-node.ts'

export const UNIT_FILE = 'cairn@.service'
const USER = 'cairn'
const HOME = '/var/lib/cairn'

/** `cairn@validator-1` runs in /var/lib/cairn/validator-1. The first word of `program` is an absolute path. */
export function systemdUnit(program: readonly string[]): string {
  return `# ${UNIT_FILE}: a node whose directory is ${HOME}/<instance>, as \`cairn network new\` writes it.
[Unit]
Description=Cairn node %i
Documentation=https://www.npmjs.com/package/cairn-node
Wants=network-online.target
After=network-online.target time-sync.target
# A node that cannot start is tried for ten minutes, and then left for a person.
StartLimitIntervalSec=600
StartLimitBurst=20

[Service]
Type=exec
User=${USER}
Group=${USER}
WorkingDirectory=${HOME}/%i
ExecStart=${program.map(unitWord).join(' ')} --config-file=config.toml
Restart=on-failure
RestartSec=5
# Options that do not fit do not fit the next time either.
RestartPreventExitStatus=2
# A node finishes what it answers and closes its database.
TimeoutStopSec=90
LimitNOFILE=65536
# V8 would let the young generation of the main thread grow to 128 MB on a large machine.
Environment=NODE_OPTIONS=--max-semi-space-size=16

# It writes to its own directory and nowhere else.
StateDirectory=cairn/%i
StateDirectoryMode=0700
UMask=0077
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
DevicePolicy=closed
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes

# No extra rights. The JavaScript compiler needs memory that is writable and executable.
NoNewPrivileges=yes
CapabilityBoundingSet=
AmbientCapabilities=
PrivateUsers=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictRealtime=yes
LockPersonality=yes
RemoveIPC=yes
KeyringMode=private
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`
}

export function exportSystemd(nodes: readonly ExportedNode[], program: readonly string[]): NewFile[] {
  const file = (path: string, content: string): NewFile => ({ path, content, isSecret: false })
  return [
    file(UNIT_FILE, systemdUnit(program)),
    file('cairn.sysusers.conf', `u ${USER} - "Cairn node" ${HOME}\n`),
    file('install.sh', installScript(nodes)),
  ]
}

/** Moves and overwrites nothing: a second run refuses. */
function installScript(nodes: readonly ExportedNode[]): string {
  const places = nodes.map(({ name, node }) =>
    [name, node.directory, databaseLockOf(node)].map(shellWord).join(' '),
  )
  return `#!/bin/sh
# Installs the nodes below as services of this machine. Run it as root, when 'cairn network down' has stopped them:
# two nodes with one key would equivocate.
set -eu
cd "$(dirname "$0")"
root="\${DESTDIR:-}"

each() {
${places.map((place) => `  "$1" ${place}`).join('\n')}
}

# A pid file has the process id and its start time, as ids are reused.
started() {
  pid="$(head -n 1 "$1/pid" 2> /dev/null)" && kill -0 "$pid" 2> /dev/null || return 1
  start="$(sed -n 's/^start://p' "$1/pid")"
  [ -z "$start" ] || [ "$start" = "$(sed 's/.*) //' "/proc/$pid/stat" | cut -d ' ' -f 20)" ]
}

# A process that has the database open locks this file.
locked() {
  [ -e "$1" ] && grep -q ":$(stat -c %i "$1") " /proc/locks
}

check() {
  if started "$2" || locked "$3"; then
    echo "$1 is still running; stop it with 'cairn network down' first." >&2
    exit 1
  fi
  if [ -e "$root${HOME}/$1" ]; then
    echo "$root${HOME}/$1 already exists and is kept; move it away first." >&2
    exit 1
  fi
}

place() {
  mkdir -p "$root${HOME}"
  cp -a "$2" "$root${HOME}/$1"
  rm -f "$root${HOME}/$1/pid" "$root${HOME}/$1/log" "$root${HOME}/$1/stopped" "$root${HOME}/$1/program" \\
    "$root${HOME}/$1/starting.pid"
  # In another root there is no such user yet.
  [ -n "$root" ] || chown -R ${USER}:${USER} "${HOME}/$1"
  chmod 0700 "$root${HOME}/$1"
}

enable() { systemctl enable --now "cairn@$1.service"; }

each check
install -D -m 0644 cairn.sysusers.conf "$root/usr/lib/sysusers.d/cairn.conf"
install -D -m 0644 ${UNIT_FILE} "$root/etc/systemd/system/${UNIT_FILE}"
[ -n "$root" ] || systemd-sysusers
each place
if [ -z "$root" ]; then
  systemctl daemon-reload
  each enable
fi
`
}

/** Quotes one word for sh. */
export function shellWord(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Quotes one word of ExecStart, in which systemd expands % and $. */
function unitWord(text: string): string {
  if (/[\p{Cc}]/u.test(text))
    throw refusal(`${JSON.stringify(text)} cannot be written into a unit of systemd.`)
  if (/^[\w./:@=-]+$/.test(text)) return text
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`
}
