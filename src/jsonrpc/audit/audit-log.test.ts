import assert from 'node:assert/strict'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createFakeClock } from '#platform/fake-clock.fixture.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'
import type { AuditEntry, ChangeSubject } from './audit-entry.ts'
import { formatAuditLine, sha256Of } from './audit-line.ts'
import { AuditLog } from './audit-log.ts'
import { recentEntries } from './recent-entries.ts'
import { verifyAudit } from './verify-audit.ts'

interface Opened {
  readonly audit: AuditLog
  readonly path: string
  readonly clock: ReturnType<typeof createFakeClock>
  readonly said: string[]
}

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-audit-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function open(folder: string): Opened {
  const said: string[] = []
  const clock = createFakeClock()
  const path = join(folder, 'audit.jsonl')
  const log = createLog({
    level: 'INFO',
    format: 'JSON',
    clock,
    destination: { write: (line) => said.push(line) },
  })
  const metrics = createMetrics({ prefix: '', onSourceError: assert.fail })
  return { audit: new AuditLog({ path, clock, log, metrics }), path, clock, said }
}

const OWNER = 'user alice'

const entry = (method: string): AuditEntry => ({
  user: 'alice',
  remoteAddress: '10.0.0.1',
  requestId: 'a-1',
  method,
  params: [],
})

/** A call that changes something. */
async function change({ audit }: Opened, name: string, subject: ChangeSubject = 'votes'): Promise<void> {
  const begun = await audit.begin(subject, entry(name), OWNER)
  assert(begun.kind === 'turn', `${name} has a turn`)
  await audit.end(begun.turn, { result: true })
}

async function written(context: TestContext, count: number): Promise<Opened> {
  const opened = open(folderOf(context))
  await opened.audit.start()
  for (let number = 1; number <= count; number += 1) await change(opened, `call_${number}`)
  return opened
}

const linesOf = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')
const methodsOf = (path: string) => linesOf(path).map((line) => JSON.parse(line).method)

test('lines are chained by hashes, and a later process continues the chain', async (context) => {
  const first = await written(context, 2)
  const [, second] = linesOf(first.path)
  assert.equal(sha256Of(second!.slice(0, second!.indexOf(',"hash"'))), JSON.parse(second!).hash)
  const again = open(join(first.path, '..'))
  await again.audit.start()
  assert.match(again.said.join(), new RegExp(`${JSON.parse(second!).hash}.*Continuing audit log`))
  await change(again, 'call_3')
  const report = await verifyAudit([first.path])
  assert.deepEqual([report.broken, report.torn, report.end?.line], [undefined, [], 3])
})

test('without a call no file is made', async (context) => {
  const { path } = await written(context, 0)
  assert.throws(() => readFileSync(path), /ENOENT/)
})

test('a line torn by a crash is kept and reported by the next start, and the chain is intact', async (context) => {
  for (const cut of [1, 2, 40]) {
    const { path } = await written(context, 3)
    const whole = readFileSync(path)
    truncateSync(path, whole.length - cut)
    const again = open(join(path, '..'))
    await again.audit.start()
    await change(again, 'after')
    const report = await verifyAudit([path])
    assert.equal(report.broken, undefined, `${cut} bytes`)
    // Only the line end was lost: the line itself is whole.
    assert.equal(report.torn.length, cut === 1 ? 0 : 1)
    assert.equal(again.said.join().includes('"isEnded":false'), cut !== 1)
    assert.ok(
      readFileSync(path)
        .subarray(0, whole.length - cut)
        .equals(whole.subarray(0, whole.length - cut)),
    )
  }
})

test('a crash while a crash is being reported is reported as well', async (context) => {
  const { path } = await written(context, 2)
  truncateSync(path, readFileSync(path).length - 30)
  await open(join(path, '..')).audit.start()
  truncateSync(path, readFileSync(path).length - 30)
  const again = open(join(path, '..'))
  await again.audit.start()
  await change(again, 'after')
  const report = await verifyAudit([path])
  assert.deepEqual([report.broken, report.torn.length], [undefined, 1])
})

