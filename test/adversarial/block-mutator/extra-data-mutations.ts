/** Every item of the extra data with every hostile value, and every way to seal a block wrongly. */
import { addressToBytes } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { type Item, longForm, type MakeSeals, type RawBlock } from './items.ts'
import { type Mutation, STRUCTURAL } from './mutation.ts'
import { VALIDATORS } from './networks.ts'
import type { Place } from './site.ts'

export const EXTRA_FIELDS = ['vanity', 'validators', 'vote', 'round', 'seals'] as const
type ExtraField = (typeof EXTRA_FIELDS)[number]

const MEGABYTE = 1_000_000
const STRANGER = new Uint8Array(20).fill(0xee)
const ADD = Uint8Array.of(0xff)
const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const validators = VALIDATORS.map(({ address }) => addressToBytes(address))

type Values = Readonly<Record<string, (item: Item, site: Place) => Item>>

const SHAPES: Values = {
  'a list in a list': (item) => [item],
  'empty string': () => new Uint8Array(0),
  'empty list': () => [],
  'long form': (item) => longForm(item),
  oversized: () => new Uint8Array(MEGABYTE),
}

const VALUES: Readonly<Record<Exclude<ExtraField, 'seals'>, Values>> = {
  vanity: {
    'other bytes': () => new Uint8Array(32).fill(0xab),
    '31 bytes': () => new Uint8Array(31),
    '33 bytes': () => new Uint8Array(33),
    '64 KiB': () => new Uint8Array(65_536),
  },
  validators: {
    'one missing': () => validators.slice(1),
    'one twice': () => [...validators, validators[3]!],
    'one more': () => [...validators, STRANGER],
    'other order': () => validators.toReversed(),
    'addresses of 19 bytes': () => validators.map((each) => each.subarray(1)),
    'ten thousand': () => Array.from({ length: 10_000 }, () => STRANGER),
  },
  vote: {
    'adds a stranger': () => [STRANGER, ADD],
    'drops a validator': (_, { network }) => [validators[0]!, dropOf(network.protocol)],
    'drop in the other form': (_, { network }) => [
      validators[0]!,
      network.protocol === 'qbft' ? Uint8Array.of(0) : new Uint8Array(0),
    ],
    'drop as a list': () => [validators[0]!, []],
    'unknown type': () => [STRANGER, Uint8Array.of(1)],
    'long type': () => [STRANGER, Uint8Array.of(0xff, 0xff)],
    'extra item': () => [STRANGER, ADD, ADD],
    'without type': () => [STRANGER],
    'short address': () => [STRANGER.subarray(1), ADD],
  },
  round: {
    '1': (_, { network }) => roundOf(network.protocol, 1),
    '2^31-1': (_, { network }) => roundOf(network.protocol, 2 ** 31 - 1),
    '2^32-1': (_, { network }) => roundOf(network.protocol, 2 ** 32 - 1),
    'five bytes': () => Uint8Array.of(1, 0, 0, 0, 0),
    'leading zero': () => Uint8Array.of(0, 1),
    'four zero bytes': () => new Uint8Array(4),
  },
}

/** The lists that Cairn reads leniently or that mean nothing to the rules are left to the paths, which must agree. */
const FREE: Readonly<Record<string, readonly string[]>> = {
  vanity: ['other bytes', '31 bytes', '33 bytes', 'empty string', '64 KiB', 'oversized'],
  vote: ['adds a stranger', 'drops a validator', 'drop in the other form', 'drop as a list'],
  round: ['1', '2^31-1', '2^32-1', 'four zero bytes'],
}

type SealValues = Readonly<Record<string, (honest: MakeSeals, site: Place) => MakeSeals>>

const over =
  (change: (seals: readonly Uint8Array[]) => Item) =>
  (honest: MakeSeals): MakeSeals =>
  (digest) =>
    change(honest(digest) as readonly Uint8Array[])

