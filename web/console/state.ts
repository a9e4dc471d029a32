/** The page's knowledge of the network: each node's own view, the timeline of rounds, and the live connection. */
import { useEffect, useState } from 'preact/hooks'
import { bareId, fingerprint, toNumber } from './format.ts'
import { Gate } from './gate.ts'
import {
  type Answer,
  ask,
  Late,
  openSocket,
  readSetup,
  SELF,
  type Setup,
  Unauthorized,
  Unreachable,
} from './rpc.ts'
import { matches, SHAPES } from './shapes.ts'
import { recordRounds } from './timeline.ts'
import type { BftStatus, Block, FailedDial, NodeInfo, Peer, PoolCounts } from './types.ts'

export interface NodeView {
  readonly key: number
  name: string
  readonly url: string | undefined
  /** `slow`: its last answer was late, and the one before was not. */
  reach: 'waiting' | 'reachable' | 'slow' | 'unreachable' | 'unauthorized'
  /** Why it is slow or not reachable. */
  why: string
  /** Node clock minus this browser's clock. */
  clockMs: number | undefined
  fastest: { readonly tookMs: number; readonly atMs: number } | undefined
  bft: BftStatus | undefined
  head: Block | undefined
  pool: PoolCounts | undefined
  info: NodeInfo | undefined
  /** The fingerprint of its chain configuration. */
  config: string | undefined
  version: string | undefined
  peers: readonly Peer[] | undefined
  /** A fingerprint of the set of peers, which changes less often than their numbers. */
  peersKey: string
  dials: readonly FailedDial[] | undefined
  /** Errors of methods that the node does not answer, by method. */
  readonly refusals: Map<string, string>
}

export interface State {
  setup: Setup | undefined
  nodes: NodeView[]
  connection: 'connecting' | 'live' | 'lost'
  lostAtMs: number
  /** Also of nodes that are unreachable now. */
  readonly validatorNames: Map<string, string>
  /** When the head last changed, by this browser's clock. */
  headAtMs: number
  isSignedIn: boolean
  problem: string | undefined
}

const POLL_MS = 1_000
const UNREACHABLE_POLL_MS = 3_000
const SLOW_EVERY = 5
/** The answers of a hundred nodes arrive at any time and are shown together. */
const GATHER_MS = 200
const CLOCK_KEPT_MS = 30_000
/** A larger change of the system's clock is a jump. */
const CLOCK_JUMP_MS = 200
/** A browser opens six connections to the console. Nodes that may not answer share four of them. */
const doubtful = new Gate(4)
const RECONNECT_MIN_MS = 500
const RECONNECT_MAX_MS = 5_000

export const state: State = {
  setup: undefined,
  nodes: [],
  connection: 'connecting',
  lostAtMs: 0,
  headAtMs: 0,
  validatorNames: new Map(),
  isSignedIn: false,
  problem: undefined,
}

const listeners = new Set<() => void>()
let isScheduled = false

let isGathering = false

function changedSoon(): void {
  if (isGathering) return
  isGathering = true
  setTimeout(() => {
    isGathering = false
    changed()
  }, GATHER_MS)
}

/** Renders at most once per frame. */
export function changed(): void {
  if (isScheduled) return
  isScheduled = true
  requestAnimationFrame(() => {
    isScheduled = false
    for (const listener of listeners) listener()
  })
}

export function useConsole(): State {
  const [, render] = useState(0)
  useEffect(() => {
    const listener = (): void => render((before) => before + 1)
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }, [])
  return state
}

/** The node with this name, or the one that serves the page. */
export function nodeNamed(name: string | undefined): NodeView | undefined {
  return state.nodes.find((each) => each.name === name) ?? state.nodes[0]
}

/** The node with this public key, with or without `0x`. */
export function nodeWithId(id: string | undefined): NodeView | undefined {
  if (id === undefined) return undefined
  return state.nodes.find(({ info }) => info !== undefined && bareId(info.id) === bareId(id))
}

