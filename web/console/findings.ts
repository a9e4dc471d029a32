/** Compares what the nodes report, and names the differences that stop or endanger a network. */
import { bareId, count, offset, plural, short, toNumber } from './format.ts'
import type { NodeView } from './state.ts'

export interface Finding {
  readonly level: 'bad' | 'warn'
  readonly node: string
  readonly sentence: string
  readonly remedy: string
}

/** Besu and Cairn refuse blocks whose time is further ahead than this. */
const CLOCK_LIMIT_MS = 1_000
const BEHIND_LIMIT = 3

/** Offsets from the median of all nodes, so the browser's clock does not matter. */
export function clockOffsets(nodes: readonly NodeView[]): ReadonlyMap<NodeView, number> {
  const clocks = nodes.flatMap(({ clockMs }) => clockMs ?? []).sort((one, other) => one - other)
  const median = clocks[Math.floor((clocks.length - 1) / 2)] ?? 0
  return new Map(nodes.flatMap((node) => (node.clockMs === undefined ? [] : [[node, node.clockMs - median]])))
}

/** The clock was read at any time of the request, so a slow answer does not prove a small offset. */
export const isClockWrong = ({ fastest }: NodeView, offsetMs: number): boolean =>
  Math.abs(offsetMs) - (fastest?.tookMs ?? 0) >= CLOCK_LIMIT_MS

export function findDifferences(nodes: readonly NodeView[]): readonly Finding[] {
  const offsets = clockOffsets(nodes)
  const genesis = mostOf(nodes, genesisOf)
  const config = mostOf(nodes, configOf)
  const highest = Math.max(0, ...nodes.map(({ head }) => (head ? toNumber(head.number) : 0)))
  const genesisNodes = nodes.filter((node) => genesisOf(node) === genesis)
  const each = nodes.flatMap((node) => [
    ...reachability(node),
    ...different(node, nodes, genesisOf, genesis),
    ...(genesisOf(node) === genesis ? differentConfig(node, config) : []),
    ...wrongClock(node, offsets.get(node)),
    ...behind(node, highest),
  ])
  return [...separateGroups(genesisNodes), ...each]
}

/** Groups of nodes without a link to the others. A peer that the console does not list may connect two of them. */
function separateGroups(nodes: readonly NodeView[]): Finding[] {
  const reporting = nodes.filter(({ info, peers }) => info !== undefined && peers !== undefined)
  if (reporting.length < 2) return []
  const linkedTo = new Map<string, string>()
  const rootOf = (id: string): string => {
    const next = linkedTo.get(id) ?? id
    if (next === id) return id
    const root = rootOf(next)
    linkedTo.set(id, root)
    return root
  }
  for (const { info, peers } of reporting) {
    for (const { id } of peers!) linkedTo.set(rootOf(bareId(id)), rootOf(bareId(info!.id)))
  }
  const groups = Map.groupBy(reporting, ({ info }) => rootOf(bareId(info!.id)))
  const [, ...smaller] = [...groups.values()].sort((one, other) => other.length - one.length)
  return smaller.map((group) => {
    const names = group.map(({ name }) => name)
    return {
      level: 'bad',
      node: names[0]!,
      sentence: `${listOf(names)} ${names.length === 1 ? 'has' : 'have'} no link to the other nodes.`,
      remedy: 'Check the network between them, static-nodes.json, --p2p-host and firewalls.',
    }
  })
}

const listOf = (names: readonly string[]): string =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

export const genesisOf = ({ info }: NodeView): string | undefined => info?.protocols.eth.genesis
export const configOf = ({ config }: NodeView): string | undefined => config

/** The value of most nodes. */
export function mostOf(
  nodes: readonly NodeView[],
  read: (node: NodeView) => string | undefined,
): string | undefined {
  const counts = new Map<string, number>()
  for (const node of nodes) {
    const value = read(node)
    if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0]
}

function reachability({ name, reach, why, url }: NodeView): Finding[] {
  if (reach === 'unreachable') {
    const sentence = `${name} is unreachable: ${why}.`.replace('..', '.')
    return [
      {
        level: 'bad',
        node: name,
        sentence,
        remedy: `Check that it runs and serves JSON-RPC${url ? ` at ${url}` : ''}.`,
      },
    ]
  }
  if (reach === 'slow') {
    const remedy = 'The node or its machine is busy; the console asks again.'
    return [{ level: 'warn', node: name, sentence: `${name} is slow: ${why}.`, remedy }]
  }
  if (reach !== 'unauthorized') return []
  return [
    {
      level: 'warn',
      node: name,
      sentence: `${name} does not accept this login.`,
      remedy: 'Sign in with a user that it knows.',
    },
  ]
}

function different(
  node: NodeView,
  nodes: readonly NodeView[],
  read: typeof genesisOf,
  most: string | undefined,
): Finding[] {
  const own = read(node)
  if (own === undefined || own === most) return []
  const others = nodes.filter((each) => read(each) === most).length
  return [
    {
      level: 'bad',
      node: node.name,
      sentence: `${node.name} has another genesis block: ${short(own)}, while ${plural(others, 'node')} ${others === 1 ? 'has' : 'have'} ${short(most!)}.`,
      remedy: 'Compare its genesis file with the others; it needs their file and a new data directory.',
    },
  ]
}

function differentConfig(node: NodeView, most: string | undefined): Finding[] {
  const own = configOf(node)
  if (own === undefined || own === most) return []
  const sentence = `${node.name} has another chain configuration: ${own} instead of ${most}.`
  return [
    { level: 'bad', node: node.name, sentence, remedy: 'Compare the config sections of the genesis files.' },
  ]
}

function wrongClock(node: NodeView, offsetMs: number | undefined): Finding[] {
  const { name } = node
  if (offsetMs === undefined || !isClockWrong(node, offsetMs)) return []
  const sentence = `The clock of ${name} is ${offset(Math.abs(offsetMs)).replace('+', '')} ${offsetMs > 0 ? 'ahead of' : 'behind'} the other nodes.`
  return [{ level: 'bad', node: name, sentence, remedy: 'Synchronise it with NTP.' }]
}

function behind({ name, head, reach }: NodeView, highest: number): Finding[] {
  if (head === undefined || reach !== 'reachable') return []
  const blocks = highest - toNumber(head.number)
  if (blocks < BEHIND_LIMIT) return []
  const sentence = `${name} is ${plural(blocks, 'block')} behind block ${count(highest)}.`
  return [{ level: 'warn', node: name, sentence, remedy: 'Check its peers and its log.' }]
}
