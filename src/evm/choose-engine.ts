/** Chooses the engine that CAIRN_ENGINE names, otherwise the fastest that loads. The log says which. */
import type { Log, LogFields } from '#platform/log/log.ts'
import type { ForkSchedule } from '#types/genesis/fork-schedule.ts'
import { loadCrypto } from './crypto.ts'
import type { Engine } from './engine.ts'
import { createNativeEngine, type NativeEngineVerdict } from './engine-native.ts'
import { evmFault } from './faults.ts'
import { nativeSupports, nativeSupportsAll } from './native/encode-settings.ts'

export interface EngineChoice {
  /** The schedule of the only chain that runs on the engine; any chain if undefined. */
  readonly forks?: ForkSchedule
  /** Set on threads other than the writer, which logs the engine at INFO. */
  readonly isFollower?: true
  /** Replaced by tests. */
  readonly loadNative?: () => NativeEngineVerdict
}

/** `requested` is the value of CAIRN_ENGINE; if undefined or empty, Cairn chooses. Call it once per thread. */
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
      if (native.ok) return useNative(native.engine, 'fastest available', log, choice)
      return useJs(`the native engine does not load: ${native.sentence}`, log, choice)
    }
    case 'js':
      return useJs('CAIRN_ENGINE', log, choice)
    case 'native': {
      const native = loadNative()
      if (native.ok) return useNative(native.engine, 'CAIRN_ENGINE', log, choice)
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
 * An engine for a thread that must not block: every session is brief. Undefined if the js engine may be needed, which
 * has no brief sessions.
 */
export function chooseBriefEngine(requested: string | undefined, forks: ForkSchedule): Engine | undefined {
  if (requested === 'js' || !nativeSupportsAll(forks)) return undefined
  const native = createNativeEngine()
  if (!native.ok) return undefined
  const { engine } = native
  return {
    ...engine,
    isBrief: true,
    open: (block, rules, state, options) => engine.open(block, rules, state, { ...options, isBrief: true }),
  }
}

async function useJs(reason: string, log: Log, { isFollower }: EngineChoice): Promise<Engine> {
  const [engine, { isNative }] = await Promise.all([loadJs(), loadCrypto()])
  logChoice({ engine: 'js', reason, keyRecovery: isNative ? 'native' : 'js' }, log, isFollower)
  return engine
}

/** If a genesis file asks for rules that no public network had, the js engine runs them. */
async function useNative(
  native: Engine,
  reason: string,
  log: Log,
  { forks, isFollower }: EngineChoice,
): Promise<Engine> {
  logChoice({ engine: 'native', reason }, log, isFollower)
  if (forks !== undefined && nativeSupportsAll(forks)) return native
  const js = await loadJs()
  let isLogged = false
  return {
    ...native,
    open: (block, rules, state, options) => {
      if (nativeSupports(rules)) return native.open(block, rules, state, options)
      if (!isLogged)
        log.info('Using the js engine for rules that the native engine lacks', { fork: rules.fork })
      isLogged = true
      return js.open(block, rules, state, options)
    },
  }
}

/** Every thread chooses; only the writer reports it at INFO. */
function logChoice(fields: LogFields, log: Log, isFollower: true | undefined): void {
  if (isFollower) log.debug('Selected EVM engine', fields)
  else log.info('Selected EVM engine', fields)
}

/** Imported lazily: it takes 0.3 s and 20 MB, and most chains never need it. */
async function loadJs(): Promise<Engine> {
  const { createJsEngine } = await import('./engine-js.ts')
  return createJsEngine()
}
