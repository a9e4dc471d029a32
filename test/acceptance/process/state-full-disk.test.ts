/**
 * The real program imports a state onto a disk that is too small: it reports the full disk and continues when there
 * is space.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSeededRandom } from '#platform/random.fixture.ts'
import { formatData } from '#types/hex.ts'
import { cairn, temporaryDirectory } from '../../support/program.ts'
import { makeNetwork, moreBlocks, start } from '../../support/validator-network.ts'
import { fillDisk, mountSmallDisk } from './fill-disk.ts'

const MEBIBYTE = 1024 * 1024
/** Enough contracts for eight file chunks of one mebibyte. */
const CONTRACTS = 160
const CODE_BYTES = 50_000
/** Enough for some of the chunks: the database keeps 16 MiB free. */
const SOME_ROOM = 24 * MEBIBYTE
const FULL =
  /^The disk is full\. The imported part is kept: free disk space, and run the same command again to continue\.$/m
const BEGAN = /^The state is of block \d+, 0x\w+\. Reading from byte (\d+) of (\d+) on\.$/m

function contracts(): Record<string, object> {
  const random = createSeededRandom(1)
  return Object.fromEntries(
    Array.from({ length: CONTRACTS }, (_, index) => [
      `0x${(index + 1).toString(16).padStart(40, '0')}`,
      { balance: '0x1', code: formatData(random.randomBytes(CODE_BYTES)) },
    ]),
  )
}

test('a state import on a full disk keeps its progress, and the same command resumes it', {
  timeout: 120_000,
}, async (context) => {
  const disk = mountSmallDisk(context)
  if (disk === undefined) return context.skip('no file system can be mounted here')
  const network = makeNetwork(context, 'qbft', contracts())
  const node = await start(context, network)
  await moreBlocks(node, 2)
  assert.equal(await node.stop(), 0, node.output())
  const cwd = temporaryDirectory(context)
  const exported = cairn([`--data-path=${network.data}`, 'state', 'export', '--to=state.bin'], { cwd })
  assert.equal(exported.code, 0, exported.stderr)

  const data = `--data-path=${join(disk, 'data')}`
  const genesis = `--genesis-file=${join(network.folder, 'genesis.json')}`
  const again = () =>
    cairn([data, genesis, '--logging=ERROR', 'state', 'import', '--from=state.bin'], { cwd })
  // First there is no space for the database, then too little for the entire state.
  for (const leftBytes of [0, SOME_ROOM]) {
    const free = fillDisk(join(disk, 'ballast'), leftBytes)
    const { code, stdout, stderr } = again()
    assert.match(stderr, FULL)
    assert.deepEqual([code, stdout], [1, ''])
    // It gets a little further, because the database starts with an empty log, and fails in the same way.
    assert.match(again().stderr, FULL)
    free()
  }
  const unfinished = cairn([data, genesis, '--p2p-enabled=false'], { cwd })
  assert.match(unfinished.stderr, /state import into this database is unfinished/)
  const finished = again()
  assert.equal(finished.code, 0, finished.stderr)
  const [, from, bytes] = BEGAN.exec(finished.stderr)!
  assert.ok(Number(from) > MEBIBYTE && Number(from) < Number(bytes), `${from} of ${bytes}`)
  assert.match(finished.stdout, new RegExp(`: ${CONTRACTS} accounts and 0 slots\\.`))
  const second = cairn([data, 'state', 'export', '--to=second.bin'], { cwd })
  assert.equal(second.code, 0, second.stderr)
  assert.ok(readFileSync(join(cwd, 'second.bin')).equals(readFileSync(join(cwd, 'state.bin'))))
})
