import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { lastWords } from './node-log.ts'

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