test('a last line that was changed while the node was down does not count as torn', async (context) => {
  const { path } = await written(context, 2)
  writeFileSync(path, readFileSync(path, 'utf8').replace('call_2', 'call_9'))
  const again = open(join(path, '..'))
  await again.audit.start()
  assert.match(again.said.join(), /"isEnded":true/)
  await change(again, 'after')
  const { broken } = await verifyAudit([path])
  assert.equal(broken?.place, 2)
})

test('if the log cannot be written, changes are refused, and changes in progress are written later', async (context) => {
  const opened = await written(context, 1)
  const { audit, path, clock, said } = opened
  const begun = await audit.begin('votes', entry('call_2'), OWNER)
  assert(begun.kind === 'turn')
  renameSync(path, `${path}.away`)
  mkdirSync(path)
  await audit.end(begun.turn, { result: true })
  assert.match(said.join(), /is a directory.*Audit log is not writable/)
  assert.deepEqual(await audit.begin('peers', entry('call_3'), OWNER), {
    kind: 'refused',
    reason: 'unavailable',
  })
  rmSync(path, { recursive: true })
  renameSync(`${path}.away`, path)
  clock.advance(10_000)
  await change(opened, 'call_4')
  assert.match(said.join(), /writable again/)
  assert.deepEqual(methodsOf(path), ['call_1', 'call_2', 'call_4'])
  assert.equal((await verifyAudit([path])).broken, undefined)
})

test('a line that was written although the disk refused to say so is not written twice', async (context) => {
  const { path } = await written(context, 1)
  const again = open(join(path, '..'))
  const begun = await again.audit.begin('votes', entry('call_2'), OWNER)
  assert(begun.kind === 'turn')
  const after = JSON.parse(linesOf(path)[0]!)
  const { text } = formatAuditLine({ ...entry('call_2'), result: true }, again.clock.wallMs(), after)
  // As a failed sync leaves it: there, and refused.
  renameSync(path, `${path}.away`)
  mkdirSync(path)
  await again.audit.end(begun.turn, { result: true })
  rmSync(path, { recursive: true })
  renameSync(`${path}.away`, path)
  appendFileSync(path, `${text}\n`)
  await change(again, 'call_3')
  assert.deepEqual(methodsOf(path), ['call_1', 'call_2', 'call_3'])
})

test('calls of one kind run in turn, others do not wait, and a call that never ends is reported', async (context) => {
  const opened = await written(context, 0)
  const { audit, path, clock } = opened
  const first = await audit.begin('plugins', entry('lost'), OWNER)
  assert(first.kind === 'turn')
  let hasTurn = false
  const second = audit.begin('plugins', entry('next'), OWNER).then((turn) => {
    hasTurn = true
    return turn
  })
  await change(opened, 'other', 'votes')
  assert.equal(hasTurn, false)
  clock.advance(180_000)
  const turn = await second
  assert(turn.kind === 'turn')
  await audit.end(turn.turn, { result: true })
  // Its thread lives after all: too late.
  await audit.end(first.turn, { result: true })
  const lines = linesOf(path).map((line) => JSON.parse(line))
  assert.deepEqual(
    lines.map(({ method, outcome }) => [method, outcome]),
    [
      ['other', undefined],
      ['lost', 'unknown'],
      ['next', undefined],
    ],
  )
})

test('a caller that has its share of waiting calls is refused, and other callers and subjects are not', async (context) => {
  const { audit } = await written(context, 0)
  const first = await audit.begin('plugins', entry('first'), OWNER)
  assert(first.kind === 'turn')
  const waiting = Array.from({ length: 16 }, () => audit.begin('plugins', entry('waiting'), OWNER))
  const busy = { kind: 'refused', reason: 'busy' }
  assert.deepEqual(await audit.begin('plugins', entry('last'), OWNER), busy)
  const elsewhere = await audit.begin('allowlists', entry('elsewhere'), OWNER)
  assert.equal(elsewhere.kind, 'turn')
  const other = audit.begin('plugins', entry('other'), 'address 10.0.0.2')
  await audit.end(first.turn, { result: true })
  // Callers take turns: the other one waits for one call only.
  for (const each of [waiting[0]!, other, ...waiting.slice(1)]) {
    const begun = await each
    assert(begun.kind === 'turn')
    await audit.end(begun.turn, { result: true })
  }
})

