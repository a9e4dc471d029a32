/**
 * A power cut before and after every sync of the signature log and of small files: acknowledged data is present, and
 * no data is partly present. The syncs are read from the system calls of programs that write these files.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { AUDIT_FILE, type AuditMark } from './audit-script.ts'
import type { FileMark } from './recorders/files.ts'
import { replayTrace } from './replay.ts'
import { openLog, SAVES } from './signature-log-script.ts'
import { NO_TRACE, traced } from './traced.ts'

const SEED = Number(process.env.CAIRN_CRASH_SEED ?? Date.now() % 2 ** 31)
/** One cut without and one with a torn tail. */
const CUTS_EACH = 2

test(`the signature log has every saved entry after any power cut (CAIRN_CRASH_SEED=${SEED})`, {
  skip: NO_TRACE,
}, async (context) => {
  const { trace, root, folder } = traced(context, 'signature-log', [])
  const random = createSeededRandom(SEED)
  const path = join(folder, 'cut')
  let [cuts, starts] = [0, 0]
  for await (const { disk, marks, place } of replayTrace<{ round: number }>(trace, root)) {
    const saved = marks.at(-1)?.round
    for (let cut = 0; cut < CUTS_EACH; cut++, cuts++) {
      const hasTornTail = cut % 2 === 1
      disk.cut(random, path, () => hasTornTail)
      const file = await openLog(join(path, 'votes'))
      await file.close()
      rmSync(path, { recursive: true, force: true })
      const { loaded } = file
      // A torn tail may make an entry unreadable, and the log then counts as lost. An entry that is only cut short
      // must be recognized.
      if (loaded === 'lost' && hasTornTail) continue
      const told = `cut ${cut} ${place}, ${saved} was saved`
      assert.notEqual(loaded, 'lost', told)
      // Before the first entry nothing was signed: a new validator may sign its first message.
      if (saved === undefined) continue
      const round = typeof loaded === 'object' ? loaded.round : loaded === undefined ? -1 : undefined
      assert.ok(round === saved || round === saved + 1, `${told}, ${round} is there`)
    }
    if (place.includes('votes.new')) starts++
  }
  assert.ok(starts > 2, 'the file was not rewritten several times')
  context.diagnostic(`${cuts} cuts, ${SAVES} records`)
})

test(`a small file is the old one or the new one, wherever the power is cut (CAIRN_CRASH_SEED=${SEED})`, {
  skip: NO_TRACE,
}, async (context) => {
  const { trace, root, folder } = traced(context, 'files', [])
  const random = createSeededRandom(SEED)
  const path = join(folder, 'cut')
  let cuts = 0
  const all = new Map<string, string[]>()
  for (const { path: name, content } of marksIn(root)) all.set(name, [...(all.get(name) ?? []), content])
  for await (const { disk, marks, place } of replayTrace<FileMark>(trace, root)) {
    for (let cut = 0; cut < CUTS_EACH; cut++, cuts++) {
      disk.cut(random, path, () => true)
      const saved = new Map(marks.map((mark) => [mark.path, mark.content]))
      for (const [name, content] of saved) {
        const found = existsSync(join(path, name)) ? readFileSync(join(path, name), 'utf8') : undefined
        const versions = all.get(name)!
        const at = versions.indexOf(content)
        const isThere = found !== undefined && versions.slice(at, at + 2).includes(found)
        assert.ok(isThere, `${name} is ${found?.length} bytes, ${place}`)
      }
      rmSync(path, { recursive: true, force: true })
    }
  }
  context.diagnostic(`${cuts} cuts, ${all.size} files`)
})

test(`the audit log has every call that was answered, wherever the power is cut (CAIRN_CRASH_SEED=${SEED})`, {
  skip: NO_TRACE,
}, async (context) => {
  const { trace, root, folder } = traced(context, 'audit', [])
  const random = createSeededRandom(SEED)
  const path = join(folder, 'cut')
  let [cuts, answered] = [0, 0]
  for await (const { disk, marks, place } of replayTrace<AuditMark>(trace, root)) {
    answered = marks.at(-1)?.calls ?? 0
    for (let cut = 0; cut < CUTS_EACH; cut++, cuts++) {
      disk.cut(random, path, () => cut % 2 === 1)
      const file = join(path, AUDIT_FILE)
      const lines = existsSync(file) ? readFileSync(file, 'latin1').split('\n').slice(0, -1) : []
      const calls = lines
        .slice(0, answered)
        .map((line) => (JSON.parse(line) as { requestId: string }).requestId)
      const expected = Array.from({ length: answered }, (_, call) => `call-${call + 1}`)
      assert.deepEqual(calls, expected, `cut ${cut} ${place}`)
      rmSync(path, { recursive: true, force: true })
    }
  }
  assert.ok(answered > 20, `${answered} calls were answered`)
  context.diagnostic(`${cuts} cuts, ${answered} calls`)
})

function marksIn(root: string): FileMark[] {
  const lines = readFileSync(join(root, 'marks'), 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as FileMark)
}
