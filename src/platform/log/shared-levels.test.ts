import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from './log.ts'
import { LevelRules, type LogLevel } from './log-level.ts'
import { SharedLevels } from './shared-levels.ts'

const quiet = () => createLog({ level: 'INFO', destination: { write: () => undefined } })

/** The rules of a thread that was started with the level of the options. */
function thread() {
  const rules = new LevelRules('INFO')
  const tell = async (level: LogLevel, names: readonly string[] | undefined) => rules.set(level, names)
  return { rules, tell }
}

test('a change reaches every thread, and one that starts later has all changes', async () => {
  const levels = new SharedLevels(quiet())
  const early = thread()
  levels.join(early.tell)
  await levels.set('TRACE', ['p2p.dial'])
  await levels.set('WARN', ['p2p'])
  await levels.set('DEBUG', ['p2p.rlpx', '7'])
  const late = thread()
  levels.join(late.tell)
  assert.deepEqual(late.rules.all(), early.rules.all())
  assert.deepEqual(late.rules.all(), levels.all())
  await levels.set('ERROR', undefined)
  assert.deepEqual(
    [early, late].map(({ rules }) => rules.all()),
    [{ '': 'ERROR' }, { '': 'ERROR' }],
  )
})

test('a thread that fails or has ended does not keep the others from hearing', async () => {
  const levels = new SharedLevels(quiet())
  let told = 0
  levels.join(async () => assert.fail())
  levels.join(async () => void told++, Promise.resolve())
  const other = thread()
  levels.join(other.tell)
  await Promise.resolve()
  await levels.set('DEBUG', undefined)
  assert.equal(told, 0)
  assert.equal(other.rules.levelOf('p2p'), 'DEBUG')
})

test('a thread is told nothing before the first change', () => {
  new SharedLevels(quiet()).join(async () => assert.fail())
})
