import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { lastWords, readLines, tailOf } from './node-log.ts'

test('the last words of a node are its last sentence, and a fault unless it ended in order', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-words-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const logFile = join(directory, 'log')
  assert.equal(lastWords({ logFile }), undefined)
  const wordsOf = (log: string) => {
    writeFileSync(logFile, log)
    return lastWords({ logFile })
  }
  const said = (level: string) =>
    `{"level":"INFO","msg":"Starting."}\n{"level":"${level}","msg":"The end."}\n\n`
  assert.deepEqual(wordsOf(said('INFO')), { text: 'The end.', isFault: false })
  assert.deepEqual(wordsOf(said('ERROR')), { text: 'The end.', isFault: true })
  assert.deepEqual(wordsOf(`${said('INFO')}FATAL ERROR: out of memory\n`), {
    text: 'FATAL ERROR: out of memory',
    isFault: true,
  })
  assert.equal(wordsOf('\n'), undefined)
})

test('an incomplete line is read when it is complete', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-lines-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const logFile = join(directory, 'log')
  assert.deepEqual(readLines(logFile, 0), { text: '', end: 0 })
  const bytes = Buffer.from('one\nzw\u00f6lf\n')
  writeFileSync(logFile, bytes.subarray(0, 7))
  const first = readLines(logFile, 0)
  assert.deepEqual(first, { text: 'one\n', end: 4 })
  assert.deepEqual(readLines(logFile, first.end), { text: '', end: 4 })
  assert.deepEqual(tailOf(logFile, 5), { text: 'one\nzw\ufffd', end: 4 })
  appendFileSync(logFile, bytes.subarray(7))
  assert.deepEqual(readLines(logFile, first.end), { text: 'zw\u00f6lf\n', end: bytes.length })
  assert.deepEqual(readLines(logFile, 4, 3), { text: 'zw\ufffd', end: 7 }, 'longer than a part')
})
