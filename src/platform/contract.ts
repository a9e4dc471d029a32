/**
 * A contract whose owner lives on one thread and whose users live on others: a map of operations and events, declared once.
 * The types of both sides follow from it. `answerContracts` and `publishContracts` serve the owner's answers and events over
 * the channel, `askContracts` makes the clients.
 */
import {
  type CallOptions,
  type Channel,
  type HandlerContext,
  NEVER_MS,
  type RequestRow,
  type StreamRow,
} from '#platform/channel/channel-protocol.ts'
import { type EventBatch, type EventOwner, type EventRow, listenToOwner } from './contract-events.ts'
import { platformFault } from './faults.ts'

/** One operation. Arguments and result are cloned, so they are plain data (see channel-protocol.ts). */
export interface Operation<Args extends readonly unknown[], Result> {
  /** If undefined, the channel's deadline applies. */
  readonly deadlineMs: number | undefined
  /** What the operation changes, for the audit log; undefined if it changes nothing that is audited. */
  readonly changes: string | undefined
  /** Maximum size of the arguments, as `weigh` counts it. If undefined, the caller bounds them. */
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

/** The default limit. Cloning that much takes the main thread a fraction of a millisecond. */
const ARGS_MAX_BYTES = 64 * 1024
/** For operations with long texts or lists, which the main thread keeps or passes on. */
export const LONG_ARGS_MAX_BYTES = 1024 * 1024

/** An operation without an entry in the audit log. */
export function question<Args extends readonly unknown[], Result>(
  options: OperationOptions = {},
): Operation<Args, Result> {
  return operation<Args, Result>({ maxArgBytes: ARGS_MAX_BYTES, ...options })
}

/** An operation that the audit log records. Only a method that declares the same subject may call it. */
export function changing<Args extends readonly unknown[], Result>(
  subject: string,
  options: OperationOptions = {},
): Operation<Args, Result> {
  return operation<Args, Result>({ maxArgBytes: ARGS_MAX_BYTES, ...options, changes: subject })
}

/** Declares one kind of event. A listener receives the items published after it started to listen. */
export function event<Item extends NonNullable<unknown>>(bytesOf: (item: Item) => number): EventRow<Item> {
  return { isEvent: true, bytesOf }
}

type AnyOperation = Operation<readonly unknown[], unknown>
// biome-ignore lint/suspicious/noExplicitAny: a row takes items of its own type only
type AnyEvent = EventRow<any>
export type Contract = Readonly<Record<string, AnyOperation | AnyEvent>>
export type Contracts = Readonly<Record<string, Contract>>

type ArgsOf<Row> = Row extends Operation<infer Args, unknown> ? Args : never
type ResultOf<Row> = Row extends Operation<readonly unknown[], infer Result> ? Result : never

/** A contract as its users see it. */
export type ClientOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends EventRow<infer Item>
    ? (signal: AbortSignal) => AsyncIterable<EventBatch<Item>>
    : (...args: ArgsOf<Table[Name]>) => Promise<ResultOf<Table[Name]>>
}

/** A contract as its owner implements it. */
export type OwnerOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends EventRow<infer Item>
    ? EventOwner<Item>
    : (...args: ArgsOf<Table[Name]>) => ResultOf<Table[Name]> | Promise<ResultOf<Table[Name]>>
}

export type ClientsOf<Tables> = { readonly [Name in keyof Tables]: ClientOf<Tables[Name]> }
export type OwnersOf<Tables> = { readonly [Name in keyof Tables]: OwnerOf<Tables[Name]> }

/** The requests that the owners' thread serves on its channel, for example `pool.status`. */
export type ContractRequests = Readonly<
  Record<`${string}.${string}`, RequestRow<readonly unknown[], unknown>>
>

/** The events that it streams there. */
export type ContractStreams = Readonly<Record<`${string}.${string}`, StreamRow<null, EventBatch<unknown>>>>

type Ask = (...args: readonly unknown[]) => unknown
type Handler = (args: readonly unknown[]) => unknown
type Publisher = (params: null, context: HandlerContext) => AsyncIterable<EventBatch<unknown>>

