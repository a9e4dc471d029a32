/** Every list of the body with every hostile value. */
import { encodeHeader } from '#types/block/block-header.ts'
import { encodeWithdrawal } from '#types/block/withdrawal.ts'
import { concatBytes } from '#types/bytes.ts'
import { decodeRlp, encodeRlp } from '#types/rlp.ts'
import { blockBytes, encodeItem, type Item, longForm, type RawBlock, withSeals } from './items.ts'
import { type Mutation, STRUCTURAL } from './mutation.ts'
import { RICH } from './networks.ts'
import type { Place } from './site.ts'
import { blobTransaction, invalidTransactions, largeTransaction } from './transactions.ts'

export const BODY_FIELDS = ['transactions', 'ommers', 'withdrawals'] as const
const TRANSACTIONS = 0
const OMMERS = 1
const WITHDRAWALS = 2
/** EIP-7934. */
const OSAKA_BLOCK_BYTES = 8 * 1024 * 1024
/** The largest body of any block. */
const BODY_BYTES = 9 * 1024 * 1024
const LARGE_BYTES = 380_000
const LARGE_COUNT = 21

type Lists = Readonly<Record<string, (list: readonly Item[], site: Place) => Item | undefined>>

const asItem = (transaction: { readonly type: number; readonly encoded: Uint8Array }): Item => ({
  encoded: transaction.type === 0 ? transaction.encoded : encodeRlp(transaction.encoded),
})

const firstNonce = ({ transactions }: Place): number => Number(transactions[0]!.nonce)
const nextNonce = (site: Place): number => firstNonce(site) + site.honestBlock.transactions.length

/** These replace something in the list, so the list must not be empty. */
const REPLACED: Lists = {
  'first twice': (list) => [list[0]!, ...list],
  'first missing': (list) => list.slice(1),
  'last missing': (list) => list.slice(0, -1),
  'other order': (list) => list.toReversed(),
  'one in long form': (list) => list.with(0, longForm(list[0]!)),
  'one in a list': (list) => list.with(0, [list[0]!]),
  'one in a string': (list) => list.with(0, encodeItem(list[0]!)),
}

const TRANSACTION_LISTS: Lists = {
  'a blob': (list, site) => [...list, asItem(blobTransaction(nextNonce(site)))],
  'an empty string': (list) => [...list, new Uint8Array(0)],
  'an empty list': (list) => [...list, []],
  'type 5': (list) => [...list, Uint8Array.of(5, 0xc0)],
  'type 127': (list) => [...list, Uint8Array.of(127, 0xc0)],
  'a number': (list) => [...list, Uint8Array.of(1)],
  'bytes after a transaction': (list, { transactions }) => [
    ...list,
    { encoded: encodeRlp(concatBytes(transactions.at(-1)!.encoded, Uint8Array.of(0))) },
  ],
  'ten thousand empty lists': () => Array.from({ length: 10_000 }, () => []),
}

const OMMER_LISTS: Lists = {
  'the parent': (_, { parent }) => [{ encoded: encodeHeader(parent.header) }],
  'a sibling of the parent': (_, site) => [siblingOfParent(site)],
  'the same sibling twice': (_, site) => [siblingOfParent(site), siblingOfParent(site)],
  'an empty list': () => [[]],
  'a string': () => [Uint8Array.of(1)],
  'seventeen headers': (_, site) => Array.from({ length: 17 }, () => siblingOfParent(site)),
}

const MINT = { index: 0n, validatorIndex: 0n, address: RICH, amountGwei: 2n ** 64n - 1n }
const withdrawal = (change: Partial<typeof MINT> = {}): Item => ({
  encoded: encodeWithdrawal({ ...MINT, ...change }),
})

const WITHDRAWAL_LISTS: Lists = {
  'a large amount': () => [withdrawal()],
  'one gwei': () => [withdrawal({ amountGwei: 1n })],
  nothing: () => [withdrawal({ amountGwei: 0n })],
  seventeen: () => Array.from({ length: 17 }, (_, index) => withdrawal({ index: BigInt(index) })),
  'five thousand': () => Array.from({ length: 5_000 }, () => withdrawal()),
  'an amount of nine bytes': () => [
    [new Uint8Array(0), new Uint8Array(0), new Uint8Array(20), new Uint8Array(9).fill(1)],
  ],
  'a field missing': () => [[new Uint8Array(0), new Uint8Array(0), new Uint8Array(20)]],
  'a field more': () => [[...(decodeRlp(encodeItem(withdrawal())) as readonly Item[]), new Uint8Array(0)]],
}

const SHAPES: Lists = {
  'a string': () => new Uint8Array(0),
  'long form': (list) => longForm(list),
}

