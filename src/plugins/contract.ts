import { changing, LONG_ARGS_MAX_BYTES, type OwnerOf, question } from '#platform/contract.ts'
import type { ReloadVerdict } from './host/plugin-set.ts'
import type { MethodAnswer } from './plugin-protocol.ts'

/** Longer than any plugin may take. */
const RELOAD_DEADLINE_MS = 150_000
const CALL_DEADLINE_MS = 35_000

export const PLUGINS = {
  /** One by its name, or all; resolves when all of them have. */
  reload: changing<[name?: string], ReloadVerdict>('plugins', { deadlineMs: RELOAD_DEADLINE_MS }),
  /** The options in force, by plugin and name. Passwords are among them. */
  options: question<[], Readonly<Record<string, string>>>(),
  /**
   * A method that a plugin brought; undefined: the plugin did not answer. Parameters are a packed value, since main only
   * passes them on.
   */
  call: question<[method: string, params: Uint8Array], MethodAnswer | undefined>({
    deadlineMs: CALL_DEADLINE_MS,
    maxArgBytes: 2 * LONG_ARGS_MAX_BYTES,
  }),
}

export type LivePlugins = OwnerOf<typeof PLUGINS>
