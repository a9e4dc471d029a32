/** Which engine runs: the one that CAIRN_ENGINE names, else the fastest that loads. The log says which. */
import type { Log } from '#platform/log/log.ts'
import type { ForkSchedule } from '#types/genesis/fork-schedule.ts'
import { loadCrypto } from './crypto.ts'
import type { Engine } from './engine.ts'
import { createNativeEngine, type NativeEngineVerdict } from './engine-native.ts'
import { evmFault } from './faults.ts'
import { nativeSupports, nativeSupportsAll } from './native/encode-settings.ts'

export interface EngineChoice {
  /** Of the one chain that will run on it; undefined: any may. */
  readonly forks?: ForkSchedule
  /** A thread beside the writer, which has said at INFO which engine runs; default no. */
  readonly isFollower?: true
  /** For tests. */
  readonly loadNative?: () => NativeEngineVerdict
}

/** `requested` is the value of CAIRN_ENGINE; undefined or empty: the choice is ours. Once per thread. */
export async function chooseEngine(
  requested: string | undefined,
  log: Log,
  choice: EngineChoice = {},
): Promise<Engine> {
  const { loadNative = createNativeEngine } = choice
  switch (requested) {
    case undefined:
    case '': {
      const native = loadNative()
      if (native.ok) return useNative(native.engine, 'the fastest that there is', log, choice)
      return useJs(`because the native one does not load: ${native.sentence}`, log, choice)
    }
    case 'js':
      return useJs('as CAIRN_ENGINE asks.', log, choice)
    case 'native': {
      const native = loadNative()
      if (native.ok) return useNative(native.engine, 'as CAIRN_ENGINE asks', log, choice)
      throw evmFault('ENGINE_UNAVAILABLE', {
        sentence: `The native engine does not load: ${native.sentence} Build it with npm run build:native, or set CAIRN_ENGINE to js.`,
      })
    }
    default:
      throw evmFault('ENGINE_UNAVAILABLE', {
        sentence: `CAIRN_ENGINE is js or native, and not ${requested}; correct or unset it.`,
      })
  }
}

/**
 * For a thread that must not be held up: every session is brief. undefined where the engine js may have to run, which has
 * no such sessions.
 */
export function chooseBriefEngine(requested: string | undefined, forks: ForkSchedule): Engine | undefined {
  if (requested === 'js' || !nativeSupportsAll(forks)) return undefined
  const native = createNativeEngine()
  if (!native.ok) return undefined
  const { engine } = native
  return {
    ...engine,
    open: (block, rules, state, options) => engine.open(block, rules, state, { ...options, isBrief: true }),
  }
}

async function useJs(reason: string, log: Log, { isFollower }: EngineChoice): Promise<Engine> {
  const [engine, { isNative }] = await Promise.all([loadJs(), loadCrypto()])
  const level = isFollower ? 'debug' : 'info'
  log[level](`Engine: js, ${reason} Key recovery: ${isNative ? 'native' : 'JavaScript'}.`)
  return engine
}

/** Where a genesis file asks for rules that no public network had, the other engine runs them. */
async function useNative(
  native: Engine,
  reason: string,
  log: Log,
  { forks, isFollower }: EngineChoice,
): Promise<Engine> {
  log[isFollower ? 'debug' : 'info'](`Engine: native, ${reason}.`)
  if (forks !== undefined && nativeSupportsAll(forks)) return native
  const js = await loadJs()
  let isTold = false
  return {
    ...native,
    open: (block, rules, state, options) => {
      if (nativeSupports(rules)) return native.open(block, rules, state, options)
      if (!isTold) {
        log.info(
          `Blocks with the rules of ${rules.fork}, which the native engine has not, run on the engine js.`,
        )
      }
      isTold = true
      return js.open(block, rules, state, options)
    },
  }
}

/** Not imported above: it takes 0.3 s and 20 MB, and most chains never need it. */
async function loadJs(): Promise<Engine> {
  const { createJsEngine } = await import('./engine-js.ts')
  return createJsEngine()
}
