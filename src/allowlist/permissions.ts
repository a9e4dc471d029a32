/**
 * The room `allowlist` owns the permitted accounts and nodes, their file, and changes to both. The pool and the peers decide
 * when to ask, through functions that `node` passes to them; methods change the lists through `contract.ts`.
 *
 * A change is in force once it is on disk. Only this room writes the file.
 */
import { usageFault } from '#config/faults.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { type CheckRows, checkRows, createCheckCounter } from '#platform/metrics/check-counter.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import { inSlices, nextTurn, type Sliced } from '#platform/next-turn.ts'
import { SerialQueue } from '#platform/serial-queue.ts'
import { formatEnode } from '#types/enode.ts'
import { Fault } from '#types/fault.ts'
import { Allowlist, type ListChange } from './allowlist.ts'
import { FileWatch } from './file-watch.ts'
import { ACCOUNTS, type EntryRefusal, type ListKind } from './list-kind.ts'
import { ALLOWLIST_PROBLEMS } from './log-problems.ts'
import { NodesKind, type NodesSettings } from './nodes-kind.ts'
import { CHANGED_MAX_BYTES, PermissionsFile } from './permissions-file.ts'
import { type PermissionsText, peekEntries, writeEntries } from './permissions-text.ts'
import { PermittedNodes } from './permitted-nodes.ts'

/** Maximum changes waiting for an earlier one. */
const WAITING_MAX = 256
/** Attempts at a change if another process writes the file meanwhile. */
const ATTEMPTS_MAX = 3

export const ACCOUNT_CHECKS: CheckRows = checkRows('an', 'account')

export type ListName = 'accounts' | 'nodes'

/** The source of a change, for the log. */
export interface ChangeOrigin {
  /** The method name, or another trigger such as the file watch. */
  readonly via: string
  /** The user name in the token; undefined without authentication. */
  readonly user: string | undefined
  /** Undefined for the embedding program and for the node itself. */
  readonly remoteAddress: string | undefined
  readonly requestId: string | undefined
}

export type ChangeRefusal =
  | EntryRefusal
  | 'EXISTING'
  | 'ABSENT'
  /** An option names the node, so it cannot be removed. */
  | 'FIXED'
  /** Nothing changed. */
  | 'PERSIST_FAILURE'
  /** The list in force changed, but the file did not. */
  | 'FILE_SYNC'
  /** Too many changes are waiting. */
  | 'BUSY'
  /** The file is, or would become, longer than methods may change. */
  | 'TOO_LONG'

export type ChangeVerdict = { readonly ok: true } | { readonly ok: false; readonly reason: ChangeRefusal }

/** The outcome of a change that was only tried. */
export type TriedChange =
  | {
      readonly ok: true
      readonly before: number
      readonly after: number
      /** Entries that are only in the file, which the change would remove from it: the first ones and the count. */
      readonly dropped: readonly string[]
      readonly droppedCount: number
    }
  | { readonly ok: false; readonly reason: ChangeRefusal }

/** A list in force next to its file. Lists of entries are cut; the counts are complete. */
export interface ListComparison {
  readonly list: ListName
  readonly file: string
  readonly inForce: number
  /** Null if the file cannot be loaded. */
  readonly inFile: number | null
  /** Entries that a reload would add. */
  readonly added: readonly string[]
  readonly addedCount: number
  /** Entries that a reload would remove. */
  readonly removed: readonly string[]
  readonly removedCount: number
  /** The reason why a reload would fail. */
  readonly problem: string | null
  /** The reason why methods cannot write the file. */
  readonly readOnly: string | null
}

export type Edit = 'add' | 'remove'

/** Maximum entries of each kind in a comparison. */
export const COMPARED_MAX = 1_000

const DONE: ChangeVerdict = { ok: true }

export interface PermissionsConfig {
  /** If undefined, every account may send transactions. */
  readonly accountsFile: string | undefined
  /** If undefined, every node may connect. */
  readonly nodes?: NodesSettings | undefined
  readonly watchesFile: boolean
}

export interface PermissionsParts {
  readonly clock: Clock
  readonly log: Log
  readonly metrics?: Metrics
}

