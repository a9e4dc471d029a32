/** Where the nodes on the list are now: what peers are judged by. */
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { createSignal, type Signal } from '#platform/signal.ts'
import { EndpointSet } from '#types/endpoint-set.ts'
import { type Enode, parseEnode } from '#types/enode.ts'
import type { Allowlist } from './allowlist.ts'
import type { NodesKind } from './nodes-kind.ts'

export const RESOLVE_MS = 60_000

export class PermittedNodes {
  readonly list: Allowlist
  /** Told when it is another set of places: the list was changed, or a host moved. */
  readonly changed: Signal<readonly Enode[]>
  readonly #kind: NodesKind
  readonly #log: Log
  #nodes: readonly Enode[] = []
  #set = new EndpointSet([])
  #timer: Timer | undefined
  #resolving: Promise<void> | undefined

  constructor(list: Allowlist, kind: NodesKind, log: Log) {
    this.list = list
    this.#kind = kind
    this.#log = log
    this.changed = createSignal((err) => log.error('A listener of the nodes allowlist failed.', { err }))
    this.#renew()
    list.changed.subscribe(() => this.#renew())
  }

  all(): readonly Enode[] {
    return this.#nodes
  }

  permits(node: Enode): boolean {
    return this.#set.has(node)
  }

  /** From now on names of hosts are looked up again and again, where they are kept. */
  start(clock: Clock): void {
    if (!this.#kind.keepsNames) return
    this.#timer = clock.every(RESOLVE_MS, () => this.#tick(), { unref: true })
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#timer?.cancel()
    await this.#resolving
  }

  #tick(): void {
    this.#resolving ??= this.#resolve().finally(() => {
      this.#resolving = undefined
    })
  }

  async #resolve(): Promise<void> {
    const named = this.list.all().map((entry) => parseEnode(entry, { allowHostNames: true }))
    const names = named.filter(({ hostKind }) => hostKind === 'name').map(({ host }) => host)
    if (!(await this.#kind.learn(new Set(names)))) return
    this.#log.info('A host that the nodes allowlist names has another address.')
    this.#renew()
  }

  #renew(): void {
    const nodes = this.list.all().map((entry) => this.#kind.node(entry))
    this.#nodes = nodes.filter(({ hostKind }) => hostKind !== 'name')
    this.#set = new EndpointSet(this.#nodes)
    const unknown = nodes.filter(({ hostKind }) => hostKind === 'name').map(({ host }) => host)
    if (unknown.length > 0) {
      this.#log.warn(
        'Nobody knows hosts that the nodes allowlist names; their nodes are not permitted until somebody does.',
        { unknown },
      )
    }
    this.changed.emit(this.#nodes)
  }
}
