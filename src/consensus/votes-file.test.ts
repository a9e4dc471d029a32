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
import { after, it } from 'node:test'
import { TestNetwork } from '#consensus/bft/core/test-network.fixture.ts'
import type { VotesRecord } from '#consensus/bft/events.ts'
import { parseAddress } from '#types/address.ts'
import type { BftProtocol } from '#types/block/bft-extra-data.ts'
import { parseHash } from '#types/hash.ts'
import { keccak256 } from '#types/keccak.ts'
import { encodeRlp } from '#types/rlp.ts'
import { MAX_GROWN_BYTES, openVotesFile, restoredVotes, type VotesFileOptions } from './votes-file.ts'
import { frameRecord } from './votes-frames.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-votes-'))
after(() => rmSync(root, { recursive: true }))

/** A record with a certificate, as a validator makes it. */
async function recordOf(protocol: BftProtocol) {
  const network = new TestNetwork({ protocol, validators: 4, isDelivered: ({ kind }) => kind !== 'commit' })
  await network.start()
  await network.advance(3_000)
  const { record } = network.nodes[3]!
  ok(record?.certificate)
  return { record, codec: network.codec }
}

const { record: RECORD, codec: CODEC } = await recordOf('qbft')
const PLAIN: VotesRecord = { ...RECORD, commit: undefined, certificate: undefined, knownTo: undefined }

let files = 0
function optionsFor(changes: Partial<VotesFileOptions> = {}): VotesFileOptions {
  return {
    path: join(root, `votes-${files++}`),
    codecAt: () => CODEC,
    keccak: keccak256,
    address: parseAddress('11'.repeat(20)),
    genesis: parseHash('22'.repeat(32)),
    ...changes,
  }
}

async function loaded(options: VotesFileOptions) {
  const file = await openVotesFile(options)
  await file.close()
  return file.loaded
}

async function saved(options: VotesFileOptions, ...records: VotesRecord[]): Promise<void> {
  const file = await openVotesFile(options)
  for (const record of records) await file.save(record)
  await file.close()
}

it('a file that nobody wrote has no votes, and still none at the next start', async () => {
  const options = optionsFor()
  strictEqual(await loaded(options), undefined)
  strictEqual(await loaded(options), undefined)
  strictEqual(statSync(options.path).mode & 0o777, 0o600)
})

it('an empty file counts as a missing one: no write leaves it without a head', async () => {
  const options = optionsFor()
  writeFileSync(options.path, '')
  strictEqual(await loaded(options), undefined)
  strictEqual(await loaded(options), undefined)
  ok(statSync(options.path).size > 0)
  await saved(options, PLAIN)
  deepStrictEqual(await loaded(options), PLAIN)
})

it('a file whose head could not be written is not there', async () => {
  const options = optionsFor()
  mkdirSync(`${options.path}.new`)
  await rejects(openVotesFile(options))
  ok(!existsSync(options.path))
  rmdirSync(`${options.path}.new`)
  strictEqual(await loaded(options), undefined)
})

it('a file cut within its head, or filled with zeros, is lost', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const whole = readFileSync(options.path)
  for (const damaged of [whole.subarray(0, 1), whole.subarray(0, 68), Buffer.alloc(whole.length)]) {
    writeFileSync(options.path, damaged)
    strictEqual(await loaded(options), 'lost', `${damaged.length} bytes`)
  }
})

for (const protocol of ['qbft', 'ibft2'] as const) {
  it(`the last record of ${protocol} comes back with its certificate`, async () => {
    const { record, codec } = await recordOf(protocol)
    const options = optionsFor({ codecAt: () => codec })
    await saved(options, { ...record, commit: undefined, certificate: undefined }, record)
    deepStrictEqual(await loaded(options), record)
  })
}

it('a record keeps how far it is known to be complete', async () => {
  const options = optionsFor()
  await saved(options, { ...PLAIN, knownTo: 0 })
  deepStrictEqual(await loaded(options), { ...PLAIN, knownTo: 0 })
})

it('what a restored backup leaves in its place stays until something is signed', async () => {
  const options = optionsFor()
  writeFileSync(options.path, restoredVotes(options.genesis))
  strictEqual(await loaded(options), 'restored')
  strictEqual(await loaded(options), 'restored')
  await saved(options, PLAIN)
  deepStrictEqual(await loaded(options), PLAIN)
})

