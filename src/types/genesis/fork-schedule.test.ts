import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FORK_NAMES, ForkSchedule, formatForkDisorder, includesFork } from './fork-schedule.ts'

test('without any fork the Frontier rules apply', () => {
  const schedule = new ForkSchedule({})
  assert.equal(schedule.ruleSetAt(0n, 0n).name, 'frontier')
  assert.equal(schedule.ruleSetAt(10n ** 9n, 10n ** 12n).name, 'frontier')
})

test('a fork named alone includes the rules of all forks before it', () => {
  const schedule = new ForkSchedule({ london: 0n })
  assert.equal(schedule.ruleSetAt(0n, 0n).name, 'london')
  assert.ok(schedule.includes('byzantium', 0n, 0n))
  assert.ok(!schedule.includes('shanghai', 0n, 0n))
  assert.deepEqual(
    FORK_NAMES.filter((name) => schedule.includes(name, 0n, 0n)),
    FORK_NAMES.slice(0, FORK_NAMES.indexOf('london') + 1),
  )
})

test('the last of several forks at one value wins, also between a block and a time', () => {
  const schedule = new ForkSchedule({ berlin: 0n, london: 0n, shanghai: 0n, cancun: 0n })
  assert.deepEqual(schedule.ruleSetAt(0n, 0n), { name: 'cancun', trigger: 'time', from: 0n })
})

test('block forks are reached by number and time forks by timestamp', () => {
  const schedule = new ForkSchedule({ berlin: 0n, london: 5n, shanghai: 1000n })
  assert.equal(schedule.ruleSetAt(4n, 999n).name, 'berlin')
  assert.equal(schedule.ruleSetAt(5n, 999n).name, 'london')
  assert.equal(schedule.ruleSetAt(5n, 1000n).name, 'shanghai')
  assert.equal(schedule.ruleSetAt(1000n, 999n).name, 'london')
})

test('a time fork that is reached outranks a block fork that is not', () => {
  const schedule = new ForkSchedule({ london: 33n, shanghai: 330n })
  assert.equal(schedule.ruleSetAt(3n, 400n).name, 'shanghai')
})

test('the value of a scheduled fork is available', () => {
  const schedule = new ForkSchedule({ london: 33n }, 7n)
  assert.equal(schedule.scheduledFrom('london'), 33n)
  assert.equal(schedule.scheduledFrom('berlin'), undefined)
  assert.equal(schedule.daoForkBlock, 7n)
})

test("a fork scheduled before its predecessor is reported in Besu's words", () => {
  const disorders = new ForkSchedule({ tangerineWhistle: 5n, berlin: 10n, london: 9n }).findDisorders()
  assert.deepEqual(disorders.map(formatForkDisorder), [
    "'LONDON' is scheduled for milestone 9 but it must be on or after milestone 10.",
  ])
  const early = new ForkSchedule({ homestead: 6n, tangerineWhistle: 5n }).findDisorders()
  assert.match(early.map(formatForkDisorder).join(), /^'TANGERINE_WHISTLE' is scheduled/)
})

test('block numbers and times are compared with each other', () => {
  const disorders = new ForkSchedule({ london: 100n, shanghai: 50n }).findDisorders()
  assert.equal(disorders.length, 1)
  assert.deepEqual(new ForkSchedule({ london: 100n, shanghai: 100n }).findDisorders(), [])
})

test('one fork far too late is one disorder, however many follow', () => {
  const schedule = new ForkSchedule({ istanbul: 1_000_000n, berlin: 0n, london: 0n, shanghai: 0n })
  assert.equal(schedule.findDisorders().length, 1)
})

test('a negative milestone is a disorder', () => {
  const disorders = new ForkSchedule({ berlin: -1n }).findDisorders()
  assert.deepEqual(disorders.map(formatForkDisorder), [
    "'BERLIN' is scheduled for milestone -1 but it must be on or after milestone 0.",
  ])
})

test('a rule set includes the forks before it and itself', () => {
  assert.ok(includesFork('berlin', 'frontier'))
  assert.ok(includesFork('berlin', 'berlin'))
  assert.ok(!includesFork('berlin', 'london'))
})
