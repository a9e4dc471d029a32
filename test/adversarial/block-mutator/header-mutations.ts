/** Every header field with every hostile value. */
import { bigintToBytes, bytesToBigint, concatBytes } from '#types/bytes.ts'
import { rlpScalar } from '#types/rlp.ts'
import { EXTRA_PLACE, encodeItem, type Item, longForm, type RawBlock } from './items.ts'
import { type Change, type Mutation, STRUCTURAL } from './mutation.ts'
import type { Place } from './site.ts'

type Kind = 'hash' | 'address' | 'bloom' | 'scalar' | 'word' | 'bytes'

export const HEADER_FIELDS: readonly (readonly [name: string, kind: Kind])[] = [
  ['parentHash', 'hash'],
  ['ommersHash', 'hash'],
  ['coinbase', 'address'],
  ['stateRoot', 'hash'],
  ['transactionsRoot', 'hash'],
  ['receiptsRoot', 'hash'],
  ['logsBloom', 'bloom'],
  ['difficulty', 'scalar'],
  ['number', 'scalar'],
  ['gasLimit', 'scalar'],
  ['gasUsed', 'scalar'],
  ['timestamp', 'scalar'],
  ['extraData', 'bytes'],
  ['mixHash', 'hash'],
  ['nonce', 'word'],
  ['baseFeePerGas', 'scalar'],
  ['withdrawalsRoot', 'hash'],
  ['blobGasUsed', 'scalar'],
  ['excessBlobGas', 'scalar'],
  ['parentBeaconBlockRoot', 'hash'],
  ['requestsHash', 'hash'],
  ['blockAccessListHash', 'hash'],
  ['slotNumber', 'scalar'],
]

export const positionOf = (name: string): number => HEADER_FIELDS.findIndex(([field]) => field === name)

const WORD_MAX = 2n ** 256n - 1n
const GAS_PER_BLOB = 131_072n
const GAS_LIMIT_DIVISOR = 1_024n
const MEGABYTE = 1_000_000

/** Wrong encodings of any byte string. */
const SHAPES: Readonly<Record<string, Change>> = {
  empty: () => new Uint8Array(0),
  'a list': () => [],
  'a list that contains it': (item) => [item],
  'one byte more': (item) => concatBytes(item as Uint8Array, Uint8Array.of(1)),
  'one byte less': (item) => (item as Uint8Array).subarray(1),
  'leading zero': (item) => concatBytes(Uint8Array.of(0), item as Uint8Array),
  'long form': (item) => longForm(item),
  oversized: () => new Uint8Array(MEGABYTE).fill(1),
}

const HASHES: Readonly<Record<string, Change>> = {
  zero: () => new Uint8Array(32),
  max: () => new Uint8Array(32).fill(0xff),
  'one bit off': (item) => (item as Uint8Array).with(31, (item as Uint8Array)[31]! ^ 1),
}

const ADDRESSES: Readonly<Record<string, Change>> = {
  zero: () => new Uint8Array(20),
  max: () => new Uint8Array(20).fill(0xff),
  'one bit off': (item) => (item as Uint8Array).with(19, (item as Uint8Array)[19]! ^ 1),
  'another validator': (_, { parent }) => Buffer.from(parent.header.coinbase.slice(2), 'hex'),
}

const BLOOMS: Readonly<Record<string, Change>> = {
  zero: () => new Uint8Array(256),
  max: () => new Uint8Array(256).fill(0xff),
  'one bit off': (item) => (item as Uint8Array).with(255, (item as Uint8Array)[255]! ^ 1),
}

const numberIn = (item: Item): bigint => bytesToBigint(item as Uint8Array)
const fixed =
  (value: bigint): Change =>
  () =>
    rlpScalar(value)
const relative =
  (change: (honest: bigint, site: Place) => bigint): Change =>
  (item, site) => {
    const value = change(numberIn(item), site)
    return rlpScalar(value < 0n ? 0n : value)
  }

const SCALARS: Readonly<Record<string, Change>> = {
  '0': fixed(0n),
  '1': fixed(1n),
  '2^63-1': fixed(2n ** 63n - 1n),
  '2^63': fixed(2n ** 63n),
  '2^64-1': fixed(2n ** 64n - 1n),
  '2^64': fixed(2n ** 64n),
  '2^256-1': fixed(WORD_MAX),
  'one more': relative((honest) => honest + 1n),
  'one less': relative((honest) => honest - 1n),
  twice: relative((honest) => 2n * honest),
  half: relative((honest) => honest / 2n),
}

