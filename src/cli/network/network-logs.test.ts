import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { main } from '#cli/main.ts'

const LINE =
  '{"level":"INFO","time":"2026-08-21T10:15:30.123Z","thread":"main","name":"chain","msg":"Imported block","fields":{"number":7}}'

test('logs are readable lines on a terminal of any width, and unchanged in a pipe', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-logs-'))
  t.after(() => rmSync(directory, { recursive: true }))
  for (const name of ['validator-1', 'validator-2']) {
    mkdirSync(join(directory, name))
    writeFileSync(join(directory, name, 'config.toml'), '')
  }
  writeFileSync(join(directory, 'validator-1/log'), `${LINE}\nFATAL ERROR: out of memory\n`)
  const logs = async (columns: number | undefined, ...nodes: string[]) => {
    let out = ''
    const io = {
      out: (text: string) => {
        out += text
      },
      err: (text: string) => assert.fail(text),
      draw: () => undefined,
      readInput: () => '',
      readSecretLine: () => undefined,
      columns,
    }
    assert.equal(await main(['network', 'logs', `--directory=${directory}`, ...nodes], io), 0)
    return out
  }
  assert.equal(await logs(undefined, 'validator-1'), `${LINE}\nFATAL ERROR: out of memory\n`)
  for (const columns of [40, 200]) {
    assert.equal(
      await logs(columns),
      'validator-1 | 2026-08-21 10:15:30.123+0000 | main | INFO  | chain | Imported block number=7\n' +
        'validator-1 | FATAL ERROR: out of memory\n',
    )
  }
})
