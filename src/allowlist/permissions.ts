/**
 * The room `allowlist` owns who may take part: the accounts whose transactions are taken, the nodes that may connect, the
 * file that lists them, and changes to both. It does not decide when to ask: the pool and the peers do, through ports
 * that `node` fills. Methods change the lists, through a port as well.
 *
 * A change is in force when it is on the disk. Only this room writes the file.
 */

import { usageFault } from '#config/faults.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { createCheckCounter } from '#platform/metrics/check-counter.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { inSlices, nextTurn, type Sliced } from '#platform/next-turn.ts'
import { SerialQueue } from '#platform/serial-queue.ts'
import { formatEnode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { Allowlist, type ListChange } from './allowlist.ts'
import { FileWatch } from './file-watch.ts'
import { ACCOUNTS, type EntryRefusal, type ListKind } from './list-kind.ts'
import { NodesKind, type NodesSettings } from './nodes-kind.ts'
import { CHANGED_MAX_BYTES, PermissionsFile } from './permissions-file.ts'
import { ACCOUNT_CHECK_ROWS } from './permissions-metrics.ts'
import { peekEntries, writeEntries } from './permissions-text.ts'
import { PermittedNodes } from './permitted-nodes.ts'

/** Of changes that wait for those before them. */
const WAITING_MAX = 256
/** How often a change begins anew because somebody wrote the file meanwhile. */
const ATTEMPTS_MAX = 3

export type ListName = 'accounts' | 'nodes'

/** Who changes a list, for the log. */
export interface ChangeOrigin {
  /** The name of the method, or what else led to it. */
  readonly via: string
  /** The name in the token; undefined: nobody had to show one. */
  readonly user: string | undefined
  /** undefined: the program that the node is part of, or the node itself. */
  readonly remoteAddress: string | undefined
  readonly requestId: string | undefined
}

export type ChangeRefusal =
  | EntryRefusal
  | 'EXISTING'
  | 'ABSENT'
  /** Options name it, so that it cannot be taken off. */
  | 'FIXED'
  /** Nothing was changed. */
  | 'PERSIST_FAILURE'
  /** The list in force was changed and the file was not. */
  | 'FILE_SYNC'
  /** Too many changes wait. */
  | 'BUSY'
  /** The file is, or would be, longer than methods may change. */
  | 'TOO_LONG'

export type ChangeVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: ChangeRefusal }

const DONE: ChangeVerdict = { ok: true }

export interface PermissionsConfig {
  /** undefined: every account may send transactions. */
  readonly accountsFile: string | undefined
  /** undefined: every node may connect. */
  readonly nodes?: NodesSettings | undefined
  readonly watchesFile: boolean
}

export interface PermissionsParts {
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
}

export class Permissions {
  /** undefined: every account may send transactions. */
  readonly accounts: Allowlist | undefined
  /** undefined: every node may connect. */
  readonly nodes: PermittedNodes | undefined
  /** Accounts first, as Besu has it. */
  readonly #lists: readonly Allowlist[]
  readonly #clock: Clock
  readonly #watch: FileWatch | undefined
  readonly #log: Log
  readonly #onCheck: ((isPermitted: boolean) => void) | undefined
  readonly #turns = new SerialQueue(WAITING_MAX)

