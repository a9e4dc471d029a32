/**
 * The grammar of the composing attacker: changes any field of any message at random. A message is walked as data, so new fields
 * are attacked without changes here. Changed payloads are signed again by an attacker, because no one can forge an honest
 * signature.
 */
import {
  type BftMessage,
  MAX_ROUND,
  type Payload,
  type ProposedBlock,
  type Signed,
} from '#consensus/bft/messages.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import type { Hash } from '#types/hash.ts'
import type { Random } from '../support/random.ts'

/** The values that attackers can insert. */
export interface Loot {
  readonly protocol: BftProtocol
  readonly height: number
  readonly round: number
  readonly messages: readonly BftMessage[]
  readonly blocks: readonly ProposedBlock[]
  readonly seals: readonly Uint8Array[]
  /** Signs as one of them, or as a non-validator. */
  sign(payload: Payload, random: Random): Signed<Payload>
  falseBody(block: ProposedBlock, variant: number): ProposedBlock
  withRound(block: ProposedBlock, round: number): ProposedBlock
}

type Path = readonly (string | number)[]
type Shape = 'number' | 'hash' | 'bytes' | 'list' | 'signed' | 'block' | 'claim' | 'nothing' | 'generation'

interface Site {
  readonly path: Path
  readonly shape: Shape
  readonly value: unknown
}

/** The probability that a container is changed instead of one of its members. */
const STOP_HERE = 0.4
/** How often the block is changed if there is one. */
const BLOCK_FIRST = 0.4

/** `beside` allows only unsigned parts, which any relaying peer can change. */
export type Reach = 'anything' | 'beside'

/** Returns the message with one change, or the same message if nothing can be changed. */
export function mutate(
  message: BftMessage,
  loot: Loot,
  random: Random,
  reach: Reach = 'anything',
): BftMessage {
  const site = siteIn(message, [], random, (step) => reach === 'anything' || isBeside(message, step, loot))
  if (site === undefined) return message
  const changed = replaceAt(message, site.path, changeOf(site, loot, random), loot, random) as BftMessage
  return encodable(changed, site, loot, random)
}

function isBeside({ kind }: BftMessage, step: string, { protocol }: Loot): boolean {
  // QBFT signs the block of a proposal with it.
  return (
    step !== 'signed' &&
    step !== 'generation' &&
    !(protocol === 'qbft' && kind === 'proposal' && step === 'block')
  )
}

/** Descends step by step, so a list of a hundred prepares is no more likely than the block. */
function siteIn(
  value: unknown,
  path: Path,
  random: Random,
  isOpen: (step: string) => boolean = () => true,
): Site | undefined {
  const shape = shapeOf(value, path)
  const isContainer = typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
  const steps =
    isContainer && shape !== 'block'
      ? stepsInto(value, path, random).filter((step) => isOpen(String(step)))
      : []
  if (steps.length === 0 || (shape !== undefined && random.chance(STOP_HERE)))
    return shape && { path, shape, value }
  // No signature covers a body.
  const step = steps.includes('block') && random.chance(BLOCK_FIRST) ? 'block' : random.pick(steps)
  return siteIn((value as Record<string | number, unknown>)[step], [...path, step], random)
}

function stepsInto(value: object, path: Path, random: Random): (string | number)[] {
  if (Array.isArray(value)) return value.map((_, index) => index)
  const isSite = (step: string) =>
    shapeOf((value as Record<string, unknown>)[step], [...path, step]) !== undefined
  const steps = Object.keys(value).filter((step) => isSite(step) || step === 'payload' || step === 'proof')
  // The generation is one bit and not a lie.
  return random.chance(0.9) ? steps.filter((step) => step !== 'generation') : steps
}

function shapeOf(value: unknown, path: Path): Shape | undefined {
  const name = path.at(-1)
  // The signature determines the author, and the payload its bytes.
  if (
    name === 'author' ||
    name === 'sealAuthor' ||
    name === 'encoded' ||
    name === 'kind' ||
    path.length === 0
  )
    return undefined
  if (name === 'generation') return 'generation'
  if (value === undefined) return 'nothing'
  if (typeof value === 'number') return 'number'
  if (typeof value === 'string') return 'hash'
  if (value instanceof Uint8Array) return 'bytes'
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'object' || value === null) return undefined
  if ('payload' in value) return 'signed'
  if (name === 'prepared') return 'claim'
  return 'header' in value ? 'block' : undefined
}

function changeOf({ shape, value, path }: Site, loot: Loot, random: Random): unknown {
  switch (shape) {
    case 'number':
      return numberNear(value as number, path, loot, random)
    case 'hash':
      return random.chance(0.2) || loot.blocks.length === 0 ? flipped(value as Hash) : digestOf(loot, random)
    case 'bytes':
      return loot.seals.length === 0 || random.chance(0.2) ? random.bytes(65) : random.pick(loot.seals)
    case 'list':
      return changedList(value as readonly unknown[], path, loot, random)
    case 'signed':
      return otherSigned(value as Signed<Payload>, loot, random)
    case 'block':
      return changedBlock(value as ProposedBlock, loot, random)
    case 'claim':
      return undefined
    case 'nothing':
      return filled(path, loot, random)
    case 'generation':
      return value === 'legacy' ? 'current' : 'legacy'
  }
}

