import { boolean, oneOf, optionalText, path, text, unsigned } from '#config/kinds.ts'
import { defineOptions } from '#config/option.ts'
import { LOG_LEVELS } from '#platform/log/log-level.ts'

const NETWORKS = [
  'MAINNET',
  'SEPOLIA',
  'HOLESKY',
  'HOODI',
  'EPHEMERY',
  'LINEA_MAINNET',
  'LINEA_SEPOLIA',
  'LUKSO',
  'DEV',
  'FUTURE_EIPS',
  'EXPERIMENTAL_EIPS',
] as const

/** Accepted networks, with the built-in profile that each implies. */
const BROUGHT: ReadonlyMap<unknown, string> = new Map([
  ['DEV', 'dev-network'],
  ['HOODI', 'hoodi-network'],
  ['EPHEMERY', 'ephemery-network'],
  ['MAINNET', 'mainnet-network'],
  ['SEPOLIA', 'sepolia-network'],
])

/** Accepts names in any letter case, with `-` for `_`, like Besu. */
const networkName = oneOf(
  NETWORKS,
  Object.fromEntries(NETWORKS.map((name) => [name.replaceAll('_', '-'), name])),
)

export const nodeOptions = defineOptions('Node', {
  genesisFile: {
    flag: '--genesis-file',
    kind: path,
    help: 'Genesis file of the network; required without --network.',
  },
  network: {
    flag: '--network',
    kind: networkName,
    label: 'NAME',
    help: 'MAINNET, SEPOLIA, HOODI or EPHEMERY, or DEV for local development.',
    details:
      'On a public network the bootnodes and the Engine API are enabled, and a consensus client chooses the head. MAINNET and SEPOLIA need a state after the merge, which `cairn state import` reads. EPHEMERY is a new chain every 28 days, chosen by the clock at the start. DEV runs on this node alone, with funded accounts, a block for every transaction (see --dev-block-period-seconds) and JSON-RPC on this machine. Excludes --genesis-file, unless --copy-of is given.',
    brings: (name) => BROUGHT.get(name),
    refused: {
      accepts: (name) => BROUGHT.has(name),
      why: 'Cairn has only MAINNET, SEPOLIA, HOODI, EPHEMERY and DEV built in; other networks work with --genesis-file.',
    },
  },
  copyOf: {
    flag: '--copy-of',
    kind: path,
    label: 'DIRECTORY',
    help: 'Data directory or backup that --network=DEV copies, for a rehearsal.',
    details:
      'Needs --genesis-file, the file of that network, which may add forks after the copied head. The source is only read and may be in use; neither its key nor its signatures are copied. A --data-path with a copy continues with its own blocks.',
  },
  networkId: {
    flag: '--network-id',
    kind: unsigned,
    label: 'NUMBER',
    help: 'Network id, advertised to peers and returned by net_version.',
    defaultText: 'the chain id of the genesis file',
  },
  identity: {
    flag: '--identity',
    kind: text,
    label: 'NAME',
    help: 'Name of this node in its client version.',
  },
  printPathsAndExit: {
    flag: '--print-paths-and-exit',
    kind: optionalText,
    label: 'USER',
    help: 'Print the paths this node would use, and exit.',
    details: 'An optional user name is ignored.',
  },
  pidPath: { flag: '--pid-path', kind: path, help: 'File for the process id.' },
})

export const logOptions = defineOptions('Log', {
  logging: {
    flag: '--logging',
    aliases: ['-l'],
    kind: oneOf(LOG_LEVELS, { FATAL: 'ERROR' }),
    label: 'LEVEL',
    default: 'INFO',
    help: 'Log level: OFF, ERROR, WARN, INFO, DEBUG, TRACE or ALL.',
  },
  loggingFormat: {
    flag: '--logging-format',
    kind: oneOf(['PLAIN', 'JSON'], { ECS: 'JSON', GCP: 'JSON', LOGSTASH: 'JSON', GELF: 'JSON' }),
    label: 'FORMAT',
    help: 'Log format: PLAIN or JSON.',
    details: 'ECS, GCP, LOGSTASH and GELF give the same JSON.',
    defaultText: 'PLAIN on a terminal, JSON elsewhere',
  },
  colorEnabled: {
    flag: '--color-enabled',
    kind: boolean,
    help: 'Colour in readable log lines.',
    defaultText: 'on a terminal, unless NO_COLOR is set',
  },
})