  constructor(
    accounts: Allowlist | undefined,
    nodes: PermittedNodes | undefined,
    watchesFile: boolean,
    { clock, log, metrics }: PermissionsParts,
  ) {
    this.accounts = accounts
    this.nodes = nodes
    this.#lists = [accounts, nodes?.list].filter((list) => list !== undefined)
    this.#clock = clock
    this.#log = log
    this.#onCheck = metrics && createCheckCounter(metrics, ACCOUNT_CHECK_ROWS)
    const files = [...new Set(this.#lists.map(({ file }) => file))]
    if (watchesFile) this.#watch = new FileWatch(files, clock, () => this.#onFileChanged())
  }

  /** Throws a Fault where a file cannot be used: a node without its list would take what it must not. */
  static async load(config: PermissionsConfig, parts: PermissionsParts): Promise<Permissions> {
    const onError = (err: unknown) => parts.log.error('A listener of an allowlist failed.', { err })
    const files = new Map<string, PermissionsFile>()
    const fileAt = (path: string): PermissionsFile => {
      const file = files.get(path) ?? new PermissionsFile(path)
      files.set(path, file)
      return file
    }
    const load = async (kind: ListKind, path: string): Promise<Allowlist> => {
      const file = fileAt(path)
      const list = new Allowlist(kind, file, await file.load(kind), onError)
      parts.log.info(`The ${kind.entry}s allowlist is in force: ${list.all().length} ${kind.entry}s.`, {
        path,
      })
      await warnUnwritable(list, parts.log)
      return list
    }
    const { accountsFile, nodes: settings } = config
    const accounts = accountsFile === undefined ? undefined : await load(ACCOUNTS, accountsFile)
    if (settings === undefined) return new Permissions(accounts, undefined, config.watchesFile, parts)
    const kind = new NodesKind(settings, parts.clock)
    const list = await load(kind, settings.file)
    await requireFixed(kind, list)
    const nodes = new PermittedNodes(list, kind, parts.log)
    return new Permissions(accounts, nodes, config.watchesFile, parts)
  }

  /** undefined: it is not in force. */
  list(name: ListName): Allowlist | undefined {
    return name === 'accounts' ? this.accounts : this.nodes?.list
  }

  /** Whether any list is in force. */
  get isEnabled(): boolean {
    return this.#lists.length > 0
  }

  mayTransact(sender: string): boolean {
    if (this.accounts === undefined) return true
    const isPermitted = this.accounts.has(sender)
    this.#onCheck?.(isPermitted)
    return isPermitted
  }

  add(list: Allowlist, entries: readonly string[], origin: ChangeOrigin): Promise<ChangeVerdict> {
    return this.#changeInTurn(list, entries, origin, function* (spelled) {
      yield
      return list.with(spelled)
    })
  }

