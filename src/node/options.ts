import {
  boolean,
  explicitBoolean,
  httpUrl,
  integer,
  oneOf,
  optionalText,
  path,
  text,
  unsigned,
} from '#config/kinds.ts'
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

/** Names in any letter case, with `-` for `_`, as Besu reads them. */
const networkName = oneOf(
  NETWORKS,
  Object.fromEntries(NETWORKS.map((name) => [name.replaceAll('_', '-'), name])),
)

export const nodeOptions = defineOptions('Node', {
  dataPath: {
    flag: '--data-path',
    kind: path,
    label: 'DIRECTORY',
    default: 'cairn-data',
    help: 'Directory for the data of this node. It is created when it is missing.',
  },
  genesisFile: {
    flag: '--genesis-file',
    kind: path,
    help: 'Genesis file of the network. A node does not start without one, unless --network names its network.',
  },
  network: {
    flag: '--network',
    kind: networkName,
    label: 'NAME',
    help: 'A network by its name. DEV is a chain of this node alone, with funded accounts, a block for every transaction (see --dev-block-period-seconds) and JSON-RPC on this machine. Cannot be used with --genesis-file.',
    brings: (name) => (name === 'DEV' ? 'dev-network' : undefined),
    refused: {
      accepts: (name) => name === 'DEV',
      why: 'Cairn does not join public networks yet; name the genesis file of a private network with --genesis-file.',
      until: 'method engine_newPayloadV4',
    },
  },
  networkId: {
    flag: '--network-id',
    kind: unsigned,
    label: 'NUMBER',
    help: 'Network id, told to other nodes and answered by net_version.',
    defaultText: 'the chain id of the genesis file',
  },
  nodePrivateKeyFile: {
    flag: '--node-private-key-file',
    kind: path,
    help: "File with this node's private key, made when it is missing and there is no chain yet.",
    defaultText: '<data path>/key',
  },
  nodeKeyPasswordFile: {
    flag: '--node-key-password-file',
    kind: path,
    help: "File whose first line is the password of this node's private key, where that is in an encrypted keystore.",
  },
  nodeSignerUrl: {
    flag: '--node-signer-url',
    kind: httpUrl,
    help: 'Program that holds the private key of this node and signs for it, over HTTP (docs/signer.md). No key file is read or made then.',
  },
  nodeSignerTokenFile: {
    flag: '--node-signer-token-file',
    kind: path,
    help: 'File whose first line is the bearer token for the signer. Read again when the signer refuses it.',
  },
  nodeSignerCaFile: {
    flag: '--node-signer-ca-file',
    kind: path,
    help: 'Certificates, in PEM, that the certificate of an https signer must come from.',
    defaultText: 'those that Node trusts',
  },
  nodeSignerTimeoutMs: {
    flag: '--node-signer-timeout-ms',
    kind: integer({ min: 50, max: 10_000 }),
    label: 'MILLISECONDS',
    default: 2_000,
    help: 'How long the signer may take for an answer. A vote that is not signed by then is not cast.',
  },
  p2pEnabled: {
    flag: '--p2p-enabled',
    kind: explicitBoolean,
    default: true,
    help: 'Connect to other nodes. With false, no port is opened for them, and /readiness does not ask for any.',
  },
  identity: {
    flag: '--identity',
    kind: text,
    label: 'NAME',
    help: 'Name of this node, shown in its client version.',
  },
  printPathsAndExit: {
    flag: '--print-paths-and-exit',
    kind: optionalText,
    label: 'USER',
    help: 'Print the paths this node would use, one per line, and exit. A user name is accepted and not needed.',
  },
  pidPath: { flag: '--pid-path', kind: path, help: 'File to write the process id to.' },
})

export const logOptions = defineOptions('Log', {
  logging: {
    flag: '--logging',
    aliases: ['-l'],
    kind: oneOf(LOG_LEVELS, { FATAL: 'ERROR' }),
    label: 'LEVEL',
    default: 'INFO',
    help: 'How much to log: OFF, ERROR, WARN, INFO, DEBUG, TRACE or ALL.',
  },
  loggingFormat: {
    flag: '--logging-format',
    kind: oneOf(['PLAIN', 'JSON'], { ECS: 'JSON', GCP: 'JSON', LOGSTASH: 'JSON', GELF: 'JSON' }),
    label: 'FORMAT',
    help: 'PLAIN is one readable line per message, JSON one object per line (ECS, GCP, LOGSTASH and GELF give the same JSON).',
    defaultText: 'PLAIN on a terminal, JSON elsewhere',
  },
  colorEnabled: {
    flag: '--color-enabled',
    kind: boolean,
    help: 'Colour in readable log lines.',
    defaultText: 'on a terminal, unless NO_COLOR is set',
  },
})
