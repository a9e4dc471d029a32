/** What the nodes of a network say of themselves, and how that is shown. */
import { kindOfPath } from '#platform/files/files.ts'
import { Fault } from '#types/fault.ts'
import { printableLine } from '#types/printable.ts'
import { askNode } from './ask-node.ts'
import { endpointOf } from './endpoint.ts'
import { type FleetNode, isValidator } from './network-directory.ts'
import { lastWords } from './node-log.ts'
import { pidOf } from './node-process.ts'

export interface NodeReport {
  readonly name: string
  /** silent: its process runs and does not answer. */
  readonly state: 'running' | 'silent' | 'stopped' | 'down'
  readonly pid?: number
  readonly height?: number
  readonly round?: number
  readonly peers?: number
  readonly pool?: number
  /** What consensus waits for, in the words of this node, or why it ended. */
  readonly cause?: string
}

interface BftStatus {
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

export function reportNetwork(nodes: readonly FleetNode[]): Promise<readonly NodeReport[]> {
  return Promise.all(nodes.map(reportNode))
}

async function reportNode(node: FleetNode): Promise<NodeReport> {
  const { name } = node
  const pid = pidOf(node)
  if (pid === undefined) {
    if (kindOfPath(node.stoppedFile) !== undefined) return { name, state: 'stopped' }
    const words = lastWords(node)
    return { name, state: 'down', ...(words?.isFault && { cause: `It ended, and said last: ${words.text}` }) }
  }
  try {
    const [height, peers, pool, bft] = (await askNode(endpointOf(node), CALLS)).map(({ result }) => result)
    const counts = pool as { pending: string; queued: string } | null | undefined
    const status = bft as BftStatus | null | undefined
    return {
      name,
      pid,
      state: 'running',
      height: Number(height),
      peers: Number(peers),
      ...(counts && { pool: Number(counts.pending) + Number(counts.queued) }),
      ...(status && { round: status.round ?? 0 }),
      // Of an observer it says that it makes no blocks, which is as it should be.
      ...(status &&
        (status.validator || isValidator(node)) && {
          cause: printableLine(String(status.cause)),
        }),
    }
  } catch (error) {
    return { name, pid, state: 'silent', ...(error instanceof Fault && { cause: error.message }) }
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

/** One line for each node. */
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

/** What the nodes say: each sentence once, with the nodes that say it. */
export function formatCauses(reports: readonly NodeReport[]): readonly string[] {
  const speakers = new Map<string, string[]>()
  for (const { name, cause } of reports) {
    if (cause !== undefined) speakers.set(cause, [...(speakers.get(cause) ?? []), name])
  }
  return [...speakers].map(([cause, names]) => `${names.join(', ')}: ${cause}`)
}
