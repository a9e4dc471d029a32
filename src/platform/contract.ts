/**
 * A contract whose owner lives on one thread and whose users live on others: a table of operations and of news, declared once.
 * Types of both sides follow from it. `answerContracts` and `tellContracts` let the owner answer over the channel and tell,
 * `askContracts` makes the objects that ask and listen over it, and `askDirectly` the same objects where both are one
 * thread.
 */
import {
  type CallOptions,
  type Channel,
  type HandlerContext,
  NEVER_MS,
  type RequestRow,
  type StreamRow,
} from '#platform/channel/channel-protocol.ts'
import { listenToOwner, type NewsBatch, type NewsOwner, type NewsRow } from './contract-news.ts'
import { platformFault } from './faults.ts'

/** One row: what it takes and gives. Both are cloned, so they are plain data (see channel-protocol.ts). */
export interface Operation<Args extends readonly unknown[], Result> {
  /** undefined: that of the channel. */
  readonly deadlineMs: number | undefined
  /** What it changes, for those who have to tell of it; undefined: nothing that anybody has to. */
  readonly changes: string | undefined
  /** How much whoever asks may send, as `weigh` counts it; undefined: they bound it themselves. */
  readonly maxArgBytes: number | undefined
  /** Only for the compiler: it holds no value. */
  readonly types?: { readonly args: Args; readonly result: Result }
}

export function operation<Args extends readonly unknown[], Result>(
  options: OperationOptions & { readonly changes?: string } = {},
): Operation<Args, Result> {
  const { deadlineMs, changes, maxArgBytes } = options
  return { deadlineMs, changes, maxArgBytes }
}

export interface OperationOptions {
  readonly deadlineMs?: number | undefined
  readonly maxArgBytes?: number | undefined
}

/** The limit of an operation that names none. Cloning so much takes main a fraction of a millisecond. */
const ARGS_MAX_BYTES = 64 * 1024
/** For operations that take long texts or lists, which main keeps or passes on. */
export const LONG_ARGS_MAX_BYTES = 1024 * 1024

/** An operation that changes nothing the audit log tells of. */
export function question<Args extends readonly unknown[], Result>(
  options: OperationOptions = {},
): Operation<Args, Result> {
  return operation<Args, Result>({ maxArgBytes: ARGS_MAX_BYTES, ...options })
}

/** An operation whose calls the audit log tells of. Only a method that declares the same subject may call it. */
export function changing<Args extends readonly unknown[], Result>(
  subject: string,
  options: OperationOptions = {},
): Operation<Args, Result> {
  return operation<Args, Result>({ maxArgBytes: ARGS_MAX_BYTES, ...options, changes: subject })
}

/** One row of news. Whoever listens hears what is told from then on. */
export function news<Item extends NonNullable<unknown>>(bytesOf: (item: Item) => number): NewsRow<Item> {
  return { isNews: true, bytesOf }
}

type AnyOperation = Operation<readonly unknown[], unknown>
// biome-ignore lint/suspicious/noExplicitAny: a row takes items of its own type only
type AnyNews = NewsRow<any>
export type Contract = Readonly<Record<string, AnyOperation | AnyNews>>
export type Contracts = Readonly<Record<string, Contract>>

type ArgsOf<Row> = Row extends Operation<infer Args, unknown> ? Args : never
type ResultOf<Row> = Row extends Operation<readonly unknown[], infer Result> ? Result : never

/** A contract as those who ask it see it. */
export type ClientOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends NewsRow<infer Item>
    ? (signal: AbortSignal) => AsyncIterable<NewsBatch<Item>>
    : (...args: ArgsOf<Table[Name]>) => Promise<ResultOf<Table[Name]>>
}

/** A contract as the one who answers writes it. */
export type OwnerOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends NewsRow<infer Item>
    ? NewsOwner<Item>
    : (...args: ArgsOf<Table[Name]>) => ResultOf<Table[Name]> | Promise<ResultOf<Table[Name]>>
}

export type ClientsOf<Tables> = { readonly [Port in keyof Tables]: ClientOf<Tables[Port]> }
export type OwnersOf<Tables> = { readonly [Port in keyof Tables]: OwnerOf<Tables[Port]> }

/** What the thread of the owners offers on its channel: `pool.status` and the like. */
export type ContractRequests = Readonly<
  Record<`${string}.${string}`, RequestRow<readonly unknown[], unknown>>
>

/** What it tells there. */
export type ContractStreams = Readonly<Record<`${string}.${string}`, StreamRow<null, NewsBatch<unknown>>>>

type Ask = (...args: readonly unknown[]) => unknown
type Handler = (args: readonly unknown[]) => unknown
type Teller = (params: null, context: HandlerContext) => AsyncIterable<NewsBatch<unknown>>

/** Handlers for the channel. Owners that are absent have none: whoever asks all the same has a bug. */
export function answerContracts<Tables extends Contracts>(
  tables: Tables,
  owners: Partial<OwnersOf<Tables>>,
): Readonly<Record<`${string}.${string}`, Handler>> {
  const handlers: Record<`${string}.${string}`, Handler> = {}
  for (const [contract, name, row] of rowsOf(tables)) {
    const owner = owners[contract] as Readonly<Record<string, Ask>> | undefined
    // Called on the owner, which may be an instance of a class.
    if (owner !== undefined && !isNews(row)) handlers[`${contract}.${name}`] = (args) => owner[name]!(...args)
  }
  return handlers
}