export async function start(): Promise<void> {
  try {
    state.setup = await readSetup()
  } catch {
    state.problem = 'The console does not answer.'
    changed()
    setTimeout(() => void start(), RECONNECT_MAX_MS)
    return
  }
  state.problem = undefined
  const { nodes, authentication } = state.setup
  state.nodes = [
    newView(SELF, 'this node', undefined),
    ...nodes.map(({ name, url }, key) => newView(key, name, url)),
  ]
  changed()
  if (authentication === 'off') follow()
}

let isFollowing = false

/** Begins to ask the nodes, after a login if one is needed. */
export function follow(): void {
  state.isSignedIn = true
  if (isFollowing) return
  isFollowing = true
  for (const node of state.nodes) void poll(node)
  connect(RECONNECT_MIN_MS)
}

export function leave(): void {
  location.reload()
}

function newView(key: number, name: string, url: string | undefined): NodeView {
  const unknown = {
    clockMs: undefined,
    fastest: undefined,
    bft: undefined,
    head: undefined,
    pool: undefined,
    info: undefined,
    config: undefined,
  }
  const rest = {
    version: undefined,
    peers: undefined,
    peersKey: '',
    dials: undefined,
    refusals: new Map<string, string>(),
  }
  return { key, name, url, reach: 'waiting', why: '', ...unknown, ...rest }
}

