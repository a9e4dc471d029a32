/* The driver with a real signature log: nothing is signed before it is on disk. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadCrypto } from '#evm/crypto.ts'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { concatBytes } from '#types/bytes.ts'
import { sign } from '#types/curve.ts'
import { BftDriver } from './driver.ts'
import { makeBlock, NO_NETWORK, openTestNetwork, testNetwork, testValidators } from './network.fixture.ts'
import { createQbftRules } from './qbft/rules.ts'
import { createQbftCodec } from './qbft/wire/qbft-codec.ts'
import { openSignatureLog } from './signature-log.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-persists-'))
after(() => rmSync(root, { recursive: true }))
const crypto = await loadCrypto()
const [validator] = testValidators(1) as [ReturnType<typeof testValidators>[number]]
const { address, key } = validator
const limits = {
  maxDistance: 10,
  maxMessages: 100,
  maxBytes: 1_000_000,
  duplicateMessages: 100,
  gossipedMessages: 100,
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** The only validator of a network, which proposes as soon as possible. Every save waits until it is released. */
async function startSoleValidator(name: string) {
  const { chain } = await openTestNetwork(testNetwork({ qbft: { blockperiodseconds: 1 } }, [validator]))
  const unsealed = await makeBlock(chain, { validators: [validator], author: validator, sealers: [] })
  const codec = createQbftCodec(crypto, 'current')
  const path = join(root, name)
  const file = await openSignatureLog({
    path,
    codecAt: () => codec,
    keccak: crypto.keccak,
    address,
    genesis: chain.head.hash,
  })
  const waiting: PromiseWithResolvers<void>[] = []
  /** The content of the file at every signature. */
  const signedWith: Buffer[] = []
  const clock = createFakeClock()
  const driver = new BftDriver({
    clock,
    log: createLog({ level: 'OFF' }),
    keccak: crypto.keccak,
    address,
    signDigest: async (digest) => {
      signedWith.push(readFileSync(path))
      return sign(key, digest)
    },
    blocks: {
      build: async () => unsealed,
      validate: async () => ({ ok: true }),
      keccak: async (pieces) => crypto.keccak(concatBytes(...pieces)),
      importBlock: async () => ({ ok: true }),
    },
    network: NO_NETWORK,
    signatureLog: {
      loaded: file.loaded,
      save: async (entry) => {
        const gate = Promise.withResolvers<void>()
        waiting.push(gate)
        await gate.promise
        await file.save(entry)
      },
      close: () => file.close(),
    },
    rulesAt: () => createQbftRules({ maxRoundTimeoutMs: 60_000 }),
    codecAt: () => codec,
    limits,
    signsWithoutLog: true,
    onPeerAhead: () => {},
    onReport: () => {},
  })
  driver.headMoved({
    height: 1,
    parent: { hash: chain.head.hash, timestampSeconds: 0, coinbase: address },
    validators: [address],
    period: { seconds: 1 },
    emptyBlockPeriodSeconds: 0,
    requestTimeoutMs: 4_000,
  })
  clock.advance(1_500)
  while (waiting.length === 0) await settle()
  // Long enough for a signature that does not wait.
  await settle()
  return { driver, waiting, signedWith, path }
}

test('nothing is signed before the signature log contains it', async () => {
  const { driver, waiting, signedWith, path } = await startSoleValidator('waits')
  const before = readFileSync(path)
  strictEqual(signedWith.length, 0)
  while (signedWith.length === 0) {
    for (const gate of waiting) gate.resolve()
    await settle()
  }
  ok(signedWith[0]!.length > before.length, 'the entry is in the file')
  await driver.stop()
})

test('nothing is signed that failed to be saved', async () => {
  const { driver, waiting, signedWith } = await startSoleValidator('fails')
  for (const gate of waiting) gate.reject(new Error('The disk is full.'))
  await settle()
  deepStrictEqual(signedWith, [])
  await driver.stop()
})
