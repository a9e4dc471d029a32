import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, extend, LOGGER, openTestChain, SOMEBODY } from '#chain/chain.fixture.ts'
import { parseAddress } from '#types/address.ts'
import { hashFromBytes, parseHash } from '#types/hash.ts'
import { type FoundLog, type LogPattern, matcherOf } from './logs.ts'
import { Lookup } from './lookup.ts'

const SEVEN = hashFromBytes(new Uint8Array(32).with(31, 7))
const EIGHT = hashFromBytes(new Uint8Array(32).with(31, 8))
const ANY: LogPattern = { addresses: [], topics: [] }

async function openLoggingChain() {
  const chain = await openTestChain()
  await extend(chain, [call(0), call(1, LOGGER)])
  await extend(chain, [call(2)])
  await extend(chain, [call(3, LOGGER), call(4, LOGGER)])
  return { chain, lookup: new Lookup(chain.store) }
}

test('logs are found by address and topic, with their places', async () => {
  const { lookup } = await openLoggingChain()
  const find = async (filter: LogPattern, fromBlock = 0, toBlock = 3) => {
    const found: FoundLog[] = []
    for await (const logs of lookup.logs({ fromBlock, toBlock }, filter)) found.push(...logs)
    return found.map(({ block, transactionIndex, index }) => [Number(block.number), transactionIndex, index])
  }
  const all = [
    [1, 1, 0],
    [3, 0, 0],
    [3, 1, 1],
  ]
  assert.deepEqual(await find(ANY), all)
  assert.deepEqual(await find({ addresses: [LOGGER], topics: [] }), all)
  assert.deepEqual(await find({ addresses: [SOMEBODY, LOGGER], topics: [[EIGHT, SEVEN]] }, 2), all.slice(1))
  assert.deepEqual(await find({ addresses: [SOMEBODY], topics: [] }), [])
  assert.deepEqual(await find({ addresses: [], topics: [[EIGHT]] }), [])
})

test('cached headers never change the result, wherever they end and after a reorg', async () => {
  const { chain } = await openLoggingChain()
  const find = async (lookup: Lookup, filter: LogPattern) =>
    (await Array.fromAsync(lookup.logs({ fromBlock: 0, toBlock: 3 }, filter))).flat()
  const filters: LogPattern[] = [
    ANY,
    { addresses: [LOGGER], topics: [[SEVEN]] },
    { addresses: [SOMEBODY], topics: [] },
    { addresses: [], topics: [[...Array(40).fill(EIGHT), SEVEN]] },
  ]
  const warm = new Lookup(chain.store)
  const compare = async () => {
    for (const filter of filters) {
      const expected = await find(new Lookup(chain.store), filter)
      for (const lowest of [3, 2, 1, 0]) {
        const partly = new Lookup(chain.store)
        for (let number = lowest; number <= 3; number++) partly.header(number)
        assert.deepEqual(await find(partly, filter), expected)
      }
      assert.deepEqual(await find(warm, filter), expected)
    }
  }
  await compare()
  await chain.unwind(1)
  await extend(chain, [call(2, LOGGER)])
  await extend(chain, [call(3)])
  await compare()
  const numbers = (await find(warm, ANY)).map(({ block }) => block.number)
  assert.deepEqual(numbers, [1n, 2n])
})

test('logs that are rare, frequent or frequent with gaps are found alike, whatever is cached', async () => {
  const chain = await openTestChain()
  const logging = (number: number): boolean => number === 3 || (number > 100 && number % 7 > 0)
  for (let number = 1; number <= 150; number++) {
    await extend(chain, logging(number) ? [call(number - 1, LOGGER)] : [call(number - 1)])
  }
  const expected = Array.from({ length: 151 }, (_, number) => number).filter(logging)
  const lookup = new Lookup(chain.store)
  const numbersTo = async (toBlock: number, fromBlock = 0): Promise<number[]> => {
    const filter = { addresses: [LOGGER], topics: [] }
    const found = (await Array.fromAsync(lookup.logs({ fromBlock, toBlock }, filter))).flat()
    return found.map(({ block }) => Number(block.number))
  }
  for (const inMemory of [
    [],
    [150, 149],
    [120, 121, 90],
    Array.from({ length: 80 }, (_, number) => number),
  ]) {
    for (const number of inMemory) lookup.header(number)
    for (const toBlock of [150, 105, 100, 79, 2, 0]) {
      assert.deepEqual(
        await numbersTo(toBlock),
        expected.filter((number) => number <= toBlock),
      )
    }
    assert.deepEqual(
      await numbersTo(150, 113),
      expected.filter((number) => number >= 113),
    )
  }
})

test('logs of a rewound block are found by its hash only', async () => {
  const { chain, lookup } = await openLoggingChain()
  const { hash } = chain.head
  await chain.unwind(2)
  assert.equal([...lookup.logsOf(hash, ANY)].length, 2)
  assert.equal([...lookup.logsOf(3, ANY)].length, 0)
  const range = lookup.logs({ fromBlock: 0, toBlock: 3 }, { addresses: [LOGGER], topics: [] })
  assert.equal((await Array.fromAsync(range)).flat().length, 1)
})

test('a filter with more positions than the log has topics does not match', () => {
  const log = { address: LOGGER, topics: [SEVEN], data: new Uint8Array(0) }
  assert.equal(matcherOf({ addresses: [], topics: [[]] })(log), true)
  assert.equal(matcherOf({ addresses: [], topics: [[], []] })(log), false)
})

test('a log costs little more to compare with thousands of values than with one', () => {
  const log = { address: LOGGER, topics: [SEVEN], data: new Uint8Array(0) }
  const filterOf = (count: number): LogPattern => ({
    addresses: [...Array.from({ length: count - 1 }, (_, seed) => addressOf(seed)), LOGGER],
    topics: [Array.from({ length: count }, (_, seed) => parseHash(seed.toString(16).padStart(64, '0')))],
  })
  const millisecondsFor = (filter: LogPattern): number => {
    const startMs = performance.now()
    const matches = matcherOf(filter)
    for (let count = 0; count < 20_000; count += 1) matches(log)
    return performance.now() - startMs
  }
  millisecondsFor(filterOf(10))
  const [one, thousand] = [millisecondsFor(filterOf(1)), millisecondsFor(filterOf(1_000))]
  // With sets it takes 3 times as long, with lists 500 times.
  assert.ok(thousand < 40 * one + 5, `${thousand} ms with 1,000 values, ${one} ms with one`)
})

const addressOf = (seed: number) => parseAddress(seed.toString(16).padStart(40, '0'))