const SEALS: SealValues = {
  none: () => () => [],
  'one too few': over((seals) => seals.slice(0, 2)),
  'exactly a quorum': over((seals) => seals.slice(0, 3)),
  'other order': over((seals) => seals.toReversed()),
  'one twice': over((seals) => [seals[0]!, seals[0]!, seals[1]!]),
  'quorum and one twice': over((seals) => [...seals.slice(0, 3), seals[0]!]),
  'more than there are validators': over((seals) => [...seals, seals[0]!]),
  'one of a stranger':
    (_, { crypto }) =>
    (digest) =>
      [...VALIDATORS.slice(0, 3).map(({ key }) => key), new Uint8Array(32).fill(77)].map((key) =>
        crypto.sign(key, digest),
      ),
  'one of another digest':
    (honest, { crypto }) =>
    (digest) => [
      ...(honest(digest) as readonly Item[]).slice(0, 3),
      crypto.sign(VALIDATORS[3]!.key, digest.toReversed()),
    ],
  'one of zeros': over((seals) => [...seals.slice(0, 3), new Uint8Array(65)]),
  'one with the other s': over((seals) => [...seals.slice(0, 3), otherS(seals[3]!)]),
  'one with v of 27': over((seals) => [...seals.slice(0, 3), seals[3]!.with(64, seals[3]![64]! + 27)]),
  'one of 64 bytes': over((seals) => [...seals.slice(0, 3), seals[3]!.subarray(0, 64)]),
  'one of 66 bytes': over((seals) => [...seals.slice(0, 3), concatBytes(seals[3]!, Uint8Array.of(0))]),
  'one as a list': over((seals) => [...seals.slice(0, 3), [seals[3]!]]),
  'empty string': () => () => new Uint8Array(0),
  'long form': over((seals) => longForm(seals)),
}
/** Anyone who passes a block on can choose the order, the quorum and the form of s; the hash leaves the seals out. */
const FREE_SEALS: readonly string[] = ['exactly a quorum', 'other order', 'one with the other s']

export const EXTRA_DATA_MUTATIONS: readonly Mutation[] = [
  ...EXTRA_FIELDS.flatMap((name, at) => {
    const field = `extraData.${name}`
    const values = name === 'seals' ? {} : { ...SHAPES, ...VALUES[name] }
    return [
      ...Object.entries(values).map(
        ([value, change]): Mutation => ({
          field,
          value,
          ...(FREE[name]?.includes(value) && { expected: 'either' }),
          change: (raw, site) => withItems(raw, (items) => items.with(at, change(items[at]!, site))),
        }),
      ),
      ...Object.entries(STRUCTURAL).map(
        ([value, change]): Mutation => ({
          field,
          value,
          // QBFT may ignore items at the end, if it does not store them.
          ...(at === EXTRA_FIELDS.length - 1 && value !== 'missing' && { expected: 'either' }),
          change: (raw) => withItems(raw, (items) => change(items, at)),
        }),
      ),
    ]
  }),
  { field: 'extraData', value: 'a megabyte more', expected: 'either', change: padded(MEGABYTE) },
  { field: 'extraData', value: 'one byte more', expected: 'either', change: padded(1) },
  ...Object.entries(SEALS).map(
    ([value, change]): Mutation => ({
      field: 'extraData.seals',
      value,
      isOfSeals: true,
      expected: FREE_SEALS.includes(value) ? 'either' : 'refused',
      change: (raw, site) => ({ ...raw, makeSeals: change(honestSeals(site), site) }),
    }),
  ),
]

export function honestSeals({ crypto }: Place): MakeSeals {
  return (digest) => VALIDATORS.map(({ key }) => crypto.sign(key, digest))
}

function padded(bytes: number): Mutation['change'] {
  return (raw) => withItems(raw, (items) => [...items, new Uint8Array(bytes)])
}

function withItems(raw: RawBlock, change: (items: readonly Item[]) => readonly Item[]): RawBlock {
  return { ...raw, extra: change(raw.extra) }
}

function dropOf(protocol: 'qbft' | 'ibft2'): Uint8Array {
  return protocol === 'qbft' ? new Uint8Array(0) : Uint8Array.of(0)
}

function roundOf(protocol: 'qbft' | 'ibft2', round: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, round)
  return protocol === 'ibft2' ? bytes : bytes.subarray(bytes.findIndex((byte) => byte > 0))
}

/** The same seal in the form that a third party can make of it. */
function otherS(seal: Uint8Array): Uint8Array {
  const s = BigInt(`0x${Buffer.from(seal.subarray(32, 64)).toString('hex')}`)
  const other = Buffer.from((CURVE_ORDER - s).toString(16).padStart(64, '0'), 'hex')
  return concatBytes(seal.subarray(0, 32), other, Uint8Array.of(seal[64]! ^ 1))
}
