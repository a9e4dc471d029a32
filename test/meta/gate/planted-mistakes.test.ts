import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { unfitFloor } from '../../../scripts/floors.ts'
import { runStage, tallyOf } from '../../../scripts/run-stage.ts'
import type { Stage } from '../../../scripts/stages.ts'

const HEAD = "import { test } from 'node:test'\n"
const WHOLE = `${HEAD}test('a', () => {})\ntest('b', () => {})\n`

const tests = (...args: string[]): Stage => ({
  name: 'planted',
  command: 'node',
  args: ['--test', ...args],
  counts: 'test runner',
})

/** Runs a stage over files with a planted mistake, in its own folder. */
async function play(context: TestContext, files: Record<string, string>, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-gate-'))
  context.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return runStage(tests(...args), folder, () => {})
}

const ISOLATIONS = ['--test-isolation=none', '--test-isolation=process']

for (const isolation of ISOLATIONS) {
  test(`tests that pass are counted (${isolation})`, async (context) => {
    const tally = await play(context, { 'a.test.ts': WHOLE }, isolation, '*.test.ts')
    assert.deepEqual(tally, { passed: 2, failed: 0, skipped: 0, problems: [], remarks: '' })
  })

  test(`a test that ends its process well fails the stage (${isolation})`, async (context) => {
    const files = {
      'a.test.ts': WHOLE,
      'b.test.ts': `${HEAD}test('c', () => process.exit(0))\ntest('d', () => { throw new Error('unseen') })\n`,
    }
    const { failed, problems } = await play(context, files, isolation, '*.test.ts')
    assert.ok(failed + problems.length > 0)
  })

  test(`a failing test marked as to do fails the stage (${isolation})`, async (context) => {
    const text = `${WHOLE}test('c', { todo: true }, () => { throw new Error('not yet') })\n`
    const { problems } = await play(context, { 'a.test.ts': text }, isolation, '*.test.ts')
    assert.match(problems.join(), /not ok .*# TODO/)
  })

  test(`a pattern without a file fails the stage, next to one with a file (${isolation})`, async (context) => {
    const { problems } = await play(context, { 'a.test.ts': WHOLE }, isolation, '*.test.ts', 'gone/*.test.ts')
    assert.deepEqual(problems, ['no file matches gone/*.test.ts'])
  })

  test(`a stage without a test fails (${isolation})`, async (context) => {
    const { problems } = await play(context, {}, isolation, '*.test.ts')
    assert.ok(problems.includes('nothing passed'), problems.join())
  })
}

test('a stage with one test selected by only is below its floor', async (context) => {
  const text = `${WHOLE}test.only('c', () => {})\n`
  const tally = await play(context, { 'a.test.ts': text }, '--test-isolation=none', '*.test.ts')
  assert.equal(tally.passed, 1)
  assert.deepEqual(unfitFloor(tests(), tally, { planted: 1 }), [])
  assert.equal(unfitFloor(tests(), tally, { planted: 3 }).length, 1)
})

test('a program that succeeds after too little work fails', () => {
  const stage: Stage = {
    name: 'planted',
    command: 'node',
    args: [],
    counts: 'exit code',
    work: { line: /: (\d+) executions/gm, least: 10 },
  }
  const problemsOf = (output: string) => tallyOf(stage, { code: 0, output, tap: '' }).problems
  assert.deepEqual(problemsOf('a: 4 executions\nb: 6 executions\n'), [])
  assert.equal(problemsOf('a: 4 executions\nb: 5 executions\n').length, 1)
  assert.equal(problemsOf('').length, 1)
})

test('a conformance run without its closing line fails', () => {
  const stage: Stage = { name: 'planted', command: 'node', args: [], counts: 'conformance' }
  assert.ok(tallyOf(stage, { code: 0, output: 'bft: 3/3\n', tap: '' }).problems.length > 0)
})

test('a stage without failures that ends with an error has failed', () => {
  const stage: Stage = { name: 'planted', command: 'node', args: [], counts: 'conformance' }
  const ending = { code: 1, output: 'conformance: 3 passed, 0 failed\n', tap: '' }
  assert.deepEqual(tallyOf(stage, ending).problems, ['ended with exit code 1'])
})

test('the summary of a stage repeats the errors that its program printed', async () => {
  const stage: Stage = {
    name: 'planted',
    command: 'node',
    args: [
      '-e',
      'console.log("network: 5 scenarios held"); throw new RangeError("block 7 is on two chains")',
    ],
    counts: 'exit code',
  }
  const { problems } = await runStage(stage, tmpdir(), () => {})
  assert.deepEqual(problems, ['ended with exit code 1', 'RangeError: block 7 is on two chains'])
})

test('a stage that does not end is killed and fails', async () => {
  const stage: Stage = {
    name: 'endless',
    command: 'sh',
    // Its child holds the output open.
    args: ['-c', 'sleep 60 & sleep 60'],
    counts: 'exit code',
  }
  const { problems } = await runStage(stage, import.meta.dirname, () => {}, 200)
  assert.deepEqual(problems, ['ended with exit code 1'])
})

test('a stage whose program is missing fails', async () => {
  const stage: Stage = { name: 'planted', command: 'cairn-is-not-there', args: [], counts: 'exit code' }
  const { problems } = await runStage(stage, tmpdir(), () => {})
  assert.deepEqual(problems, ['ended with exit code 1'])
})

test('a stage without a floor fails', () => {
  const tally = { passed: 3, failed: 0, skipped: 0, problems: [], remarks: '' }
  assert.deepEqual(unfitFloor(tests(), tally, {}), ["has no floor; record one: npm run floors -- 'planted'"])
})

test('a stage whose count and floor differ by more than 3 % fails', () => {
  const stage = tests()
  const floors = { planted: 1_000 }
  const passed = (count: number) => ({ passed: count, failed: 0, skipped: 0, problems: [], remarks: '' })
  assert.deepEqual(unfitFloor(stage, passed(1_030), floors), [])
  assert.deepEqual(unfitFloor(stage, passed(970), floors), [])
  assert.deepEqual(unfitFloor(stage, passed(969), floors), [
    "969 passed, more than 3 % fewer than the floor of 1000; if that is meant, record it: npm run floors -- 'planted'",
  ])
  assert.deepEqual(unfitFloor(stage, passed(1_031), floors), [
    "1031 passed, but the floor is only 1000; record it: npm run floors -- 'planted'",
  ])
  assert.deepEqual(unfitFloor(stage, passed(5), { planted: 3 }), [])
  assert.equal(unfitFloor(stage, passed(2), { planted: 3 }).length, 1)
})

test('a scenario that a program skipped is reported and not counted as passed', () => {
  const stage: Stage = {
    name: 'network',
    command: 'node',
    args: [],
    counts: 'exit code',
    work: { line: /^network: (\d+) scenarios held/gm, least: 2 },
  }
  const output =
    'skipped: full-disk, because no file system can be mounted here\nnetwork: 1 scenarios held, 1 skipped\n'
  const { skipped, remarks, problems } = tallyOf(stage, { code: 0, output, tap: '' })
  assert.deepEqual(
    [skipped, remarks],
    [1, 'skipped: full-disk, because no file system can be mounted here\n'],
  )
  assert.equal(problems.length, 1, 'one scenario is not two')
})
