/** Era files between geth and Cairn: each reads files of the other. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findGethChain, findGethProgram, type GethChain } from '../../support/geth-program.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'

const geth = findGethProgram('geth')
const chain = geth === undefined ? undefined : findGethChain()
const skip = chain === undefined && 'Go is missing, which builds geth'

/** A new geth, as a function that runs its commands. */
function gethAt(context: TestContext, { genesisFile }: GethChain) {
  const data = `--datadir=${temporaryDirectory(context)}`
  const run = (...args: string[]) =>
    execFileSync(geth!, [data, ...args], { stdio: 'pipe', encoding: 'utf8', timeout: 120_000 })
  run('init', genesisFile)
  return run
}

function cairnAt(context: TestContext, { genesisFile, networkId }: GethChain) {
  const options = [
    `--data-path=${temporaryDirectory(context)}`,
    `--genesis-file=${genesisFile}`,
    `--network-id=${networkId}`,
    '--data-storage-format=FOREST',
  ]
  return (...args: string[]) => {
    const { code, stdout, stderr } = cairn([...options, ...args])
    assert.equal(code, 0, stderr)
    return stdout
  }
}

function erasIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.era1'))
}

test('geth imports the era files of a chain, and names an era by the same accumulator', {
  skip,
}, (context) => {
  const [ours, theirs] = [temporaryDirectory(context), temporaryDirectory(context)]
  const run = cairnAt(context, chain!)
  const take = ['blocks', 'import', '--skip-pow-validation-enabled']
  run(...take, '--end-block=1', chain!.chainFile)
  // Geth recognises files by the names of its networks.
  run('history', 'export', `--to=${join(ours, 'first')}`, '--name=mainnet')
  const exporting = gethAt(context, chain!)
  // Geth ends with a panic if the era has blocks after the merge.
  exporting('export-history', '--era.format=era1', theirs, '0', '0')
  assert.equal(erasIn(theirs).length, 1)
  assert.deepEqual(erasIn(join(ours, 'first')).map(rootIn), erasIn(theirs).map(rootIn))
  const there = run('history', 'import', `--from=${theirs}`)
  assert.match(there, /Imported 0 blocks; the last one of the files is block 0\. 1 were there already/)
  run(...take, chain!.chainFile)
  const all = join(ours, 'all')
  run('history', 'export', `--to=${all}`, '--name=mainnet')
  const importing = gethAt(context, chain!)
  assert.match(importing('import-history', '--era.format=era1', all), /Import done/)
  assert.throws(
    () => importing('import-history', '--era.format=era1', all),
    /only supported when starting from genesis/,
  )
})

function rootIn(name: string): string | undefined {
  return name.split('-').at(-1)
}
