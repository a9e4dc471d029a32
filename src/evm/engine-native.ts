/**
 * The engine in Rust: revm in the crate native/, through Node-API. 35 to 170 times as fast as engine-js, and equal to
 * it in every byte. It is optional: where no binary fits, the other engine runs and the caller says so.
 */
import { DEFAULT_SESSION_OPTIONS, type Engine } from './engine.ts'
import { evmFault } from './faults.ts'
import { nativeSupports } from './native/encode-settings.ts'
import { type Addon, loadAddon } from './native/load-addon.ts'
import { recoverSenders } from './native/recover-senders.ts'
import { NativeSession } from './native/session.ts'

export type NativeEngineVerdict =
  | { readonly ok: true; readonly engine: Engine; readonly addon: Addon; readonly path: string }
  | { readonly ok: false; readonly sentence: string }

/** Once per thread. `path` names a binary to load in the place of those found by themselves. */
export function createNativeEngine(path?: string): NativeEngineVerdict {
  const loaded = loadAddon(path)
  if (!loaded.ok) return loaded
  const { addon } = loaded
  const engine: Engine = {
    name: 'native',
    open: (block, rules, state, options) => {
      if (!nativeSupports(rules)) {
        const sentence = `The native engine has no rules of ${rules.fork} alone; set CAIRN_ENGINE=js.`
        throw evmFault('UNSUPPORTED_FORK', { sentence, fork: rules.fork })
      }
      return new NativeSession({
        addon,
        block,
        rules,
        state,
        options: { ...DEFAULT_SESSION_OPTIONS, ...options },
      })
    },
    recoverSenders: (signed) => recoverSenders(addon, signed),
  }
  return { ok: true, engine, addon, path: loaded.path }
}
