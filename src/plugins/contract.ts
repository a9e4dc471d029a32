import { changing, LONG_ARGS_MAX_BYTES, question } from '#platform/contract.ts'
import type { PluginState, ReloadVerdict } from './host/plugin-set.ts'
import type { MethodAnswer } from './plugin-protocol.ts'

/** Longer than any plugin may take. */
const RELOAD_DEADLINE_MS = 150_000
const CALL_DEADLINE_MS = 35_000

export const PLUGINS = {
  /** Reloads one plugin by name, or all; resolves when all are done. */
  reload: changing<[name?: string], ReloadVerdict>('plugins', { deadlineMs: RELOAD_DEADLINE_MS }),
  /** Every plugin with its state, also those that the node started without. */
  states: question<[], readonly PluginState[]>(),
  /** The current options, by plugin and name, including passwords. */
  options: question<[], Readonly<Record<string, string>>>(),
  /**
   * Calls a plugin's method; undefined if the plugin did not answer. Parameters are packed, because main only passes them
   * on.
   */
  call: question<[method: string, params: Uint8Array], MethodAnswer | undefined>({
    deadlineMs: CALL_DEADLINE_MS,
    maxArgBytes: 2 * LONG_ARGS_MAX_BYTES,
  }),
}
