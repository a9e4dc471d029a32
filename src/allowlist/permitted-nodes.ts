/** The current endpoints of the listed nodes, which decide whether a peer may connect. */
import type { Clock, Timer } from '#platform/clock.ts'
import type { Log } from '#platform/log/log.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { createSignal, type Signal } from '#platform/signal.ts'
import { EndpointSet } from '#types/endpoint-set.ts'
import { type Enode, parseEnode } from '#types/enode.ts'
import type { Allowlist } from './allowlist.ts'
import { ALLOWLIST_PROBLEMS } from './log-problems.ts'
import type { NodesKind } from './nodes-kind.ts'

export const RESOLVE_MS = 60_000

export class PermittedNodes {
  readonly list: Allowlist
  /** Emitted when the endpoints change, because the list changed or a host moved. */
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
    this.changed = createSignal((err) =>
      log.error(PLATFORM_PROBLEMS.listenerFailed, { event: 'nodes allowlist', err }),
    )
    this.#renew()
    list.changed.subscribe(() => this.#renew())
  }

  all(): readonly Enode[] {
    return this.#nodes
  }

  permits(node: Enode): boolean {
    return this.#set.has(node)
  }

  /** Starts to resolve kept host names periodically. */
  start(clock: Clock): void {
    if (!this.#kind.keepsNames) return
    this.#timer = clock.every(RESOLVE_MS, () => this.#tick(), { unref: true })
  }

  /** Resolves when no lookup is running. */
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
    this.#log.info('Resolved new addresses for hosts in the nodes allowlist')
    this.#renew()
  }

  #renew(): void {
    const nodes = this.list.all().map((entry) => this.#kind.node(entry))
    this.#nodes = nodes.filter(({ hostKind }) => hostKind !== 'name')
    this.#set = new EndpointSet(this.#nodes)
    const unknown = nodes.filter(({ hostKind }) => hostKind === 'name').map(({ host }) => host)
    if (unknown.length > 0) {
      this.#log.warn(ALLOWLIST_PROBLEMS.unknownHosts, { unknown })
    }
    this.changed.emit(this.#nodes)
  }
}