export class Permissions {
  readonly accounts: Allowlist | undefined
  readonly nodes: PermittedNodes | undefined
  /** Accounts come first, as in Besu. */
  readonly #lists: readonly Allowlist[]
  readonly #clock: Clock
  readonly #watch: FileWatch | undefined
  readonly #log: Log
  readonly #onCheck: ((isPermitted: boolean) => void) | undefined
  readonly #turns = new SerialQueue(WAITING_MAX)
  /** The comparison under way; callers share it, so they cannot fill the queue. */
  #comparing: Promise<readonly ListComparison[] | undefined> | undefined

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
    this.#onCheck = metrics && createCheckCounter(metrics, ACCOUNT_CHECKS)
    const files = [...new Set(this.#lists.map(({ file }) => file))]
    if (watchesFile) this.#watch = new FileWatch(files, clock, () => this.#onFileChanged())
  }

  /** Throws a Fault if a file is unusable: without its list the node would accept too much. */
  static async load(config: PermissionsConfig, parts: PermissionsParts): Promise<Permissions> {
    const onError = (err: unknown) =>
      parts.log.error(PLATFORM_PROBLEMS.listenerFailed, { event: 'allowlist', err })
    const files = new Map<string, PermissionsFile>()
    const fileAt = (path: string): PermissionsFile => {
      const file = files.get(path) ?? new PermissionsFile(path)
      files.set(path, file)
      return file
    }
    const load = async (kind: ListKind, path: string): Promise<Allowlist> => {
      const file = fileAt(path)
      const list = new Allowlist(kind, file, await file.load(kind), onError)
      parts.log.info('Allowlist in force', { list: `${kind.entry}s`, entries: list.all().length, path })
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

  /** Returns undefined if the list is not in force. */
  list(name: ListName): Allowlist | undefined {
    return name === 'accounts' ? this.accounts : this.nodes?.list
  }

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
    return this.#inTurn('add', list, entries, (wanted) => this.#change(list, wanted, origin))
  }

  remove(list: Allowlist, entries: readonly string[], origin: ChangeOrigin): Promise<ChangeVerdict> {
    return this.#inTurn('remove', list, entries, (wanted) => this.#change(list, wanted, origin))
  }

  /** Does everything that a change does, except writing the file and putting the list in force. */
  tryChange(edit: Edit, list: Allowlist, entries: readonly string[]): Promise<TriedChange> {
    return this.#inTurn(edit, list, entries, async (wanted) => {
      const { file } = list
      const planned = await file
        .requireWritable()
        .then(() => planWrite(list, wanted))
        .catch(failedBy)
      if (typeof planned === 'string') return { ok: false, reason: REFUSAL_OF[planned] }
      const { dropped } = planned
      return {
        ok: true,
        before: list.entries.size,
        after: wanted.length,
        dropped: dropped.slice(0, COMPARED_MAX),
        droppedCount: dropped.length,
      }
    })
  }

  /** Compares each list in force with its file. Undefined if too many changes are waiting. */
  compare(): Promise<readonly ListComparison[] | undefined> {
    this.#comparing ??= this.#compareInTurn()
    return this.#comparing
  }

