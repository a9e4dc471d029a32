/**
 * The parts of a short call in the native engine: crossing to it, the call itself, undoing it, and reading its outcome.
 * Each figure is the shortest of many slices, so other programs hardly change it.
 *
 *   npm run bench -- call-parts
 */
import { BLOCK, CONTRACT, SHANGHAI, sourceOf, transaction } from '#evm/engine.fixture.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { decodeOutcome } from '#evm/outcome.ts'
import { CALL_POLICIES } from '#evm/simulate/call-request.ts'
import { simulateCall } from '#evm/simulate/call-sessions.ts'
import { waiversOf } from '#evm/simulate/simulate-transaction.ts'
import { createStateLookup, LOOKUP_SCRATCH_BYTES } from '#evm/state-lookup.ts'
import { addressToBytes, parseAddress } from '#types/address.ts'
import { whenReady } from '#types/maybe-promise.ts'

const SLICES = 1_000
const CALLS = 100
/** Like balanceOf: hashes the argument, reads the slot and returns it. */
const CODE = '60043560005260205f20545f5260205ff3'

const native = createNativeEngine()
if (!native.ok) throw new Error('Cannot load the native engine. Run npm run build:native.')
const { engine } = native
const state = { ...sourceOf({ [CONTRACT]: { code: CODE } }), isFixed: true } as const
const call = transaction({
  to: CONTRACT,
  maxFeePerGas: 0n,
  maxPriorityFeePerGas: 0n,
  data: new Uint8Array(36),
})
const block = { ...BLOCK, baseFeePerGas: 0n }
const policy = CALL_POLICIES.freeCall
const reads = createStateLookup(state, new Uint8Array(LOOKUP_SCRATCH_BYTES))
const session = engine.open(block, SHANGHAI, reads, { callTree: false, waivers: waiversOf(policy) })
const checkpoint = session.checkpoint()
const { outcomes } = await session.run([call])
const address = parseAddress(CONTRACT)

const PARTS: Readonly<Record<string, () => unknown>> = {
  'a call of simulateCall': () => simulateCall({ engine, rules: SHANGHAI, block, state, policy }, call),
  'run it and undo it': () => whenReady(session.run([call]), () => session.revert(checkpoint)),
  'cross to the engine and back': () => session.run([]),
  'undo a call': () => session.revert(checkpoint),
  'decode its outcome': () => decodeOutcome(outcomes[0]!),
  'turn an address into bytes': () => addressToBytes(address),
}

for (const [name, work] of Object.entries(PARTS)) {
  let shortestMs = Number.POSITIVE_INFINITY
  for (let slice = 0; slice < SLICES; slice++) {
    const startMs = performance.now()
    for (let count = 0; count < CALLS; count++) work()
    shortestMs = Math.min(shortestMs, performance.now() - startMs)
  }
  console.log(`${name.padEnd(30)} ${((shortestMs * 1_000) / CALLS).toFixed(2)} µs`)
}
session.finish()
