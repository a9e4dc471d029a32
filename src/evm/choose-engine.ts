/** Which engine runs: asked for by CAIRN_ENGINE or the best there is, and always said in the log. */
import type { Log } from '#platform/log.ts'
import { loadCrypto } from './crypto.ts'
import type { Engine } from './engine.ts'
import { createJsEngine } from './engine-js.ts'
import { evmFault } from './faults.ts'

/** `requested` is the value of CAIRN_ENGINE; undefined or empty: the choice is ours. Once per thread. */
export async function chooseEngine(requested: string | undefined, log: Log): Promise<Engine> {
  switch (requested) {
    case undefined:
    case '':
    case 'js': {
      const [engine, { isNative }] = await Promise.all([createJsEngine(), loadCrypto()])
      const recovery = isNative ? 'native' : 'JavaScript'
      log.info(
        `Engine: js, ${requested ? 'as CAIRN_ENGINE asks' : 'the only one built in'}; key recovery: ${recovery}.`,
      )
      return engine
    }
    case 'native':
      throw evmFault('ENGINE_UNAVAILABLE', {
        sentence: 'This build has no native engine; set CAIRN_ENGINE to js, or unset it.',
      })
    default:
      throw evmFault('ENGINE_UNAVAILABLE', {
        sentence: `CAIRN_ENGINE is js or native, and not ${requested}; correct or unset it.`,
      })
  }
}
