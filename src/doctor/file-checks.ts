/** Checks of the operator's files: options, genesis file, keys, lists, certificates. */
import { X509Certificate } from 'node:crypto'
import { loadPermissions } from '#allowlist/load-permissions.ts'
import { permissionsOptions } from '#allowlist/options.ts'
import { httpOptions, TRANSPORT_OPTIONS, websocketOptions } from '#api/options.ts'
import { buildingOptions } from '#chain/options.ts'
import type { Settings } from '#config/settings.ts'
import { auditFileOf } from '#jsonrpc/audit/audit-room.ts'
import { verifyAudit } from '#jsonrpc/audit/verify-audit.ts'
import { readHttpConfig, readWebSocketConfig } from '#jsonrpc/settings/read-config.ts'
import { readHttpTls, readWebSocketTls } from '#jsonrpc/settings/read-tls-config.ts'
import type { TlsConfig } from '#jsonrpc/settings/server-config.ts'
import { httpTlsOptions, websocketTlsOptions } from '#jsonrpc/settings/tls-options.ts'
import { optionWarnings, validateOptions } from '#node/validate-options.ts'
import { keyFileOf } from '#p2p/key/key-file.ts'
import { keyOptions, peerOptions } from '#p2p/options.ts'
import { readNamedNodes } from '#p2p/read-nodes.ts'
import { exposureOf } from '#p2p/signer/start-signer.ts'
import type { Clock } from '#platform/clock.ts'
import { kindOfPath, OWNER_ONLY } from '#platform/files/files.ts'
import { createLog } from '#platform/log/log.ts'
import { modeOf } from '#platform/machine.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import { Secret } from '#platform/secret.ts'
import { certificatesOf, type TlsIdentity } from '#serve/tls/tls-files.ts'
import { type Check, error, type Patient, type Problem, unlessFault, warning } from './check.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
/** A caller of these APIs can take over the node. */
const DANGEROUS_APIS = ['ADMIN', 'DEBUG', 'MINER', 'PERM', 'PLUGINS', 'QBFT', 'IBFT']
const LOOPBACK = /^(127\.|::1$|localhost$)/

export const FILE_CHECKS: readonly Check[] = [
  {
    id: 'options',
    looksAt: 'rules between options, and options without effect',
    run: async ({ settings }) => [
      ...(await unlessFault(() => validateOptions(settings), 'Correct the option at the place it names.')),
      ...optionWarnings(settings).flatMap((sentence) => warning(sentence, 'Remove it.')),
    ],
  },
  {
    id: 'genesis',
    looksAt: 'the genesis file',
    run: ({ unread }) => unread.genesis,
  },
  {
    id: 'node-key',
    looksAt:
      'the node key: its file, or its signer, which signs a test digest in time and over TLS (docs/extend/signer.md)',
    run: checkKey,
  },
  {
    id: 'secret-modes',
    looksAt: 'whether others on this machine can read keys, passwords and credentials',
    run: ({ settings }) =>
      secretFilesOf(settings).flatMap((file) => {
        const mode = modeOf(file)
        return mode === undefined || (mode & ~OWNER_ONLY) === 0
          ? []
          : warning(
              `${file} can be read or changed by others (mode ${mode.toString(8)}).`,
              `chmod 600 ${file}; if it was readable for long, replace the secret.`,
            )
      }),
  },
  {
    id: 'credentials',
    looksAt: 'the credentials file and the JWT key file',
    run: async ({ settings }) => [
      ...(await unlessFault(
        () => readHttpConfig(settings, TRANSPORT_OPTIONS, () => undefined),
        'Correct the file.',
      )),
      ...(await unlessFault(
        () => readWebSocketConfig(settings, TRANSPORT_OPTIONS, () => undefined),
        'Correct the file.',
      )),
    ],
  },
  {
    id: 'exposed-apis',
    looksAt: 'APIs that change the node and can be called from other machines without a password',
    run: ({ settings }) =>
      [httpOptions, websocketOptions].flatMap(({ enabled, host, apis, authenticationEnabled }) => {
        if (!settings.get(enabled) || LOOPBACK.test(settings.get(host))) return []
        const open = settings.get(apis).filter((api) => DANGEROUS_APIS.includes(api.toUpperCase()))
        if (open.length === 0 || settings.get(authenticationEnabled)) return []
        return warning(
          `${apis.flag} offers ${open.join(', ')} at ${settings.get(host)} without authentication.`,
          `Enable ${authenticationEnabled.flag}, remove these APIs, or listen on 127.0.0.1.`,
        )
      }),
  },
  {
    id: 'certificate',
    looksAt: 'the TLS certificates of JSON-RPC: whether they can be used, and until when',
    run: async (patient) => {
      const { settings } = patient
      const tables = [() => readHttpTls(settings), () => readWebSocketTls(settings)]
      return (await Promise.all(tables.map((read) => checkCertificate(patient, read)))).flat()
    },
  },
  {
    id: 'permissions-file',
    looksAt: 'the permissions file',
    run: ({ settings, clock }) =>
      unlessFault(() => readPermissions(settings, clock), 'Correct the file, or bring it from its backup.'),
  },
  {
    id: 'allowed-peers',
    looksAt: 'whether the nodes allowlist permits this node, its static nodes and its bootnodes',
    run: async ({ settings, clock }) => {
      if (!settings.get(permissionsOptions.nodesEnabled)) return []
      const loaded = await readPermissions(settings, clock).catch(() => undefined)
      const entries = loaded?.list('nodes')?.all()
      return entries?.length === 0
        ? warning(
            'The nodes allowlist is empty: this node cannot connect to any peer.',
            'Add its peers with perm_addNodesToAllowlist or in the permissions file.',
          )
        : []
    },
  },
  {
    id: 'known-nodes',
    looksAt: 'static nodes and bootnodes: their files, and names of hosts in DNS',
    run: ({ settings }) =>
      unlessFault(
        () => readNamedNodes(settings),
        'Correct the entry; names need --Xdns-enabled=true and a DNS that knows them.',
      ),
  },
  {
    id: 'free-gas',
    looksAt: 'the lowest gas price on a network where gas is free',
    run: ({ settings, network }) => {
      const { minGasPrice } = buildingOptions
      if (!network?.genesis.config.zeroBaseFee || settings.get(minGasPrice) === 0n) return []
      return warning(
        `Gas is free on this network, and ${minGasPrice.flag} is ${settings.get(minGasPrice)}: transactions with price 0 never get into a block.`,
        `Give all nodes ${minGasPrice.flag}=0.`,
      )
    },
  },
  {
    id: 'p2p-host',
    looksAt: 'the address that this node advertises',
    run: async ({ settings }) => {
      const host = settings.get(peerOptions.host)
      if (!settings.get(peerOptions.enabled) || !LOOPBACK.test(host)) return []
      const named = await readNamedNodes(settings).catch(() => undefined)
      const others = [...(named?.bootnodes ?? []), ...(named?.staticNodes ?? [])]
      return others.some((enode) => !LOOPBACK.test(enode.host))
        ? warning(
            `${peerOptions.host.flag} is ${host}, which others cannot reach, and peers are on other machines.`,
            `Give the address under which they reach this machine with ${peerOptions.host.flag}.`,
          )
        : []
    },
  },
  {
    id: 'audit-log',
    looksAt: 'whether the audit log is as it was written',
    run: async ({ settings }) => {
      const file = auditFileOf(settings)
      if (file === undefined || kindOfPath(file) !== 'file') return []
      const { broken } = await verifyAudit([file])
      return broken === undefined
        ? []
        : error(
            `${file}, line ${broken.place}: ${broken.sentence}`,
            'Keep a copy, and check who changed it. `cairn audit verify` shows the details.',
          )
    },
  },
]

