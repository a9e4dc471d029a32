/**
 * A port whose owner lives on one thread and whose users live on others: a table of operations, declared once. Types of
 * both sides follow from it. `answerPorts` lets the owner answer over the channel, `forwardPorts` makes the objects that
 * ask over it, and `directPorts` the same objects where both are one thread.
 */
import type { CallOptions, Channel } from './channel/channel-protocol.ts'

/** One row: what it takes and gives. Both are cloned, so they are plain data (see channel-protocol.ts). */
export interface Operation<Args extends readonly unknown[], Result> {
  /** undefined: that of the channel. */
  readonly deadlineMs: number | undefined
  /** Only for the compiler: it holds no value. */
  readonly types?: { readonly args: Args; readonly result: Result }
}

export function operation<Args extends readonly unknown[], Result>(
  options: { readonly deadlineMs?: number } = {},
): Operation<Args, Result> {
  return { deadlineMs: options.deadlineMs }
}

type AnyOperation = Operation<readonly unknown[], unknown>
export type PortTable = Readonly<Record<string, AnyOperation>>
export type PortTables = Readonly<Record<string, PortTable>>

type ArgsOf<Row> = Row extends Operation<infer Args, unknown> ? Args : never
type ResultOf<Row> = Row extends Operation<readonly unknown[], infer Result> ? Result : never

/** A port as those who ask it see it. */
export type PortOf<Table> = {
  readonly [Name in keyof Table]: (...args: ArgsOf<Table[Name]>) => Promise<ResultOf<Table[Name]>>
}

/** A port as the one who answers writes it. */
export type OwnerOf<Table> = {
  readonly [Name in keyof Table]: (
    ...args: ArgsOf<Table[Name]>
  ) => ResultOf<Table[Name]> | Promise<ResultOf<Table[Name]>>
}

export type PortsOf<Tables> = { readonly [Port in keyof Tables]: PortOf<Tables[Port]> }
export type OwnersOf<Tables> = { readonly [Port in keyof Tables]: OwnerOf<Tables[Port]> }

/** What the thread of the owners offers on its channel: `pool.status` and the like. */
export type PortRequests = Readonly<
  Record<`${string}.${string}`, { readonly params: readonly unknown[]; readonly result: unknown }>
>

type Ask = (...args: readonly unknown[]) => unknown
type Handler = (args: readonly unknown[]) => unknown

/** Handlers for the channel. Owners that are absent have none: whoever asks all the same has a bug. */
export function answerPorts<Tables extends PortTables>(
  tables: Tables,
  owners: Partial<OwnersOf<Tables>>,
): Readonly<Record<`${string}.${string}`, Handler>> {
  const handlers: Record<`${string}.${string}`, Handler> = {}
  for (const [port, name] of operationsOf(tables)) {
    const owner = owners[port] as Readonly<Record<string, Ask>> | undefined
    // Called on the owner, which may be an instance of a class.
    if (owner !== undefined) handlers[`${port}.${name}`] = (args) => owner[name]!(...args)
  }
  return handlers
}

export function forwardPorts<Tables extends PortTables>(
  tables: Tables,
  channel: Pick<Channel<Record<never, never>, { readonly requests: PortRequests }>, 'request'>,
): PortsOf<Tables> {
  return portsOf(tables, (port, name, { deadlineMs }) => {
    const request = `${port}.${name}` as const
    const options: CallOptions | undefined = deadlineMs === undefined ? undefined : { deadlineMs }
    return (...args) => channel.request(request, args, options)
  })
}

/** Values are cloned here too, so that what would not pass the channel does not pass here. */
export function directPorts<Tables extends PortTables>(
  tables: Tables,
  owners: OwnersOf<Tables>,
): PortsOf<Tables> {
  const handlers = answerPorts(tables, owners)
  return portsOf(
    tables,
    (port, name) =>
      async (...args) =>
        structuredClone(await handlers[`${port}.${name}`]!(structuredClone(args))),
  )
}

function portsOf<Tables extends PortTables>(
  tables: Tables,
  askOf: (port: string, name: string, row: AnyOperation) => Ask,
): PortsOf<Tables> {
  const ports: Record<string, Record<string, Ask>> = {}
  for (const port of Object.keys(tables)) ports[port] = {}
  for (const [port, name, row] of operationsOf(tables)) ports[port]![name] = askOf(port, name, row)
  // The rows say which types these have.
  return ports as unknown as PortsOf<Tables>
}

function* operationsOf<Tables extends PortTables>(
  tables: Tables,
): Generator<readonly [port: keyof Tables & string, name: string, row: AnyOperation]> {
  for (const [port, table] of Object.entries(tables)) {
    for (const [name, row] of Object.entries(table)) yield [port, name, row]
  }
}
