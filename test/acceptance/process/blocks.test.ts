import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPack } from '../../conformance/pack.ts'
import { cairn, PROGRAM, temporaryDirectory } from '../../support/program.ts'

const pack = openPack()
const skip = pack === undefined && 'there is no conformance pack'

test('a chain is imported in parts, exported, and comes out as it went in', { skip }, (context) => {
  const cwd = temporaryDirectory(context)
  const folder = pack!.path('recorded/frozen/prague')
  const root = ['--data-path=data', `--genesis-file=${join(folder, 'genesis.json')}`, '--logging=ERROR']
  const file = join(folder, 'blocks.bin')

  const part = cairn([...root, 'blocks', 'import', `--from=${file}`, '--end-block=7'], { cwd })
  assert.equal(part.code, 0)
  // A slow machine also prints progress after it.
  assert.match(part.stderr, /^The chain is at block 0\.\n/)
  assert.match(part.stdout, /^Imported 6 blocks; the last one of the files is block 6\./)
  const rest = cairn([...root, 'blocks', 'import', file], { cwd })
  assert.match(
    rest.stdout,
    /^Imported 10 blocks; the last one of the files is block 16\. 7 were there already\./,
  )

  const exported = cairn([...root, 'blocks', 'export', '--to=all.bin'], { cwd })
  assert.equal(exported.stdout, 'Exported 17 blocks to all.bin.\n', exported.stderr)
  assert.deepEqual(readFileSync(join(cwd, 'all.bin')), readFileSync(file))
  cairn([...root, 'blocks', 'export', '--to=parts.bin', '--start-block=0', '--end-block=9'], { cwd })
  cairn([...root, 'blocks', 'export', '--to=parts.bin', '--start-block=9'], { cwd })
  assert.deepEqual(readFileSync(join(cwd, 'parts.bin')), readFileSync(file))
})

test('a block whose seal was tampered with is refused, and those before it are kept', { skip }, (context) => {
  const cwd = temporaryDirectory(context)
  const folder = pack!.path('recorded/frozen/g1s')
  const bytes = readFileSync(join(folder, 'blocks.bin'))
  const seal = bytes.lastIndexOf(Buffer.of(0xf8, 0x43, 0xb8, 0x41))
  bytes[seal + 20]! ^= 1
  writeFileSync(join(cwd, 'tampered.bin'), bytes)
  const root = ['--data-path=data', `--genesis-file=${join(folder, 'genesis.json')}`, '--logging=ERROR']
  const result = cairn([...root, 'blocks', 'import', 'tampered.bin'], { cwd })
  assert.match(result.stderr, /Block 15, .* is invalid: (It has a seal of|No public key made this signature)/)
  assert.equal(result.code, 1)
  const rest = cairn([...root, 'blocks', 'import', join(folder, 'blocks.bin')], { cwd })
  assert.match(rest.stdout, /^Imported 1 blocks; the last one of the files is block 15\./)
})

test('an interrupted import reports its progress, and resumes when it is repeated', {
  skip,
  timeout: 120_000,
}, async (context) => {
  const cwd = temporaryDirectory(context)
  const folder = pack!.path('recorded/frozen/prague')
  const root = ['--data-path=data', `--genesis-file=${join(folder, 'genesis.json')}`, '--logging=ERROR']
  const args = [...root, 'blocks', 'import', join(folder, 'blocks.bin')]
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text: Buffer) => {
    if (said === '') child.kill('SIGINT')
    said += text
  })
  const [code] = await once(child, 'close')
  assert.equal(code, 130, said)
  const kept = /Interrupted\. (\d+) blocks were imported and are kept; the chain is at block (\d+)\./.exec(
    said,
  )
  assert.ok(kept !== null && kept[1] === kept[2], said)
  const again = cairn(args, { cwd })
  assert.match(again.stdout, /the last one of the files is block 16\./)
  assert.match(again.stderr, new RegExp(`^The chain is at block ${kept[1]}\\.`))
})

test('a failed import reports the reason and the remedy', { skip }, (context) => {
  const cwd = temporaryDirectory(context)
  const hive = pack!.path('chains/hive')
  const root = ['--data-path=data', `--genesis-file=${join(hive, 'genesis.json')}`, '--logging=ERROR']
  writeFileSync(join(cwd, 'torn.bin'), readFileSync(join(hive, 'blocks.bin')).subarray(0, 5_000))
  const trusted = [...root, 'blocks', 'import', '--skip-pow-validation-enabled']
  for (const [args, code, sentence] of [
    [[...root, 'blocks', 'import'], 2, /No files specified to import/],
    [[...root, 'blocks', 'import', 'nowhere.bin'], 2, /Could not find file: nowhere\.bin/],
    [[...root, 'blocks', 'import', join(hive, 'blocks.bin')], 1, /--skip-pow-validation-enabled/],
    [[...trusted, 'torn.bin'], 1, /torn\.bin is not a block file: it ends within a block/],
    [[...trusted, pack!.path('chains/snap/blocks.bin')], 1, /Block 0 of the file is .*another --data-path/],
    [['--data-path=data', 'blocks', 'import', 'x'], 2, /--genesis-file/],
    [['--data-path=empty', 'blocks', 'export', '--to=x'], 2, /./],
    [
      [...root, 'blocks', 'export', '--to=x', '--start-block=5', '--end-block=5'],
      2,
      /greater than --start-block/,
    ],
  ] as const) {
    const result = cairn([...args], { cwd })
    assert.match(result.stderr, sentence)
    assert.deepEqual([result.code, result.stdout], [code, ''], args.join(' '))
  }
  const head = cairn([...trusted, join(hive, 'blocks.bin')], { cwd })
  assert.match(head.stdout, /block 34/, 'blocks of the torn file are lost, or the import does not continue')
})
