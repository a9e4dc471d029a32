import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type ChainEnd, formatAuditLine, NO_LINES } from './audit-line.ts'
import { type AuditReport, verifyAudit } from './verify-audit.ts'

interface Written {
  readonly lines: string[]
  readonly ends: ChainEnd[]
}

function write(count: number): Written {
  const written: Written = { lines: [], ends: [NO_LINES] }
  for (let number = 1; number <= count; number += 1) append(written, `call_${number}`)
  return written
}

function append({ lines, ends }: Written, method: string): void {
  const call = { user: null, remoteAddress: null, requestId: 'r', method, params: ['0x01'] }
  const { text, end } = formatAuditLine(call, 1_000 * ends.length, ends.at(-1)!)
  lines.push(text)
  ends.push(end)
}

async function verify(
  context: TestContext,
  lines: readonly string[],
  head?: string,
  end = '\n',
): Promise<AuditReport> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-audit-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'audit.jsonl')
  writeFileSync(path, lines.join('\n') + (lines.length > 0 ? end : ''))
  return await verifyAudit([path], head)
}

/** Every line of six, done so to it, is where the log is said to be broken. */
async function breaks(
  context: TestContext,
  change: (lines: string[], index: number, written: Written) => void,
  expected: (index: number) => number,
  sentence: RegExp,
  indices = [0, 1, 2, 3, 4],
): Promise<void> {
  for (const index of indices) {
    const written = write(6)
    const lines = [...written.lines]
    change(lines, index, written)
    const { broken, end } = await verify(context, lines)
    assert.equal(broken?.place, expected(index), `line ${index + 1}`)
    assert.match(broken.sentence, sentence)
    assert.equal(end?.line ?? 0, broken.place - 1)
  }
}

test('an unmodified log is valid, also without its last line feed', async (context) => {
  for (const end of ['\n', '']) {
    const report = await verify(context, write(6).lines, undefined, end)
    assert.deepEqual([report.broken, report.end?.line], [undefined, 6])
  }
  assert.deepEqual((await verify(context, [])).end, undefined)
})

test('a changed line is found, also the last, and any byte of it', async (context) => {
  const change = (lines: string[], index: number) => {
    lines[index] = lines[index]!.replace('"call_', '"Call_')
  }
  await breaks(context, change, (index) => index + 1, /was changed/, [0, 1, 2, 3, 4, 5])
  const { lines } = write(3)
  for (let at = 0; at < lines[1]!.length; at += 7) {
    const other = lines[1]![at] === 'x' ? 'y' : 'x'
    const changed = [lines[0]!, lines[1]!.slice(0, at) + other + lines[1]!.slice(at + 1), lines[2]!]
    assert.equal((await verify(context, changed)).broken?.place, 2, `byte ${at}`)
  }
})

test('a removed line is found', async (context) => {
  const remove = (lines: string[], index: number) => void lines.splice(index, 1)
  await breaks(context, remove, (index) => index + 1, /missing/)
})

test('swapped lines are found and distinguished from removed ones', async (context) => {
  const swap = (lines: string[], index: number) => {
    const [one, other] = [lines[index]!, lines[index + 1]!]
    lines.splice(index, 2, other, one)
  }
  await breaks(context, swap, (index) => index + 1, /belongs here is line \d.*swapped/)
})

test('an inserted line is found: a copy, or a forged line with a matching hash', async (context) => {
  const copy = (lines: string[], index: number) => void lines.splice(index + 1, 0, lines[index]!)
  await breaks(context, copy, (index) => index + 2, /inserted/)
  const forge = (lines: string[], index: number, { ends }: Written) => {
    const forged: Written = { lines: [], ends: [ends[index + 1]!] }
    append(forged, 'forged')
    lines.splice(index + 1, 0, forged.lines[0]!)
  }
  await breaks(context, forge, (index) => index + 3, /inserted/)
})

test('a line that was replaced together with its hash is found by the one after it', async (context) => {
  const replace = (lines: string[], index: number, { ends }: Written) => {
    const forged: Written = { lines: [], ends: [ends[index]!] }
    append(forged, 'forged')
    lines[index] = forged.lines[0]!
  }
  await breaks(context, replace, (index) => index + 2, /replaced/)
})

test('a cut at the end is only found with a hash kept elsewhere', async (context) => {
  const { lines, ends } = write(6)
  const cut = lines.slice(0, 4)
  assert.deepEqual(
    [(await verify(context, cut)).broken, (await verify(context, cut)).knowsHead],
    [undefined, undefined],
  )
  assert.equal((await verify(context, cut, ends[6]!.hash)).knowsHead, 'absent')
  assert.equal((await verify(context, cut, ends[3]!.hash)).knowsHead, 'earlier')
  assert.equal((await verify(context, cut, ends[4]!.hash)).knowsHead, 'last')
})

test('binary bytes, endless lines and other files are reported without a crash', async (context) => {
  const { lines } = write(2)
  for (const odd of ['', '{}', '[1]', 'null', 'x'.repeat(3 * 1024 * 1024), '\u0000', `${lines[1]} `]) {
    const { broken } = await verify(context, [lines[0]!, odd, lines[1]!])
    assert.equal(broken?.place, 2, odd.slice(0, 20))
  }
})