/** Makes the channel's handlers. An absent owner has none: a call to it is a bug. */
export function answerContracts<Tables extends Contracts>(
  tables: Tables,
  owners: Partial<OwnersOf<Tables>>,
): Readonly<Record<`${string}.${string}`, Handler>> {
  const handlers: Record<`${string}.${string}`, Handler> = {}
  for (const [contract, name, row] of operationsOf(tables)) {
    const owner = owners[contract] as Readonly<Record<string, Ask>> | undefined
    if (owner !== undefined && !isEvent(row))
      handlers[`${contract}.${name}`] = (args) => owner[name]!(...args)
  }
  return handlers
}

/** Makes the channel's event streams. */
export function publishContracts<Tables extends Contracts>(
  tables: Tables,
  owners: Partial<OwnersOf<Tables>>,
): Readonly<Record<`${string}.${string}`, Publisher>> {
  const publishers: Record<`${string}.${string}`, Publisher> = {}
  for (const [contract, name, row] of operationsOf(tables)) {
    const owner = owners[contract] as Readonly<Record<string, EventOwner<NonNullable<unknown>>>> | undefined
    if (owner !== undefined && isEvent(row)) {
      publishers[`${contract}.${name}`] = (_, { signal }) => listenToOwner(owner[name]!, row, signal)
    }
  }
  return publishers
}

export function askContracts<Tables extends Contracts>(
  tables: Tables,
  channel: Pick<
    Channel<Record<never, never>, { readonly requests: ContractRequests; readonly streams: ContractStreams }>,
    'request' | 'stream'
  >,
): ClientsOf<Tables> {
  return clientsOf(
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

/** An owner that is looked up at every call. If it does not exist yet, `find` throws the caller's error. */
export function ownerWhen<Table extends Contract>(table: Table, find: () => OwnerOf<Table>): OwnerOf<Table> {
  const rows = Object.entries(table).map(([name, row]) => {
    const owner = () => find() as unknown as Readonly<Record<string, Ask & EventOwner<NonNullable<unknown>>>>
    if (!isEvent(row)) return [name, (...args: readonly unknown[]) => owner()[name]!(...args)]
    const subscribe: EventOwner<NonNullable<unknown>>['subscribe'] = (listener) =>
      owner()[name]!.subscribe(listener)
    return [name, { subscribe }]
  })
  return Object.fromEntries(rows)
}

/** Runs on the caller's side, so the owner's thread never holds arguments that are too large. */
export function bounded(name: string, maxBytes: number | undefined, ask: Ask): Ask {
  if (maxBytes === undefined) return ask
  return async (...args) => {
    if (weigh(args, maxBytes) > maxBytes) {
      const sentence = `The arguments of ${name} are larger than ${maxBytes} bytes.`
      throw platformFault('ARGUMENTS_TOO_LARGE', { sentence })
    }
    return await ask(...args)
  }
}

/** The cost of each value in addition to its content, because cloning takes time for every value. */
const VALUE_BYTES = 64

/** Counts the bytes of text and binary data, and a constant for every value. Stops counting beyond `enough`. */
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

type Listen = (signal: AbortSignal) => AsyncIterable<EventBatch<unknown>>

export function clientsOf<Tables extends Contracts>(
  tables: Tables,
  askOf: (contract: string, name: string, row: AnyOperation) => Ask,
  listenOf: (contract: string, name: string) => Listen,
): ClientsOf<Tables> {
  const contracts: Record<string, Record<string, Ask | Listen>> = {}
  for (const contract of Object.keys(tables)) contracts[contract] = {}
  for (const [contract, name, row] of operationsOf(tables)) {
    contracts[contract]![name] = isEvent(row) ? listenOf(contract, name) : askOf(contract, name, row)
  }
  // The declarations guarantee these types.
  return contracts as unknown as ClientsOf<Tables>
}

function isEvent(row: AnyOperation | AnyEvent): row is AnyEvent {
  return 'isEvent' in row
}

function* operationsOf<Tables extends Contracts>(
  tables: Tables,
): Generator<readonly [contract: keyof Tables & string, name: string, row: AnyOperation | AnyEvent]> {
  for (const [contract, table] of Object.entries(tables)) {
    for (const [name, row] of Object.entries(table)) yield [contract, name, row]
  }
}