  remove(list: Allowlist, entries: readonly string[], origin: ChangeOrigin): Promise<ChangeVerdict> {
    return this.#changeInTurn(list, entries, origin, function* (spelled) {
      for (const entry of spelled) {
        yield
        if (list.kind.isFixed?.(entry)) return 'FIXED'
      }
      return list.without(spelled)
    })
  }

  /** All lists, or none where one of them cannot be loaded. */
  async reload(origin: ChangeOrigin): Promise<{ readonly ok: boolean }> {
    const turn = this.#turns.take(() => this.#reload(origin))
    return (await turn) ?? { ok: false }
  }

  /** The file, and where hosts are. */
  startWatching(): void {
    this.#watch?.start()
    this.nodes?.start(this.#clock)
  }

  async stopWatching(): Promise<void> {
    await this.#watch?.stop()
    await this.nodes?.stop()
  }

  async #onFileChanged(): Promise<void> {
    await this.reload({ via: 'file watch', user: undefined, remoteAddress: undefined, requestId: undefined })
  }

  async #changeInTurn(
    list: Allowlist,
    entries: readonly string[],
    origin: ChangeOrigin,
    change: (spelled: readonly string[]) => Sliced<readonly string[] | ChangeRefusal>,
  ): Promise<ChangeVerdict> {
    // Whoever looks up names does not keep others waiting.
    await list.kind.prepare?.(entries, false)
    const turn = this.#turns.take(async () => {
      const spelling = list.kind.spell?.(entries, list.entries)
      const spelled = spelling === undefined ? entries : await inSlices(spelling)
      await nextTurn()
      const wanted = typeof spelled === 'string' ? spelled : await inSlices(change(spelled))
      return await this.#change(list, wanted, origin)
    })
    return (await turn) ?? { ok: false, reason: 'BUSY' }
  }

  async #change(
    list: Allowlist,
    wanted: readonly string[] | ChangeRefusal,
    origin: ChangeOrigin,
  ): Promise<ChangeVerdict> {
    if (typeof wanted === 'string') return { ok: false, reason: wanted }
    const saved = await this.#save(list, wanted)
    if (saved === 'failed') return { ok: false, reason: 'PERSIST_FAILURE' }
    if (saved === 'too long') return { ok: false, reason: 'TOO_LONG' }
    await this.#putInForce(list, wanted, origin)
    return saved === 'saved' ? DONE : { ok: false, reason: 'FILE_SYNC' }
  }

  /** Each step in turns of its own: all of them grow with the list. */
  async #save(
    list: Allowlist,
    wanted: readonly string[],
  ): Promise<'saved' | 'out of sync' | 'failed' | 'too long'> {
    const { kind, file } = list
    const { path } = file
    try {
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const content = await file.read()
        if (content.text.length > CHANGED_MAX_BYTES) return 'too long'
        await nextTurn()
        const standing = await inSlices(peekEntries(content, kind))
        await nextTurn()
        if (standing === undefined || !list.all().every((entry) => standing.has(entry))) break
        this.#warnDropped(list, standing)
        const written = await inSlices(writeEntries(content, kind, wanted))
        if (written.text.length > CHANGED_MAX_BYTES) return 'too long'
        if ((await file.replace(content, written)) === 'replaced') return 'saved'
      }
    } catch (err) {
      if (!(err instanceof Fault)) throw err
      this.#log.warn(`The ${kind.entry}s allowlist was not changed: ${err.message}`, { path })
      return 'failed'
    }
    this.#log.warn(
      `The permissions file lacks ${kind.entry}s that are in force, so the change is not in it. Call perm_reloadPermissionsFromFile to put in force what the file says.`,
      { path },
    )
    return 'out of sync'
  }

  /** As Besu does: the file then says what is in force, and no more. */
  #warnDropped(list: Allowlist, standing: ReadonlySet<string>): void {
    const dropped = [...standing].filter((entry) => !list.has(entry))
    if (dropped.length === 0) return
    this.#log.warn(
      `The permissions file named ${list.kind.entry}s that were never in force; a change of the list takes them out of it.`,
      { path: list.file.path, dropped },
    )
  }

  async #reload(origin: ChangeOrigin): Promise<{ readonly ok: boolean }> {
    const loaded: [Allowlist, readonly string[]][] = []
    for (const list of this.#lists) {
      try {
        loaded.push([list, await list.file.load(list.kind)])
      } catch (err) {
        if (!(err instanceof Fault)) throw err
        this.#log.warn(`The permissions file was not loaded, and the lists stay as they are. ${err.message}`)
        return { ok: false }
      }
    }
    for (const [list, entries] of loaded) await this.#putInForce(list, entries, origin)
    return { ok: true }
  }

  async #putInForce(list: Allowlist, entries: readonly string[], origin: ChangeOrigin): Promise<void> {
    const before = list.all()
    const change = await inSlices(list.replace(entries))
    if (change !== undefined) this.#audit(list, before, change, origin)
  }

  /** The log shows the first hundred of each list, so the lengths stand beside them. */
  #audit(list: Allowlist, before: readonly string[], change: ListChange, origin: ChangeOrigin): void {
    const after = list.all()
    this.#log.info(`The ${list.kind.entry}s allowlist was changed.`, {
      via: origin.via,
      user: origin.user ?? 'anonymous',
      remoteAddress: origin.remoteAddress,
      requestId: origin.requestId,
      path: list.file.path,
      ...change,
      countBefore: before.length,
      countAfter: after.length,
      before,
      after,
    })
  }
}

/** A bootnode that may not connect would be asked in vain, for ever. */
async function requireFixed(kind: NodesKind, list: Allowlist): Promise<void> {
  const missing = await kind.missingFixed(list.all())
  if (missing.length === 0) return
  throw usageFault(
    `Specified node(s) not in nodes-allowlist [${missing.map(formatEnode).join(', ')}]. Bootnodes and static nodes must be listed in ${list.file.path}: add them there, or take them out of the options.`,
  )
}

/** A file that is only read, such as one out of a ConfigMap, is fine until somebody wants to change it. */
async function warnUnwritable({ kind, file }: Allowlist, log: Log): Promise<void> {
  try {
    await file.requireWritable()
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    log.warn(`The ${kind.entry}s allowlist cannot be changed by methods: ${error.message}`)
  }
}
