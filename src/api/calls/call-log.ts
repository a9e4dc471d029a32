/**
 * Logs Solidity's `console.log` of simulated calls. A contract that logs calls the console's address, so its account is
 * read. Only after such a read does a call run again with its call tree; other calls cost a comparison per account.
 */

import type { EngineResources } from '#api/resources.ts'
import type { CallSite } from '#chain/read/call-site.ts'
import { consoleLines, isConsole, relayLines } from '#consensus/dev/console-lines.ts'
import { decodeFrames } from '#evm/call-tree.ts'
import type { CallRequest } from '#evm/simulate/call-request.ts'
import type { StateSource } from '#evm/state-lookup.ts'
import type { RunContext } from '#jsonrpc/method.ts'
import type { Log } from '#platform/log/log.ts'
import { isCallLogOn } from './call-log-switch.ts'
import { type CallRun, runCall } from './run-call.ts'

export class CallLog {
  readonly #log: Log
  readonly #switch: Int32Array

  /** `memory` comes from `shareCallLogSwitch`. */
  constructor(log: Log, memory: SharedArrayBuffer) {
    this.#log = log.child('console')
    this.#switch = new Int32Array(memory)
  }

  /** Returns the site of a call whose reads are watched; the same state has the same watched state. */
  watch(site: CallSite): CallSite {
    if (!this.#log.isEnabled('INFO') || !isCallLogOn(this.#switch)) return site
    return { ...site, state: watchedState(site.state) }
  }

  /** Sessions cache the accounts that they read, so a state whose console was read counts as logging from then on. */
  hasLogged({ state }: CallSite): boolean {
    return (state as Partial<WatchedState>).hasConsole === true
  }

  /** Runs a call again and logs its lines, whatever its outcome. */
  async relay(
    method: string,
    resources: Pick<EngineResources, 'engine' | 'limits'>,
    run: CallRun,
    call: CallRequest,
    context: Pick<RunContext, 'cancel'>,
  ): Promise<void> {
    const ran = await runCall(resources, { ...run, options: { callTree: true } }, call, context)
    const frames = ran.ok ? ran.outcome.frames : undefined
    if (frames !== undefined) relayLines(this.#log, consoleLines(decodeFrames(frames)), { method })
  }
}

interface WatchedState extends StateSource {
  hasConsole: boolean
}

const watched = new WeakMap<StateSource, WatchedState>()

function watchedState(state: StateSource): WatchedState {
  let watching = watched.get(state)
  if (watching === undefined) {
    const made: WatchedState = {
      hasConsole: false,
      account: (address) => {
        made.hasConsole ||= isConsole(address)
        return state.account(address)
      },
      storage: (address, slot) => state.storage(address, slot),
      code: (hash) => state.code(hash),
      blockHash: (number) => state.blockHash(number),
      ...(state.isFixed && { isFixed: true }),
    }
    watched.set(state, made)
    watching = made
  }
  return watching
}
