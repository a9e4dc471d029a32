/**
 * The engine in JavaScript: @ethereumjs/evm over our own journal. It runs wherever Node does, knows every fork from
 * Frontier on, and is what the native engine is compared with. Its parts stand in js/; they and this file are all
 * that imports @ethereumjs.
 */
import type { CustomCrypto } from '@ethereumjs/common'
import { NobleBN254 } from '@ethereumjs/evm'
import { bigintToBytes, concatBytes } from '#types/bytes.ts'
import { type Crypto, loadCrypto } from './crypto.ts'
import { DEFAULT_SESSION_OPTIONS, type Engine } from './engine.ts'
import { CairnEvm } from './js/cairn-evm.ts'
import { CodeCache } from './js/code-cache.ts'
import { createCommon, createParameters } from './js/ethereumjs-rules.ts'
import { extendInterpreter, type InterpreterClass, loadInterpreterClass } from './js/interpreter.ts'
import { verifyKzgProof } from './js/kzg.ts'
import { JsSession } from './js/session.ts'
import type { Rules } from './rules.ts'

/** EVMs that wait for a session, per rules; more would only hold memory. */
const MAX_IDLE = 4

/** Once per thread; nothing in it is asynchronous after that but the execution itself. */
export async function createJsEngine(): Promise<Engine> {
  const crypto = await loadCrypto()
  const Interpreter = extendInterpreter(await loadInterpreterClass())
  const codeCache = new CodeCache()
  const idle = new WeakMap<Rules, CairnEvm[]>()
  return {
    name: 'js',
    open: (block, rules, state, options) => {
      const waiting = idle.get(rules) ?? []
      idle.set(rules, waiting)
      const evm = waiting.pop() ?? createEvm(rules, crypto, Interpreter)
      return new JsSession({
        evm,
        block,
        rules,
        state,
        options: { ...DEFAULT_SESSION_OPTIONS, ...options },
        crypto,
        codeCache,
        createEvm: () => createEvm(rules, crypto, Interpreter),
        release: (free) => {
          if (waiting.length < MAX_IDLE) waiting.push(free)
        },
      })
    },
  }
}

function createEvm(rules: Rules, crypto: Crypto, Interpreter: InterpreterClass): CairnEvm {
  const common = createCommon(rules, customCryptoOf(crypto))
  const options = { common, params: createParameters(rules), bn254: new NobleBN254() }
  return new CairnEvm(options, Interpreter)
}

function customCryptoOf({ keccak, recover }: Crypto): CustomCrypto {
  return {
    keccak256: keccak,
    // Only the precompile asks, which lets nothing but 27 and 28 through.
    ecrecover: (digest, v, r, s) => recover(digest, concatBytes(r, s, bigintToBytes(v - 27n, 1))),
    // The other functions of KZG are for making blobs, which no engine does.
    kzg: { verifyProof: verifyKzgProof } as NonNullable<CustomCrypto['kzg']>,
  }
}