const WORDS: Readonly<Record<string, Change>> = {
  '1': () => bigintToBytes(1n, 8),
  max: () => new Uint8Array(8).fill(0xff),
}

/** Values at the edges of the rules of a field. */
const EDGES: Readonly<Record<string, Readonly<Record<string, Change>>>> = {
  gasLimit: {
    'lowest step': relative((_, { parent: { header } }) => header.gasLimit - gasStep(header.gasLimit) + 1n),
    'below the lowest step': relative(
      (_, { parent: { header } }) => header.gasLimit - gasStep(header.gasLimit),
    ),
    'highest step': relative((_, { parent: { header } }) => header.gasLimit + gasStep(header.gasLimit) - 1n),
    'above the highest step': relative(
      (_, { parent: { header } }) => header.gasLimit + gasStep(header.gasLimit),
    ),
    '4999': fixed(4_999n),
    '5000': fixed(5_000n),
  },
  timestamp: {
    "the parent's": relative((_, { parent }) => parent.header.timestamp),
    "before the parent's": relative((_, { parent }) => parent.header.timestamp - 1n),
    "long before the parent's": relative((_, { grandparent }) => grandparent.timestamp - 1n),
    'two seconds ahead': relative((honest) => honest + 2n),
    'one hour ahead': relative((honest) => honest + 3_600n),
  },
  blobGasUsed: {
    'one blob': fixed(GAS_PER_BLOB),
    'six blobs': fixed(6n * GAS_PER_BLOB),
    'ten blobs': fixed(10n * GAS_PER_BLOB),
  },
  excessBlobGas: {
    'one blob': fixed(GAS_PER_BLOB),
    '10^9': fixed(10n ** 9n),
    '10^12': fixed(10n ** 12n),
  },
  baseFeePerGas: {
    'one eighth more': relative((honest) => honest + honest / 8n + 1n),
    '7': fixed(7n),
  },
}

const VALUES: Readonly<Record<Kind, Readonly<Record<string, Change>>>> = {
  hash: HASHES,
  address: ADDRESSES,
  bloom: BLOOMS,
  scalar: SCALARS,
  word: WORDS,
  bytes: {},
}

export const HEADER_MUTATIONS: readonly Mutation[] = HEADER_FIELDS.flatMap(([field, kind], at) => [
  ...Object.entries({ ...SHAPES, ...VALUES[kind], ...EDGES[field] }).map(
    ([value, change]): Mutation => ({
      field,
      value,
      chosen: at,
      change: (raw, site) => withField(raw, at, change, site),
    }),
  ),
  ...Object.entries(STRUCTURAL).map(
    ([value, change]): Mutation => ({
      field,
      value,
      chosen: at,
      change: (raw) => (at < raw.header.length ? { ...raw, header: change(raw.header, at) } : undefined),
    }),
  ),
  ...addedFields(field, kind, at),
])

/** The optional fields that the fork does not have, up to one, and one field more than there are. */
function addedFields(field: string, kind: Kind, at: number): readonly Mutation[] {
  if (at < positionOf('baseFeePerGas')) return []
  const values: Readonly<Record<string, Uint8Array>> =
    kind === 'hash'
      ? { 'added as zero': new Uint8Array(32), 'added as max': new Uint8Array(32).fill(0xff) }
      : {
          'added as 0': rlpScalar(0n),
          'added as 1': rlpScalar(1n),
          'added as max': rlpScalar(2n ** 64n - 1n),
        }
  return Object.entries(values).map(([value, item]) => ({
    field,
    value,
    chosen: at,
    change: (raw) => {
      if (at < raw.header.length) return undefined
      const between = HEADER_FIELDS.slice(raw.header.length, at)
      const filled = between.map(([, each]) => (each === 'hash' ? new Uint8Array(32) : rlpScalar(0n)))
      return { ...raw, header: [...raw.header, ...filled, item] }
    },
  }))
}

function withField(raw: RawBlock, at: number, change: Change, site: Place): RawBlock | undefined {
  const item = raw.header[at]
  if (item === undefined) return undefined
  const known = item === EXTRA_PLACE ? encodeItem(raw.extra) : item
  return { ...raw, header: raw.header.with(at, change(known, site)) }
}

function gasStep(gasLimit: bigint): bigint {
  return gasLimit / GAS_LIMIT_DIVISOR
}