/** The same for news: streams of the channel. */
export function tellContracts<Tables extends Contracts>(
  tables: Tables,
  owners: Partial<OwnersOf<Tables>>,
): Readonly<Record<`${string}.${string}`, Teller>> {
  const tellers: Record<`${string}.${string}`, Teller> = {}
  for (const [contract, name, row] of rowsOf(tables)) {
    const owner = owners[contract] as Readonly<Record<string, NewsOwner<NonNullable<unknown>>>> | undefined
    if (owner !== undefined && isNews(row)) {
      tellers[`${contract}.${name}`] = (_, { signal }) => listenToOwner(owner[name]!, row, signal)
    }
  }
  return tellers
}

export function askContracts<Tables extends Contracts>(
  tables: Tables,
  channel: Pick<
    Channel<Record<never, never>, { readonly requests: ContractRequests; readonly streams: ContractStreams }>,
    'request' | 'stream'
  >,
): ClientsOf<Tables> {
  return portsOf(
    tables,
    (contract, name, { deadlineMs, maxArgBytes }) => {
      const request = `${contract}.${name}` as const
      const options: CallOptions | undefined = deadlineMs === undefined ? undefined : { deadlineMs }
      return bounded(request, maxArgBytes, (...args) => channel.request(request, args, options))
    },
    (contract, name) => (signal) =>
      channel.stream(`${contract}.${name}`, null, { deadlineMs: NEVER_MS, signal }),
  )
}

/** Values are cloned here too, so that what would not pass the channel does not pass here. */
export function askDirectly<Tables extends Contracts>(
  tables: Tables,
  owners: OwnersOf<Tables>,
): ClientsOf<Tables> {
  const handlers = answerContracts(tables, owners)
  const tellers = tellContracts(tables, owners)
  return portsOf(
    tables,
    (contract, name, { maxArgBytes }) =>
      bounded(`${contract}.${name}`, maxArgBytes, async (...args) =>
        structuredClone(await handlers[`${contract}.${name}`]!(structuredClone(args))),
      ),
    (contract, name) =>
      async function* (signal) {
        const context = { signal, deadlineAtMs: Number.POSITIVE_INFINITY }
        for await (const batch of tellers[`${contract}.${name}`]!(null, context)) yield structuredClone(batch)
      },
  )
}

/** On the side that asks, so that the owner's thread never holds what is too large. */
function bounded(name: string, maxBytes: number | undefined, ask: Ask): Ask {
  if (maxBytes === undefined) return ask
  return async (...args) => {
    if (weigh(args, maxBytes) > maxBytes) {
      const sentence = `What ${name} is asked with is larger than ${maxBytes} bytes.`
      throw platformFault('ARGUMENTS_TOO_LARGE', { sentence })
    }
    return await ask(...args)
  }
}

/** What each value costs beside its content: cloning takes time for every one. */
const VALUE_BYTES = 64

/** Bytes of text and binary data, and a constant for every value. Stops counting beyond `enough`. */
export function weigh(value: unknown, enough: number): number {
  let weight = 0
  const left: unknown[] = [value]
  while (left.length > 0 && weight <= enough) {
    const next = left.pop()
    weight += VALUE_BYTES
    if (typeof next === 'string') weight += next.length
    else if (typeof next !== 'object' || next === null) continue
    else if (ArrayBuffer.isView(next)) weight += next.byteLength
    else if (weight + VALUE_BYTES * sizeOf(next) > enough) return enough + 1
    else left.push(...membersOf(next))
  }
  return weight
}

function sizeOf(value: object): number {
  if (Array.isArray(value)) return value.length
  return value instanceof Map || value instanceof Set ? value.size : Object.keys(value).length
}

function membersOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return [...value].flat()
  return value instanceof Set ? value : Object.values(value)
}

type Listen = (signal: AbortSignal) => AsyncIterable<NewsBatch<unknown>>

function portsOf<Tables extends Contracts>(
  tables: Tables,
  askOf: (contract: string, name: string, row: AnyOperation) => Ask,
  listenOf: (contract: string, name: string) => Listen,
): ClientsOf<Tables> {
  const contracts: Record<string, Record<string, Ask | Listen>> = {}
  for (const contract of Object.keys(tables)) contracts[contract] = {}
  for (const [contract, name, row] of rowsOf(tables)) {
    contracts[contract]![name] = isNews(row) ? listenOf(contract, name) : askOf(contract, name, row)
  }
  // The rows say which types these have.
  return contracts as unknown as ClientsOf<Tables>
}

function isNews(row: AnyOperation | AnyNews): row is AnyNews {
  return 'isNews' in row
}

function* rowsOf<Tables extends Contracts>(
  tables: Tables,
): Generator<readonly [contract: keyof Tables & string, name: string, row: AnyOperation | AnyNews]> {
  for (const [contract, table] of Object.entries(tables)) {
    for (const [name, row] of Object.entries(table)) yield [contract, name, row]
  }
}
