import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { TestNetwork } from '#consensus/bft/core/test-network.fixture.ts'
import type { SignatureEntry } from '#consensus/bft/events.ts'
import { parseAddress } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { parseHash } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp } from '#types/rlp.ts'
import { MAX_GROWN_BYTES, openSignatureLog, restoredLog, type SignatureLogOptions } from './signature-log.ts'
import { encodeLogEntry } from './signature-log-entries.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-votes-'))
after(() => rmSync(root, { recursive: true }))

/** An entry with a certificate, as a validator makes it. */
async function entryOf(protocol: BftProtocol) {
  const network = new TestNetwork({ protocol, validators: 4, isDelivered: ({ kind }) => kind !== 'commit' })
  await network.start()
  await network.advance(3_000)
  const { entry } = network.nodes[3]!
  ok(entry?.certificate)
  return { entry, codec: network.codec }
}

const { entry: ENTRY, codec: CODEC } = await entryOf('qbft')
const PLAIN: SignatureEntry = { ...ENTRY, commit: undefined, certificate: undefined, knownTo: undefined }

let files = 0
function optionsFor(changes: Partial<SignatureLogOptions> = {}): SignatureLogOptions {
  return {
    path: join(root, `votes-${files++}`),
    codecAt: () => CODEC,
    keccak: keccak256,
    address: parseAddress('11'.repeat(20)),
    genesis: parseHash('22'.repeat(32)),
    ...changes,
  }
}

async function loaded(options: SignatureLogOptions) {
  const file = await openSignatureLog(options)
  await file.close()
  return file.loaded
}

async function saved(options: SignatureLogOptions, ...entries: SignatureEntry[]): Promise<void> {
  const file = await openSignatureLog(options)
  for (const entry of entries) await file.save(entry)
  await file.close()
}

test('a new file has no entries, also at the next start', async () => {
  const options = optionsFor()
  strictEqual(await loaded(options), undefined)
  strictEqual(await loaded(options), undefined)
  strictEqual(statSync(options.path).mode & 0o777, 0o600)
})

test('an empty file counts as missing', async () => {
  const options = optionsFor()
  writeFileSync(options.path, '')
  strictEqual(await loaded(options), undefined)
  strictEqual(await loaded(options), undefined)
  ok(statSync(options.path).size > 0)
  await saved(options, PLAIN)
  deepStrictEqual(await loaded(options), PLAIN)
})

test('a file whose header failed to be written does not exist', async () => {
  const options = optionsFor()
  mkdirSync(`${options.path}.new`)
  await rejects(openSignatureLog(options))
  ok(!existsSync(options.path))
  rmdirSync(`${options.path}.new`)
  strictEqual(await loaded(options), undefined)
})

test('a file truncated within its header or filled with zeros is lost', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const whole = readFileSync(options.path)
  for (const damaged of [whole.subarray(0, 1), whole.subarray(0, 68), Buffer.alloc(whole.length)]) {
    writeFileSync(options.path, damaged)
    strictEqual(await loaded(options), 'lost', `${damaged.length} bytes`)
  }
})

for (const protocol of ['qbft', 'ibft2'] as const) {
  test(`the last entry of ${protocol} is loaded with its certificate`, async () => {
    const { entry, codec } = await entryOf(protocol)
    const options = optionsFor({ codecAt: () => codec })
    await saved(options, { ...entry, commit: undefined, certificate: undefined }, entry)
    deepStrictEqual(await loaded(options), entry)
  })
}

test('an entry keeps how far the log is complete', async () => {
  const options = optionsFor()
  await saved(options, { ...PLAIN, knownTo: 0 })
  deepStrictEqual(await loaded(options), { ...PLAIN, knownTo: 0 })
})

test('the file of a restored backup stays until something is signed', async () => {
  const options = optionsFor()
  writeFileSync(options.path, restoredLog(options.genesis))
  strictEqual(await loaded(options), 'restored')
  strictEqual(await loaded(options), 'restored')
  await saved(options, PLAIN)
  deepStrictEqual(await loaded(options), PLAIN)
})

test('the file of a restored backup of another network is refused', async () => {
  const options = optionsFor()
  writeFileSync(options.path, restoredLog(parseHash('33'.repeat(32))))
  await rejects(loaded(options), { kind: 'FOREIGN_VOTES_FILE' })
})

test('an entry keeps a round change', async () => {
  const options = optionsFor()
  await saved(options, { ...PLAIN, roundChange: true })
  deepStrictEqual(await loaded(options), { ...PLAIN, roundChange: true })
})