function numberNear(value: number, path: Path, { height, round }: Loot, random: Random): number {
  const here = path.at(-1) === 'height' ? height : round
  return Math.max(0, random.pick([value + 1, value - 1, here, here + 1, here - 1, 0, MAX_ROUND]))
}

function digestOf({ blocks, round, withRound }: Loot, random: Random): Hash {
  const block = random.pick(blocks)
  return random.chance(0.5) ? block.digest : withRound(block, random.below(round + 2)).digest
}

function flipped(hash: Hash): Hash {
  return `0x${hash.endsWith('0') ? hash.slice(2, -1).concat('1') : hash.slice(2, -1).concat('0')}` as Hash
}

function changedList(list: readonly unknown[], path: Path, loot: Loot, random: Random): unknown[] {
  const others = signedOf(path.at(-1) === 'roundChanges' ? 'roundChange' : 'prepare', loot)
  const some = others.length === 0 ? [] : [random.pick(others)]
  const without = random.below(list.length)
  return random.pick([
    () => [],
    () => [...list, ...some],
    () => [...list.slice(0, without), ...list.slice(without + 1)],
    () => [...list.slice(0, without), ...some, ...list.slice(without + 1)],
    () => [...list, ...list.slice(0, 1)],
    () => list.map(() => list[0]),
    () => [...list].reverse(),
    () => others.slice(-Math.max(1, list.length)),
  ])()
}

function otherSigned(signed: Signed<Payload>, loot: Loot, random: Random): Signed<Payload> {
  const others = signedOf(signed.payload.kind, loot)
  return others.length === 0 || random.chance(0.4) ? loot.sign(signed.payload, random) : random.pick(others)
}

function changedBlock(block: ProposedBlock, loot: Loot, random: Random): ProposedBlock | undefined {
  const { round, blocks } = loot
  const falseBody = loot.falseBody(block, random.below(16))
  // The most frequent case; other changes show in the hash of the header.
  return random.pick([
    () => falseBody,
    () => falseBody,
    () => falseBody,
    () => falseBody,
    () => loot.withRound(block, random.below(round + 3)),
    () => ({ ...block, accessList: Uint8Array.of(0xc1, 0x01) }),
    () => (blocks.length === 0 ? block : random.pick(blocks)),
    () => undefined,
  ])()
}

function filled(path: Path, loot: Loot, random: Random): unknown {
  const { blocks, round } = loot
  const name = path.at(-1)
  if (name === 'block') return blocks.length === 0 ? undefined : random.pick(blocks)
  if (name === 'prepared' && blocks.length > 0) {
    const proposals = signedOf('proposal', loot)
    const prepares = signedOf('prepare', loot).slice(-4)
    const proof = proposals.length === 0 ? undefined : { proposal: random.pick(proposals), prepares }
    return { round: random.below(round + 1), digest: digestOf(loot, random), proof }
  }
  return undefined
}

function signedOf(kind: Payload['kind'], { messages }: Loot): Signed<Payload>[] {
  return messages.flatMap((message): readonly Signed<Payload>[] => {
    if (message.kind === kind) return [message.signed]
    if (kind === 'prepare' && 'prepares' in message) return message.prepares
    return kind === 'roundChange' && message.kind === 'proposal' ? message.roundChanges : []
  })
}

/** A copy with the value at the path; every payload on the way is signed again. */
function replaceAt(whole: unknown, path: Path, value: unknown, loot: Loot, random: Random): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  const inner = replaceAt((whole as Record<string | number, unknown>)[step], rest, value, loot, random)
  if (Array.isArray(whole)) return whole.with(step as number, inner)
  const copy = { ...(whole as object), [step]: inner }
  return 'payload' in copy && step === 'payload' ? loot.sign(copy.payload as Payload, random) : copy
}

/** Makes the message encodable: each protocol has fields that follow from others. */
function encodable(message: BftMessage, { path }: Site, loot: Loot, random: Random): BftMessage {
  if (message.kind === 'proposal') {
    if (message.block === undefined) return message
    const { digest } = message.block
    const isPayloadChanged =
      loot.protocol === 'qbft' && (path[0] === 'block' || message.signed.payload.digest !== digest)
    const signed = isPayloadChanged
      ? loot.sign({ ...message.signed.payload, digest }, random)
      : message.signed
    const prepares = loot.protocol === 'qbft' ? message.prepares : []
    return {
      ...message,
      signed,
      prepares,
      roundChanges: message.roundChanges.map((each) => claimed(each, loot, random)),
    } as BftMessage
  }
  if (message.kind !== 'roundChange') return message
  const prepares = loot.protocol === 'qbft' ? message.prepares : []
  return { ...message, signed: claimed(message.signed, loot, random), prepares } as BftMessage
}

/** The claim of a round change: without proof in QBFT, equal to its proof in IBFT 2.0. */
function claimed(signed: Signed<Payload>, loot: Loot, random: Random): Signed<Payload> {
  const { payload } = signed
  if (payload.kind !== 'roundChange' || payload.prepared === undefined) return signed
  const { prepared } = payload
  const { proof } = prepared
  if (loot.protocol === 'qbft') {
    return proof === undefined
      ? signed
      : loot.sign({ ...payload, prepared: { ...prepared, proof: undefined } }, random)
  }
  if (proof === undefined) return loot.sign({ ...payload, prepared: undefined }, random)
  const { round, digest } = proof.proposal.payload
  if (prepared.round === round && prepared.digest === digest) return signed
  return loot.sign({ ...payload, prepared: { round, digest, proof } }, random)
}
