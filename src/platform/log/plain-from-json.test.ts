import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog, type LogFormat } from './log.ts'
import { plainFromJson } from './plain-from-json.ts'

function linesOf(format: LogFormat): string[] {
  const lines: string[] = []
  const clock = createFakeClock(Date.UTC(2026, 7, 21, 10, 15, 30, 123))
  const destination = { write: (line: string) => void lines.push(line) }
  const log = createLog({ level: 'INFO', thread: 'main', format, colour: false, clock, destination })
  const err = new Error('outer', { cause: new Error('inner') })
  err.stack = 'Error: outer\n    at here'
  ;(err.cause as Error).stack = 'Error: inner\n    at there'
  log.child('chain').info('Imported block', { number: 7, hash: '0xab', text: 'two words', list: [1, 'a'] })
  log.relay('ERROR', 'First line\nsecond \u001b[2J', { err })
  return lines
}

test('a JSON line reads as the plain line of the same event', () => {
  const shown = linesOf('JSON').map((line) => `${plainFromJson(line.trimEnd())}\n`)
  assert.deepEqual(shown, linesOf('PLAIN'))
})

test('a line that is not a JSON log line comes back unchanged', () => {
  for (const line of [
    'FATAL ERROR: out of memory',
    '{"level":"INFO","msg":"cut o',
    '[1]',
    'null',
    '7',
    '{"time":"never","level":"INFO","msg":"x"}',
    '{"time":"2026-08-21T10:15:30.123Z","level":"LOUD","msg":"x"}',
    '{"time":"2026-08-21T10:15:30.123Z","level":"INFO","msg":{}}',
    '{"severity":"info","message":"of another program"}',
  ]) {
    assert.equal(plainFromJson(line), line)
  }
})

test('fields and errors of another shape do not fail', () => {
  const line =
    '{"time":"2026-08-21T10:15:30.123Z","level":"WARN","msg":"x","fields":[1],"err":{"stack":7},"name":null}'
  const plain = '2026-08-21 10:15:30.123+0000 |  | WARN  |  | x'
  assert.equal(plainFromJson(line), plain)
  const nested = line.replace('"stack":7', '"stack":"s","cause":{"stack":7}')
  assert.equal(plainFromJson(nested), `${plain}\n\ts\n\tCaused by: {"stack":7}`)
})