test('a certificate keeps the access list of its block', async () => {
  const options = optionsFor()
  const accessList = new Uint8Array(300).fill(7)
  const { certificate } = ENTRY
  const block = { ...certificate!.block, accessList }
  await saved(options, { ...ENTRY, certificate: { ...certificate!, block } })
  const last = await loaded(options)
  ok(typeof last === 'object')
  deepStrictEqual(Buffer.from(last!.certificate!.block.accessList!), Buffer.from(accessList))
})

test('entries of one session are appended and durable when the file closes', async () => {
  const [one, both] = [optionsFor(), optionsFor()]
  await saved(one, PLAIN)
  const file = await openSignatureLog(both)
  void file.save(PLAIN)
  void file.save({ ...PLAIN, round: PLAIN.round + 1 })
  await file.close()
  deepStrictEqual(await loaded(both), { ...PLAIN, round: PLAIN.round + 1 })
  ok(statSync(both.path).size > statSync(one.path).size)
})

test('a complete entry with invalid content makes the file lost', async () => {
  // No entry has one item, and no height has 56 bits.
  const far = encodeRlp([new Uint8Array(7).fill(0xff), ...Array(5).fill(new Uint8Array()), []])
  for (const nonsense of [Uint8Array.of(0xc1, 0x05), far]) {
    const options = optionsFor()
    await saved(options, PLAIN)
    const entry = encodeLogEntry(nonsense, keccak256)
    writeFileSync(options.path, Buffer.concat([readFileSync(options.path), entry]))
    strictEqual(await loaded(options), 'lost')
  }
})

test('a failed entry is saved again, and not after the broken one', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const damaged = readFileSync(options.path)
  damaged[20]! ^= 1
  writeFileSync(options.path, damaged)
  const file = await openSignatureLog(options)
  mkdirSync(`${options.path}.new`)
  await rejects(file.save(PLAIN))
  rmdirSync(`${options.path}.new`)
  await file.save(ENTRY)
  await file.close()
  deepStrictEqual(await loaded(options), ENTRY)
})

test('an entry after a failed write replaces the file', async () => {
  const options = optionsFor()
  await saved(options, { ...PLAIN, round: 1 })
  const file = await openSignatureLog(options)
  const handle = await open(options.path)
  const fileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  const { datasync } = fileHandle
  fileHandle.datasync = () => Promise.reject(new Error('EIO'))
  try {
    await rejects(file.save({ ...ENTRY, round: 2 }))
  } finally {
    fileHandle.datasync = datasync
  }
  await file.save({ ...PLAIN, round: 3 })
  await file.close()
  deepStrictEqual(await loaded(options), { ...PLAIN, round: 3 })
})

test('an entry truncated at any byte leaves the previous one', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const before = readFileSync(options.path).length
  await saved(options, ENTRY)
  const whole = readFileSync(options.path)
  for (let end = before; end < whole.length; end += 7) {
    writeFileSync(options.path, whole.subarray(0, end))
    deepStrictEqual(await loaded(options), PLAIN, `cut at ${end}`)
  }
})

test('an entry with any unwritten sector leaves the previous one', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const before = readFileSync(options.path).length
  await saved(options, ENTRY)
  const whole = readFileSync(options.path)
  const sectors = [before, ...Array.from({ length: 8 }, (_, at) => (at + 1) * 512)]
  for (const start of sectors.filter((start) => start >= before && start < whole.length)) {
    const torn = Buffer.from(whole)
    torn.fill(0, start, Math.min((Math.floor(start / 512) + 1) * 512, whole.length))
    writeFileSync(options.path, torn)
    deepStrictEqual(await loaded(options), PLAIN, `torn at ${start}`)
    writeFileSync(options.path, torn.fill(0, start))
    deepStrictEqual(await loaded(options), PLAIN, `torn from ${start} on`)
  }
})

for (const behind of ['nothing', 'an entry', 'a torn entry'] as const) {
  test(`one flipped bit anywhere in an entry makes the file lost; followed by: ${behind}`, async () => {
    const options = optionsFor()
    await saved(options, PLAIN)
    const start = readFileSync(options.path).length
    await saved(options, ENTRY)
    const end = readFileSync(options.path).length
    if (behind !== 'nothing') await saved(options, { ...ENTRY, round: 1 })
    const whole = readFileSync(options.path).subarray(0, behind === 'a torn entry' ? -9 : undefined)
    for (let at = start; at < end; at += at < start + 16 ? 1 : 29) {
      for (const bit of at < start + 4 ? [0, 1, 2, 3, 4, 5, 6, 7] : [at % 8]) {
        const damaged = Buffer.from(whole)
        damaged[at]! ^= 1 << bit
        writeFileSync(options.path, damaged)
        strictEqual(await loaded(options), 'lost', `bit ${bit} of byte ${at - start}`)
        deepStrictEqual(readFileSync(options.path), damaged)
      }
    }
  })
}

