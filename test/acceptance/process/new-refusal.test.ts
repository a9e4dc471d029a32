import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { CHECKOUT, copyCheckout } from '../../support/copy-checkout.ts'
import { temporaryDirectory } from '../../support/program.ts'

/** Files that map refusal reasons to their own texts. */
const EDGES = ['src/api/calls/run-call.ts', 'src/api/calls/simulate-blocks.ts', 'src/pool/wait-reason.ts']

test('a new reason to refuse a transaction does not compile until every edge maps it', (context) => {
  const copy = copyCheckout(temporaryDirectory(context))
  const { compilerOptions } = JSON.parse(readFileSync(join(CHECKOUT, 'tsconfig.json'), 'utf8'))
  writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: EDGES }))
  const compile = () =>
    spawnSync(join(copy, 'node_modules', '.bin', 'tsc'), ['-p', '.'], { cwd: copy, encoding: 'utf8' }).stdout
  assert.equal(compile(), '')

  const file = join(copy, 'src/types/transaction/refusal.ts')
  const reasons = readFileSync(file, 'utf8')
  writeFileSync(file, reasons.replace("  'WRONG_CHAIN_ID',\n", "$&  'PLANTED',\n"))
  const errors = compile()
    .split('\n')
    .filter((line) => line.includes('error TS'))
  assert.deepEqual(
    errors.map((line) => line.split('(')[0]),
    EDGES,
  )
  for (const error of errors) assert.match(error, /PLANTED/)
})
