import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { PLATFORM_PROBLEMS } from '#platform/log-problems.ts'
import { Fault } from '#types/fault.ts'
import { createLog, type LogOptions, type RootLog } from './log.ts'

const WALL_MS = Date.UTC(2026, 7, 21, 10, 15, 30, 123)

function capture(options: Partial<LogOptions>): { log: RootLog; lines: string[] } {
  const lines: string[] = []
  const destination = { write: (line: string) => void lines.push(line) }
  const clock = createFakeClock(WALL_MS)
  return { log: createLog({ level: 'INFO', thread: 'main', clock, destination, ...options }), lines }
}

test("a plain line has Besu's format", () => {
  const { log, lines } = capture({ format: 'PLAIN' })
  log.child('Runner').info('Ethereum main loop is up.')
  assert.deepEqual(lines, [
    '2026-08-21 10:15:30.123+0000 | main | INFO  | Runner | Ethereum main loop is up.\n',
  ])
})

test('a problem is logged by its message', () => {
  const { log, lines } = capture({ format: 'PLAIN' })
  log.error(PLATFORM_PROBLEMS.channelFailed, { peer: 'writer' })
  assert.match(lines[0]!, /\| ERROR \| {2}\| Thread channel failed peer=writer\n$/)
})

test('only the level is coloured, and only on request', () => {
  const { log, lines } = capture({ format: 'PLAIN', colour: true, thread: 'engine-1' })
  log.child('x').relay('ERROR', 'bad')
  assert.deepEqual(lines, ['2026-08-21 10:15:30.123+0000 | engine-1 | \u001b[31mERROR\u001b[0m | x | bad\n'])
})

test('fields follow the message as key=value', () => {
  const { log, lines } = capture({ format: 'PLAIN' })
  log.info('Imported', {
    number: 7,
    hash: Uint8Array.of(1, 255),
    wei: 10n ** 20n,
    note: 'two words',
    skip: undefined,
    list: [1],
  })
  assert.ok(
    lines[0]?.endsWith(
      '| Imported number=7 hash=0x01ff wei=100000000000000000000 note="two words" list=[1]\n',
    ),
    lines[0],
  )
})

test('text from outside cannot forge a line or move the cursor', () => {
  const { log, lines } = capture({ format: 'PLAIN' })
  const evil = 'x\r\n2026-08-21 | main | INFO  | Forged\u001b[2J\u2028\u202e\u009b'
  log.info(evil, { evil, [evil]: 1, nested: { evil } })
  log.child('n').relay('WARN', 'failed', { err: new Error(evil, { cause: evil }) })
  const rows = lines.join('').split('\n').filter(Boolean)
  assert.equal(lines.length, 2)
  assert.equal(rows.filter((row) => !row.startsWith('\t')).length, 2)
  assert.match(lines.join(''), /x\\r\\n2026/)
  assert.doesNotMatch(lines.join(''), /[^\P{C}\n\t]|\u2028/u)
})

test('a JSON line has time, level label, thread, name, message, fields and error with stack', () => {
  const { log, lines } = capture({ format: 'JSON' })
  const cause = new Error('inner')
  const err = new Fault('DISK_FULL', { sentence: 'No space.', freeBytes: 0n }, { cause })
  log.child('store').relay('ERROR', 'Commit failed', { level: 'mine', number: 7n, err })
  const line = JSON.parse(lines[0] ?? '')
  assert.equal(line.time, '2026-08-21T10:15:30.123Z')
  assert.equal(line.level, 'ERROR')
  assert.equal(line.thread, 'main')
  assert.equal(line.name, 'store')
  assert.equal(line.msg, 'Commit failed')
  assert.deepEqual(line.fields, { level: 'mine', number: '7' })
  assert.equal(line.err.kind, 'DISK_FULL')
  assert.deepEqual(line.err.data, { sentence: 'No space.', freeBytes: '0' })
  assert.match(line.err.stack, /log\.test\.ts/)
  assert.equal(line.err.cause.message, 'inner')
})

test('a plain error shows the stack and its causes, indented', () => {
  const { log, lines } = capture({ format: 'PLAIN' })
  log.relay('ERROR', 'Failed', { err: new Error('outer', { cause: new Error('inner') }) })
  const rows = (lines[0] ?? '').split('\n')
  assert.equal(rows[1], '\tError: outer')
  assert.ok(rows.includes('\tCaused by:'))
  assert.ok(rows.includes('\tError: inner'))
})

test("the levels are Besu's and change at run time", () => {
  const { log, lines } = capture({ format: 'PLAIN', level: 'WARN' })
  const pool = log.child('pool')
  pool.info('1')
  log.setLevel('ALL')
  pool.trace('2')
  log.setLevel('OFF')
  pool.relay('ERROR', '3')
  log.setLevel('ERROR', [])
  pool.relay('ERROR', '4')
  assert.deepEqual(
    lines.map((line) => line.at(-2)),
    ['2', '4'],
  )
})

test('a level set for a name applies to its children and to no other logger', () => {
  const { log } = capture({ level: 'INFO' })
  const admit = log.child('pool').child('admit')
  log.setLevel('DEBUG', ['pool', 'p2p.dial'])
  assert.equal(admit.isEnabled('DEBUG'), true)
  assert.equal(log.child('pool').isEnabled('DEBUG'), true)
  assert.equal(log.child('p2p').isEnabled('DEBUG'), false)
  assert.equal(log.child('poolside').isEnabled('DEBUG'), false)
  log.setLevel('WARN')
  assert.equal(admit.isEnabled('INFO'), false)
})

test('unusual field values cost little and break nothing', () => {
  const { log, lines } = capture({ format: 'JSON' })
  const cyclic: Record<string, unknown> = { symbol: Symbol('s'), call: () => 1, nan: Number.NaN }
  cyclic.self = cyclic
  const hostile = {
    get bad(): string {
      throw new Error('no')
    },
  }
  log.info('x', {
    cyclic,
    hostile,
    long: 'y'.repeat(1e6),
    many: new Array(1e5).fill(1),
    bytes: new Uint8Array(1e6),
  })
  assert.ok((lines[0]?.length ?? 0) < 20_000)
  assert.equal(JSON.parse(lines[0] ?? '').fields.hostile, '[unreadable]')
})

test('a file descriptor that is not a terminal gets JSON, written before the call returns', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-log-'))
  const path = join(folder, 'log')
  const fd = openSync(path, 'w')
  createLog({ level: 'INFO', fd }).info('written')
  const line = JSON.parse(readFileSync(path, 'utf8'))
  closeSync(fd)
  rmSync(folder, { recursive: true })
  assert.equal(line.msg, 'written')
  assert.equal(line.thread, 'main')
})