async function poll(node: NodeView): Promise<void> {
  for (let turn = 0; ; turn++) {
    const isSlow = turn % SLOW_EVERY === 0
    if (!document.hidden || turn === 0) {
      if (node.reach === 'reachable') await askOnce(node, isSlow)
      else await doubtful.run(() => askOnce(node, isSlow))
    }
    if (!state.nodes.includes(node)) return
    await pause(node.reach === 'unreachable' ? UNREACHABLE_POLL_MS : POLL_MS)
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const FAST = [
  { method: 'bft_status' },
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'txpool_status' },
]
const SLOW = [
  { method: 'admin_nodeInfo' },
  { method: 'admin_peers' },
  { method: 'admin_failedDials' },
  { method: 'web3_clientVersion' },
]

export async function askOnce(node: NodeView, isSlow: boolean): Promise<void> {
  const calls = isSlow || node.reach !== 'reachable' ? [...FAST, ...SLOW] : FAST
  const sent = { ms: performance.now(), clockMs: systemClockMs() }
  const before = node.reach
  try {
    const answers = await ask(node.key, calls)
    const tookMs = performance.now() - sent.ms
    node.reach = 'reachable'
    node.why = ''
    for (const [at, answer] of answers.entries()) take(node, calls[at]!.method, answer)
    const offsetMs = Date.parse(node.bft?.time ?? '') - (Date.now() - tookMs / 2)
    const hasJumped = Math.abs(systemClockMs() - sent.clockMs) > CLOCK_JUMP_MS
    if (!Number.isNaN(offsetMs) && !hasJumped) takeClock(node, offsetMs, tookMs)
    nameSelf()
  } catch (error) {
    takeFailure(node, error, before)
  }
  changedSoon()
}

/** `before` is how the node was when it was asked. */
function takeFailure(node: NodeView, error: unknown, before: NodeView['reach']): void {
  const isKnown = error instanceof Unreachable || error instanceof Unauthorized
  // Such as JSON that is nested too deeply: the page goes on with the other nodes.
  node.why = isKnown ? error.message : `its answer cannot be read (${String(error)})`
  // A busy machine delays one answer, so the node counts as reachable until the next one is late, too.
  const mayBeBusy = error instanceof Late && ['reachable', 'waiting'].includes(before)
  if (mayBeBusy && node.reach !== 'unreachable') {
    node.reach = 'slow'
    return
  }
  node.reach = error instanceof Unauthorized ? 'unauthorized' : 'unreachable'
  node.bft = undefined
  node.clockMs = undefined
  node.fastest = undefined
  takePeers(node, undefined)
}

function take(node: NodeView, method: string, answer: Answer): void {
  if (!answer.ok) {
    node.refusals.set(method, answer.message)
    return
  }
  const { result } = answer
  if (!matches(SHAPES.get(method) ?? 'any', result)) {
    node.refusals.set(method, `The answer to ${method} does not have its documented form.`)
    return
  }
  node.refusals.delete(method)
  switch (method) {
    case 'bft_status':
      node.bft = (result as BftStatus | null) ?? undefined
      if (node.bft) {
        state.validatorNames.set(node.bft.self, node.name)
        recordRounds(node, node.bft)
      }
      break
    case 'eth_getBlockByNumber':
      takeHead(node, result as Block)
      break
    case 'txpool_status':
      node.pool = result as PoolCounts
      break
    case 'admin_nodeInfo':
      node.info = result as NodeInfo
      node.config = fingerprint(node.info.protocols.eth.config)
      break
    case 'admin_peers':
      takePeers(node, result as Peer[])
      break
    case 'admin_failedDials':
      node.dials = result as FailedDial[]
      break
    default:
      node.version = String(result)
  }
}

function takePeers(node: NodeView, peers: readonly Peer[] | undefined): void {
  node.peers = peers
  node.peersKey = fingerprint((peers ?? []).map(({ id }) => id).sort())
}

function takeHead(node: NodeView, block: Block): void {
  if (node.head?.hash === block.hash) return
  // A notification may overtake the answer to a request.
  if (node.head && toNumber(node.head.number) > toNumber(block.number) && node.head.parentHash === block.hash)
    return
  if (node.key === SELF) state.headAtMs = Date.now()
  node.head = block
}

/** The answer of a busy node comes late, so the fastest one of the last half minute measures its clock. */
function takeClock(node: NodeView, offsetMs: number, tookMs: number): void {
  forgetClocksAfterJump()
  const { fastest } = node
  if (fastest !== undefined && fastest.tookMs < tookMs && performance.now() - fastest.atMs < CLOCK_KEPT_MS)
    return
  node.fastest = { tookMs, atMs: performance.now() }
  node.clockMs = offsetMs
}

/** The system's time when the steady clock was zero. It changes if the system's clock is set, or after a sleep. */
const systemClockMs = (): number => Date.now() - performance.now()

let measuredBy = systemClockMs()

/** Offsets from two different clocks of this browser would look like a wrong clock of a node. */
function forgetClocksAfterJump(): void {
  const clockMs = systemClockMs()
  if (Math.abs(clockMs - measuredBy) > CLOCK_JUMP_MS) {
    for (const node of state.nodes) [node.clockMs, node.fastest] = [undefined, undefined]
  }
  measuredBy = clockMs
}

/** The list may contain the node that serves the page: then it gets its name from there and is asked once. */
function nameSelf(): void {
  const [self, ...others] = state.nodes
  const same = others.find(({ info }) => info !== undefined && info.id === self!.info?.id)
  if (same === undefined) return
  self!.name = same.name
  state.nodes = state.nodes.filter((each) => each !== same)
}

function connect(delayMs: number): void {
  const socket = openSocket()
  let openedMs = 0
  socket.onopen = () => {
    openedMs = Date.now()
    state.connection = 'live'
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
    changed()
  }
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as { params?: { result?: Block } }
    const block = message.params?.result
    if (block?.number === undefined) return
    takeHead(state.nodes[0]!, block)
    changed()
  }
  socket.onclose = () => {
    if (state.connection !== 'lost') state.lostAtMs = Date.now()
    state.connection = 'lost'
    changed()
    const nextMs = openedMs > 0 ? RECONNECT_MIN_MS : Math.min(delayMs * 2, RECONNECT_MAX_MS)
    setTimeout(() => connect(nextMs), delayMs)
  }
}
