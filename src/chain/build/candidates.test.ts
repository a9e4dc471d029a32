import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextTurn } from '#platform/next-turn.ts'
import { parseAddress } from '#types/address.ts'
import { ZERO_HASH } from '#types/hash.ts'
import {
  type Candidate,
  type CandidateSource,
  decodeCandidates,
  encodeCandidates,
  sliceCandidates,
} from './candidates.ts'

const SENDER = parseAddress('ab'.repeat(20))
const ONE: Candidate = { encoded: Uint8Array.of(1, 2, 3), sender: SENDER }

function sourceOf(select: CandidateSource['select']): CandidateSource {
  return { select, leftOut: () => {} }
}

function slicesOf(source: CandidateSource, signal = new AbortController().signal) {
  const terms = { parent: ZERO_HASH, number: 1n, timestamp: 1n, gasLimit: 1n, baseFeePerGas: undefined }
  return sliceCandidates(source, { ...terms, deadlineAtMs: 0, signal })
}

async function sizesOf(source: CandidateSource): Promise<number[]> {
  const sizes: number[] = []
  for await (const slice of slicesOf(source)) sizes.push(slice.length)
  return sizes
}

test('candidates that are at hand come in slices of bounded number and size, asynchronous ones too', async () => {
  const many = Array.from({ length: 1_200 }, () => ONE)
  const long = { ...ONE, encoded: new Uint8Array(600 * 1024) }
  const asynchronous = async function* () {
    yield* many
  }
  assert.deepEqual(await sizesOf(sourceOf(() => many)), [512, 512, 176])
  assert.deepEqual(await sizesOf(sourceOf(asynchronous)), [512, 512, 176])
  assert.deepEqual(await sizesOf(sourceOf(() => [long, long, long])), [2, 1])
  assert.deepEqual(await sizesOf(sourceOf(() => [])), [])
})

test('a partial slice is delivered while the next candidate is pending', async () => {
  const slow = async function* () {
    yield* [ONE, ONE]
    for (let turn = 0; turn < 5; turn++) await nextTurn()
    yield* [ONE, ONE, ONE]
  }
  assert.deepEqual(await sizesOf(sourceOf(slow)), [2, 3])
})

test('a promised candidate is awaited before the next is requested, and may be undefined', async () => {
  const told: string[] = []
  const later = async (candidate: Candidate | undefined) => {
    await nextTurn()
    told.push('known')
    return candidate
  }
  const source = function* () {
    for (const offer of [() => ONE, () => later(undefined), () => ONE, () => later(ONE)]) {
      told.push('asked')
      yield offer()
    }
  }
  const sizes = await sizesOf(sourceOf(source))
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    3,
  )
  assert.deepEqual(told, ['asked', 'asked', 'known', 'asked', 'asked', 'known'])
})

test('a source that never answers ends with the signal, and its iterator is closed', async () => {
  const ended = new AbortController()
  const never = async function* (): AsyncGenerator<Candidate> {
    yield ONE
    await new Promise(() => {})
  }
  const slices = slicesOf(sourceOf(never), ended.signal)
  assert.equal((await slices.next()).value?.length, 1)
  const rest = slices.next()
  ended.abort()
  assert.equal((await rest).done, true)
})

test('an encoded slice owns its buffer, so a transfer moves nothing else', () => {
  const large = new Uint8Array(1_000).fill(7)
  const candidates = [ONE, { encoded: large.subarray(10, 20), sender: parseAddress('cd'.repeat(20)) }]
  const encoded = encodeCandidates(candidates)
  assert.equal(encoded.buffer.byteLength, 2 * 24 + 3 + 10)
  assert.deepEqual(
    decodeCandidates(encoded),
    candidates.map((each) => ({ ...each, encoded: each.encoded.slice() })),
  )
  assert.throws(() => decodeCandidates(encoded.subarray(0, encoded.length - 1)), /as long as it says/)
})