function readPermissions(settings: Settings, clock: Clock) {
  const metrics = createMetrics({ prefix: '', onSourceError: () => undefined })
  return loadPermissions(settings, { clock, log: createLog({ level: 'OFF' }), metrics })
}

function checkKey({ settings, signMs, unread, limits }: Patient): readonly Problem[] {
  const url = settings.get(keyOptions.nodeSignerUrl)
  if (url === undefined) return unread.key
  const exposure = exposureOf(url)
  return [
    ...unread.key,
    ...(exposure === undefined
      ? []
      : warning(exposure, 'Give it a certificate, or run it on the machine of the node.')),
    ...(signMs === undefined || signMs < limits.signMs
      ? []
      : warning(
          `The signer at ${url} took ${Math.round(signMs)} ms for a signature, and a validator needs several for a block.`,
          'Run it near the node, and look at the device behind it.',
        )),
  ]
}

function secretFilesOf(settings: Settings): readonly string[] {
  const named = [
    httpOptions.credentialsFile,
    websocketOptions.credentialsFile,
    httpTlsOptions.keystoreFile,
    httpTlsOptions.keystorePasswordFile,
    websocketTlsOptions.keystoreFile,
    websocketTlsOptions.keystorePasswordFile,
    websocketTlsOptions.keyFile,
    keyOptions.nodeKeyPasswordFile,
    keyOptions.nodeSignerTokenFile,
  ].map((option) => settings.get(option))
  return [keyFileOf(settings), ...new Set(named.filter((file): file is string => typeof file === 'string'))]
}

/** Options are plain text, but TLS files are read with a Secret. */
function hidden(identity: TlsConfig['identity']): TlsIdentity {
  if (identity.kind === 'pem' || 'file' in identity.password) return identity as TlsIdentity
  return { ...identity, password: { secret: new Secret(identity.password.secret) } }
}

async function checkCertificate(
  { clock, limits }: Patient,
  read: () => TlsConfig | null,
): Promise<readonly Problem[]> {
  let certificates: readonly string[] = []
  const refused = await unlessFault(() => {
    const tls = read()
    if (tls !== null) certificates = certificatesOf(hidden(tls.identity))
  }, 'Correct the option or the file.')
  const ends = certificates.map((pem) => new X509Certificate(pem))
  return [
    ...refused,
    ...ends.flatMap(({ validToDate, subject }) => {
      const days = (validToDate.getTime() - clock.wallMs()) / DAY_MS
      const name = subject.replaceAll('\n', ', ')
      const remedy = 'Put a new certificate in its place; a running node takes it without a restart.'
      if (days < 0) return error(`The certificate of ${name} ended on ${validToDate.toISOString()}.`, remedy)
      if (days >= limits.certificateDays) return []
      return warning(`The certificate of ${name} ends in ${Math.floor(days)} days.`, remedy)
    }),
  ]
}
