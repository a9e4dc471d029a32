/*
 * Measures a rehearsal: the time from the command that copies a QBFT chain until the copy answers, and until it has a block
 * after a fork that the genesis file adds.
 *
 *   npm run bench -- copy [--blocks 100000] [--folder kept-between-runs] [--judge]
 *
 * `--judge` fails if the first answer takes more than 10 s; for an idle machine.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openRpcClient } from '../test/support/rpc-client.ts'
import { startNode } from '../test/support/running-node.ts'
import { cpuSecondsOf } from './cpu-seconds.ts'
import { growChains } from './growth-chain.ts'

const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '100000' },
    folder: { type: 'string' },
    judge: { type: 'boolean', default: false },
  },
})
const MAX_ANSWER_MS = 10_000
/** The fork begins this many seconds after the last block. */
const FORK_DELAY_SECONDS = 1_000

const place = mkdtempSync(join(tmpdir(), 'cairn-copy-'))
try {
  const { genesisText, chains } = await growChains(values.folder ?? join(place, 'chains'), [
    Number(values.blocks),
  ])
  const [{ dataPath }] = chains as [(typeof chains)[0]]
  const genesisFile = join(place, 'genesis.json')
  writeFileSync(genesisFile, genesisText)
  const args = ['--network=dev', `--copy-of=${dataPath}`, `--genesis-file=${genesisFile}`]
  const beganMs = performance.now()
  const node = await startNode(args, join(place, 'copy'))
  const client = openRpcClient(node.http)
  const { result: height } = await client.call('eth_blockNumber')
  const answerMs = performance.now() - beganMs
  const copyingCpu = cpuSecondsOf(node.pid)
  if (Number(height) !== Number(values.blocks)) throw new Error(`The copy ends at block ${Number(height)}.`)
  const head = (await client.call('eth_getBlockByNumber', 'latest', false)).result as Record<string, string>
  await node.stop()
  const forkTime = Number(head.timestamp) + FORK_DELAY_SECONDS
  const genesis = JSON.parse(genesisText) as { config: Record<string, unknown> }
  Object.assign(genesis.config, { cancunTime: forkTime })
  writeFileSync(genesisFile, JSON.stringify(genesis))
  const again = await startNode(args, join(place, 'copy'))
  const asking = openRpcClient(again.http)
  await asking.call('eth_blockNumber')
  const startingCpu = cpuSecondsOf(again.pid)
  await asking.call('evm_mine', forkTime)
  const latest = (await asking.call('eth_getBlockByNumber', 'latest', false)).result as Record<string, string>
  await again.stop()
  if (latest.blobGasUsed !== '0x0') throw new Error('The block does not follow the rules of the added fork.')
  console.log(
    `${values.blocks} blocks: copied and answered after ${(answerMs / 1_000).toFixed(1)} s (at most 10 s)`,
  )
  console.log(
    `CPU time: ${copyingCpu.toFixed(1)} s with the copy, ${startingCpu.toFixed(1)} s at the next start`,
  )
  console.log(`block ${Number(latest.number)} follows the rules of the added fork`)
  if (values.judge && answerMs > MAX_ANSWER_MS) {
    console.log('FAILED: the copy answers too late')
    process.exitCode = 1
  }
} finally {
  rmSync(place, { recursive: true, force: true })
}