export const BODY_MUTATIONS: readonly Mutation[] = [
  ...inList('transactions', TRANSACTIONS, { ...SHAPES, ...TRANSACTION_LISTS }),
  ...inList('transactions', TRANSACTIONS, replaced()),
  ...inList('transactions', TRANSACTIONS, invalid()),
  ...large(),
  ...inList('ommers', OMMERS, { ...SHAPES, ...OMMER_LISTS }),
  ...inList('withdrawals', WITHDRAWALS, { ...SHAPES, ...WITHDRAWAL_LISTS }),
  ...BODY_FIELDS.flatMap((field, at) =>
    Object.entries(STRUCTURAL).map(
      ([value, change]): Mutation => ({
        field,
        value,
        change: (raw) => (at < raw.body.length ? { ...raw, body: change(raw.body, at) } : undefined),
      }),
    ),
  ),
  { field: 'withdrawals', value: 'added', change: (raw) => addedList(raw) },
  {
    field: 'block',
    value: 'bytes after it',
    change: wrapped((bytes) => concatBytes(bytes, Uint8Array.of(0))),
  },
  { field: 'block', value: 'one byte less', change: wrapped((bytes) => bytes.subarray(0, -1)) },
  { field: 'block', value: 'empty', change: wrapped(() => new Uint8Array(0)) },
  { field: 'block', value: 'empty list', change: wrapped(() => Uint8Array.of(0xc0)) },
  { field: 'block', value: 'long form', change: wrapped((bytes) => longForm({ encoded: bytes }).encoded) },
  { field: 'block', value: 'in a list', change: wrapped((bytes) => encodeItem([{ encoded: bytes }])) },
  { field: 'block', value: 'in a string', change: wrapped((bytes) => encodeRlp(bytes)) },
]

function inList(field: (typeof BODY_FIELDS)[number], at: number, lists: Lists): readonly Mutation[] {
  return Object.entries(lists).map(([value, change]) => ({
    field,
    value,
    change: (raw, site) => {
      const list = raw.body[at]
      const changed = list && change(list as readonly Item[], site)
      return changed && { ...raw, body: raw.body.with(at, changed) }
    },
  }))
}

function replaced(): Lists {
  return Object.fromEntries(
    Object.entries(REPLACED).map(([value, change]) => [
      value,
      (list: readonly Item[], site: Place) => (list.length === 0 ? undefined : change(list, site)),
    ]),
  )
}

function invalid(): Lists {
  return Object.fromEntries(
    Object.keys(invalidTransactions(0)).map((value) => [
      value,
      (list: readonly Item[], site: Place) => [...list, asItem(invalidTransactions(nextNonce(site))[value]!)],
    ]),
  )
}

function blockLength(raw: RawBlock): number {
  return blockBytes(withSeals(raw, [])).length
}

function bodyLength({ body }: RawBlock): number {
  return body.reduce((sum: number, list) => sum + encodeItem(list).length, 0)
}

/** One byte below, at and above a limit: the bytes of a block without its seals, and the bytes after its header. */
function large(): readonly Mutation[] {
  return [
    [OSAKA_BLOCK_BYTES, blockLength, 'a block'] as const,
    [BODY_BYTES, bodyLength, 'a body'] as const,
  ].flatMap(([limit, lengthOf, what]) =>
    [limit - 1, limit, limit + 1].map(
      (target): Mutation => ({
        field: 'transactions',
        value: `${what} of ${target} bytes`,
        expected: 'either',
        change: (raw, site) => {
          if (site.filling !== 'empty' || !/osaka zero/.test(site.network.name)) return undefined
          const missing = target - lengthOf(largeBlock(raw, site, LARGE_BYTES))
          return largeBlock(raw, site, LARGE_BYTES + missing)
        },
      }),
    ),
  )
}

function largeBlock(raw: RawBlock, site: Place, lastBytes: number): RawBlock {
  const sizes = [...Array<number>(LARGE_COUNT).fill(LARGE_BYTES), lastBytes]
  const many = sizes.map((bytes, index) => largeTransaction(site.network, nextNonce(site) + index, bytes))
  return { ...raw, body: raw.body.with(TRANSACTIONS, many.map(asItem)) }
}

/** A header that follows the parent's parent as the parent does. */
function siblingOfParent({ parent }: Place): Item {
  const { header } = parent
  return { encoded: encodeHeader({ ...header, gasLimit: header.gasLimit - 1n }) }
}

function addedList(raw: RawBlock): RawBlock | undefined {
  return raw.body.length > WITHDRAWALS ? undefined : { ...raw, body: [...raw.body, []] }
}

function wrapped(wrap: NonNullable<RawBlock['wrap']>): Mutation['change'] {
  return (raw) => ({ ...raw, wrap })
}