it('what a restored backup of another network leaves is refused', async () => {
  const options = optionsFor()
  writeFileSync(options.path, restoredVotes(parseHash('33'.repeat(32))))
  await rejects(loaded(options), { kind: 'FOREIGN_VOTES_FILE' })
})

it('a record keeps that the round was changed', async () => {
  const options = optionsFor()
  await saved(options, { ...PLAIN, roundChange: true })
  deepStrictEqual(await loaded(options), { ...PLAIN, roundChange: true })
})

it('a certificate keeps the access list of its block', async () => {
  const options = optionsFor()
  const accessList = new Uint8Array(300).fill(7)
  const { certificate } = RECORD
  const block = { ...certificate!.block, accessList }
  await saved(options, { ...RECORD, certificate: { ...certificate!, block } })
  const last = await loaded(options)
  ok(typeof last === 'object')
  deepStrictEqual(Buffer.from(last!.certificate!.block.accessList!), Buffer.from(accessList))
})

it('records of one session lie one behind another, and are there when the file is closed', async () => {
  const [one, both] = [optionsFor(), optionsFor()]
  await saved(one, PLAIN)
  const file = await openVotesFile(both)
  void file.save(PLAIN)
  void file.save({ ...PLAIN, round: PLAIN.round + 1 })
  await file.close()
  deepStrictEqual(await loaded(both), { ...PLAIN, round: PLAIN.round + 1 })
  ok(statSync(both.path).size > statSync(one.path).size)
})

it('a record that is whole and says nothing known makes the file lost', async () => {
  // No record has one item, and no height has 56 bits.
  const far = encodeRlp([new Uint8Array(7).fill(0xff), ...Array(5).fill(new Uint8Array()), []])
  for (const nonsense of [Uint8Array.of(0xc1, 0x05), far]) {
    const options = optionsFor()
    await saved(options, PLAIN)
    const record = frameRecord(nonsense, keccak256)
    writeFileSync(options.path, Buffer.concat([readFileSync(options.path), record]))
    strictEqual(await loaded(options), 'lost')
  }
})

it('a record that the disk did not take is saved again, and not behind what was broken', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const damaged = readFileSync(options.path)
  damaged[20]! ^= 1
  writeFileSync(options.path, damaged)
  const file = await openVotesFile(options)
  mkdirSync(`${options.path}.new`)
  await rejects(file.save(PLAIN))
  rmdirSync(`${options.path}.new`)
  await file.save(RECORD)
  await file.close()
  deepStrictEqual(await loaded(options), RECORD)
})

it('a record after one whose write failed replaces the file: nothing of the failed one is behind it', async () => {
  const options = optionsFor()
  await saved(options, { ...PLAIN, round: 1 })
  const file = await openVotesFile(options)
  const handle = await open(options.path)
  const fileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  const { datasync } = fileHandle
  fileHandle.datasync = () => Promise.reject(new Error('EIO'))
  try {
    await rejects(file.save({ ...RECORD, round: 2 }))
  } finally {
    fileHandle.datasync = datasync
  }
  await file.save({ ...PLAIN, round: 3 })
  await file.close()
  deepStrictEqual(await loaded(options), { ...PLAIN, round: 3 })
})

it('a record that was cut off at any byte leaves the one before', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const before = readFileSync(options.path).length
  await saved(options, RECORD)
  const whole = readFileSync(options.path)
  for (let end = before; end < whole.length; end += 7) {
    writeFileSync(options.path, whole.subarray(0, end))
    deepStrictEqual(await loaded(options), PLAIN, `cut at ${end}`)
  }
})