test('too many waiting calls for one subject are refused from any caller', async (context) => {
  const { audit } = await written(context, 0)
  await audit.begin('votes', entry('first'), OWNER)
  for (let caller = 0; caller < 4; caller++) {
    for (let call = 0; call < 16; call++) void audit.begin('votes', entry('waiting'), `user ${caller}`)
  }
  const busy = { kind: 'refused', reason: 'busy' }
  assert.deepEqual(await audit.begin('votes', entry('last'), 'user last'), busy)
})

test('a call that waits longer than its server does gets no turn', async (context) => {
  const { audit, clock } = await written(context, 0)
  const first = await audit.begin('votes', entry('first'), OWNER)
  assert(first.kind === 'turn')
  clock.advance(170_000)
  const [early, late] = [1, 2].map(() => audit.begin('votes', entry('waiting'), OWNER))
  // The lease of the first call ends and the second begins, which is not ended either.
  clock.advance(10_000)
  assert.equal((await early)?.kind, 'turn')
  clock.advance(180_000)
  assert.deepEqual(await late, { kind: 'refused', reason: 'busy' })
  await audit.stop()
})

test('a stop writes down what is not over', async (context) => {
  const { audit, path } = await written(context, 0)
  await audit.begin('votes', entry('open'), OWNER)
  await audit.stop()
  assert.equal(JSON.parse(linesOf(path)[0]!).outcome, 'unknown')
})

test('after a file is moved away, the next file continues its chain', async (context) => {
  const opened = await written(context, 2)
  renameSync(opened.path, `${opened.path}.1`)
  await change(opened, 'call_3')
  const both = await verifyAudit([`${opened.path}.1`, opened.path])
  assert.deepEqual([both.broken, both.end?.line], [undefined, 3])
  const { broken } = await verifyAudit([opened.path])
  assert.match(broken!.sentence, /begins with line number 3.*older file/)
})

test('the end of the log is read without a turn, and a changed line is marked', async (context) => {
  const opened = await written(context, 3)
  assert.deepEqual(recentEntries(await opened.audit.tail(), 2, ''), {
    entries: [3, 2].map((line) => ({
      line,
      time: '2026-01-01T00:00:00.000Z',
      ...entry(`call_${line}`),
      outcome: { result: true },
      isIntact: true,
    })),
    isComplete: false,
  })
  writeFileSync(opened.path, readFileSync(opened.path, 'utf8').replace('"alice"', '"mallory"'))
  const { entries, isComplete } = recentEntries(await opened.audit.tail(), 100, 'call_1')
  assert.deepEqual(
    [entries.map(({ user, isIntact }) => [user, isIntact]), isComplete],
    [[['mallory', false]], true],
  )
})

test('a log that does not exist yet has no entries', async (context) => {
  const { audit } = open(folderOf(context))
  assert.deepEqual(recentEntries(await audit.tail(), 100, ''), { entries: [], isComplete: true })
})

test('only the end of a long log is read, and hostile lines are left out', () => {
  const lines = ['{}', '[]', 'null', '{"hash":1}', 'x'.repeat(1_000), '{"__proto__":{"method":"m"}}']
  const [last] = [formatAuditLine(entry('__proto__'), 0, { line: 9, hash: '0'.repeat(64) })]
  const bytes = Buffer.from(['torn', ...lines, last!.text, ''].join('\n'))
  const { entries, isComplete } = recentEntries({ bytes, isWhole: false }, 100, '')
  assert.deepEqual([entries.map(({ method }) => method), isComplete], [['__proto__'], false])
})

test('long entries are returned up to a bound', () => {
  let end = { line: 0, hash: '0'.repeat(64) }
  const lines = Array.from({ length: 10 }, () => {
    const formatted = formatAuditLine({ ...entry('m'), params: ['x'.repeat(60_000)] }, 0, end)
    end = formatted.end
    return formatted.text
  })
  const { entries, isComplete } = recentEntries(
    { bytes: Buffer.from(`${lines.join('\n')}\n`), isWhole: true },
    100,
    '',
  )
  assert.deepEqual([entries.map(({ line }) => line), isComplete], [[10, 9, 8, 7], false])
})