test('zeros before a complete entry are damage, not a torn write', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const start = readFileSync(options.path).length
  await saved(options, ENTRY)
  const end = readFileSync(options.path).length
  await saved(options, { ...ENTRY, round: 1 })
  const whole = readFileSync(options.path)
  for (const to of [Math.ceil((start + 32) / 512) * 512, end]) {
    writeFileSync(options.path, Buffer.from(whole).fill(0, start, to))
    strictEqual(await loaded(options), 'lost', `zeros up to ${to - start}`)
  }
})

test('a length beyond the end is damage if a complete entry follows', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const start = readFileSync(options.path).length
  await saved(options, ENTRY, { ...ENTRY, round: 1 })
  const damaged = readFileSync(options.path)
  damaged.writeUInt32BE(damaged.length, start)
  // Its own RLP length is wrong too, so it cannot be found by that either.
  damaged[start + 12]! ^= 1
  writeFileSync(options.path, damaged)
  strictEqual(await loaded(options), 'lost')
})

test('the next save overwrites a torn entry', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const before = readFileSync(options.path).length
  await saved(options, ENTRY)
  writeFileSync(options.path, readFileSync(options.path).subarray(0, -1))
  deepStrictEqual(await loaded(options), PLAIN)
  strictEqual(statSync(options.path).size, before)
})

test('an entry saved after a torn one is loaded', async () => {
  const options = optionsFor()
  await saved(options, PLAIN, ENTRY)
  writeFileSync(options.path, readFileSync(options.path).subarray(0, -5))
  const later = { ...PLAIN, height: PLAIN.height + 1 }
  await saved(options, later)
  deepStrictEqual(await loaded(options), later)
})

test('damage before the last entry or in the header makes the file lost', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const end = readFileSync(options.path).length
  await saved(options, PLAIN, ENTRY)
  const whole = readFileSync(options.path)
  for (const at of [3, 20, 50, end - 1]) {
    const damaged = Buffer.from(whole)
    damaged[at]! ^= 1
    writeFileSync(options.path, damaged)
    strictEqual(await loaded(options), 'lost', `damaged at ${at}`)
  }
})

test('a lost file stays lost at every start until an entry is saved', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const damaged = readFileSync(options.path)
  damaged[20]! ^= 1
  writeFileSync(options.path, damaged)
  strictEqual(await loaded(options), 'lost')
  strictEqual(await loaded(options), 'lost')
  await saved(options, ENTRY)
  deepStrictEqual(await loaded(options), ENTRY)
})

test('random damage never yields an entry that was not written', async () => {
  const options = optionsFor()
  await saved(options, PLAIN, ENTRY)
  const whole = readFileSync(options.path)
  for (let seed = 1; seed <= 200; seed++) {
    const damaged = Buffer.from(whole)
    const at = (seed * 2_654_435_761) % whole.length
    damaged.fill((seed * 37) & 0xff, at, Math.min(at + (seed % 40), whole.length))
    writeFileSync(options.path, damaged)
    const found = await loaded(options)
    if (typeof found !== 'object') continue
    deepStrictEqual(found, found.commit === undefined ? PLAIN : ENTRY, `seed ${seed}`)
  }
})

test("the signature log of another key counts as lost, and another network's is refused", async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  for (const genesis of ['33'.repeat(32), `${'22'.repeat(31)}23`]) {
    const refusal = openSignatureLog({ ...options, genesis: parseHash(genesis) })
    await rejects(refusal, { kind: 'FOREIGN_VOTES_FILE', message: /holds the votes of .* another network/ })
  }
  strictEqual(await loaded({ ...options, address: parseAddress('44'.repeat(20)) }), 'lost')
})

test('a large file is replaced and keeps the last entry', async () => {
  const options = optionsFor()
  const file = await openSignatureLog(options)
  const large = new Uint8Array(1_000_000)
  const block = { ...ENTRY.certificate!.block, accessList: large }
  const certificate = { ...ENTRY.certificate!, block }
  for (let round = 0; round < 5; round++) await file.save({ ...ENTRY, round, certificate })
  await file.close()
  ok(statSync(options.path).size > MAX_GROWN_BYTES)
  const grown = await openSignatureLog(options)
  ok(typeof grown.loaded === 'object')
  strictEqual(grown.loaded.round, 4)
  for (let round = 5; round < 8; round++) await grown.save({ ...ENTRY, round, certificate })
  await grown.close()
  ok(statSync(options.path).size < MAX_GROWN_BYTES + 1_100_000)
  const last = await loaded(options)
  ok(typeof last === 'object')
  strictEqual(last?.round, 7)
  ok(!existsSync(`${options.path}.new`))
})