it('a record of which any sector was never written leaves the one before', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const before = readFileSync(options.path).length
  await saved(options, RECORD)
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

for (const behind of ['nothing', 'a record', 'a torn record'] as const) {
  it(`one flipped bit anywhere in a record makes the file lost; behind it: ${behind}`, async () => {
    const options = optionsFor()
    await saved(options, PLAIN)
    const start = readFileSync(options.path).length
    await saved(options, RECORD)
    const end = readFileSync(options.path).length
    if (behind !== 'nothing') await saved(options, { ...RECORD, round: 1 })
    const whole = readFileSync(options.path).subarray(0, behind === 'a torn record' ? -9 : undefined)
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

it('zeros that a whole record follows are damage, and no write that was cut short', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const start = readFileSync(options.path).length
  await saved(options, RECORD)
  const end = readFileSync(options.path).length
  await saved(options, { ...RECORD, round: 1 })
  const whole = readFileSync(options.path)
  for (const to of [Math.ceil((start + 32) / 512) * 512, end]) {
    writeFileSync(options.path, Buffer.from(whole).fill(0, start, to))
    strictEqual(await loaded(options), 'lost', `zeros up to ${to - start}`)
  }
})

it('a length that reaches behind the end is damage where a whole record follows', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const start = readFileSync(options.path).length
  await saved(options, RECORD, { ...RECORD, round: 1 })
  const damaged = readFileSync(options.path)
  damaged.writeUInt32BE(damaged.length, start)
  // Its own list says another length too, so that it cannot be read by that one either.
  damaged[start + 12]! ^= 1
  writeFileSync(options.path, damaged)
  strictEqual(await loaded(options), 'lost')
})

it('nothing of a torn record is left behind what is saved next', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const before = readFileSync(options.path).length
  await saved(options, RECORD)
  writeFileSync(options.path, readFileSync(options.path).subarray(0, -1))
  deepStrictEqual(await loaded(options), PLAIN)
  strictEqual(statSync(options.path).size, before)
})

it('what is saved after a torn record is found', async () => {
  const options = optionsFor()
  await saved(options, PLAIN, RECORD)
  writeFileSync(options.path, readFileSync(options.path).subarray(0, -5))
  const later = { ...PLAIN, height: PLAIN.height + 1 }
  await saved(options, later)
  deepStrictEqual(await loaded(options), later)
})

it('damage before the last record makes the file lost, and so does a damaged head', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const end = readFileSync(options.path).length
  await saved(options, PLAIN, RECORD)
  const whole = readFileSync(options.path)
  for (const at of [3, 20, 50, end - 1]) {
    const damaged = Buffer.from(whole)
    damaged[at]! ^= 1
    writeFileSync(options.path, damaged)
    strictEqual(await loaded(options), 'lost', `damaged at ${at}`)
  }
})

it('a lost file stays lost at every start until a record is saved', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  const damaged = readFileSync(options.path)
  damaged[20]! ^= 1
  writeFileSync(options.path, damaged)
  strictEqual(await loaded(options), 'lost')
  strictEqual(await loaded(options), 'lost')
  await saved(options, RECORD)
  deepStrictEqual(await loaded(options), RECORD)
})

it('random bytes over the file never bring back a record that was not written', async () => {
  const options = optionsFor()
  await saved(options, PLAIN, RECORD)
  const whole = readFileSync(options.path)
  for (let seed = 1; seed <= 200; seed++) {
    const damaged = Buffer.from(whole)
    const at = (seed * 2_654_435_761) % whole.length
    damaged.fill((seed * 37) & 0xff, at, Math.min(at + (seed % 40), whole.length))
    writeFileSync(options.path, damaged)
    const found = await loaded(options)
    if (typeof found !== 'object') continue
    deepStrictEqual(found, found.commit === undefined ? PLAIN : RECORD, `seed ${seed}`)
  }
})

it('the votes of another key are lost, and those of another network refused', async () => {
  const options = optionsFor()
  await saved(options, PLAIN)
  for (const genesis of ['33'.repeat(32), `${'22'.repeat(31)}23`]) {
    const refusal = openVotesFile({ ...options, genesis: parseHash(genesis) })
    await rejects(refusal, { kind: 'FOREIGN_VOTES_FILE', message: /holds the votes of .* another network/ })
  }
  strictEqual(await loaded({ ...options, address: parseAddress('44'.repeat(20)) }), 'lost')
})

it('the file starts anew when it has grown, and keeps the last record', async () => {
  const options = optionsFor()
  const file = await openVotesFile(options)
  const large = new Uint8Array(1_000_000)
  const block = { ...RECORD.certificate!.block, accessList: large }
  const certificate = { ...RECORD.certificate!, block }
  for (let round = 0; round < 5; round++) await file.save({ ...RECORD, round, certificate })
  await file.close()
  ok(statSync(options.path).size > MAX_GROWN_BYTES)
  const grown = await openVotesFile(options)
  ok(typeof grown.loaded === 'object')
  strictEqual(grown.loaded.round, 4)
  for (let round = 5; round < 8; round++) await grown.save({ ...RECORD, round, certificate })
  await grown.close()
  ok(statSync(options.path).size < MAX_GROWN_BYTES + 1_100_000)
  const last = await loaded(options)
  ok(typeof last === 'object')
  strictEqual(last?.round, 7)
  ok(!existsSync(`${options.path}.new`))
})