  async #compareInTurn(): Promise<readonly ListComparison[] | undefined> {
    try {
      // In turn, because a change under way would look like a difference.
      return await this.#turns.take(async () => {
        const compared: ListComparison[] = []
        for (const list of this.#lists) compared.push(await compareWithFile(list))
        return compared
      })
    } finally {
      this.#comparing = undefined
    }
  }

  /** Reloads all lists, or none if one of them fails to load. */
  async reload(origin: ChangeOrigin): Promise<{ readonly ok: boolean }> {
    const turn = this.#turns.take(() => this.#reload(origin))
    return (await turn) ?? { ok: false }
  }

  /** Watches the files and the addresses of named hosts. */
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

  async #inTurn<Outcome>(
    edit: Edit,
    list: Allowlist,
    entries: readonly string[],
    finish: (wanted: readonly string[]) => Promise<Outcome>,
  ): Promise<Outcome | { readonly ok: false; readonly reason: ChangeRefusal }> {
    // Resolved before the queue, so DNS lookups do not delay other changes.
    await list.kind.prepare?.(entries, false)
    const turn = this.#turns.take(async () => {
      const spelling = list.kind.spell?.(entries, list.entries)
      const spelled = spelling === undefined ? entries : await inSlices(spelling)
      await nextTurn()
      const wanted = typeof spelled === 'string' ? spelled : await inSlices(EDITS[edit](list, spelled))
      return typeof wanted === 'string' ? { ok: false as const, reason: wanted } : await finish(wanted)
    })
    return (await turn) ?? { ok: false, reason: 'BUSY' }
  }

  async #change(list: Allowlist, wanted: readonly string[], origin: ChangeOrigin): Promise<ChangeVerdict> {
    const saved = await this.#save(list, wanted)
    if (saved === 'failed' || saved === 'too long') return { ok: false, reason: REFUSAL_OF[saved] }
    await this.#putInForce(list, wanted, origin)
    return saved === 'saved' ? DONE : { ok: false, reason: REFUSAL_OF[saved] }
  }

  /** The cost of each step grows with the list, so each runs in its own turns. */
  async #save(list: Allowlist, wanted: readonly string[]): Promise<'saved' | Unsaved> {
    const { kind, file } = list
    const { path } = file
    try {
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const planned = await planWrite(list, wanted)
        if (planned === 'too long') return planned
        if (planned === 'out of sync') break
        this.#warnDropped(list, planned.dropped)
        if ((await file.replace(planned.content, planned.written)) === 'replaced') return 'saved'
      }
    } catch (err) {
      if (!(err instanceof Fault)) throw err
      this.#log.warn(ALLOWLIST_PROBLEMS.saveFailed, { list: `${kind.entry}s`, path, reason: err.message })
      return 'failed'
    }
    this.#log.warn(ALLOWLIST_PROBLEMS.fileOutOfSync, { list: `${kind.entry}s`, path })
    return 'out of sync'
  }

  /** Besu drops them too: the file then lists exactly the entries in force. */
  #warnDropped(list: Allowlist, dropped: readonly string[]): void {
    if (dropped.length === 0) return
    const { kind, file } = list
    this.#log.warn(ALLOWLIST_PROBLEMS.entriesDropped, { list: `${kind.entry}s`, path: file.path, dropped })
  }

  async #reload(origin: ChangeOrigin): Promise<{ readonly ok: boolean }> {
    const loaded: [Allowlist, readonly string[]][] = []
    for (const list of this.#lists) {
      try {
        loaded.push([list, await list.file.load(list.kind)])
      } catch (err) {
        if (!(err instanceof Fault)) throw err
        this.#log.warn(ALLOWLIST_PROBLEMS.reloadFailed, { reason: err.message })
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

  /** The log shows the first hundred entries of each list, so the counts are logged as well. */
  #audit(list: Allowlist, before: readonly string[], change: ListChange, origin: ChangeOrigin): void {
    const after = list.all()
    this.#log.info('Changed allowlist', {
      list: `${list.kind.entry}s`,
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

const EDITS: Readonly<
  Record<Edit, (list: Allowlist, spelled: readonly string[]) => Sliced<readonly string[] | ChangeRefusal>>
> = {
  *add(list, spelled) {
    yield
    return list.with(spelled)
  },
  *remove(list, spelled) {
    for (const entry of spelled) {
      yield
      if (list.kind.isFixed?.(entry)) return 'FIXED'
    }
    return list.without(spelled)
  },
}

type Unsaved = 'failed' | 'out of sync' | 'too long'

const REFUSAL_OF = {
  failed: 'PERSIST_FAILURE',
  'out of sync': 'FILE_SYNC',
  'too long': 'TOO_LONG',
} as const satisfies Record<Unsaved, ChangeRefusal>

function failedBy(error: unknown): 'failed' {
  if (error instanceof Fault) return 'failed'
  throw error
}

interface PlannedWrite {
  readonly content: PermissionsText
  readonly written: PermissionsText
  /** Entries that are only in the file. */
  readonly dropped: readonly string[]
}

/** The new text of the file. Throws a Fault if the file is unreadable or cannot be changed. */
async function planWrite(
  list: Allowlist,
  wanted: readonly string[],
): Promise<PlannedWrite | 'out of sync' | 'too long'> {
  const { kind, file } = list
  const content = await file.read()
  if (content.text.length > CHANGED_MAX_BYTES) return 'too long'
  await nextTurn()
  const standing = await inSlices(peekEntries(content, kind))
  await nextTurn()
  if (standing === undefined || !list.all().every((entry) => standing.has(entry))) return 'out of sync'
  const written = await inSlices(writeEntries(content, kind, wanted))
  if (written.text.length > CHANGED_MAX_BYTES) return 'too long'
  return { content, written, dropped: [...standing].filter((entry) => !list.has(entry)) }
}

async function compareWithFile(list: Allowlist): Promise<ListComparison> {
  const { kind, file } = list
  const facts = {
    list: kind.entry === 'account' ? 'accounts' : 'nodes',
    file: file.path,
    inForce: list.entries.size,
    readOnly: (await faultOf(() => file.requireWritable())) ?? null,
  } as const
  let entries: readonly string[] = []
  const problem = await faultOf(async () => {
    entries = await file.load(kind, { resolvesAgain: false })
  })
  if (problem !== undefined) {
    const none = { added: [], addedCount: 0, removed: [], removedCount: 0 }
    return { ...facts, inFile: null, ...none, problem }
  }
  const { added, removed } = await inSlices(list.compare(entries))
  return {
    ...facts,
    inFile: entries.length,
    added: added.slice(0, COMPARED_MAX),
    addedCount: added.length,
    removed: removed.slice(0, COMPARED_MAX),
    removedCount: removed.length,
    problem: null,
  }
}

/** The sentence of the fault that the work throws; undefined if it succeeds. */
async function faultOf(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}

/** Without this check the node would dial a forbidden bootnode forever. */
async function requireFixed(kind: NodesKind, list: Allowlist): Promise<void> {
  const missing = await kind.missingFixed(list.all())
  if (missing.length === 0) return
  throw usageFault(
    `Specified node(s) not in nodes-allowlist [${missing.map(formatEnode).join(', ')}]. Bootnodes and static nodes must be listed in ${list.file.path}: add them there, or take them out of the options.`,
  )
}

/** A read-only file, such as one from a ConfigMap, only matters once a method changes the list. */
async function warnUnwritable({ kind, file }: Allowlist, log: Log): Promise<void> {
  const reason = await faultOf(() => file.requireWritable())
  if (reason !== undefined) log.warn(ALLOWLIST_PROBLEMS.fileReadOnly, { list: `${kind.entry}s`, reason })
}
