import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Pages, runInLanes } from '../../../scripts/lanes.ts'
import { ALL, type Stage } from '../../../scripts/stages.ts'

const stage = (name: string): Stage => ({
  name,
  command: 'none',
  args: [],
  counts: 'exit code',
  ...(name.startsWith('shares') && { shares: true }),
})

/** Runs stages of a few turns each and records which ran at the same time. */
async function play(names: readonly string[], lanes: number) {
  const running = new Set<string>()
  const beside = new Map<string, Set<string>>(names.map((name) => [name, new Set()]))
  const results = await runInLanes(names.map(stage), lanes, async ({ name }) => {
    for (const other of running) {
      beside.get(name)!.add(other)
      beside.get(other)!.add(name)
    }
    running.add(name)
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    running.delete(name)
    return name
  })
  return { results, beside }
}

test('sharing stages run concurrently, one per lane, and others alone', async () => {
  const names = ['first', 'shares 1', 'shares 2', 'shares 3', 'alone', 'alone too', 'shares 4']
  const { results, beside } = await play(names, 2)
  assert.deepEqual(results, names)
  assert.deepEqual(beside.get('shares 1'), new Set(['shares 2']))
  for (const name of ['first', 'alone', 'alone too', 'shares 4'])
    assert.equal(beside.get(name)!.size, 0, name)
})

test('with one lane every stage is alone', async () => {
  const { beside } = await play(['shares 1', 'shares 2', 'alone'], 1)
  for (const others of beside.values()) assert.equal(others.size, 0)
})

test('a stage that throws ends the run, and no lane continues', async () => {
  const begun: string[] = []
  const run = async ({ name }: Stage) => {
    begun.push(name)
    throw new Error(name)
  }
  await assert.rejects(runInLanes([stage('alone'), stage('shares 1')], 2, run), /alone/)
  assert.deepEqual(begun, ['alone'])
})

test("the output of two stages is not mixed, and the older one's is printed immediately", () => {
  let shown = ''
  const pages = new Pages((text) => {
    shown += text
  })
  const [older, younger] = [pages.open(), pages.open()]
  older.show('a')
  younger.show('1')
  older.show('b')
  assert.equal(shown, 'ab')
  younger.close()
  assert.equal(shown, 'ab')
  older.close()
  assert.equal(shown, 'ab1')
})

test('a stage that judges durations runs alone', () => {
  const alone = ['blocks on time', 'bench of a network', 'process, on time', 'abuse', 'network of validators']
  for (const name of [...alone, 'attacks on peers', 'soak']) {
    assert.equal(ALL.find((each) => each.name === name)!.shares, undefined, name)
  }
})
