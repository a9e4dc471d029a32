/** Checks answers of nodes, because a listed node may send anything and must not break the page for the others. */

export type Shape =
  | 'text'
  | 'quantity'
  | 'number'
  | 'boolean'
  | 'any'
  | { readonly orNull: Shape }
  | { readonly listOf: Shape }
  | { readonly members: Readonly<Record<string, Shape>> }

/** More items than a list of any node has. */
const MAX_ITEMS = 2_000
const MAX_CHARACTERS = 100_000
const QUANTITY = /^0x[0-9a-f]{1,64}$/i

export function matches(shape: Shape, value: unknown): boolean {
  if (shape === 'any') return true
  if (shape === 'text') return typeof value === 'string' && value.length <= MAX_CHARACTERS
  if (shape === 'quantity') return typeof value === 'string' && QUANTITY.test(value)
  if (shape === 'number') return typeof value === 'number' && Number.isFinite(value)
  if (shape === 'boolean') return typeof value === 'boolean'
  if ('orNull' in shape) return value === null || matches(shape.orNull, value)
  if ('listOf' in shape) {
    const { listOf } = shape
    return Array.isArray(value) && value.length <= MAX_ITEMS && value.every((each) => matches(listOf, each))
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return Object.entries(shape.members).every(([name, member]) =>
    matches(member, Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined),
  )
}

const textOrNull: Shape = { orNull: 'text' }
const numberOrNull: Shape = { orNull: 'number' }

const VALIDATOR: Shape = {
  members: {
    address: 'text',
    self: 'boolean',
    connected: 'boolean',
    proposed: 'boolean',
    prepared: 'boolean',
    committed: 'boolean',
    wantsRound: numberOrNull,
    lastHeard: textOrNull,
  },
}

const QUORUM: Shape = {
  members: {
    validators: 'number',
    needed: 'number',
    tolerated: 'number',
    heard: 'number',
    prepares: 'number',
    preparesNeeded: 'number',
    commits: 'number',
  },
}

const STATUS: Shape = {
  members: {
    height: 'quantity',
    round: numberOrNull,
    stage: 'text',
    self: 'text',
    validator: 'boolean',
    proposer: 'text',
    roundLeftMs: numberOrNull,
    blockLeftMs: numberOrNull,
    quorum: QUORUM,
    validators: { listOf: VALIDATOR },
    time: 'text',
    cause: 'text',
  },
}

const BLOCK: Shape = {
  members: {
    number: 'quantity',
    hash: 'quantity',
    parentHash: 'quantity',
    miner: 'text',
    timestamp: 'quantity',
    gasUsed: 'quantity',
    gasLimit: 'quantity',
    stateRoot: 'text',
  },
}

const NODE: Shape = {
  members: {
    enode: 'text',
    id: 'text',
    name: 'text',
    activeFork: 'text',
    protocols: {
      members: { eth: { members: { genesis: 'text', config: 'any', network: 'number' } } },
    },
  },
}

const PEER: Shape = {
  members: {
    id: 'text',
    name: 'text',
    enode: 'text',
    why: 'text',
    connectedSeconds: 'number',
    bytesIn: 'number',
    bytesOut: 'number',
    network: { members: { remoteAddress: 'text', inbound: 'boolean' } },
    protocols: { members: {} },
  },
}

const FAILED_DIAL: Shape = { members: { enode: 'text', why: 'text', failures: 'number' } }

/** By method. */
export const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['bft_status', { orNull: STATUS }],
  ['eth_getBlockByNumber', BLOCK],
  ['txpool_status', { members: { pending: 'quantity', queued: 'quantity' } }],
  ['admin_nodeInfo', NODE],
  ['admin_peers', { listOf: PEER }],
  ['admin_failedDials', { listOf: FAILED_DIAL }],
  ['web3_clientVersion', 'text'],
])
