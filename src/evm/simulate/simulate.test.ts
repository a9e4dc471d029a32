import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK, rulesOf, transaction } from '#evm/engine.fixture.ts'
import type { Engine, EngineTransaction, SessionOptions } from '#evm/engine.ts'
import { createJsEngine } from '#evm/engine-js.ts'
import { createNativeEngine } from '#evm/engine-native.ts'
import { addressToBytes, parseAddress } from '#types/address.ts'
import { concatBytes } from '#types/bytes.ts'
import { keccak256 } from '#types/keccak.ts'
import { CALL_POLICIES } from './call-request.ts'
import { simulateCall } from './call-sessions.ts'
import { type AccountOverride, OverlayState } from './overlay-state.ts'

const FROM = parseAddress('11'.repeat(20))
const PLACE = parseAddress('22'.repeat(20))
const IDENTITY = parseAddress('4'.padStart(40, '0'))
const EMPTY = {
  account: () => undefined,
  storage: () => undefined,
  code: () => undefined,
  blockHash: () => undefined,
}
/** Returns 42. */
const ANSWER = Uint8Array.from(Buffer.from('602a60005260206000f3', 'hex'))

const PRAGUE = rulesOf({ pragueTime: 0 })
const native = createNativeEngine()
const engines: readonly Engine[] = [await createJsEngine(), ...(native.ok ? [native.engine] : [])]

function run(
  engine: Engine,
  call: Partial<EngineTransaction['transaction']>,
  options: {
    readonly state?: ReadonlyMap<typeof FROM, AccountOverride>
    readonly session?: Partial<SessionOptions>
    readonly authorities?: EngineTransaction['authorities']
  } = {},
) {
  const state = new OverlayState(EMPTY, keccak256)
  for (const [address, override] of options.state ?? []) state.override(address, override)
  const free = transaction({ to: PLACE, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n })
  const changed = { ...free.transaction, ...call } as EngineTransaction['transaction']
  return simulateCall(
    {
      engine,
      rules: PRAGUE,
      block: { ...BLOCK, baseFeePerGas: 0n },
      state,
      policy: CALL_POLICIES.freeCall,
      ...(options.session === undefined ? {} : { options: options.session }),
    },
    { transaction: changed, sender: FROM, authorities: options.authorities },
  )
}

for (const engine of engines) {
  test(`a moved precompile runs at its new address, and code at the old one (${engine.name})`, async () => {
    const session = { movedPrecompiles: new Map([[IDENTITY, PLACE]]) }
    const state = new Map([[IDENTITY, { code: ANSWER }]])
    const data = Uint8Array.of(1, 2, 3)
    const moved = await run(engine, { data }, { session, state })
    assert.deepEqual(Uint8Array.from(moved.output), data)
    const left = await run(engine, { data, to: IDENTITY }, { session, state })
    assert.equal(left.output.at(-1), 42)
  })

  test(`precompiles are back at their addresses in the next session (${engine.name})`, async () => {
    await run(engine, {}, { session: { movedPrecompiles: new Map([[IDENTITY, PLACE]]) } })
    const data = Uint8Array.of(9)
    const after = await run(engine, { data, to: IDENTITY })
    assert.deepEqual(Uint8Array.from(after.output), data)
  })

  test(`an authority that is merely named delegates (${engine.name})`, async () => {
    const authorization = { chainId: 0n, address: PLACE, nonce: 0n, yParity: 0, r: 1n, s: 1n }
    const authority = parseAddress('33'.repeat(20))
    const call = { type: 4 as const, to: authority, authorizationList: [authorization] }
    const state = new Map([[PLACE, { code: ANSWER }]])
    const named = await run(engine, call, { state, authorities: [authority] })
    assert.equal(named.output.at(-1), 42)
    const unnamed = await run(engine, call, { state })
    assert.equal(unnamed.output.length, 0)
  })

  test(`the highest nonce wraps around to zero (${engine.name})`, async () => {
    const state = new Map([[FROM, { nonce: 2n ** 64n - 1n }]])
    const session = { changesPerTransaction: true }
    const { changes } = await run(engine, { nonce: 2n ** 64n - 1n }, { state, session })
    const after = new OverlayState(EMPTY, keccak256)
    after.override(FROM, { nonce: 2n ** 64n - 1n })
    after.apply(concatBytes(changes!))
    assert.equal(after.account(addressToBytes(FROM))?.nonce ?? 0n, 0n)
  })

  test(`a cancelled call ends with a fault (${engine.name})`, async () => {
    const loop = Uint8Array.of(0x5b, 0x60, 0x00, 0x56)
    const cancel = new Int32Array(new SharedArrayBuffer(4)).fill(1)
    const state = new Map([[PLACE, { code: loop }]])
    await assert.rejects(async () => run(engine, {}, { state, session: { cancel } }), {
      kind: 'ENGINE_CANCELLED',
    })
  })
}
