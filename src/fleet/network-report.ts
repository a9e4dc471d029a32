/** Collects the reports of a network's nodes and formats them. */
import { kindOfPath } from '#platform/files/files.ts'
import { type Address, parseAddress } from '#types/address.ts'
import { Fault } from '#types/fault.ts'
import { printableLine } from '#types/printable.ts'
import { askNode } from './ask-node.ts'
import { endpointOf } from './endpoint.ts'
import { type FleetNode, isValidator } from './network-directory.ts'
import { addressInKeyFile } from './node-key-file.ts'
import { lastWords } from './node-log.ts'
import { pidOf } from './node-process.ts'

export interface NodeReport {
  readonly name: string
  /** `silent`: its process runs but does not answer. */
  readonly state: 'running' | 'silent' | 'stopped' | 'down'
  readonly pid?: number
  /** The address of its key; absent if the node does not run and its key file does not show it. */
  readonly address?: Address
  /** The URL of its JSON-RPC; absent if the node does not answer. */
  readonly url?: string
  readonly height?: number
  readonly round?: number
  readonly peers?: number
  readonly pool?: number
  /** The reason why consensus waits, as this node reports it, or why the node ended. */
  readonly cause?: string
}

interface BftStatus {
  readonly self: string
  readonly validator: boolean
  readonly round: number | null
  readonly cause: string
}

const CALLS = [
  { method: 'eth_blockNumber' },
  { method: 'net_peerCount' },
  { method: 'txpool_status' },
  { method: 'bft_status' },
]

export async function reportNetwork(nodes: readonly FleetNode[]): Promise<readonly NodeReport[]> {
  return nameNodes(await Promise.all(nodes.map(reportNode)))
}

const ADDRESS = /\b0x[0-9a-f]{40}\b/gi

/** Puts the node's name in front of its address in every cause. */
export function nameNodes(reports: readonly NodeReport[]): readonly NodeReport[] {
  const names = new Map(
    reports.flatMap(({ name, address }) => (address === undefined ? [] : [[String(address), name]])),
  )
  const named = (text: string) => {
    const name = names.get(text.toLowerCase())
    return name === undefined ? text : `${name} ${text}`
  }
  return reports.map((report) =>
    report.cause === undefined ? report : { ...report, cause: report.cause.replace(ADDRESS, named) },
  )
}

async function reportNode(node: FleetNode): Promise<NodeReport> {
  const { name } = node
  const pid = pidOf(node)
  const address = addressInKeyFile(node)
  const known = { name, ...(address && { address }) }
  if (pid === undefined) {
    if (kindOfPath(node.stoppedFile) !== undefined) return { ...known, state: 'stopped' }
    const words = lastWords(node)
    return {
      ...known,
      state: 'down',
      ...(words?.isFault && { cause: `It ended, and said last: ${words.text}` }),
    }
  }
  try {
    const endpoint = endpointOf(node)
    const [height, peers, pool, bft] = (await askNode(endpoint, CALLS)).map(({ result }) => result)
    const counts = pool as { pending: string; queued: string } | null | undefined
    const status = bft as BftStatus | null | undefined
    return {
      ...known,
      ...(status && { address: parseAddress(status.self) }),
      url: endpoint.url,
      pid,
      state: 'running',
      height: Number(height),
      peers: Number(peers),
      ...(counts && { pool: Number(counts.pending) + Number(counts.queued) }),
      ...(status && { round: status.round ?? 0 }),
      // For an observer the cause only says that it makes no blocks, as expected.
      ...(status &&
        (status.validator || isValidator(node)) && {
          cause: printableLine(String(status.cause)),
        }),
    }
  } catch (error) {
    return { ...known, pid, state: 'silent', ...(error instanceof Fault && { cause: error.message }) }
  }
}

const COLUMNS = ['name', 'state', 'height', 'round', 'peers', 'pool'] as const
const HEADINGS = {
  name: 'NODE',
  state: 'STATE',
  height: 'BLOCK',
  round: 'ROUND',
  peers: 'PEERS',
  pool: 'POOL',
}

export function formatTable(reports: readonly NodeReport[]): readonly string[] {
  const rows = [HEADINGS, ...reports].map((row) => COLUMNS.map((column) => String(row[column] ?? '-')))
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)))
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at]!))
      .join('  ')
      .trimEnd(),
  )
}

/** Formats the causes: each sentence once, with the nodes that report it. */
export function formatCauses(reports: readonly NodeReport[]): readonly string[] {
  const speakers = new Map<string, string[]>()
  for (const { name, cause } of reports) {
    if (cause !== undefined) speakers.set(cause, [...(speakers.get(cause) ?? []), name])
  }
  return [...speakers].map(([cause, names]) => `${names.join(', ')}: ${cause}`)
}
