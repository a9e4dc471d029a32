/** A QBFT benchmark chain whose blocks are sealed with real keys, as a file that nodes import and serve. */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { offer } from '#chain/chain.fixture.ts'
import { bftTemplate } from '#consensus/bft/block-template.ts'
import { sealBlock, testValidators } from '#consensus/network.fixture.ts'
import { loadCrypto } from '#evm/crypto.ts'
import { createMemoryKv } from '#store/kv/memory-kv.fixture.ts'
import { encodeBftExtraData, encodeGenesisExtraData } from '#types/block/bft-extra-data.ts'
import { encodeBlock } from '#types/block/block.ts'
import { formatData } from '#types/hex.ts'
import { genesisTextOf, openBenchChain } from './bench-chain.ts'
import { Workload } from './import-workload.ts'

export interface SealedBlocks {
  readonly genesisFile: string
  readonly blocksFile: string
}

const ACCOUNTS = 2_000
const VALIDATORS = 4
const QUORUM = 3
const PROGRESS_BLOCKS = 1_000

/** Half of the transactions transfer ether, half transfer tokens. */
export async function makeSealedBlocks(
  folder: string,
  blocks: number,
  transactions: number,
  say: (text: string) => void,
): Promise<SealedBlocks> {
  const crypto = await loadCrypto()
  const workload = new Workload(ACCOUNTS, crypto)
  const validators = testValidators(VALIDATORS)
  const addresses = validators.map(({ address }) => address)
  const extraData = formatData(encodeGenesisExtraData('qbft', addresses))
  const genesisText = JSON.stringify({ ...JSON.parse(genesisTextOf(workload)), extraData })
  const made = { genesisFile: join(folder, 'genesis.json'), blocksFile: join(folder, 'blocks.bin') }
  writeFileSync(made.genesisFile, genesisText)
  const file = openSync(made.blocksFile, 'w')
  const chain = await openBenchChain(genesisText, createMemoryKv(), false)
  const nothing = { vanity: new Uint8Array(32), validators: addresses, vote: null, round: 0, seals: [] }
  const proposal = encodeBftExtraData('qbft', nothing)
  for (let number = 1; number <= blocks; number++) {
    const author = validators[number % VALIDATORS]!
    const { hash, header } = chain.head
    const half = transactions >> 1
    const candidates = [
      ...workload.transactions('transfers', half),
      ...workload.transactions('ERC-20 transfers', transactions - half),
    ]
    const timestamp = header.timestamp + 1n
    const template = bftTemplate({ parent: hash, timestamp, coinbase: author.address, extraData: proposal })
    const { executed, leftOut } = await chain.build(template, offer(candidates))
    if (leftOut.length > 0) throw new Error(JSON.stringify(leftOut[0]))
    const encoded = sealBlock('qbft', encodeBlock(executed.block), validators.slice(0, QUORUM), crypto.sign)
    const verdict = await chain.importBlock(chain.receive(encoded), { validation: 'none' })
    if (!verdict.ok) throw new Error(verdict.sentence)
    writeSync(file, encoded)
    if (number % PROGRESS_BLOCKS === 0) say(`  ${number} blocks made`)
  }
  closeSync(file)
  await chain.close()
  return made
}
