import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '#platform/log.ts'
import { chooseEngine } from './choose-engine.ts'

function logOf() {
  const lines: string[] = []
  const log = createLog({
    level: 'INFO',
    fd: 1,
    format: 'PLAIN',
    colour: false,
    destination: { write: (line) => lines.push(line) },
  })
  return { log, lines }
}

test('the choice is logged, with the reason for it', async () => {
  const { log, lines } = logOf()
  assert.equal((await chooseEngine(undefined, log)).name, 'js')
  assert.equal((await chooseEngine('js', log)).name, 'js')
  assert.match(lines[0]!, /Engine: js, the only one built in/)
  assert.match(lines[1]!, /Engine: js, as CAIRN_ENGINE asks/)
})

test('an engine that is not there is refused, never replaced in silence', async () => {
  const { log } = logOf()
  await assert.rejects(chooseEngine('native', log), { kind: 'ENGINE_UNAVAILABLE' })
  await assert.rejects(chooseEngine('fast', log), /js or native, and not fast/)
})
